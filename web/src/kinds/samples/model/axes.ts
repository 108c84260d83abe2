// Which axes parallel coordinates show, where they stand, and how strong their lines are.
import { count, tick } from "../../../model/format";
import {
	isNames,
	roleColumn,
	type Links,
	type SampleColumn,
	type SamplesInfo,
} from "./table";

export type Strength = "all" | "left" | "right";

const USUAL = ["line", "function", "variable", "cpu", "level", "latency", "time"];
const MOST = 8;

/*
 * The axes to begin with: code, data, hardware, latency, time, and then the numbers that
 * the program itself gave (iteration, position), as far as they have more than one value.
 */
export function usualAxes(info: SamplesInfo): number[] {
	const says = (i: number) => i >= 0 && !info.single.includes(i);
	const roles = USUAL.map((r) => roleColumn(info, r)).filter(says);
	const own = info.columns
		.map((c, i) => ({ c, i }))
		.filter(
			({ c, i }) =>
				!c.role &&
				says(i) &&
				c.type !== "hexadecimal" &&
				(isNames(c) ? (c.names ?? 0) < 200 : c.min !== "0" || c.max !== "1"),
		)
		.map(({ i }) => i);

	return [...roles, ...own].slice(0, MOST);
}

export interface Frame {
	left: number;
	right: number;
	top: number;
	bottom: number;
}

/** Where the i-th of n axes stands. */
export function axisX(f: Frame, i: number, n: number): number {
	return n > 1 ? f.left + ((f.right - f.left) * i) / (n - 1) : (f.left + f.right) / 2;
}

/** The y in the middle of a bin; the bin of missing values lies below the axis. */
export function binY(f: Frame, bin: number, bins: number): number {
	if (bin >= bins) return f.bottom + 11;
	return f.bottom - ((f.bottom - f.top) * (bin + 0.5)) / bins;
}

/** The bin at a y; `bins` if it is below the axis. */
export function binAt(f: Frame, y: number, bins: number): number {
	if (y > f.bottom + 4) return bins;
	const share = (f.bottom - y) / (f.bottom - f.top);

	return Math.max(0, Math.min(bins - 1, Math.floor(share * bins)));
}

/** The place in the row that an axis that is dragged to x takes. */
export function placeAt(f: Frame, x: number, n: number): number {
	const step = n > 1 ? (f.right - f.left) / (n - 1) : 1;

	return Math.max(0, Math.min(n - 1, Math.round((x - f.left) / step)));
}

export function moved<T>(list: T[], from: number, to: number): T[] {
	const rest = list.filter((_, i) => i !== from);

	return [...rest.slice(0, to), list[from]!, ...rest.slice(to)];
}

/** As in lib/samples/bins.h; one more bin has what has no value. */
const BINS_MAX = 1000;

/*
 * The strength of each line from 0 to 1: its count as a share of the strongest line of the
 * pair of axes, of those at the same left bin, or of those at the same right bin. `most`
 * replaces the strongest: a pre-selection on the scale of all.
 */
export function strengths(l: Links, mode: Strength, most?: Links): Float64Array {
	const reference = most ?? l;
	const side = (x: Links) => (mode === "left" ? x.left : x.right);
	const top = new Float64Array(BINS_MAX + 1); // by bin; 0: the reference has no line there
	const out = new Float64Array(l.count.length);

	for (let i = 0; i < reference.count.length; i++) {
		const key = mode === "all" ? 0 : side(reference)[i]!;
		if (reference.count[i]! > top[key]!) top[key] = reference.count[i]!;
	}
	for (let i = 0; i < out.length; i++)
		out[i] = l.count[i]! / (top[mode === "all" ? 0 : side(l)[i]!] || l.count[i]!);
	return out;
}

export const SHADES = 16;
export const WIDTHS = 6;

/** Lines of one shade and width, which are drawn in one stroke. */
export interface Stroke {
	shade: number; // 0 to 1
	width: number; // CSS pixels
	ends: Float64Array; // x1, y1, x2, y2, ...
}

/*
 * Lines between two axes as few strokes, the strongest last. Luminance is the strength,
 * width the share of all samples.
 */
export function strokes(
	l: Links,
	strength: Float64Array,
	samples: number,
	x1: number,
	x2: number,
	f: Frame,
	bins: [left: number, right: number],
): Stroke[] {
	const key = new Uint8Array(l.count.length);
	const sizes = new Uint32Array(SHADES * WIDTHS);

	for (let i = 0; i < key.length; i++) {
		const shade = Math.min(SHADES - 1, Math.floor(Math.sqrt(strength[i]!) * SHADES));
		const share = Math.sqrt(l.count[i]! / Math.max(1, samples));
		const width = Math.min(WIDTHS - 1, Math.floor(share * WIDTHS));

		key[i] = shade * WIDTHS + width;
		sizes[key[i]!]!++;
	}
	const ends = Array.from(sizes, (n) => new Float64Array(4 * n));
	const used = new Uint32Array(sizes.length);
	for (let i = 0; i < key.length; i++) {
		const to = ends[key[i]!]!;
		const at = 4 * used[key[i]!]!++;

		to[at] = x1;
		to[at + 1] = binY(f, l.left[i]!, bins[0]);
		to[at + 2] = x2;
		to[at + 3] = binY(f, l.right[i]!, bins[1]);
	}
	return ends
		.map((e, k) => ({
			shade: Math.floor(k / WIDTHS) / (SHADES - 1),
			width: 0.8 + 1.4 * (k % WIDTHS),
			ends: e,
		}))
		.filter((k) => k.ends.length > 0);
}

/** Values that are near each other and far from 0, such as times, are told from the first. */
function fromFirst(c: SampleColumn): boolean {
	if (isNames(c) || c.min === null || c.max === null || c.role === "line") return false;
	return Number(c.max) > 1e6 && Number(c.min) > 0.8 * Number(c.max);
}

/** A value of a column as people read it. */
export function shown(c: SampleColumn, text: string): string {
	if (fromFirst(c))
		return `+${tick(c.type === "real" ? Number(text) - Number(c.min) : Number(BigInt(text) - BigInt(c.min!)))}`;
	if (isNames(c) || c.type === "hexadecimal" || c.role === "line") return text;
	const v = Number(text);

	return Number.isInteger(v) ? tick(v) : count(Number(v.toPrecision(4)));
}

/** What a bin holds, in words. */
export function binText(c: SampleColumn, edges: string[], bin: number): string {
	const bins = edges.length - 1;

	if (bin >= bins) return "no value";
	if (isNames(c)) {
		const [from, to] = [
			Math.ceil(((c.names ?? bins) * bin) / bins),
			Math.ceil(((c.names ?? bins) * (bin + 1)) / bins) - 1,
		];
		return to > from ? `${edges[bin]} and ${to - from} more` : edges[bin]!;
	}
	const next = edges[bin + 1]!;
	if (c.type !== "real" && bin < bins - 1) {
		const high = BigInt(next) - 1n;
		const low = BigInt(edges[bin]!);

		if (high === low) return edges[bin]!;
		return `${edges[bin]} to ${c.type === "hexadecimal" ? `0x${high.toString(16)}` : high}`;
	}
	return edges[bin] === next ? next : `${shown(c, edges[bin]!)} to ${shown(c, next)}`;
}

/*
 * Where a value lies on an axis whose bins begin at `edges`, 0 to 1. Bins are equally wide
 * on the axis, whatever they hold.
 */
export function position(c: SampleColumn, value: string, edges: string[]): number {
	const bins = edges.length - 1;
	const real = c.type === "real";
	const big = (t: string) => (t.startsWith("-") ? -BigInt(t.slice(1)) : BigInt(t));
	const less = (x: string, y: string) =>
		real ? Number(x) - Number(y) : Number(big(x) - big(y));
	let bin = 0;

	while (bin + 1 < bins && less(edges[bin + 1]!, value) <= 0) bin++;
	const wide = less(edges[bin + 1]!, edges[bin]!) + (bin === bins - 1 && !real ? 1 : 0);
	const within = wide > 0 ? less(value, edges[bin]!) / wide : 0.5;
	return (bin + Math.max(0, Math.min(1, within))) / bins;
}

/** The values up to which a third and two thirds of the samples lie. */
export function thirds(counts: ArrayLike<number>, edges: string[]): [number, number] {
	const bins = edges.length - 1;
	let all = 0;

	for (let i = 0; i < bins; i++) all += counts[i]!;
	const ends = [1, 2].map((part) => {
		let sum = 0;

		for (let i = 0; i < bins; i++) {
			sum += counts[i]!;
			if (sum * 3 >= all * part)
				return i + 1 < bins ? Number(edges[i + 1]) - 1 : Number(edges[bins]);
		}
		return Number(edges[bins]);
	});

	return [ends[0]!, ends[1]!];
}
