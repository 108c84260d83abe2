/*
 * Elements of a container as tiles: the two innermost dimensions are a grid, further ones
 * alternate between rows and columns of grids, as section V.B of the paper has it. A row
 * that would be much wider than high goes on below.
 */

export interface Grid {
	shape: number[];
	w: number; // in tiles, gaps included
	h: number;
	/** Steps of an index in tiles, by dimension. */
	dx: Float64Array;
	dy: Float64Array;
	/** The outermost dimension goes on in a new row after so many; 0: it is one row. */
	wrap: number;
	down: number; // tiles from one such row to the next
}

const GAP = 0.8; // tiles between grids, more at each further level
const LONG = 48; // elements of one dimension alone that stay in a row
const WIDE = 4; // a row of grids may be so many times as wide as high

export function gridOf(shape: number[]): Grid {
	const n = shape.length;
	const dx = new Float64Array(n);
	const dy = new Float64Array(n);
	let [w, h, wrap, down] = [1, 1, 0, 0];

	// from the innermost dimension outwards: right, down, right, down, ...
	for (let d = n - 1, level = 0; d >= 0; d--, level++) {
		const many = Math.max(1, shape[d]!);
		const gap = level < 2 ? 0 : GAP * Math.ceil((level - 1) / 2);

		if (level % 2 === 0) {
			const row = many * w + (many - 1) * gap;
			const long =
				d === 0 && (level === 0 ? many > LONG : level > 1 && row > WIDE * h && many > 3);
			const columns = long ? rowLength(many, w + gap, h, level) : many;

			dx[d] = w + gap;
			w = columns * (w + gap) - gap;
			if (columns < many) {
				wrap = columns;
				down = h + (level ? 2 * gap : GAP / 2);
				h = Math.ceil(many / columns) * down - (down - h);
			}
		} else {
			dy[d] = h + gap;
			h = many * h + (many - 1) * gap;
		}
	}
	return { shape, w, h, dx, dy, wrap, down };
}

/** Grids of a row such that all rows together are about twice as wide as high. */
function rowLength(many: number, step: number, h: number, level: number): number {
	const rows = Math.max(2, Math.round(Math.sqrt((many * step) / (2.2 * h))));

	// elements of one dimension stand in eights, as people count them
	return level ? Math.ceil(many / rows) : 8 * Math.ceil(many / rows / 8);
}

export function tileOf(g: Grid, index: number[]): { x: number; y: number } {
	let [x, y] = [0, 0];

	index.forEach((v, d) => {
		if (d === 0 && g.wrap) {
			x += (v % g.wrap) * g.dx[0]!;
			y += Math.floor(v / g.wrap) * g.down;
			return;
		}
		x += v * g.dx[d]!;
		y += v * g.dy[d]!;
	});
	return { x, y };
}

/** The index of the tile at a point in tiles; null: a gap, or outside. */
export function indexAt(g: Grid, x: number, y: number): number[] | null {
	const index = new Array<number>(g.shape.length).fill(0);

	if (x < 0 || y < 0) return null;
	// the outermost dimension has the largest step
	for (let d = 0; d < g.shape.length; d++) {
		const right = g.dx[d]! > 0;
		const step = right ? g.dx[d]! : g.dy[d]!;
		const wrapped = d === 0 && g.wrap > 0;
		const row = wrapped ? Math.floor(y / g.down) : 0;
		const most = wrapped ? g.wrap : g.shape[d]!;
		const v = Math.min(most - 1, Math.floor((right ? x : y) / step));

		index[d] = row * g.wrap + v;
		if (index[d]! >= g.shape[d]!) return null;
		if (right) x -= v * step;
		else y -= v * step;
		y -= row * g.down;
	}
	return x < 1 && y < 1 ? index : null;
}

/** Where a container lies: numbers of /local. */
export interface Placed {
	container: number;
	low: number; // first and last element of storage
	high: number;
	base: number; // address of element 0, bytes
	offset: number;
	shape: number[];
	strides: number[];
}

/** The shape that is drawn: what is declared, or all of the storage in a row. */
export function shownShape(p: Placed): number[] {
	const all = p.shape.reduce((n, v) => n * Math.max(0, v), 1);

	return p.shape.length && all > 0 ? p.shape : [p.high - p.low + 1];
}

export function placeOf(p: Placed, index: number[]): number {
	if (!p.shape.length) return p.low + index[0]!;
	return index.reduce((at, v, d) => at + v * p.strides[d]!, p.offset);
}

/** Calls `each` for all indices, the last dimension fastest. */
export function eachIndex(shape: number[], each: (index: number[]) => void): void {
	const index = new Array<number>(shape.length).fill(0);

	if (shape.some((n) => n < 1)) return;
	for (;;) {
		each(index);
		let d = shape.length - 1;
		while (d >= 0 && ++index[d]! >= shape[d]!) index[d--] = 0;
		if (d < 0) return;
	}
}

/** The first and the last cache line of an element. */
export function linesOf(
	p: Placed,
	place: number,
	element: number,
	line: number,
): [number, number] {
	const at = p.base + place * element;

	return [Math.floor(at / line), Math.floor((at + element - 1) / line)];
}
