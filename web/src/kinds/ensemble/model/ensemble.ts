// Ensembles: many simulations side by side. The shapes of the server's answers
// (docs/api.md, Ensembles); which members are shown; the parameters in which they differ;
// common time.
import { matrix, type Figure, type Role } from "../../../model/figure";
import type { Params, Window } from "../../../model/types";

export interface EnsembleTrace {
	trace: number; // of the ensemble
	label: string;
	path: string;
	from?: number; // where its window of the recorded trace begins
	references: number;
	width: number; // references a bin
	bins: number;
	open: number | null; // number of the open trace
	milestones: { name: string; count: number }[];
}

/** A property in which members differ; its values are in ascending order. */
export interface Parameter {
	name: string;
	numeric: boolean;
	size: boolean; // of a cache
	effect: number; // share of the variance of the members' access time that it explains
	colours: Role[]; // by value
	values: string[];
}

export interface Member {
	member: number;
	label: string;
	trace: number;
	machine: string;
	values: (string | null)[]; // by parameter
	numbers: (number | null)[];
	levels: { name: string; size?: number; line?: number; cycles: number }[]; // memory last
	cores?: number;
	done: boolean;
	served: number[];
	cycles: number; // average of a reference
}

export interface MeasureChoice {
	id: Measure;
	label: string;
	axis: string; // "{level}" stands for the name of a level
	level: boolean; // it is of a level
}

export interface Ensemble {
	ensemble: number;
	path: string;
	name: string;
	levels: number; // largest number of levels of a member, without memory
	plots: { id: string; title: string; help: string }[]; // to choose from
	measures: MeasureChoice[];
	times: Common[]; // kinds of common time to choose from
	traces: EnsembleTrace[];
	parameters: Parameter[];
	usual: Record<"x" | "y" | "colour" | "facet", string | null>; // until a person chooses
	made: Record<string, string>; // options of `memlamp ensemble` when it made the file
	members: Member[];
}

export type Measure = "time" | "served" | "miss" | "memory" | "temperature";
export type Common = "raw" | "normalised" | "matched";

/** A figure of an ensemble, and what its header says beyond other figures. */
export interface EnsembleFigure extends Figure {
	plot: string;
	end?: number; // of common time
	unit?: string;
	window?: number; // references of the moving average; 0: one bin
	ways?: number; // to share a cache
	threads?: number;
	total?: number; // bytes that are shared
	shift?: number; // references
}

export interface Matching {
	how: Common;
	base: number;
	end: number;
	knots: number[][]; // [knot][trace]
	names: string[];
	shown: number;
	count: number;
	unequal: string[];
}

/** Curves of some members in cells of common time. */
export interface Curves {
	from: number;
	to: number;
	end: number;
	cells: number;
	unit: string;
	members: number[];
	mean: Float32Array; // [members][cells]
	deviation: Float32Array;
	average: Float32Array; // [cells], across members
	spread: Float32Array;
}

/** The numbers of a figure of members over time; null: it is another figure. */
export function curvesOf(f: EnsembleFigure | null): Curves | null {
	if (!f?.column["deviation"]) return null;
	return {
		from: f.from,
		to: f.to,
		end: f.end ?? 0,
		cells: f.cells ?? 1,
		unit: f.unit ?? "",
		members: f.members,
		mean: matrix(f, "mean"),
		deviation: matrix(f, "deviation"),
		average: matrix(f, "average"),
		spread: matrix(f, "spread"),
	};
}

export function workingSetOf(f: EnsembleFigure | null): WorkingSet | null {
	if (f?.plot !== "workingset") return null;
	const { from, to, end = 0, cells = 1 } = f;
	return { from, to, end, cells, bytes: matrix(f, "bytes") };
}

export function sharedCacheOf(f: EnsembleFigure | null): SharedCache | null {
	if (f?.plot !== "shared") return null;
	const { from, to, end = 0, cells = 1, unit = "" } = f;
	const { ways = 0, threads = 0, total = 0, shift = 0, column } = f;
	return {
		from,
		to,
		end,
		cells,
		unit,
		ways,
		threads,
		total,
		shift,
		mean: matrix(f, "mean"),
		member: column["member"] as Uint32Array,
		starved: column["starved"] as Uint32Array,
		value: matrix(f, "value"),
	};
}

/** Ways that starve equally many threads, with their values over the window. */
export interface Cluster {
	starved: number;
	ways: number;
	low: number;
	high: number;
}

export function clusters(s: SharedCache): Cluster[] {
	const by = new Map<number, Cluster>();

	for (let w = 0; w < s.ways; w++) {
		const n = s.starved[w]!;
		const c = by.get(n) ?? { starved: n, ways: 0, low: Infinity, high: -Infinity };
		c.ways++;
		c.low = Math.min(c.low, s.value[w]!);
		c.high = Math.max(c.high, s.value[w]!);
		by.set(n, c);
	}
	return [...by.values()].sort((a, b) => a.starved - b.starved);
}

export interface Ranked {
	member: number;
	value: number;
	references: number;
}

export interface Ranking {
	unit: string;
	from: number;
	to: number;
	rows: Ranked[];
}

export interface WorkingSet extends Window {
	end: number;
	cells: number;
	bytes: Float32Array; // NaN: larger than the largest size
}

/** Ways to share a cache out to threads. */
export interface SharedCache extends Window {
	end: number;
	cells: number;
	unit: string;
	ways: number;
	threads: number;
	total: number; // bytes that are shared
	shift: number; // references
	mean: Float32Array; // [ways][cells]
	member: Uint32Array; // [ways][threads]
	starved: Uint32Array;
	value: Float32Array;
}

/** The values that a plot shows: the parameters called CURVE in docs/api.md. */
export interface CurveQuery {
	measure: Measure;
	level: number | null; // from 1; null: the measure is of no level
	weights: number[] | null; // null: each machine's own
	window: number | null; // references of the moving average; 0: one bin; null: the usual
	time: Common;
	match: string; // "": milestones of the same name
	base: number;
	volume: boolean;
	against: number | null;
}

export function curveParams(q: CurveQuery): Params {
	return {
		measure: q.measure,
		level: q.level ?? undefined,
		weights: q.weights && q.measure === "time" ? q.weights.join(",") : undefined,
		window: q.window === null ? undefined : Math.max(1, Math.round(q.window)),
		time: q.time,
		match: q.time === "matched" && q.match ? q.match : undefined,
		base: q.time === "matched" ? q.base : undefined,
		volume: q.volume && q.time !== "raw" ? 1 : undefined,
		against: q.against ?? undefined,
	};
}

/** "4, 14, 200" as numbers; null for any other text. */
export function parseWeights(text: string): number[] | null {
	const parts = text.split(/[\s,;]+/).filter(Boolean);
	const numbers = parts.map(Number);

	return parts.length && numbers.every((v) => Number.isFinite(v) && v >= 0)
		? numbers
		: null;
}

/** Values that are not shown, by the name of the parameter. */
export type Hidden = Record<string, string[]>;

export function parseHidden(text: string): Hidden {
	try {
		const h = JSON.parse(text) as Hidden;
		return h && typeof h === "object" ? h : {};
	} catch {
		return {};
	}
}

/** A member that has no value of a parameter is listed under this name. */
export const NONE = "–";

export function valueOf(m: Member, parameter: number): string {
	return m.values[parameter] ?? NONE;
}

export function isShown(e: Ensemble, m: Member, hidden: Hidden): boolean {
	return m.done && e.parameters.every((p, i) => !hidden[p.name]?.includes(valueOf(m, i)));
}

/** Values of a parameter that members have, in order. */
export function valuesOf(e: Ensemble, parameter: number): string[] {
	const values = e.parameters[parameter]!.values;

	return e.members.some((m) => m.values[parameter] == null) ? [...values, NONE] : values;
}

/** Hides a value or shows it again. Hiding the last value shows all of them. */
export function toggled(
	e: Ensemble,
	hidden: Hidden,
	name: string,
	value: string,
): Hidden {
	const now = hidden[name] ?? [];
	const next = now.includes(value) ? now.filter((v) => v !== value) : [...now, value];

	return cleaned(e, { ...hidden, [name]: next });
}

/** Shows only this value of a parameter; all of them when it is alone already. */
export function alone(e: Ensemble, hidden: Hidden, name: string, value: string): Hidden {
	const i = e.parameters.findIndex((p) => p.name === name);
	const others = valuesOf(e, i).filter((v) => v !== value);
	const already = others.every((v) => hidden[name]?.includes(v));

	return cleaned(e, { ...hidden, [name]: already ? [] : others });
}

function cleaned(e: Ensemble, hidden: Hidden): Hidden {
	const some = Object.fromEntries(Object.entries(hidden).filter(([, v]) => v.length));

	return e.members.some((m) => isShown(e, m, some)) ? some : {};
}

/** The end of common time. */
export function endOf(e: Ensemble, time: Common, base: number): number {
	if (time === "normalised") return 1;
	if (time === "matched") return e.traces[base]?.references ?? 0;
	return Math.max(0, ...e.traces.map((t) => t.references));
}

/** Position of a trace at a moment of common time. */
export function positionOf(
	e: Ensemble,
	time: Common,
	matching: Matching | null,
	trace: number,
	common: number,
): number {
	const refs = e.traces[trace]?.references ?? 0;

	if (time === "normalised") return Math.min(refs, common * refs);
	if (time === "raw" || !matching) return Math.min(refs, common);
	return between(matching.knots, matching.base, trace, common);
}

/** From a position of one trace to that of another, in proportion between their knots. */
function between(knots: number[][], of: number, to: number, at: number): number {
	let [low, high] = [0, knots.length - 1];

	if (high < 1) return at;
	while (high - low > 1) {
		const middle = (low + high) >> 1;
		if (knots[middle]![of]! <= at) low = middle;
		else high = middle;
	}
	const [a, b] = [knots[low]!, knots[high]!];
	const share = b[of]! > a[of]! ? (at - a[of]!) / (b[of]! - a[of]!) : 0;
	return a[to]! + Math.max(0, Math.min(1, share)) * (b[to]! - a[to]!);
}

/*
 * The position of a slider, from 0 to 1, as references of a moving average; logarithmic.
 */
export function windowAt(place: number, min: number, max: number): number {
	if (place <= 0) return 0;
	return Math.round(min * (max / min) ** Math.min(1, place));
}

export function placeOfWindow(window: number, min: number, max: number): number {
	if (window <= min || max <= min) return 0;
	return Math.min(1, Math.log(window / min) / Math.log(max / min));
}

/** "120-4096.5" as a window within [0, end), or null. */
export function parseFocus(text: string, end: number): Window | null {
	const m = text.match(/^([\d.e+-]+?)~([\d.e+-]+)$/);
	const [from, to] = m ? [Number(m[1]), Number(m[2])] : [NaN, NaN];

	return from >= 0 && to > from && from < end ? { from, to: Math.min(to, end) } : null;
}

export function printFocus(w: Window, end: number): string {
	const digits = end <= 1 ? 1e6 : 1e2;
	const short = (v: number) => String(Math.round(v * digits) / digits);

	return `${short(w.from)}~${short(w.to)}`;
}

/** Keeps a window within the run and at least `min` wide; null: it is the whole run. */
export function within(w: Window, end: number, min: number): Window | null {
	const width = Math.min(end, Math.max(w.to - w.from, min));
	const from = Math.max(0, Math.min(w.from, end - width));

	return width >= end * (1 - 1e-9) ? null : { from, to: from + width };
}
