// Undo and redo of selections.
import { computed, signal } from "@preact/signals";
import { sameSelection, type Selection } from "../model/selection";
import { selection } from "./store";

const past = signal<Selection[]>([]);
const future = signal<Selection[]>([]);

export const canUndo = computed(() => past.value.length > 0);
export const canRedo = computed(() => future.value.length > 0);

/** Selects, or selects nothing when the same is selected already and `toggle` is set. */
export function select(next: Selection, toggle = false): void {
	const now = selection.peek();
	const same = sameSelection(now, next);

	if (same && !toggle) return;
	past.value = [...past.peek().slice(-199), now];
	future.value = [];
	selection.value = same ? {} : next;
}

export function undo(): void {
	const back = past.peek().at(-1);

	if (!back) return;
	past.value = past.peek().slice(0, -1);
	future.value = [...future.peek(), selection.peek()];
	selection.value = back;
}

export function redo(): void {
	const next = future.peek().at(-1);

	if (!next) return;
	future.value = future.peek().slice(0, -1);
	past.value = [...past.peek(), selection.peek()];
	selection.value = next;
}
