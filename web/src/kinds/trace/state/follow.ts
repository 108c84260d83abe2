// The cursor goes where things are: to the place of the top finding when a trace opens, to
// the next reference of a new selection, to the user's own code when a phase begins.
import { effect, untracked } from "@preact/signals";
import { isAbort } from "../../../api";
import { asking } from "../../../state/latest";
import { message, option } from "../../../state/store";
import { api } from "../api";
import { isNothing, selectionParams, type Selection } from "../model/selection";
import { waitingOf } from "../model/waiting";
import { findings, placeOfRow, topFinding, waitingLines } from "./findings";
import {
	cursor,
	follow,
	length,
	opened,
	pathOf,
	picked,
	playing,
	ready,
	selection,
	setCursor,
} from "./store";

/** Whether selecting moves the cursor. */
export const FOLLOW = "cursor.follow";

const TRIES = 16; // changes of the line of code until the user's own must have come
/** The header that marks phases: its own lines tell nobody anything. */
const MARKING = /(^|\/)memlamp\.h$/;

/** The first reference of a selection at or after a moment, else the first of all; null: none. */
async function nextOf(sim: number, s: Selection, from: number): Promise<number | null> {
	const more = selectionParams(s);
	const step = (at: number) => api.step(sim, at, "selection", 1, more);

	// The server looks behind a moment, so the moment itself is behind the one before it.
	return (await step(Math.max(0, from - 1))) ?? (from > 1 ? await step(0) : null);
}

/** The first reference at or after a moment that the user's own code makes. */
async function ownFrom(sim: number, from: number): Promise<number> {
	let at = from;

	for (let i = 0; i < TRIES; i++) {
		const site = (await api.refs(sim, at, 1)).sites[0];
		if (site?.own && !(site.file !== null && MARKING.test(pathOf(site.file)))) return at;
		const next = await api.step(sim, at, "line", 1);
		if (next === null) break;
		at = next;
	}
	return from;
}

/** Asks for a moment and goes there, unless the person went elsewhere meanwhile. */
async function go(find: (sim: number) => Promise<number | null>): Promise<void> {
	const s = ready.peek();
	const before = cursor.peek();

	if (!s) return;
	asking.value++;
	try {
		const at = await find(s.sim);
		if (at === null || cursor.peek() !== before || ready.peek()?.sim !== s.sim) return;
		setCursor(at);
		follow();
	} catch (e) {
		if (!isAbort(e)) message.value = (e as Error).message;
	} finally {
		asking.value--;
	}
}

/** Goes to the beginning of a phase: to the first reference there of the user's own code. */
export function goToPhase(phase: { from: number; to: number }): void {
	setCursor(phase.from);
	void go(async (sim) => {
		const at = await ownFrom(sim, phase.from);

		return at < phase.to ? at : phase.from;
	});
}

/** The moment that a step leads to; a step to a phase leads to the user's code in it. */
export async function landing(sim: number, at: number, by: string): Promise<number> {
	return by === "phase" ? ownFrom(sim, at) : at;
}

const TRAIL = 1024; // references that pictures show behind the cursor
const CELLS = 256; // of the run, in which the waiting of a place is looked for

/** A moment of a place before which the place has been at work for the length of a trail. */
async function within(sim: number, s: Selection, from: number): Promise<number | null> {
	const first = await nextOf(sim, s, from);

	if (first === null) return null;
	const later = await api.step(sim, first + TRAIL, "selection", 1, selectionParams(s));
	return later !== null && later < first + 2 * TRAIL ? later : first;
}

/** Where the line or function waits most that waits most of all; null: nothing waits. */
async function whereWaiting(sim: number): Promise<number | null> {
	const line = waitingLines
		.peek()
		?.find((l) => (l.line || l.func) && waitingOf(l.waiting));

	if (!line) return null;
	const place =
		line.file !== null && line.line
			? { file: line.file, line: line.line }
			: { func: line.func! };
	const t = await api.timeline(sim, { from: 0, to: length.peek() }, CELLS, place);
	let [best, most] = [0, 0];
	for (let i = 0; i < t.cells; i++) {
		const parts = t.levels + 1;
		const n = waitingOf(t.selectedWaiting!.subarray(i * parts, (i + 1) * parts));
		if (n > most) [best, most] = [i, n];
	}
	return within(sim, place, Math.max(0, t.first + best * t.width));
}

/*
 * The first moment of a trace: the top finding at work; else where most waiting is; else
 * the first own line.
 */
async function firstMoment(sim: number): Promise<number> {
	const top = topFinding.peek();
	const place = top ? placeOfRow(top) : {};
	const found = isNothing(place) ? null : await within(sim, place, 0);

	return found ?? (await whereWaiting(sim)) ?? ownFrom(sim, 0);
}

export function startFollowing(): void {
	// A new trace whose URL names no moment waits for its findings.
	effect(() => {
		if (!opened.value || !ready.value || !findings.value || !waitingLines.value) return;
		untracked(() => {
			const untouched = !cursor.peek() && !playing.peek() && isNothing(selection.peek());
			opened.value = false;
			if (untouched) void go(firstMoment);
		});
	});
	effect(() => {
		const s = picked.value;
		if (!s || isNothing(s) || s.offset) return;
		untracked(() => {
			if (playing.peek() || option(FOLLOW, "yes") !== "yes") return;
			void go((sim) => nextOf(sim, s, cursor.peek()));
		});
	});
}
