// What the caches hold when the reference at the cursor has happened, and what it moved.
// One question at a time: while it plays, the next asks for where the cursor is then.
// Answers are kept for a while, so that a step back is there at once.
import { effect, signal } from "@preact/signals";
import { isAbort } from "../../../api";
import { api } from "../api";
import { cursor, playing, ready, speed } from "./store";

export type Held = Awaited<ReturnType<typeof api.state>>;
export type Moves = Awaited<ReturnType<typeof api.moves>>;

export interface Moment {
	sim: number;
	cursor: number; // the reference that has just happened
	held: Held;
	moves: Moves | null; // of that reference; null while it plays too fast to see
}

const KEPT = 256;
const SLOTS_KEPT = 2048; // larger answers are not kept
const PAUSE = 40; // ms between questions while it plays too fast to follow
const SEEN = 25; // references a second at which movements can be followed

export const moment = signal<Moment | null>(null);

/*
 * Follows the cursor until it is told to stop. Levels of at most `slots` lines are told
 * line by line, larger ones in `groups` of sets.
 */
export function followCaches(slots: number, groups: number): () => void {
	let kept = new Map<number, Moment>();
	let busy = false;
	let again = false;
	let ended = false;

	const show = (m: Moment) => {
		moment.value = m;
	};
	const ask = async (): Promise<void> => {
		const s = ready.peek();
		const at = cursor.peek();

		if (!s || ended) return;
		const old = kept.get(at);
		const slow = !playing.peek() || speed.peek() <= SEEN;
		if (old?.sim === s.sim && (old.moves || !slow)) return show(old);
		busy = true;
		again = false;
		try {
			// In this order the simulator goes forwards only.
			const moves = slow ? await api.moves(s.sim, at, 1) : null;
			const held = await api.state(s.sim, at + 1, slots, groups);
			const m = { sim: s.sim, cursor: at, held, moves };
			if (held.line.length <= SLOTS_KEPT) kept.set(at, m);
			if (kept.size > KEPT) kept.delete(kept.keys().next().value!);
			if (!ended && ready.peek()?.sim === s.sim) show(m);
		} catch (e) {
			if (!isAbort(e)) await new Promise((r) => setTimeout(r, 500));
		}
		if (!slow) await new Promise((r) => setTimeout(r, PAUSE));
		busy = false;
		if (again) void ask();
	};
	const stop = effect(() => {
		void [cursor.value, playing.value];
		if (!ready.value) {
			kept = new Map();
			moment.value = null;
		}
		if (busy) again = true;
		else void ask();
	});

	return () => {
		ended = true;
		moment.value = null;
		stop();
	};
}
