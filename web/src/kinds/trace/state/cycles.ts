// The cycles of the trace: which are looked for, which one is chosen, and its angles. The
// view Cycles asks; the timeline and the source pane show the chosen one too.
import { wholeIn } from "../../../model/link";
import { computed, signal } from "@preact/signals";
import type { Params } from "../../../model/types";
import { latest } from "../../../state/latest";
import { option, setOption } from "../../../state/store";
import { api } from "../api";
import { listOrder, stretchToDraw, turnTimes, type Cycle } from "../model/cycles";
import { chosenWindow, ready, shownWindow, trace } from "./store";

/** Whether a person looked at cycles: only then does the page ask for them. */
export const wanted = signal(false);

const CELLS = 32768;
const MAX_TICKS = 2000;
const LINE_SHARE = 0.08; // of all turning, from which on a line is named

/** Parameters that say in which references cycles are looked for. */
const params = computed<Params>(() => {
	const w = chosenWindow.value;

	return {
		window: option("cycles.window", "10"),
		by: option("cycles.by", "site"),
		every: option("cycles.every", "1"),
		thread: option("cycles.thread", "0"), // 0: all, if there is one; else the first
		...(w ? { after: w.from, before: w.to } : {}),
	};
});

export const cycles = latest(() => {
	const [t, q] = [trace.value?.trace, params.value];

	return wanted.value && t !== undefined ? (abort) => api.cycles(t, q, abort) : null;
}, 200);

export const basis = computed(() => option("cycles.basis", "reduced"));
export const list = computed<Cycle[]>(() => {
	const c = cycles.value.value;

	return (basis.value === "found" ? c?.classes : c?.reduced) ?? [];
});

function numberOf(key: string): number {
	const n = wholeIn(option(key, ""), 0, list.value.length - 1, -1);

	return n >= 0 && !list.value[n]!.refused ? n : -1;
}

/** The cycles by number, as they are listed. */
export const order = computed(() => listOrder(list.value));
/** The chosen cycle; until a person chooses, the first that is listed. -1: there is none. */
export const chosen = computed(() => {
	const n = numberOf("cycles.class");
	const first = order.value[0] ?? -1;

	return n >= 0 ? n : list.value[first]?.refused === null ? first : -1;
});
/** The cycle that the chosen one is morphed into; -1: none. */
export const target = computed(() => numberOf("cycles.other"));
export const chosenCycle = computed(() => list.value[chosen.value] ?? null);

export function choose(n: number): void {
	setOption("cycles.class", String(n));
}

/** The references whose angles are drawn. Cycles that become each other share them. */
const drawn = computed(() => {
	const [w, c] = [shownWindow.value, chosenCycle.value];
	const whole = !chosenWindow.value && target.value < 0;

	return whole && c && !c.refused ? stretchToDraw(c, w) : w;
});

function anglesOf(number: { value: number }, levels: boolean) {
	return latest(() => {
		const [t, c, n] = [trace.value?.trace, cycles.value.value, number.value];
		const [w, s] = [drawn.value, ready.value];
		// where threads are interleaved, a time is no position in the simulation
		const known = levels && option("cycles.colour", "line") === "level" && s;
		const sim = known && !s.interleaved ? s.sim : null;
		const q = {
			...params.value,
			basis: basis.value,
			class: n,
			from: w.from,
			to: w.to,
			cells: CELLS,
			...(sim === null ? {} : { sim }),
		};

		return t !== undefined && c && n >= 0
			? (abort) => api.cycleAngles(t, q, abort)
			: null;
	}, 60);
}

export const angles = anglesOf(chosen, true);
export const otherAngles = anglesOf(target, false);

/** The same in the plane; asked for while the plane is shown. */
export const plane = latest(() => {
	const [t, c, n] = [trace.value?.trace, cycles.value.value, chosen.value];
	const q = { ...params.value, basis: basis.value, class: n };

	return t !== undefined && c && n >= 0 && option("cycles.form", "spiral") === "plane"
		? (abort) => api.cycleMap(t, q, abort)
		: null;
}, 60);

/** What the timeline shows of the chosen cycle. */
export const turnsShown = computed(() => {
	const [c, a] = [chosenCycle.value, angles.value.value];

	if (!wanted.value || !c || c.refused) return null;
	return {
		from: c.from,
		to: c.to,
		turns: c.turns,
		ticks: a ? turnTimes(a, MAX_TICKS) : [],
	};
});

/** Turns of the chosen cycle by file and line: what the source pane writes beside a line. */
export const lineTurns = computed(() => {
	const c = chosenCycle.value;
	const out = new Map<string, number>();

	if (!wanted.value || !c || c.refused) return out;
	for (const l of c.lines)
		if (l.file && l.share >= LINE_SHARE) out.set(`${l.file}:${l.line}`, c.turns);
	return out;
});
