// The data for the rings at a moment: the caches before and after the reference at the
// cursor, and the movements of the references that led to it. States are kept for a
// while, so that a step back shows the same picture as before. Movements are asked for
// once and joined, so that the simulator only goes forwards while time does.
import { signal } from "@preact/signals";
import { isAbort } from "../../../api";
import { api } from "../api";
import { join, within } from "../model/ringsMoves";
import { oneAtATime, pause } from "../../../state/oneAtATime";
import { RETRY, SEEN, type Held, type Moves } from "../state/cacheMoment";
import { scores } from "../state/scores";
import { option } from "../../../state/store";
import { cursor, playing, ready, speed, steppedTo } from "../state/store";

export interface Scene {
	sim: number;
	cursor: number; // the reference that has just happened
	after: Held;
	before: Held | null; // null: not known, because the cursor jumped here
	moves: Moves; // of the tail, whose last is the reference at the cursor
}

const TAIL = 64;
const TAIL_MAX = 8192;
const GROUPS = 512;
const KEPT = 48;
const KEPT_LINES = 1 << 20; // of all states that are kept
const PAUSE = 8; // ms between questions while playing is too fast to follow

/** Levels of at most so many lines are answered line by line, larger ones by sets. */
export const slots = signal(8192);

/*
 * References whose movements are drawn: the chosen number, or as many as pass while a
 * person looks.
 */
export function tailLength(): number {
	const chosen = option("rings.tail", "auto");

	if (chosen !== "auto") return Number(chosen) || 1;
	if (!playing.value || speed.value <= SEEN) return TAIL;
	return Math.min(TAIL_MAX, Math.max(TAIL, 2 ** Math.round(Math.log2(speed.value / 15))));
}

export const scene = signal<Scene | null>(null);

/** Follows the cursor until the returned function is called. */
export function followRings(): () => void {
	let kept = new Map<number, Held>();
	let lines = 0; // lines of all kept states
	let moved: Moves | null = null; // a stretch that ends where the last question ended
	let of = "";
	const stateAt = async (sim: number, at: number): Promise<Held> => {
		const old = kept.get(at);
		const held =
			old ?? (await api.state(sim, at, slots.peek(), GROUPS, undefined, scores()));

		kept.delete(at);
		kept.set(at, held);
		if (!old) lines += held.line.length;
		for (const [time, h] of kept) {
			if (kept.size <= 2 || (kept.size <= KEPT && lines <= KEPT_LINES)) break;
			kept.delete(time);
			lines -= h.line.length;
		}
		return held;
	};
	const movesOf = async (sim: number, from: number, to: number): Promise<Moves> => {
		const end = moved ? moved.from + moved.count : -1;

		if (!moved || moved.from > from || end < from || end > to + TAIL_MAX)
			moved = await api.moves(sim, from, to - from);
		else if (end < to) moved = join(moved, await api.moves(sim, end, to - end));
		const answer = within(moved, from, to);
		// Older movements are kept for steps back, but not for ever.
		if (moved.count > 4 * (to - from) + TAIL) moved = within(moved, from, to);
		return answer;
	};
	const ask = async (ended: () => boolean): Promise<void> => {
		const s = ready.peek();
		const at = cursor.peek();

		if (!s) return;
		const key = [s.sim, slots.peek(), JSON.stringify(scores())].join(" ");
		if (key !== of) {
			kept = new Map();
			lines = 0;
			if (!of.startsWith(`${s.sim} `)) moved = null;
		}
		of = key;
		try {
			const from = Math.max(0, at + 1 - tailLength());
			// A far step shows its movement too, which begins with the state before it. In
			// this order the simulator goes forwards only.
			if (steppedTo.peek() === at && !kept.has(at)) {
				if (from < at) await movesOf(s.sim, from, at);
				await stateAt(s.sim, at);
			}
			const moves = await movesOf(s.sim, from, at + 1);
			const after = await stateAt(s.sim, at + 1);
			if (!ended() && ready.peek()?.sim === s.sim)
				scene.value = {
					sim: s.sim,
					cursor: at,
					after,
					before: kept.get(at) ?? null,
					moves,
				};
		} catch (e) {
			moved = null;
			if (!isAbort(e)) await pause(RETRY);
		}
		if (playing.peek() && speed.peek() > SEEN) await pause(PAUSE);
	};
	const stop = oneAtATime(() => {
		void [cursor.value, playing.value, tailLength(), slots.value, scores()];
		if (!ready.value) scene.value = null;
	}, ask);

	return () => {
		stop();
		scene.value = null;
	};
}
