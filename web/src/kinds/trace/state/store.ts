// The store of the trace kind: the trace, its simulations, the moment and the window, the
// selection, playback, the source pane. load.ts fetches; nothing here does.
import { batch, computed, signal } from "@preact/signals";
import { shortPath } from "../../../model/format";
import type { Window } from "../../../model/types";
import { selectable } from "../../../state/history";
import type { StepBy } from "../api";
import { servers } from "../model/cost";
import { nothing, selectionText, type Names, type Selection } from "../model/selection";
import type { LineCount, Region, Sim, Trace } from "../model/types";

/** The kind of document, as /api/open names it. */
export const KIND = "trace";

/** The trace that is shown. */
export const trace = signal<Trace | null>(null);
export const regions = signal<Region[]>([]);
export const counts = signal<LineCount[]>([]);

/** The simulation that is shown, and a second one to compare it with. */
export const sim = signal<Sim | null>(null);
export const compared = signal<Sim | null>(null);
/** The text of the machine as typed or chosen; sim.machine is its canonical text. */
export const machine = signal("");

/** The simulation once it can be asked anything; its number is what routes want. */
let lastReady: Sim | null = null;
export const ready = computed(() => {
	const s = sim.value?.state === "ready" ? sim.value : null;

	// A change that is none to those who ask (findings are known) gives the same object.
	if (s?.sim !== lastReady?.sim) lastReady = s;
	return lastReady;
});
/** How many positions there are: times go from 0 to this. */
export const length = computed(
	() => sim.value?.positions || trace.value?.references || 0,
);
/** Names of the serving levels, memory last. */
export const levelNames = computed(() => (sim.value ? servers(sim.value.levels) : []));

/** The moment that is shown: reference `cursor` has just happened. */
export const cursor = signal(0);
/** The part of the run that is looked at; null: all of it. */
export const chosenWindow = signal<Window | null>(null);
export const shownWindow = computed<Window>(
	() => chosenWindow.value ?? { from: 0, to: length.value },
);

/** The selected references, and the pre-selection: what is under the pointer. */
export const { selection, hover, select } = selectable<Selection>(nothing, selectionText);

/** Playback. Speed is references a second. */
export const playing = signal(false);
export const speed = signal(1000);
export const loop = signal(false);
/** What play stops at on its way: every reference, or events of this kind only. */
export const playBy = signal<StepBy>("reference");

/** Files that are none: code without one (libraries, no debug data), and not chosen yet. */
export const ELSEWHERE = -1;
export const NO_FILE = -2;
/** The file in the source pane, and a line to scroll to ({} is a new wish each time). */
export const file = signal(NO_FILE);
export const reveal = signal<{ line: number } | null>(null);

const regionByNumber = computed(() => new Map(regions.value.map((r) => [r.region, r])));

export function regionOf(n: number): Region | undefined {
	return regionByNumber.value.get(n);
}

/** Where a region stands in the list: the number of its colour. */
const rankByNumber = computed(() => new Map(regions.value.map((r, i) => [r.region, i])));

export function regionRank(n: number): number {
	return rankByNumber.value.get(n) ?? -1;
}

export function pathOf(n: number): string {
	if (n === ELSEWHERE) return "code without source";
	return trace.value?.files.find((f) => f.file === n)?.path ?? "";
}

export const names: Names = {
	file: (n) => shortPath(pathOf(n)),
	region: (n) => regionOf(n)?.name ?? `region ${n}`,
	level: (n) => levelNames.value[n - 1] ?? `level ${n}`,
};

export function setCursor(time: number): void {
	cursor.value = Math.max(0, Math.min(Math.floor(time), Math.max(0, length.value - 1)));
}

/** Sets the window, kept within the run and at least `least` references wide. */
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

/** Shows a line of code in the source pane. */
export function showLine(inFile: number, line: number): void {
	batch(() => {
		file.value = inFile;
		reveal.value = { line };
	});
}
