// The contents of the caches after the reference at the cursor, and the movements of that
// reference. Answers are kept for a while, so that a step back is shown at once.
import { signal } from "@preact/signals";
import { isAbort } from "../../../api";
import { oneAtATime, pause } from "../../../state/oneAtATime";
import { api } from "../api";
import { cursor, playing, ready, speed } from "./store";

export type Held = Awaited<ReturnType<typeof api.state>>;
export type Moves = Awaited<ReturnType<typeof api.moves>>;

export interface Moment {
	sim: number;
	cursor: number; // the reference that has just happened
	held: Held;
	moves: Moves | null; // of that reference; null while playing is too fast to see them
}

const KEPT = 256;
const SLOTS_KEPT = 2048; // larger answers are not kept
const PAUSE = 40; // ms between questions while playing is too fast to follow
export const SEEN = 25; // references a second at which single movements can be followed
export const RETRY = 500; // ms after a question that failed

export const moment = signal<Moment | null>(null);

/*
 * Follows the cursor until the returned function is called. Levels of at most `slots`
 * lines are answered line by line, larger ones in `groups` of sets.
 */
export function followCaches(slots: number, groups: number): () => void {
	let kept = new Map<number, Moment>();

	const ask = async (ended: () => boolean): Promise<void> => {
		const s = ready.peek();
		const at = cursor.peek();

		if (!s) return;
		const old = kept.get(at);
		const slow = !playing.peek() || speed.peek() <= SEEN;
		if (old?.sim === s.sim && (old.moves || !slow)) {
			moment.value = old;
			return;
		}
		try {
			// In this order the simulator goes forwards only.
			const moves = slow ? await api.moves(s.sim, at, 1) : null;
			const held = await api.state(s.sim, at + 1, slots, groups);
			const m = { sim: s.sim, cursor: at, held, moves };
			if (held.line.length <= SLOTS_KEPT) kept.set(at, m);
			if (kept.size > KEPT) kept.delete(kept.keys().next().value!);
			if (!ended() && ready.peek()?.sim === s.sim) moment.value = m;
		} catch (e) {
			if (!isAbort(e)) await pause(RETRY);
		}
		if (!slow) await pause(PAUSE);
	};
	const stop = oneAtATime(() => {
		void [cursor.value, playing.value];
		if (!ready.value) {
			kept = new Map();
			moment.value = null;
		}
	}, ask);

	return () => {
		stop();
		moment.value = null;
	};
}
