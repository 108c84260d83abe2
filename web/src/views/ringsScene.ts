// What the rings show of a moment: caches before and after the reference at the cursor, and
// the movements of the references that led to it. One question at a time; states are kept
// for a while, so that a step back shows what a step forward showed.
import { effect, signal } from "@preact/signals";
import { api, isAbort } from "../api";
import type { Held, Moves } from "../state/caches";
import { cursor, option, playing, ready, speed } from "../state/store";

export interface Scene {
	sim: number;
	cursor: number; // the reference that has just happened
	after: Held;
	before: Held | null; // null: not known, the moment was jumped to
	moves: Moves; // of the tail, whose last is the reference at the cursor
}

export const SEEN = 25; // references a second at which single movements can be followed
const TAIL = 64;
const TAIL_MAX = 8192;
const SLOTS = 8192; // lines of a level; larger ones are told by sets
const GROUPS = 512;
const KEPT = 48;
const PAUSE = 30; // ms between questions while it plays too fast to follow

/** References whose movements are drawn: as chosen, or what passes while one looks. */
export function tailLength(): number {
	const chosen = option("rings.tail", "auto");

	if (chosen !== "auto") return Number(chosen) || 1;
	if (!playing.value || speed.value <= SEEN) return TAIL;
	return Math.min(TAIL_MAX, Math.max(TAIL, 2 ** Math.round(Math.log2(speed.value / 15))));
}

export const scene = signal<Scene | null>(null);

/** Follows the cursor until it is told to stop. */
export function followRings(): () => void {
	let kept = new Map<number, Held>();
	let of = -1;
	let busy = false;
	let again = false;
	let ended = false;

	const stateAt = async (sim: number, at: number): Promise<Held> => {
		const held = kept.get(at) ?? (await api.state(sim, at, SLOTS, GROUPS));

		kept.delete(at);
		kept.set(at, held);
		if (kept.size > KEPT) kept.delete(kept.keys().next().value!);
		return held;
	};
	const ask = async (): Promise<void> => {
		const s = ready.peek();
		const at = cursor.peek();

		if (!s || ended) return;
		if (s.sim !== of) kept = new Map();
		of = s.sim;
		busy = true;
		again = false;
		try {
			const from = Math.max(0, at + 1 - tailLength());
			// In this order the simulator goes forwards only.
			const moves = await api.moves(s.sim, from, at + 1 - from);
			const after = await stateAt(s.sim, at + 1);
			if (!ended && ready.peek()?.sim === s.sim)
				scene.value = {
					sim: s.sim,
					cursor: at,
					after,
					before: kept.get(at) ?? null,
					moves,
				};
		} catch (e) {
			if (!isAbort(e)) await new Promise((r) => setTimeout(r, 500));
		}
		if (playing.peek() && speed.peek() > SEEN)
			await new Promise((r) => setTimeout(r, PAUSE));
		busy = false;
		if (again) void ask();
	};
	const stop = effect(() => {
		void [cursor.value, playing.value, tailLength()];
		if (!ready.value) scene.value = null;
		if (busy) again = true;
		else void ask();
	});

	return () => {
		ended = true;
		scene.value = null;
		stop();
	};
}
