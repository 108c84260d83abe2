// The data for the difference of two simulations at a moment: the contents of both, the
// movements, and the server's list of differences. States are kept for a while, so that a
// step back shows the same picture as before.
import { wholeIn } from "../../../model/link";
import { signal } from "@preact/signals";
import { isAbort } from "../../../api";
import { api } from "../api";
import type { Sim, StateLevel } from "../model/types";
import { oneAtATime, pause } from "../../../state/oneAtATime";
import { RETRY, SEEN, type Held, type Moves } from "../state/cacheMoment";
import { match, other, otherTime } from "../state/disagreements";
import { option } from "../../../state/store";
import { cursor, playing, ready, speed, steppedTo } from "../state/store";

export type Moment = Awaited<ReturnType<typeof api.disagreementMoment>>;

export interface DiffScene {
	sims: string; // both, "3:4"
	cursor: number; // the reference that has just happened
	other: number; // the moment of the compared run: so many references have happened
	held: [a: Held, b: Held];
	before: [a: Held, b: Held] | null; // null: not known, because the cursor jumped here
	moves: [a: Moves, b: Moves] | null; // null: the two runs have different references
	moment: Moment;
}

const SLOTS = 8192; // lines of a level; larger levels are answered by sets
const GROUPS = 256;
const PAIRS = 6000; // largest number of places that differ
const KEPT = 48;
const PAUSE = 30; // ms between questions while playing is too fast to follow

/** References whose requests are drawn. */
export function tailLength(): number {
	return wholeIn(option("ringsDiff.tail", "64"), 0, 1e6, 0);
}

export const diffScene = signal<DiffScene | null>(null);

/** Lines of each level. */
const linesOf = (s: Sim) =>
	s.levels.map((l) => (l.kind === "cache" ? l.instances * l.sets * l.ways : 0));

/** The `slots` for each: a level that is too large in one is answered by sets in both. */
function slotsOf(a: Sim, b: Sim): [number, number] {
	const [x, y] = [linesOf(a), linesOf(b)];
	const fits = (k: number) => (x[k] ?? 0) <= SLOTS && (y[k] ?? 0) <= SLOTS;
	const largest = (lines: number[]) => Math.max(0, ...lines.filter((_, k) => fits(k)));

	return [largest(x), largest(y)];
}

const groupsOf = (levels: StateLevel[]) => levels.map((l) => l.group).join(",");

/** Follows the cursor until the returned function is called. */
export function followDiff(): () => void {
	let kept = new Map<string, Held>();
	let of = "";
	const stateAt = async (sim: number, at: number, slots: number): Promise<Held> => {
		const key = `${sim}:${at}`;
		const held = kept.get(key) ?? (await api.state(sim, at, slots, GROUPS));

		kept.delete(key);
		kept.set(key, held);
		if (kept.size > KEPT) kept.delete(kept.keys().next().value!);
		return held;
	};
	const scene = async (one: Sim, two: Sim, at: number): Promise<DiffScene> => {
		const [a, b] = [one.sim, two.sim];
		const slots = slotsOf(one, two);
		const there = otherTime(at + 1);
		const from = Math.max(0, at + 1 - tailLength());
		const count = at + 1 - from;
		const same = there === at + 1 && tailLength() > 0;
		// A far step shows its movement too, which begins with the states before it.
		if (steppedTo.peek() === at) {
			await stateAt(a, at, slots[0]);
			await stateAt(b, otherTime(at), slots[1]);
		}
		// In this order the simulators go forwards only.
		const moves: [Moves, Moves] | null = same
			? [await api.moves(a, from, count), await api.moves(b, from, count)]
			: null;
		const held: [Held, Held] = [
			await stateAt(a, at + 1, slots[0]),
			await stateAt(b, there, slots[1]),
		];
		const moment = await api.disagreementMoment(a, b, {
			at: at + 1,
			other: there,
			tail: tailLength(),
			most: PAIRS,
			group_a: groupsOf(held[0].levels),
			group_b: groupsOf(held[1].levels),
		});
		const was = [kept.get(`${a}:${at}`), kept.get(`${b}:${otherTime(at)}`)];
		return {
			sims: `${a}:${b}`,
			cursor: at,
			other: there,
			held,
			before: was[0] && was[1] ? [was[0], was[1]] : null,
			moves: moment.paired ? moves : null,
			moment,
		};
	};
	const ask = async (ended: () => boolean): Promise<boolean> => {
		const [a, b, m, at] = [ready.peek(), other.peek(), match.peek(), cursor.peek()];
		let failed = false;

		if (!a || !b || !m) return false;
		const sims = `${a.sim}:${b.sim}`;
		if (sims !== of) kept = new Map();
		of = sims;
		try {
			const s = await scene(a, b, at);
			if (!ended() && ready.peek()?.sim === a.sim && other.peek()?.sim === b.sim)
				diffScene.value = s;
		} catch (e) {
			// Asks again: the picture is still missing.
			if (!isAbort(e)) await pause(RETRY);
			failed = true;
		}
		if (playing.peek() && speed.peek() > SEEN) await pause(PAUSE);
		return failed;
	};
	const stop = oneAtATime(() => {
		void [cursor.value, playing.value, tailLength(), match.value];
		if (!ready.value || !other.value) diffScene.value = null;
	}, ask);

	return () => {
		stop();
		diffScene.value = null;
	};
}
