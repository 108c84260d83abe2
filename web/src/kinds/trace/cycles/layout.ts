// Where the parts of the view Cycles stand.
import type { Box } from "../../../model/box";
import type { Ring } from "../model/cycles";
import { ROW } from "./lists";

const WIDE = 860; // pixels from which on the legend has a column of its own
const LEGEND = 210;
const SLIDER = 34; // height of the row with the slider
const FOOT = 24; // height of the sentence below the picture
const LEGEND_ROWS = 5; // of the list that a narrow view leaves to the legend below it
export const MARGIN = 12;

export interface Layout {
	left: number; // width of the column with diagram and list
	diagram: Box;
	list: Box;
	rows: number; // of the list
	legend: Box;
	ring: Ring;
	plane: Box; // what the ring stands in
	slider: Box;
	foot: number; // y of the sentence below the picture
}

/** `cycles`: how many there are to list; `morphing`: there is a slider. */
export function layout(
	width: number,
	height: number,
	cycles: number,
	morphing: boolean,
): Layout {
	const wide = width >= WIDE;
	const left = wide ? 250 : 212;
	const diagram = { x: 0, y: 0, w: left, h: 128 };
	const room = (height - diagram.h - MARGIN) / ROW;
	const most = wide ? room : Math.max(2, room - LEGEND_ROWS);
	const rows = Math.max(0, Math.min(cycles, Math.floor(most)));
	const list = { x: MARGIN, y: diagram.h + 6, w: left - MARGIN, h: rows * ROW };
	const below = list.y + list.h + 26;
	const legend = wide
		? { x: width - LEGEND - MARGIN, y: 34, w: LEGEND, h: height - 50 }
		: { x: MARGIN, y: below, w: list.w, h: height - below - 4 };
	const x = left + 2 * MARGIN;
	const bottom = FOOT + (morphing ? SLIDER : 0);
	const plane = {
		x,
		y: 28,
		w: width - x - MARGIN - (wide ? LEGEND + 2 * MARGIN : 0),
		h: height - 28 - bottom,
	};
	const outer = Math.max(40, Math.min(plane.w, plane.h) / 2 - 4);
	const ring = {
		x: plane.x + plane.w / 2,
		y: plane.y + plane.h / 2,
		inner: outer * 0.12,
		outer,
	};

	return {
		left,
		diagram,
		list,
		rows,
		legend,
		ring,
		plane,
		slider: { x: ring.x - 110, y: height - FOOT - SLIDER + 8, w: 220, h: 16 },
		foot: height - FOOT + 12,
	};
}
