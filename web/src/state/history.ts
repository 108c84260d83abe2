// Undo and redo: of selections, and of the choices that kinds of documents offer.
import { batch, computed, signal, type ReadonlySignal } from "@preact/signals";
import { options } from "./store";

interface Step {
	back(): void;
	forth(): void;
	what: string;
	at: number; // ms
}

const JOIN = 800; // ms within which steps with the same `what` become one
const MAX = 200; // steps

const past = signal<Step[]>([]);
const future = signal<Step[]>([]);

export const canUndo = computed(() => past.value.length > 0);
export const canRedo = computed(() => future.value.length > 0);

/*
 * Records a step that has been done. Steps with the same `what` in quick succession are one
 * step: a slider that is dragged.
 */
export function remember(back: () => void, forth: () => void, what = ""): void {
	const last = past.peek().at(-1);
	const at = Date.now();

	future.value = [];
	if (what && last?.what === what && at - last.at < JOIN)
		past.value = [...past.peek().slice(0, -1), { ...last, forth, at }];
	else past.value = [...past.peek().slice(1 - MAX), { back, forth, what, at }];
}

/*
 * A selection that can be undone, with the pre-selection under the pointer. `text` prints a
 * selection: two are the same when their texts are. Only select() writes `selection`. `keep`
 * returns what brings back all that selecting may move, a cursor for example.
 */
export function selectable<S>(
	nothing: S,
	text: (s: S) => string,
	keep: () => () => void = () => () => {},
) {
	const selection = signal<S>(nothing);
	const hover = signal<S>(nothing);

	/** Selects; with `toggle`, selecting the same again selects nothing. */
	function select(next: S, toggle = false): void {
		const now = selection.peek();
		const same = text(now) === text(next);
		const then = same ? nothing : next;

		if (same && !toggle) return;
		const before = keep();
		let after = () => {};
		const put = (s: S, beside: () => void) =>
			batch(() => {
				selection.value = s;
				beside();
			});
		selection.value = then;
		remember(
			() => {
				after = keep();
				put(now, before);
			},
			() => put(then, after),
		);
	}
	return { selection, hover, select };
}

/*
 * Choices of a kind, kept as options "KIND.name" so that the URL restores them; choose()
 * changes them in one step of undo. Several steps of `dragged` names in quick succession
 * are one step.
 */
export function choices(kind: string, dragged: string[] = []) {
	/* A signal for each name: what depends on one choice does not run again, and asks
	 * nothing of the server, when another one changes. */
	const named = new Map<string, ReadonlySignal<string | undefined>>();

	/** A choice, or `otherwise` while the person has not chosen. */
	function chosen(name: string, otherwise: string): string {
		let one = named.get(name);

		if (!one) {
			one = computed(() => options.value[`${kind}.${name}`]);
			named.set(name, one);
		}
		return one.value ?? otherwise;
	}

	/** Null takes a choice back. */
	function choose(changes: Record<string, string | null>): void {
		const before = options.peek();
		const after = { ...before };

		for (const [name, value] of Object.entries(changes))
			if (value === null) delete after[`${kind}.${name}`];
			else after[`${kind}.${name}`] = value;
		const names = Object.keys(changes);
		const keys = names.map((n) => `${kind}.${n}`);
		if (keys.every((k) => before[k] === after[k])) return;
		const put = (from: Record<string, string>) => {
			const next = { ...options.peek() };
			for (const k of keys) {
				if (from[k] === undefined) delete next[k];
				else next[k] = from[k]!;
			}
			options.value = next;
		};
		options.value = after;
		remember(
			() => put(before),
			() => put(after),
			names.every((n) => dragged.includes(n)) ? keys.join() : "",
		);
	}
	return { chosen, choose };
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
