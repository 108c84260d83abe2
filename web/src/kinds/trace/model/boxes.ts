// The places of the frames of regions. Frames fill the room in rows; a frame that the
// person moved or resized keeps its place, in thousandths of the room, so that the URL
// restores it on another screen too.

import type { Box } from "../../../model/box";

export const TITLE = 20; // height of a frame's title, and of a folded frame

/** Frames in rows that fill w x h; folded ones are a title high, in a row of their own. */
export function arrange(folded: boolean[], w: number, h: number, gap = 12): Box[] {
	const open = folded.flatMap((f, i) => (f ? [] : [i]));
	const closed = folded.flatMap((f, i) => (f ? [i] : []));
	const out: Box[] = new Array(folded.length);
	const perRow = Math.max(1, Math.min(4, Math.floor((w + gap) / (200 + gap))));
	const closedRows = Math.ceil(closed.length / perRow);
	const room = h - closedRows * (TITLE + gap);

	const columns = columnsFor(open.length, w, room, perRow);
	const rows = Math.ceil(open.length / columns);
	open.forEach((i, k) => {
		const row = Math.floor(k / columns);
		const bw = (w - gap * (columns - 1)) / columns;
		const bh = (room - gap * (rows - 1)) / rows;
		out[i] = {
			x: (k % columns) * (bw + gap),
			y: row * (bh + gap),
			w: bw,
			h: bh,
		};
	});
	const below = open.length ? room + gap : 0;
	closed.forEach((i, k) => {
		const bw = (w - gap * (perRow - 1)) / perRow;
		out[i] = {
			x: (k % perRow) * (bw + gap),
			y: below + Math.floor(k / perRow) * (TITLE + gap),
			w: bw,
			h: TITLE,
		};
	});
	return out;
}

/** The number of columns that makes frames closest to 3:2. */
function columnsFor(n: number, w: number, h: number, max: number): number {
	let best = 1;
	let min = Infinity;

	for (let c = 1; c <= Math.min(n, max); c++) {
		const off = Math.abs(Math.log(w / c / (h / Math.ceil(n / c)) / 1.5));
		// A last row with holes wastes room.
		const waste = (n % c ? c - (n % c) : 0) * 0.1;
		if (off + waste < min) [best, min] = [c, off + waste];
	}
	return best;
}

export function printBox(b: Box, w: number, h: number): string {
	return [b.x / w, b.y / h, b.w / w, b.h / h].map((v) => Math.round(v * 1000)).join(",");
}

export function parseBox(text: string, w: number, h: number): Box | null {
	const v = text.split(",").map(Number);

	if (v.length !== 4 || v.some((x) => !Number.isFinite(x))) return null;
	return inside(
		{
			x: (v[0]! * w) / 1000,
			y: (v[1]! * h) / 1000,
			w: (v[2]! * w) / 1000,
			h: (v[3]! * h) / 1000,
		},
		w,
		h,
	);
}

/** The box moved and shrunk so that it can be reached. */
export function inside(b: Box, w: number, h: number): Box {
	const bw = Math.max(80, Math.min(b.w, w));
	const bh = Math.max(TITLE, Math.min(b.h, h));

	return {
		x: Math.max(0, Math.min(b.x, w - bw)),
		y: Math.max(0, Math.min(b.y, h - bh)),
		w: bw,
		h: bh,
	};
}

/** Numbers of a list in the URL: "3,1,2". */
export function parseList(text: string): number[] {
	return text
		.split(",")
		.filter((t) => /^\d+$/.test(t))
		.map(Number);
}
