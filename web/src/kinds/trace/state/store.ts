// The store of the trace kind: the trace, its simulations, the moment and the window, the
// selection, playback, the source pane. load.ts fetches; nothing here does.
import { batch, computed, signal } from "@preact/signals";
import { shortPath } from "../../../model/format";
import type { Window } from "../../../model/types";
import { selectable } from "../../../state/history";
import type { StepBy } from "../api";
import { servers } from "../model/cost";
import { nothing, selectionText, type Names, type Selection } from "../model/selection";
import { REGION_COLOURS, colourNumbers } from "../model/regionColours";
import { regionLabels } from "../model/regionNames";
import type { LineCount, Region, Sim, Trace } from "../model/types";

/** The kind of document, as /api/open names it. */
export const KIND = "trace";

/** The trace that is shown. */
export const trace = signal<Trace | null>(null);
export const regions = signal<Region[]>([]);
export const counts = signal<LineCount[]>([]);

/** The simulation that is shown, and the one that it is compared with. */
export const sim = signal<Sim | null>(null);
export const compared = signal<Sim | null>(null);
/** The text of the machine as typed or chosen; sim.machine is its canonical text. */
export const machine = signal("");

/** The simulation once it is ready: routes take its number. */
let lastReady: Sim | null = null;
export const ready = computed(() => {
	const s = sim.value?.state === "ready" ? sim.value : null;

	// The object stays the same when only findings became known: no question is asked
	// again.
	if (s?.sim !== lastReady?.sim) lastReady = s;
	return lastReady;
});
/** Positions of the run: times go from 0 to this. */
export const length = computed(
	() => sim.value?.positions || trace.value?.references || 0,
);
/** Names of the serving levels, memory last. */
/** What costs cycles on top of those of the serving levels. */
export const onTopName = computed(() =>
	(sim.value?.busy ?? 1) > 1 ? "TLB, cores" : "TLB",
);
/** The level that costs most in a cell; behind memory what comes on top. */
export function costName(level: number): string {
	return levelNames.value[level - 1] ?? onTopName.value;
}
export const levelNames = computed(() => (sim.value ? servers(sim.value.levels) : []));

/** The moment that is shown: reference `cursor` has just happened. */
export const cursor = signal(0);
/** A trace was opened and nobody has said at which moment: see follow.ts. */
export const opened = signal(false);
/** The part of the run that the person chose; null: all of it. */
export const chosenWindow = signal<Window | null>(null);
/** A range that the person dragged, to have it added up; see range.ts. */
export const range = signal<Window | null>(null);
export const shownWindow = computed<Window>(
	() => chosenWindow.value ?? { from: 0, to: length.value },
);

/** The selected references, and the pre-selection: what is under the pointer. */
export const {
	selection,
	hover,
	select: restore,
} = selectable<Selection>(nothing, selectionText, () => {
	const [at, w] = [cursor.peek(), chosenWindow.peek()];

	return () => {
		cursor.value = at;
		chosenWindow.value = w;
	};
});
/** The selection that the person made last, a new object each time; see follow.ts. */
export const picked = signal<Selection | null>(null);

/** The person selects; with `toggle`, selecting the same again selects nothing. */
export function select(next: Selection, toggle = false): void {
	batch(() => {
		restore(next, toggle);
		picked.value = { ...selection.peek() };
	});
}

/** Playback, forwards or backwards. Speed is references a second. */
export const playing = signal(false);
export const direction = signal<1 | -1>(1);
export const speed = signal(1000);
/** Whether the speed follows the length of the window; see setSpeed(). */
export const speedFollows = signal(true);
export const loop = signal(false);
/** The moment that the last step led to: views show how data moved there. */
export const steppedTo = signal(-1);
/** How many times slower than usual movements are shown. */
export const slowness = signal(1);
/** The events that play and the steps go by. */
export const playBy = signal<StepBy>("reference");

/*
 * Numbers that stand for no file: code without a file (libraries, no debug data), and
 * none chosen yet.
 */
export const ELSEWHERE = -1;
export const NO_FILE = -2;
/*
 * The file in the source pane, and a line to scroll to: each new object is a new request.
 */
export const file = signal(NO_FILE);
export const reveal = signal<{ line: number } | null>(null);

const regionByNumber = computed(() => new Map(regions.value.map((r) => [r.region, r])));

export function regionOf(n: number): Region | undefined {
	return regionByNumber.value.get(n);
}

/** Regions whose colours must differ, the most important first (regionOrder.ts). */
export const regionOrder = signal<number[]>([]);

const colours = computed(() =>
	colourNumbers(
		regions.value.map((r) => r.region),
		regionOrder.value,
		REGION_COLOURS,
	),
);

/** The number of a region's colour; -1: it is not known. */
export function regionRank(n: number): number {
	return colours.value.get(n) ?? -1;
}

export function pathOf(n: number): string {
	if (n === ELSEWHERE) return "code without source";
	return trace.value?.files.find((f) => f.file === n)?.path ?? "";
}

const labels = computed(() => regionLabels(regions.value));

export const names: Names = {
	file: (n) => shortPath(pathOf(n)),
	region: (n) => labels.value.get(n) ?? `region ${n}`,
	level: (n) => levelNames.value[n - 1] ?? `level ${n}`,
};

export function setCursor(time: number): void {
	cursor.value = Math.max(0, Math.min(Math.floor(time), Math.max(0, length.value - 1)));
}

/** Goes to a moment as a step does: views show the movement. */
export function stepTo(time: number): void {
	batch(() => {
		setCursor(time);
		steppedTo.value = cursor.peek();
	});
	follow();
}

/** The person chooses a speed; null: it follows the window again. */
export function setSpeed(perSecond: number | null): void {
	batch(() => {
		speedFollows.value = perSecond === null;
		if (perSecond !== null) speed.value = perSecond;
	});
}

/** Sets the window, kept within the run and at least `min` references wide. */
export function setWindow(w: Window | null, min = 16): void {
	if (!w) {
		chosenWindow.value = null;
		return;
	}
	const n = length.value;
	const width = Math.min(n, Math.max(Math.round(w.to - w.from), Math.min(min, n)));
	const from = Math.max(0, Math.min(Math.round(w.from), n - width));

	chosenWindow.value = width >= n ? null : { from, to: from + width };
}

/** Moves the window, without changing its width, so that the cursor is in it. */
export function follow(): void {
	const [w, at] = [shownWindow.peek(), cursor.peek()];
	const width = w.to - w.from;

	if (at >= w.from && at < w.to) return;
	const from = at < w.from ? at - width / 4 : at - (width * 3) / 4;
	setWindow({ from, to: from + width });
}

/** Shows a line of code in the source pane. */
export function showLine(inFile: number, line: number): void {
	batch(() => {
		file.value = inFile;
		reveal.value = { line };
	});
}
