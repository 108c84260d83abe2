// Labels at the ends of an ensemble's curves, and the value of a curve at a moment.
import { cellAt } from "../../../model/cells";
import type { Curves } from "./ensemble";

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
