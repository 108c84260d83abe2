// The layout of a region on the screen: elements in rows and columns, and cells of
// several elements if there is no room for all. A grid gives the cell of each byte of the
// region; the server cuts regions in the same way (docs/api.md, cells).
import type { Field, Region } from "./types";

export type Order = "rows" | "columns";

/** The person's choices; 0 and "" leave it to the region. */
export interface Wish {
	elem: number; // bytes
	row: number; // elements in a row
	order: Order | "";
}

export interface Shape {
	elem: number; // bytes of an element; with fields, of one step through the structure
	row: number; // elements in a row: neighbours in memory
	lines: number; // rows
	order: Order; // columns: neighbours in memory stand below each other
	fields: Field[]; // when a row is one structure
	wrapped: boolean; // the length of a row is arbitrary
}

export interface Grid {
	region: number;
	size: number; // bytes of a cell along a row
	pitch: number; // bytes of a row; 0: no rows, one cell behind the other
	rows: number; // rows of the region that a row of cells stands for
	across: number; // cells along a row
	down: number; // rows of cells
	turned: boolean; // rows are drawn downwards
	elements: [number, number]; // that a cell stands for: along a row, rows
	bytes: number; // of the region
}

/** The largest number of cells of one answer. */
export const CELLS_MAX = 65536;

function gcd(a: number, b: number): number {
	return b ? gcd(b, a % b) : a;
}

/** The longest step that meets the start and end of every field. */
export function fieldStep(elem: number, fields: Field[]): number {
	return fields.reduce((s, f) => gcd(gcd(s, f.offset), f.size), elem);
}

const FIELDS_MAX = 64; // steps of a structure; larger ones are shown as bytes in rows
export const WORD = 8; // bytes of an element of unknown size

/** Bytes of the region that can be drawn. */
export function extentOf(r: Region): number {
	return r.extent || r.size;
}

/*
 * The shape of a region, from its type and what the person wants; `rowBytes` is the length
 * of a row as strides tell it, 0 if they do not.
 */
export function shapeOf(r: Region, wish: Wish, rowBytes = 0): Shape {
	const bytes = extentOf(r);
	const chosen = wish.elem > 0 || wish.row > 0;
	const step = fieldStep(r.elem, r.fields);

	if (!chosen && r.fields.length > 1 && step > 0 && r.elem / step <= FIELDS_MAX)
		return {
			elem: step,
			row: r.elem / step,
			lines: Math.ceil(bytes / r.elem),
			order: wish.order || "columns",
			fields: r.fields,
			wrapped: false,
		};
	const elem = Math.min(bytes, wish.elem || r.elem || WORD);
	const n = Math.ceil(bytes / elem);
	const last = r.dims.length > 1 ? r.dims[r.dims.length - 1]! : 0;
	const natural = last * ((r.elem || elem) / elem);
	const row =
		wish.row ||
		(Number.isInteger(natural) ? natural : 0) ||
		(rowBytes % elem ? 0 : rowBytes / elem) ||
		rowFor(n);

	return {
		elem,
		row: Math.max(1, Math.min(row, n)),
		lines: Math.ceil(n / Math.max(1, row)),
		order: wish.order || "rows",
		fields: [],
		wrapped: !wish.row && !natural,
	};
}

/*
 * The length of a row of unknown length: a power of two, so that cache lines stand below
 * each other. It depends on the number of elements only: a picture of another size has the
 * same rows.
 */
function rowFor(n: number): number {
	return 2 ** Math.max(0, Math.floor(Math.log2(Math.sqrt(2 * n))));
}

export interface Fitted {
	grid: Grid;
	cw: number; // pixels of a cell
	ch: number;
	nx: number; // cells as drawn
	ny: number;
}

/** Cells of a shape in a room of w x h pixels, none smaller than `min` pixels. */
export function fit(
	r: Region,
	s: Shape,
	w: number,
	h: number,
	min = 4,
	largest = 30,
): Fitted {
	const turned = s.order === "columns";
	const alongX = !turned;
	const cellsIn = (px: number) => Math.max(1, Math.floor(px / min));
	let along = Math.ceil(s.row / Math.min(s.row, cellsIn(alongX ? w : h)));
	let over = Math.ceil(s.lines / Math.min(s.lines, cellsIn(alongX ? h : w)));
	const cells = () => Math.ceil(s.row / along) * Math.ceil(s.lines / over);

	while (cells() > CELLS_MAX)
		if (s.row / along > s.lines / over) along++;
		else over++;
	const across = Math.ceil(s.row / along);
	const down = Math.ceil(s.lines / over);
	const [nx, ny] = alongX ? [across, down] : [down, across];
	let cw = Math.max(1, Math.min(largest, Math.floor(w / nx)));
	let ch = Math.max(1, Math.min(largest, Math.floor(h / ny)));

	// Cells may be oblong, but not so much that they no longer read as cells.
	cw = Math.min(cw, ch * 4);
	ch = Math.min(ch, Math.max(cw * 3, s.fields.length ? 22 : min));
	return {
		grid: {
			region: r.region,
			size: s.elem * along,
			pitch: s.row * s.elem,
			rows: over,
			across,
			down,
			turned,
			elements: [along, over],
			bytes: extentOf(r),
		},
		cw,
		ch,
		nx,
		ny,
	};
}

/** The region from its first byte to its last in one line of cells. */
export function strip(r: Region, elem: number, w: number, min = 2): Fitted {
	const n = Math.max(1, Math.ceil(extentOf(r) / elem));
	const along = Math.ceil(n / Math.max(1, Math.floor(w / min)));
	const across = Math.ceil(n / along);

	return {
		grid: {
			region: r.region,
			size: elem * along,
			pitch: 0,
			rows: 1,
			across,
			down: 1,
			turned: false,
			elements: [along, 1],
			bytes: extentOf(r),
		},
		cw: w / across >= 5 ? Math.min(30, Math.floor(w / across)) : w / across,
		ch: 12,
		nx: across,
		ny: 1,
	};
}

/** Two grids with the same key cut the same region in the same way. */
export function gridKey(g: Grid): string {
	return [g.region, g.size, g.pitch, g.rows, g.across, g.down].join(":");
}

/** How the server is asked for the cells of a grid. */
export function gridParams(g: Grid) {
	return {
		region: g.region,
		size: g.size,
		pitch: g.pitch,
		rows: g.rows,
		cells: g.across * g.down,
	};
}

/** The same for several grids at once. */
export function gridsParam(grids: Grid[]): string {
	return grids
		.map((g) => [g.region, g.size, 0, g.across * g.down, g.pitch, g.rows].join(","))
		.join(";");
}

/** The cell of a byte; beyond the region it is beyond the cells. */
export function cellOf(g: Grid, offset: number): number {
	if (!g.pitch) return Math.floor(offset / g.size);
	const line = Math.floor(offset / g.pitch);

	return (
		Math.floor(line / g.rows) * g.across + Math.floor((offset - line * g.pitch) / g.size)
	);
}

/** Where a cell stands in the picture: column and row. */
export function placeOf(g: Grid, cell: number): [number, number] {
	const [along, line] = [cell % g.across, Math.floor(cell / g.across)];

	return g.turned ? [line, along] : [along, line];
}

export function cellAt(g: Grid, x: number, y: number): number {
	return g.turned ? x * g.across + y : y * g.across + x;
}

/*
 * The first byte of a cell and the byte behind its last; bytes of other cells may lie
 * between.
 */
export function bytesOf(g: Grid, cell: number): [number, number] {
	if (!g.pitch) return [cell * g.size, Math.min(g.bytes, (cell + 1) * g.size)];
	const line = Math.floor(cell / g.across) * g.rows;
	const along = (cell % g.across) * g.size;
	const last = Math.min(line + g.rows - 1, Math.ceil(g.bytes / g.pitch) - 1);

	return [
		line * g.pitch + along,
		Math.min(g.bytes, last * g.pitch + Math.min(g.pitch, along + g.size)),
	];
}

/** "A[3][7].x": the datum at a byte of a region, as a person writes it. */
export function datumName(r: Region, offset: number): string {
	if (!r.elem) return `${r.name}+${offset}`;
	let index = Math.floor(offset / r.elem);
	const field = r.fields.find((f) => {
		const at = offset % r.elem;
		return at >= f.offset && at < f.offset + f.size;
	});
	const text: string[] = [];

	for (let i = r.dims.length - 1; i > 0; i--) {
		text.unshift(`[${index % r.dims[i]!}]`);
		index = Math.floor(index / r.dims[i]!);
	}
	if (r.dims.length || extentOf(r) > r.elem) text.unshift(`[${index}]`);
	return r.name + text.join("") + (field ? `.${field.name}` : "");
}

/** A row and a cell in words; empty if they are obvious. */
export function cellWords(g: Grid, s: Shape): string {
	const [along, over] = g.elements;
	const rows = s.wrapped && s.lines > 1 ? `rows of ${s.row}` : "";
	const each = over > 1 ? `${over} × ${along} elements` : `${along} elements`;

	if (along * over <= 1) return rows;
	if (s.fields.length) return over > 1 ? `a cell is a field of ${over} structures` : "";
	return rows ? `${rows}, ${each} a cell` : `a cell is ${each}`;
}
