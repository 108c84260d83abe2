// Ensembles: many simulations side by side. The shapes of the server's answers
// (docs/api.md, Ensembles); which members are shown; the parameters in which they differ;
// common time.
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
	measures: MeasureChoice[]; // to choose from
	times: Common[]; // kinds of common time to choose from
	traces: EnsembleTrace[];
	parameters: Parameter[];
	members: Member[];
}

export type Measure = "time" | "served" | "miss" | "memory" | "temperature";
export type Common = "raw" | "normalised" | "matched";

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
	low: Float32Array;
	high: Float32Array;
	deviation: Float32Array;
	average: Float32Array; // [cells], across members
	spread: Float32Array;
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
	low: Float32Array;
	high: Float32Array;
	member: Uint32Array; // [ways][threads]
	starved: Uint32Array;
	value: Float32Array;
}

/** The values that a plot shows: the parameters called CURVE in docs/api.md. */
export interface CurveQuery {
	measure: Measure;
	level: number | null; // from 1; null: the measure is of no level
	weights: number[] | null; // null: each machine's own
	window: number; // references of the moving average; 0: one bin
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
		window: Math.round(q.window) || undefined,
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

/*
 * The share of the variance of the members' average access time that each parameter
 * explains (the correlation ratio). The parameter with the largest share gets the
 * colours.
 */
export function effects(e: Ensemble): number[] {
	const done = e.members.filter((m) => m.done && Number.isFinite(m.cycles));
	const mean = done.reduce((s, m) => s + m.cycles, 0) / Math.max(1, done.length);
	const total = done.reduce((s, m) => s + (m.cycles - mean) ** 2, 0);

	return e.parameters.map((_, i) => {
		const groups = new Map<string, { n: number; sum: number }>();

		for (const m of done) {
			const g = groups.get(valueOf(m, i)) ?? { n: 0, sum: 0 };
			g.n++;
			g.sum += m.cycles;
			groups.set(valueOf(m, i), g);
		}
		let between = 0;
		for (const g of groups.values()) between += g.n * (g.sum / g.n - mean) ** 2;
		return total > 0 ? between / total : 0;
	});
}

/** The parameter that has the colours until the person chooses; -1: there is none. */
export function usualColour(e: Ensemble): number {
	const shares = effects(e);
	const best = Math.max(...shares, 0);

	// Of parameters that explain as much, the one with fewer values makes groups.
	return e.parameters
		.map((p, i) => ({ i, n: p.values.length, share: shares[i]! }))
		.filter((p) => p.share >= best - 0.02)
		.sort((a, b) => a.n - b.n)
		.reduce((first, p) => (first < 0 ? p.i : first), -1);
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

/** The common time of a knot: where its milestone line stands. */
export function knotTime(m: Matching, i: number): number {
	return m.knots[i]![m.base]!;
}

/** The width of the moving average until the person chooses: a 128th of the window. */
export function usualWindow(references: number, min: number): number {
	const raw = references / 128;

	return raw <= min ? 0 : 2 ** Math.round(Math.log2(raw));
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
