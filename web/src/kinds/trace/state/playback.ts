// Playback: moves the cursor while playing is set, `speed` references a second, and steps.
import { effect, untracked } from "@preact/signals";
import { isAbort } from "../../../api";
import { api, type StepBy } from "../api";
import { isNothing, selectionParams } from "../model/selection";
import { asking } from "../../../state/latest";
import { message, option } from "../../../state/store";
import { landing } from "./follow";
import {
	cursor,
	direction,
	length,
	loop,
	playBy,
	playing,
	ready,
	selection,
	setCursor,
	shownWindow,
	speed,
	stepTo,
} from "./store";

/** How play treats events: it shows events only, stops at each, or rests at each. */
export type PlayHow = "only" | "stop" | "rest";

/** A person looks at events longer than at references: at most so many a second. */
export const EVENTS_MAX = 30;
const REST = 700; // ms at an event

const words: Record<StepBy, string> = {
	reference: "reference",
	line: "change of the line of code",
	phase: "phase",
	miss: "miss",
	first: "first touch",
	region: "change of region",
	selection: "selected reference",
};

export function playHow(): PlayHow {
	return option("play.how", "only") as PlayHow;
}

/** The next moment of a kind; null: there is none. */
async function find(
	from: number,
	by: StepBy,
	dir: 1 | -1,
	abort?: AbortSignal,
): Promise<number | null> {
	const s = ready.peek();

	if (by === "reference") {
		const to = from + dir;
		return to >= 0 && to < length.peek() ? to : null;
	}
	if (!s) throw new Error("Events are known when the simulation has ended.");
	const more = by === "selection" ? selectionParams(selection.peek()) : {};
	asking.value++;
	try {
		const at = await api.step(s.sim, from, by, dir, more, abort);
		return at === null || dir < 0 ? at : await landing(s.sim, at, by);
	} finally {
		asking.value--;
	}
}

let steps: Promise<unknown> = Promise.resolve();

/*
 * One step forwards or backwards to the next event of kind `by`. Each step begins where
 * the one before it ended, however fast a key is pressed.
 */
export function step(dir: 1 | -1, by: StepBy = playBy.peek()): Promise<boolean> {
	const next = steps.then(async () => {
		if (by === "selection" && isNothing(selection.peek())) {
			message.value = "Select something first: a line, a region, a level.";
			return false;
		}
		try {
			const at = await find(cursor.peek(), by, dir);
			if (at === null) {
				if (by !== "reference")
					message.value = `There is no ${words[by]} ${dir > 0 ? "after" : "before"} this.`;
				return false;
			}
			stepTo(at);
			return true;
		} catch (e) {
			if (!isAbort(e)) message.value = (e as Error).message;
			return false;
		}
	});

	playing.value = false;
	steps = next;
	return next;
}

/** The moment where playing begins, and the one where it ends. */
function ends(): [first: number, last: number] {
	const { from, to } = shownWindow.peek();

	return direction.peek() > 0 ? [from, to - 1] : [to - 1, from];
}

/** Plays in a direction; playing in that direction already, it pauses. */
export function toggle(dir: 1 | -1 = 1): void {
	const w = shownWindow.value;
	const at = cursor.value;
	const turn = direction.value !== dir;

	direction.value = dir;
	if (playing.value && !turn) {
		playing.value = false;
		return;
	}
	const [first, last] = ends();
	if (at === last || at >= w.to || at < w.from) setCursor(first);
	playing.value = true;
}

/** At the end of the window: round again, or stop. */
function atEnd(): void {
	if (loop.peek()) setCursor(ends()[0]);
	else playing.value = false;
}

/*
 * Plays references. With `by` it asks ahead for the next event, waits for the answer
 * before the cursor could pass that event, and stops or rests there.
 */
function playReferences(by: StepBy, how: PlayHow): () => void {
	const abort = new AbortController();
	let last = performance.now();
	let exact = cursor.peek(); // with the fraction that slow speeds need
	let shown = exact;
	const dir = direction.peek();
	const never = dir * Infinity;
	const past = (a: number, b: number) => (a - b) * dir >= 0; // whether a is at b or beyond
	let next: number | null = by === "reference" ? never : null;
	let resting = 0;
	let frame = 0;

	const look = async () => {
		const from = shown;
		next = null;
		try {
			const found = (await find(from, by, dir, abort.signal)) ?? never;
			if (from === shown) next = found; // otherwise another look is under way
		} catch (e) {
			if (!isAbort(e)) playing.value = false;
		}
	};
	const tick = (now: number) => {
		const end = ends()[1];
		const passed = Math.min(now - last, 100);

		last = now;
		// The person moved the cursor meanwhile: playing goes on from there.
		if (shown !== cursor.peek()) {
			exact = shown = cursor.peek();
			if (by !== "reference") void look();
		}
		resting = Math.max(0, resting - passed);
		if (next !== null && !resting) {
			exact += (dir * speed.peek() * passed) / 1000;
			if (past(exact, next) && past(end, next)) {
				exact = next;
				stepTo(exact);
				shown = cursor.peek();
				if (how === "stop") playing.value = false;
				else {
					resting = REST;
					void look();
				}
			} else if (past(exact, end)) {
				setCursor(end);
				atEnd();
				exact = cursor.peek();
				if (by !== "reference" && playing.peek()) {
					shown = exact;
					void look();
				}
			} else setCursor(dir > 0 ? exact : Math.ceil(exact));
			shown = cursor.peek();
		}
		if (playing.peek()) frame = requestAnimationFrame(tick);
	};

	if (by !== "reference") void look();
	frame = requestAnimationFrame(tick);
	return () => {
		abort.abort();
		cancelAnimationFrame(frame);
	};
}

/** Plays events: from one event of the window to the next. */
function playEvents(by: StepBy): () => void {
	const abort = new AbortController();
	const dir = direction.peek();
	let timer = 0;

	const go = async () => {
		const before = cursor.peek();
		try {
			const at = await find(before, by, dir, abort.signal);
			if (cursor.peek() !== before) return wait(); // the person moved it
			if (at === null || (at - ends()[1]) * dir > 0) atEnd();
			else stepTo(at);
			wait();
		} catch (e) {
			if (!isAbort(e)) playing.value = false;
		}
	};
	const wait = () => {
		if (playing.peek() && !abort.signal.aborted)
			timer = window.setTimeout(go, 1000 / Math.min(EVENTS_MAX, speed.peek()));
	};

	void go();
	return () => {
		abort.abort();
		clearTimeout(timer);
	};
}

export function startClock(): void {
	effect(() => {
		const [by, how] = [playBy.value, playHow()];
		void direction.value; // playing turns round

		if (!playing.value) return;
		if (by === "selection" && isNothing(selection.value)) {
			message.value = "Select something first: a line, a region, a level.";
			playing.value = false;
			return;
		}
		return untracked(() =>
			by === "reference" || how !== "only" ? playReferences(by, how) : playEvents(by),
		);
	});
}
