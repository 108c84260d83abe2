// The shapes of the routes about samples (docs/api.md).
import { count } from "../../../model/format";

export interface SampleColumn {
	column: string; // its name
	type: "unsigned" | "signed" | "real" | "hexadecimal" | "names" | string;
	role: string | null;
	min: string | null; // of numbers, as texts: exact for 64 bits
	max: string | null;
	names: number | null; // how many
	missing: number; // samples without a value
	bytes: number;
}

export interface SamplesInfo {
	format: string;
	note: string;
	rows: number;
	skipped: number;
	elsewhere: number; // samples of CPUs that the hardware does not have
	bad: number;
	badLines: { line: number; reason: string }[];
	tables: string[];
	tiers: { name: string; resources: number }[];
	single: number[]; // columns that have one value
	mapped: string | null; // roles as the person mapped them
	l1Latency: number;
	l1Guessed: boolean; // latencies contain it
	roles: string[];
	columns: SampleColumn[];
}

export interface Sum {
	samples: number;
	timed: number;
	cycles: number;
	also?: number; // samples of the pre-selection
	alsoCycles?: number;
}

export interface Offender extends Sum {
	name: string;
	select: string | null; // the text that selects it
}

export interface OffendingLine extends Sum {
	line: string;
	select: string | null;
}

export interface OffenderGroup extends Offender {
	file: string | null;
	lines?: OffendingLine[];
}

export interface Offenders {
	groupedBy: "function" | "file";
	groups: OffenderGroup[];
	objects: Offender[];
	levels: Offender[];
}

export interface Totals {
	rows: number;
	selected: number;
	cycles?: number;
	mean?: number;
}

/** Counts between the bins of two neighbouring axes, the strongest last. */
export interface Links {
	count: Float64Array;
	left: Uint16Array;
	right: Uint16Array;
}

/** Counts along axes; each histogram ends with the samples that have no value. */
export interface AxisCounts {
	histograms: Float64Array[];
	links: Links[];
	samples: number;
}

export interface Axes {
	columns: number[];
	bins: number[];
	rows: number;
	selected: AxisCounts;
	also: AxisCounts | null;
}

export interface Window {
	from: string;
	to: string;
	used: number;
	samples: number;
	cycles: number;
	latency: number | null;
	imbalance: number | null;
}

/** L and I of a tier of the hardware. */
export interface TierMetrics {
	depth: number;
	tier: string;
	resources: number;
	used: number;
	samples: number;
	cycles: number;
	latency: number | null;
	imbalance: number | null;
}

export interface Cluster extends Window {
	cluster: number;
	depth: number;
}

export interface Related {
	share: number;
	bits: number;
	column: string;
	with: string;
}

export interface Special {
	divergence: number;
	selected: number;
	others: number;
	column: string;
	values: string;
}

export interface SourceText {
	file: string;
	path: string | null;
	text: string | null; // null: the file is not at hand
}

/** Index of the column with a role; -1: none. */
export function roleColumn(info: SamplesInfo, role: string): number {
	return info.columns.findIndex((c) => c.role === role);
}

export function isNames(c: SampleColumn): boolean {
	return c.type === "names";
}

/** What a column is measured in, for labels. */
export function unitOf(c: SampleColumn): string {
	return c.role === "latency" ? "cycles" : "";
}

/** Cycles or samples of a sum: what bars are as long as. */
export function measure(x: Sum, by: "cycles" | "samples"): number {
	return by === "cycles" ? x.cycles : x.samples;
}

/** A mean of cycles: small ones have a digit behind the point. */
export function cyclesText(v: number): string {
	return Math.abs(v) < 100 ? v.toFixed(1) : count(Math.round(v));
}

export function mean(x: Sum): number {
	return x.timed ? x.cycles / x.timed : 0;
}
