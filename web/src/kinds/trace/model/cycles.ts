// Cycles: what recurs in a trace. Every moment has a lifted angle, in turns; pure functions
// that place moments on a circle or a spiral and put them into colours.

import type { Window } from "../../../model/types";

export interface CycleLine {
	file: string | null;
	line: number;
	function: string | null;
	share: number; // of all turning
	moves: number;
}

export interface Cycle {
	birth: number;
	death: number | null; // null: it never ends
	refused: string | null; // why it has no angles
	turns: number;
	covered: number; // share of the moments
	own?: number; // share of the turning that the user's own lines do; not of a refused one
	from: number; // time
	to: number;
	lines: CycleLine[];
	of: { class: number; times: number }[];
}

export interface ShortLoop {
	period: number;
	turns: number;
	runs: number;
	longest: number;
	from: number;
	to: number;
	lines: { file: string | null; line: number; function: string | null }[];
}

export interface Cycles {
	thread: number; // whose references these are; 0: all
	by_names: string[]; // what can make two references the same
	width: number;
	windows: number;
	distinct: number;
	radius: number; // above 0: windows were thinned
	error: number;
	bars: { birth: number; death: number | null; count: number }[];
	classes: Cycle[];
	reduced: Cycle[];
	short: ShortLoop[];
}

export interface CyclePlace {
	file: string | null;
	line: number;
	function: string | null;
	moments: number;
}

/** One cycle over time: every moment (exact), or rows of time by sectors of a turn. */
export interface Angles {
	all: number; // moments in the window
	exact: boolean;
	from: number; // time
	to: number;
	begin: number; // times between which it turns
	end: number;
	places: CyclePlace[];
	regions: { name: string; moments: number }[];
	time: Float64Array;
	turns: Float64Array;
	place: Uint8Array;
	region: Uint8Array;
	level: Uint8Array | null;
	served?: number[]; // moments by the level that served them; 0: not known
	rows: number;
	sectors: number;
	moments: Uint32Array | null;
}

/** Distinct windows in the plane; `geodesic`: by their distances along near windows. */
export interface PlaneMap {
	all: number;
	shown: number; // share of the spread
	geodesic_shown: number;
	near: number; // neighbours of each window that distances go along
	x: Float64Array;
	y: Float64Array;
	geodesic_x: Float64Array;
	geodesic_y: Float64Array;
	turns: Float64Array; // 0 to 1
	moments: Float64Array;
}

export const OTHER = 255; // a place or region that is not in the list

/*
 * "64 turns": how many were begun. The first and the last turn are cut by the width of a
 * window, so that the 64 runs of a body turn 63.3 times, say.
 */
export function turnsText(turns: number): string {
	const n = Math.max(0, Math.ceil(turns - 0.1));

	return `${n.toLocaleString("en")} turn${n === 1 ? "" : "s"}`;
}

/*
 * The angle between two parametrisations, t from 0 to 1. Both are lifted, so no moment
 * takes the wrong way round.
 */
export function morph(a: Float64Array, b: Float64Array, t: number): Float64Array {
	if (t === 0 || a.length !== b.length) return a;
	return a.map((v, i) => v + (b[i]! - v) * t);
}

export interface Ring {
	x: number; // centre
	y: number;
	inner: number; // radius
	outer: number;
}

/** Radii of a spiral: they grow with time from the inner to the outer one. */
export function spiralRadii(count: number, ring: Ring): Float32Array {
	const step = (ring.outer - ring.inner) / Math.max(1, count - 1);

	return Float32Array.from({ length: count }, (_, i) => ring.inner + i * step);
}

/** Where between the inner and the outer radius the moments of a cycle form a circle. */
export const CIRCLE = 0.7;

/*
 * Radii of a circle: moments of the cycle lie on one radius; those before it come from the
 * centre, those behind it go outwards (section 6.3.1 of the dissertation).
 */
export function circleRadii(
	time: Float64Array,
	begin: number,
	end: number,
	ring: Ring,
): Float32Array {
	const middle = ring.inner + CIRCLE * (ring.outer - ring.inner);
	const first = time.findIndex((t) => t >= begin);
	const last = time.findLastIndex((t) => t < end);
	const [a, b] = [first < 0 ? time.length : first, last < 0 ? -1 : last];

	return Float32Array.from(time, (_, i) =>
		i < a
			? ring.inner + ((middle - ring.inner) * i) / Math.max(1, a)
			: i > b
				? middle + ((ring.outer - middle) * (i - b)) / Math.max(1, time.length - 1 - b)
				: middle,
	);
}

/** Where a moment lies: angles go clockwise from the top. */
export function placeOf(ring: Ring, radius: number, turns: number): [number, number] {
	const a = 2 * Math.PI * turns;

	return [ring.x + radius * Math.sin(a), ring.y - radius * Math.cos(a)];
}

const ARC = 0.03; // of a turn: pieces of an arc are at most so long
const MAX_PIECES = 200;

/** Points between two moments, by polar interpolation; the first one is left out. */
export function arcPoints(
	ring: Ring,
	r0: number,
	t0: number,
	r1: number,
	t1: number,
	out: number[],
): void {
	const n = Math.min(MAX_PIECES, Math.max(1, Math.ceil(Math.abs(t1 - t0) / ARC)));

	for (let k = 1; k <= n; k++) {
		const [x, y] = placeOf(ring, r0 + ((r1 - r0) * k) / n, t0 + ((t1 - t0) * k) / n);
		out.push(x, y);
	}
}

export interface Category {
	title: string;
	detail: string;
	moments: number;
	func: string | null; // that folding is about; null: it cannot be folded
	folded: boolean;
	file: string | null;
	line: number;
}

/*
 * What has a colour of its own. Lines of a function that is folded are one category.
 * `of[place]` is the number of the category; the most frequent one is first.
 */
export function categories(
	places: CyclePlace[],
	folded: (func: string) => boolean,
): { list: Category[]; of: number[] } {
	const byKey = new Map<string, Category>();
	const keys = places.map((p) => {
		const func = p.function ?? "?";
		const fold = folded(func);
		const name = p.file?.split("/").at(-1);
		const key = fold || !name ? `f ${func}` : `l ${p.file}:${p.line} ${func}`;
		const c = byKey.get(key);

		if (c) c.moments += p.moments;
		else
			byKey.set(key, {
				title: fold || !name ? func : `${name}:${p.line}`,
				detail: fold || !name ? "" : func,
				moments: p.moments,
				func: name ? func : null,
				folded: fold,
				file: p.file,
				line: p.line,
			});
		return key;
	});
	const order = [...byKey.entries()].sort((a, b) => b[1].moments - a[1].moments);
	const number = new Map(order.map(([key], i) => [key, i]));

	return { list: order.map(([, c]) => c), of: keys.map((k) => number.get(k)!) };
}

/*
 * Functions whose lines are one colour until a person unfolds them: as many as it takes to
 * have at most `max` colours, the least used functions first.
 */
export function foldedAtFirst(places: CyclePlace[], max: number): Set<string> {
	const folded = new Set<string>();
	const funcs = categories(places, () => true).list.filter((c) => c.func !== null);

	for (const c of funcs.reverse()) {
		if (categories(places, (f) => folded.has(f)).list.length <= max) break;
		folded.add(c.func!);
	}
	return folded;
}

/** Times at which whole turns end, at most `max` of them; none when there are more. */
export function turnTimes(a: Angles, max: number): number[] {
	const out: number[] = [];

	if (!a.exact) return out;
	let next = Math.ceil((a.turns[0] ?? 0) + 1e-9);
	for (let i = 0; i < a.turns.length; i++)
		while (a.turns[i]! >= next) {
			if (out.length === max) return [];
			out.push(a.time[i]!);
			next++;
		}
	return out;
}

/** The moment at or behind a time, -1 if there is none. */
export function momentAt(time: Float64Array, t: number): number {
	let low = 0;
	let high = time.length;

	while (low < high) {
		const middle = (low + high) >> 1;
		if (time[middle]! < t) low = middle + 1;
		else high = middle;
	}
	return low < time.length ? low : -1;
}

/** The row of a density that a time falls into, -1: none. */
export function rowAt(a: Angles, time: number): number {
	if (!a.rows || time < a.time[0]! || time >= a.to) return -1;
	const next = momentAt(a.time, time + 1);

	return (next < 0 ? a.rows : next) - 1;
}

const ROUNDING = 1e-6; // of a turn

/*
 * The time from one moment to another, either way, with the turns that it touches as wholes;
 * of a density, whose single moments are not known, with the rows as wholes.
 */
export function stretchOf(a: Angles, i: number, k: number): { from: number; to: number } {
	let [first, last] = [Math.min(i, k), Math.max(i, k)];

	if (!a.exact) return { from: a.time[first]!, to: a.time[last + 1] ?? a.to };
	const t = a.turns;
	const from = Math.floor(Math.min(t[first]!, t[last]!) + ROUNDING);
	const to = Math.ceil(Math.max(t[first]!, t[last]!) - ROUNDING);
	while (first > 0 && t[first - 1]! >= from - ROUNDING) first--;
	while (last + 1 < t.length && t[last + 1]! <= to + ROUNDING) last++;
	return { from: a.time[first]!, to: a.time[last]! + 1 };
}

/** The moment drawn nearest to a point, within so many pixels; -1: none. */
export function nearest(
	xs: ArrayLike<number>,
	ys: ArrayLike<number>,
	x: number,
	y: number,
	within: number,
): number {
	let best = -1;
	let least = within * within;

	for (let i = 0; i < xs.length; i++) {
		const d = (xs[i]! - x) ** 2 + (ys[i]! - y) ** 2;
		if (d <= least) [best, least] = [i, d];
	}
	return best;
}

/**
 * The references to draw of a cycle, where the whole trace is in sight: of one that turns in
 * less than a tenth of it, its own stretch and a little around it.
 */
export function stretchToDraw(c: Cycle, all: Window): Window {
	const length = c.to - c.from;
	const around = Math.ceil(length / 10);

	if (10 * length > all.to - all.from) return all;
	return {
		from: Math.max(all.from, c.from - around),
		to: Math.min(all.to, c.to + around),
	};
}

/** Cycles as a list shows them, by number: those that lines of the user's turn come first. */
export function listOrder(list: readonly Cycle[]): number[] {
	const rank = (n: number) => (list[n]!.refused ? 2 : (list[n]!.own ?? 0) > 0.5 ? 0 : 1);

	return list.map((_, n) => n).sort((a, b) => rank(a) - rank(b) || a - b);
}
