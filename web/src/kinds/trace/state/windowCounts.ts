// Counts of the window by level, line and region: of all references and of the selected
// ones.
import { computed } from "@preact/signals";
import { api } from "../api";
import { isNothing } from "../model/selection";
import type { SelectAnswer } from "../model/types";
import { latest } from "../../../state/latest";
import { ready, selection, shownWindow } from "./store";

const WAIT = 60; // ms; a window that is dragged asks once it rests

const all = latest<SelectAnswer>(() => {
	const [s, w] = [ready.value, shownWindow.value];

	return s && w.to > w.from
		? (abort) => api.select(s.sim, {}, w, undefined, abort)
		: null;
}, WAIT);

const chosen = latest<SelectAnswer>(() => {
	const [s, sel, w] = [ready.value, selection.value, shownWindow.value];

	return s && w.to > w.from && !isNothing(sel)
		? (abort) => api.select(s.sim, sel, w, undefined, abort)
		: null;
}, WAIT);

/** All references of the window. */
export const inWindow = all.value;
/** The selected references of the window; null: nothing is selected, which means all. */
export const selected = chosen.value;
/** Whether these are counts of the window and selection that are shown now. */
export const windowFresh = all.fresh;
export const selectedFresh = chosen.fresh;

/** Lines of code that made selected references, as "file:line". */
export const touchedLines = computed(
	() => new Set(selected.value?.lines.map((l) => `${l.file}:${l.line}`)),
);
