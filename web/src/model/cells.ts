// Geometry of values in equal cells of time: scales, points of a curve, the curve nearest
// to a point, how many bands cover a pixel.
import type { Box } from "./box";
import type { Window } from "./types";

/** A range of values, from the bottom of a box to its top. */
export interface Range {
	low: number;
	high: number;
}

/** Time cut into equal cells. */
export interface Cells extends Window {
	cells: number;
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

/** Time in the middle of a cell. */
export function cellTime(c: Cells, i: number): number {
	return c.from + ((i + 0.5) / c.cells) * (c.to - c.from);
}

export function cellAt(c: Cells, time: number): number {
	const i = Math.floor(((time - c.from) / (c.to - c.from)) * c.cells);

	return Math.max(0, Math.min(c.cells - 1, i));
}

/** Points x, y of a row of a matrix [rows][cells]; cells outside of the window are left out. */
export function points(
	values: Float32Array,
	row: number,
	c: Cells,
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

/** Of some rows, the one whose curve passes nearest to a point, and how far away it is. */
export function nearest(
	values: Float32Array,
	rows: Iterable<number>,
	c: Cells,
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

	for (const row of rows) {
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

/*
 * How many bands (rows of low and high, `first` and the next) cover each of columns x rows pixels of a box,
 * row by row. Counts the differences at the boundaries, then sums down each column.
 */
export function density(
	low: Float32Array,
	high: Float32Array,
	first: number,
	bands: number,
	cells: number,
	r: Range,
	rows: number,
): Uint32Array {
	const steps = new Int32Array((rows + 1) * cells);
	const row = (v: number) =>
		Math.max(0, Math.min(rows, Math.round(rows * (1 - (v - r.low) / (r.high - r.low)))));

	for (let w = first; w < first + bands; w++)
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
