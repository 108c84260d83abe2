// Geometry of an ensemble's plots: scales of values, the curve nearest to a point, labels
// that do not overlap, how many envelopes cover a pixel, circles of volume.
import type { Curves, Matching } from "./ensemble";
import type { Window } from "../../../model/types";

export interface Box {
	x: number;
	y: number;
	w: number;
	h: number;
}

/** A range with a margin; that of a difference plot contains zero. */
export interface Range {
	low: number;
	high: number;
}

/*
 * The range of the rows of a matrix [rows][cells] that `wanted` names. The margin above
 * is 4 percent. The range begins at zero where values come near zero.
 */
export function rangeOf(
	values: Float32Array,
	cells: number,
	wanted: Iterable<number>,
	range: Range = { low: Infinity, high: -Infinity },
): Range {
	for (const row of wanted)
		for (let i = row * cells, end = i + cells; i < end; i++) {
			const v = values[i]!;
			if (v < range.low) range.low = v;
			if (v > range.high) range.high = v;
		}
	return range;
}

const SAMPLED = 20000;
const RARE = 0.015; // share of the values at each end that may be left out
const WORTH = 2; // leave peaks out only if the rest becomes this much larger

/*
 * The range of nearly all values, if rare peaks would press the rest flat; otherwise the
 * whole range.
 */
export function usualRange(values: Float32Array, whole: Range): Range {
	const step = Math.max(1, Math.floor(values.length / SAMPLED));
	const list: number[] = [];

	for (let i = 0; i < values.length; i += step)
		if (values[i] === values[i]) list.push(values[i]!);
	list.sort((a, b) => a - b);
	const low = list[Math.floor(RARE * list.length)] ?? whole.low;
	const high = list[Math.ceil((1 - RARE) * list.length) - 1] ?? whole.high;
	const size = high - low;
	return size > 0 && whole.high - whole.low > WORTH * size
		? {
				low: Math.max(whole.low, low - 0.1 * size),
				high: Math.min(whole.high, high + 0.1 * size),
			}
		: whole;
}

export function padded(r: Range, difference: boolean): Range {
	if (!(r.low <= r.high)) return { low: 0, high: 1 };
	let { low, high } = r;

	if (difference) {
		low = Math.min(0, low);
		high = Math.max(0, high);
	} else if (low >= 0 && low < 0.35 * high) low = 0;
	if (high - low < 1e-9 * Math.max(1, Math.abs(high))) {
		high += Math.max(1e-6, Math.abs(high) * 0.5);
		low = difference ? -high : Math.min(low, 0);
	}
	const air = (high - low) * 0.04;
	return { low: low === 0 && !difference ? 0 : low - air, high: high + air };
}

export function yOf(v: number, r: Range, box: Box): number {
	return box.y + box.h * (1 - (v - r.low) / (r.high - r.low));
}

export function xOf(t: number, w: Window, box: Box): number {
	return box.x + (box.w * (t - w.from)) / (w.to - w.from || 1);
}

export function timeAt(x: number, w: Window, box: Box): number {
	return w.from + ((x - box.x) / Math.max(1, box.w)) * (w.to - w.from);
}

/** Common time in the middle of a cell. */
export function cellTime(
	c: { from: number; to: number; cells: number },
	i: number,
): number {
	return c.from + ((i + 0.5) / c.cells) * (c.to - c.from);
}

export function cellAt(
	c: { from: number; to: number; cells: number },
	time: number,
): number {
	const i = Math.floor(((time - c.from) / (c.to - c.from)) * c.cells);

	return Math.max(0, Math.min(c.cells - 1, i));
}

/** Points x, y of a row of a matrix [rows][cells]; cells outside of the window are left out. */
export function points(
	values: Float32Array,
	row: number,
	c: { from: number; to: number; cells: number },
	w: Window,
	r: Range,
	box: Box,
): Float64Array {
	const first = Math.max(0, cellAt(c, w.from) - 1);
	const last = Math.min(c.cells - 1, cellAt(c, w.to) + 1);
	const out = new Float64Array(2 * Math.max(0, last - first + 1));
	// Linear in the number of the cell and in the value: this runs for each cell of each
	// member.
	const step = (box.w * (c.to - c.from)) / c.cells / (w.to - w.from || 1);
	const left = xOf(c.from, w, box) + step / 2;
	const scale = box.h / (r.high - r.low);
	const zero = box.y + box.h + r.low * scale;

	for (let i = first, o = 0, at = row * c.cells + first; i <= last; i++) {
		out[o++] = left + i * step;
		out[o++] = zero - values[at++]! * scale;
	}
	return out;
}

/** The outline of the area between two rows: forth along one and back along the other. */
export function outline(high: Float64Array, low: Float64Array): number[] {
	const out: number[] = [];

	for (let i = 0; i < high.length; i += 2)
		if (high[i + 1] === high[i + 1]) out.push(high[i]!, high[i + 1]!);
	for (let i = low.length - 2; i >= 0; i -= 2)
		if (low[i + 1] === low[i + 1]) out.push(low[i]!, low[i + 1]!);
	return out;
}

/** The row whose curve passes nearest to a point, and how far away it is. */
export function nearest(
	values: Float32Array,
	rows: number,
	c: { from: number; to: number; cells: number },
	w: Window,
	r: Range,
	box: Box,
	x: number,
	y: number,
): { row: number; distance: number } | null {
	const middle = cellAt(c, timeAt(x, w, box));
	const first = Math.max(0, middle - 4);
	const last = Math.min(c.cells - 1, middle + 4);
	let best: { row: number; distance: number } | null = null;

	for (let row = 0; row < rows; row++) {
		let distance = Infinity;
		for (let i = first; i <= last; i++) {
			const v = values[row * c.cells + i]!;
			const next = values[row * c.cells + Math.min(last, i + 1)]!;
			if (v !== v) continue;
			const d = toSegment(
				x,
				y,
				xOf(cellTime(c, i), w, box),
				yOf(v, r, box),
				xOf(cellTime(c, Math.min(last, i + 1)), w, box),
				yOf(next === next ? next : v, r, box),
			);
			if (d < distance) distance = d;
		}
		if (distance < (best?.distance ?? Infinity)) best = { row, distance };
	}
	return best;
}

function toSegment(
	x: number,
	y: number,
	x1: number,
	y1: number,
	x2: number,
	y2: number,
): number {
	const [dx, dy] = [x2 - x1, y2 - y1];
	const length = dx * dx + dy * dy;
	const t = length
		? Math.max(0, Math.min(1, ((x - x1) * dx + (y - y1) * dy) / length))
		: 0;

	return Math.hypot(x - x1 - t * dx, y - y1 - t * dy);
}

/** Moves labels apart so that each has `height`, in order, within [top, bottom]. */
export function spreadLabels(
	at: number[],
	height: number,
	top: number,
	bottom: number,
): number[] {
	const order = at.map((_, i) => i).sort((a, b) => at[a]! - at[b]!);
	const out = [...at];
	let from = top;

	for (const i of order) {
		out[i] = Math.max(from, at[i]!);
		from = out[i]! + height;
	}
	let to = bottom;
	for (const i of order.reverse()) {
		out[i] = Math.min(to, out[i]!);
		to = out[i]! - height;
	}
	return out;
}

/*
 * How many envelopes (rows of low and high) cover each of columns x rows pixels of a box,
 * row by row. Counts the differences at the boundaries, then sums down each column.
 */
export function density(
	low: Float32Array,
	high: Float32Array,
	ways: number,
	cells: number,
	r: Range,
	rows: number,
): Uint32Array {
	const steps = new Int32Array((rows + 1) * cells);
	const row = (v: number) =>
		Math.max(0, Math.min(rows, Math.round(rows * (1 - (v - r.low) / (r.high - r.low)))));

	for (let w = 0; w < ways; w++)
		for (let i = 0; i < cells; i++) {
			const [a, b] = [high[w * cells + i]!, low[w * cells + i]!];
			if (a !== a || b !== b) continue;
			const top = row(a);
			steps[top * cells + i]!++;
			steps[Math.max(top + 1, row(b)) * cells + i]!--;
		}
	const out = new Uint32Array(rows * cells);
	for (let i = 0; i < cells; i++)
		for (let y = 0, n = 0; y < rows; y++) out[y * cells + i] = n += steps[y * cells + i]!;
	return out;
}

export interface Circle {
	x: number;
	trace: number;
	references: number; // of the trace in the stretch
	from: number; // common time
	to: number;
}

/*
 * Volume circles of figure 7.3: one for each trace and stretch between milestones.
 * Neighbouring stretches that are narrower than `min` pixels become one.
 */
export function circles(m: Matching, w: Window, box: Box, min: number): Circle[] {
	const out: Circle[] = [];
	const x = (i: number) => xOf(m.knots[i]![m.base]!, w, box);
	const traces = m.knots[0]?.length ?? 0;

	for (let i = 0, end = 1; end < m.knots.length; i = end, end++) {
		while (end < m.knots.length - 1 && x(end) - x(i) < min) end++;
		if (x(end) < box.x || x(i) > box.x + box.w) continue;
		const middle = (Math.max(box.x, x(i)) + Math.min(box.x + box.w, x(end))) / 2;
		for (let t = 0; t < traces; t++)
			out.push({
				x: middle,
				trace: t,
				references: m.knots[end]![t]! - m.knots[i]![t]!,
				from: m.knots[i]![m.base]!,
				to: m.knots[end]![m.base]!,
			});
	}
	return out;
}

/** Columns and rows of n small charts that fill a box without getting too flat. */
export function grid(n: number, w: number, h: number): { columns: number; rows: number } {
	let best = { columns: 1, rows: n, score: -1 };

	for (let columns = 1; columns <= n; columns++) {
		const rows = Math.ceil(n / columns);
		const [cw, ch] = [w / columns, h / rows];
		const score = Math.min(cw / 1.6, ch) - (columns * rows - n) * 0.5;
		if (score > best.score) best = { columns, rows, score };
	}
	return best;
}

/** The value of a row at a moment; NaN where there is none. */
export function valueAt(
	c: Curves,
	values: Float32Array,
	member: number,
	time: number,
): number {
	const row = c.members.indexOf(member);

	return row < 0 || time < c.from || time > c.to
		? NaN
		: values[row * c.cells + cellAt(c, time)]!;
}
