// The end of the rows of a matrix, by which they are dragged longer or shorter. The type of an
// array does not always tell the length of a row, and the person may know it.
import { exact } from "../../../model/format";
import { reshape, wishOf, type Frame } from "./frames";

const GRIP = 4; // pixels on either side of the end

/** Whether a place is at the end of the rows of a region, which lie in memory. */
export function atRowsEnd(f: Frame, x: number, y: number): boolean {
	const m = f.matrix;

	if (!m || f.folded || f.shape.order !== "rows" || f.shape.fields.length) return false;
	return Math.abs(x - m.x - m.nx * m.cw) <= GRIP && y >= m.y && y < m.y + m.ny * m.ch;
}

/** Moves the end of the rows of a frame, as it was when the drag began; returns their length. */
export function dragRow(f: Frame, x: number): number {
	const m = f.matrix!;
	const n = f.region.region;
	const row = Math.max(1, Math.round((f.shape.row * (x - m.x)) / (m.nx * m.cw)));

	reshape(n, { ...wishOf(n), row });
	return row;
}

export function rowWords(row: number): string[] {
	return [`rows of ${exact(row)} elements`, "drag to make them longer or shorter"];
}
