// The range that the person dragged over the timeline or the event map, and its sums.
import { computed } from "@preact/signals";
import { latest } from "../../../state/latest";
import { api } from "../api";
import { rangeSums, type RangeSums } from "../model/range";
import { isNothing, type Selection } from "../model/selection";
import type { SelectAnswer } from "../model/types";
import { length, range, ready, selection, setWindow } from "./store";

const WAIT = 40; // ms; a range that is being dragged asks when it rests

const answer = latest<SelectAnswer>(() => {
	const [s, r, of] = [ready.value, range.value, selection.value];

	return s && r ? (abort) => api.select(s.sim, of, r, undefined, abort) : null;
}, WAIT);

/** The sums of the selected references of the range; null: not known. */
export const sums = computed<RangeSums | null>(() => {
	const [s, a] = [ready.value, answer.value.value];

	return s && a && range.value ? rangeSums(a, s.levels) : null;
});

/** Whether the sums are those of the range and selection that are shown now. */
export const sumsFresh = answer.fresh;

export function sumsOfAll(of: Selection = selection.value): boolean {
	return isNothing(of);
}

/** Sets the range between two moments, in any order; it has at least one reference. */
export function setRange(a: number, b: number): void {
	const n = length.peek();
	const from = Math.max(0, Math.min(Math.floor(Math.min(a, b)), n - 1));
	const to = Math.min(n, Math.max(from + 1, Math.ceil(Math.max(a, b))));

	range.value = n ? { from, to } : null;
}

/** Makes the range the window. */
export function zoomToRange(): void {
	const r = range.peek();

	range.value = null;
	if (r) setWindow(r);
}
