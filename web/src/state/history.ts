// Undo and redo of selections, and of what views let people choose.
import { computed, signal } from "@preact/signals";
import { sameSelection, type Selection } from "../kinds/trace/model/selection";
import { selection } from "./store";

interface Step {
	back(): void;
	forth(): void;
	what: string;
	at: number; // ms
}

const JOIN = 800; // ms within which steps of the same kind are one
const MOST = 200;

const past = signal<Step[]>([]);
const future = signal<Step[]>([]);

export const canUndo = computed(() => past.value.length > 0);
export const canRedo = computed(() => future.value.length > 0);

/** Takes note of something that has been done. Steps with the same `what` in quick succession
 * are one: a slider that is dragged. */
export function remember(back: () => void, forth: () => void, what = ""): void {
	const last = past.peek().at(-1);
	const at = Date.now();

	future.value = [];
	if (what && last?.what === what && at - last.at < JOIN)
		past.value = [...past.peek().slice(0, -1), { ...last, forth, at }];
	else past.value = [...past.peek().slice(1 - MOST), { back, forth, what, at }];
}

/** Selects, or selects nothing when the same is selected already and `toggle` is set. */
export function select(next: Selection, toggle = false): void {
	const now = selection.peek();
	const same = sameSelection(now, next);
	const then = same ? {} : next;

	if (same && !toggle) return;
	selection.value = then;
	remember(
		() => (selection.value = now),
		() => (selection.value = then),
	);
}

export function undo(): void {
	const step = past.peek().at(-1);

	if (!step) return;
	past.value = past.peek().slice(0, -1);
	future.value = [...future.peek(), step];
	step.back();
}

export function redo(): void {
	const step = future.peek().at(-1);

	if (!step) return;
	future.value = future.peek().slice(0, -1);
	past.value = [...past.peek(), step];
	step.forth();
}
