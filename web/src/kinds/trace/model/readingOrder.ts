// Cells in reading order: from left to right, then the next row.

export interface Sheet {
	columns: number;
	rows: number;
	size: number; // pixels from one cell to the next
	width: number; // references a cell, a power of two
}

/** Cells are squares of this many pixels, gap included. */
const LARGEST = 16;
const SMALLEST = 4;
/** The largest number of cells of one answer. */
export const CELLS_MAX = 65536;

/*
 * Lays out references [from, to) so that they fill the room: the largest cells that fit,
 * one for each reference if possible; in `wanted` columns, or as many as fit (0).
 */
export function layOut(
	from: number,
	to: number,
	room: { width: number; height: number },
	wanted = 0,
): Sheet {
	const fit = (size: number, width: number): Sheet | null => {
		const max = Math.max(1, Math.floor(room.width / size));
		const columns = wanted || (max >= 16 ? max - (max % 8) : max);
		const rows = Math.max(1, Math.floor(room.height / size));
		const cells = Math.ceil(to / width) - Math.floor(from / width);

		if (columns > max || columns * rows < cells || cells > CELLS_MAX) return null;
		return { columns, rows: Math.max(1, Math.ceil(cells / columns)), size, width };
	};
	const smallest = wanted
		? Math.max(1, Math.min(SMALLEST, Math.floor(room.width / wanted)))
		: SMALLEST;

	for (let size = LARGEST; size >= smallest; size--) {
		const s = fit(size, 1);
		if (s) return s;
	}
	let width = 2;
	while (width < 2 ** 52 && !fit(smallest, width)) width *= 2;
	for (let size = LARGEST; size > smallest; size--) {
		const s = fit(size, width);
		if (s) return s;
	}
	return fit(smallest, width) ?? { columns: 1, rows: 1, size: smallest, width };
}

/** Number of the cell at a place of the sheet, or -1 beside it. */
export function cellAt(s: Sheet, x: number, y: number): number {
	const [column, row] = [Math.floor(x / s.size), Math.floor(y / s.size)];

	if (column < 0 || column >= s.columns || row < 0 || row >= s.rows) return -1;
	return row * s.columns + column;
}

export function placeOf(s: Sheet, cell: number): [x: number, y: number] {
	return [(cell % s.columns) * s.size, Math.floor(cell / s.columns) * s.size];
}
