// What the rings show of a moment: caches before and after the reference at the cursor, and
// the movements of the references that led to it. One question at a time; states are kept
// for a while, so that a step back shows what a step forward showed. Movements are asked
// for once and joined, so that the simulator only goes forwards while time does.
import { effect, signal } from "@preact/signals";
import { isAbort } from "../../../api";
import { api } from "../api";
import { join, within } from "../model/ringsMoves";
import type { Held, Moves } from "../state/caches";
import { scores } from "../state/scores";
import { option } from "../../../state/store";
import { cursor, playing, ready, speed } from "../state/store";

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
const GROUPS = 512;
const KEPT = 48;
const KEPT_LINES = 1 << 20; // of all states that are kept
const PAUSE = 8; // ms between questions while it plays too fast to follow

/** Lines of a level that are told one by one; larger levels are told by sets. */
export const slots = signal(8192);

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
	let lines = 0; // of them
	let moved: Moves | null = null; // a stretch up to where the last question led
	let of = "";
	let busy = false;
	let again = false;
	let ended = false;

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
		// what is behind is kept for steps back, but not for ever
		if (moved.count > 4 * (to - from) + TAIL) moved = within(moved, from, to);
		return answer;
	};
	const ask = async (): Promise<void> => {
		const s = ready.peek();
		const at = cursor.peek();

		if (!s || ended) return;
		const key = [s.sim, slots.peek(), JSON.stringify(scores())].join(" ");
		if (key !== of) {
			kept = new Map();
			lines = 0;
			if (!of.startsWith(`${s.sim} `)) moved = null;
		}
		of = key;
		busy = true;
		again = false;
		try {
			const from = Math.max(0, at + 1 - tailLength());
			const moves = await movesOf(s.sim, from, at + 1);
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
			moved = null;
			if (!isAbort(e)) await new Promise((r) => setTimeout(r, 500));
		}
		if (playing.peek() && speed.peek() > SEEN)
			await new Promise((r) => setTimeout(r, PAUSE));
		busy = false;
		if (again) void ask();
	};
	const stop = effect(() => {
		void [cursor.value, playing.value, tailLength(), slots.value, scores()];
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
