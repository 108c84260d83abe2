// The run cut into tiles: each has the same number of cells, and a cell is a power of two
// of references. A view asks for the tiles that it shows and no others; a coarser tile
// stands in for one that is not there yet.
import type { Window } from "../../../model/types";
import type { Spans } from "./types";

/** Cells of a tile. */
export const TILE = 1024;

export interface Tile {
	width: number; // references a cell
	index: number; // it begins with reference index * width * TILE
}

/** The width of the narrowest cells of which at most `max` cover so many references. */
export function cellWidth(references: number, max: number): number {
	let width = 1;

	while (references / width > Math.max(1, max)) width *= 2;
	return width;
}

export function tileWindow(t: Tile, length: number): Window {
	const size = t.width * TILE;

	return { from: t.index * size, to: Math.min(length, (t.index + 1) * size) };
}

/** Tiles that cover a window in cells that are one to two pixels wide, or wider. */
export function tilesOf(w: Window, pixels: number): Tile[] {
	const width = cellWidth(w.to - w.from, pixels);
	const size = width * TILE;
	const out: Tile[] = [];

	for (let index = Math.floor(w.from / size); index * size < w.to; index++)
		out.push({ width, index });
	return out;
}

/** The tile of twice as wide cells that covers this one; null above the whole run. */
export function coarser(t: Tile, length: number): Tile | null {
	return t.width * TILE >= length
		? null
		: { width: t.width * 2, index: Math.floor(t.index / 2) };
}

/** The one tile that covers the whole run. */
export function wholeTile(length: number): Tile {
	return { width: cellWidth(length, TILE), index: 0 };
}

/** References of cell i; the first and the last cell are cut to the window. */
export function cellSpan(a: Spans, i: number): Window {
	const from = a.first + i * a.width;

	return { from: Math.max(a.from, from), to: Math.min(a.to, from + a.width) };
}

/** The cell with this reference, or -1. */
export function cellOf(a: Spans, time: number): number {
	return time >= a.from && time < a.to ? Math.floor((time - a.first) / a.width) : -1;
}
