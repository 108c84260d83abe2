// The store of the local view: small sizes, the simulation at them, the step that is shown,
// chosen elements, layouts to try.
import { computed, effect, signal, type ReadonlySignal } from "@preact/signals";
import { isAbort } from "../../../api";
import { latest } from "../../../state/latest";
import type { LinkPart } from "../../../state/link";
import { numberIn } from "../../../model/link";
import type { Params } from "../../../model/types";
import { api } from "../api";
import {
	parseElements,
	parseLayouts,
	printElements,
	printLayouts,
	type Element,
	type Elements,
	type Layout,
	type Local,
	type Step,
} from "../model/local";
import { parseSizes, printSizes, type Metrics } from "../model/program";
import { view } from "../../../state/store";
import * as s from "./store";

export const LOCAL = "local"; // id of the view

/** The node that is looked at; 0: all. */
export const root = computed(() => {
	const wanted = Number(s.opt("root", "0")) || 0;

	return wanted < (s.tree.value?.nodes.length ?? 0) ? wanted : 0;
});

/** Looks at a part of the program element by element. */
export function openLocal(node: number): void {
	s.choose({ root: node ? String(node) : null, at: null });
	wanted.value = { step: 0 };
	view.value = LOCAL;
}

/** The large sizes divided by one factor. */
export const suggestion = latest(() => {
	const [n, p] = [s.number.value, s.sizeParams.value];

	return n === null || !s.program.value || !s.shows(LOCAL)
		? null
		: (abort) => api.suggest(n, p, abort);
}).value;

const chosenSizes = computed(() => parseSizes(s.opt("local", "")));
export function localSize(name: string): number {
	return chosenSizes.value[name] ?? suggestion.value?.set[name] ?? 4;
}
export function setLocalSize(name: string, value: number): void {
	s.choose({ local: printSizes({ ...chosenSizes.value, [name]: value }) });
}
export function takeSuggestion(): void {
	s.choose({ local: null });
}

/** Experiments: what the person changes of the program or its layout. */
export const layouts = computed(() => parseLayouts(s.opt("layout", "")));
export function setLayout(name: string, x: Layout): void {
	const next = new Map(layouts.value);

	next.set(name, x);
	s.choose({ layout: printLayouts(next) || null });
}
/** Loops in another order, "k,i,j", and in tiles, "i=8,k=8". */
export const order = computed(() => s.opt("order", ""));
export const tiles = computed(() => parseSizes(s.opt("tile", "")));
export function setTile(loop: string, size: number): void {
	const next = { ...tiles.value };

	if (size > 0) next[loop] = size;
	else delete next[loop];
	// an order may name loops over tiles that are there no longer
	s.choose({ tile: printSizes(next) || null, order: null });
}
export function setOrder(loops: string[] | null): void {
	s.choose({ order: loops?.join(",") ?? null });
}
/** A machine with sets and levels, beside the capacity; "": none. */
export const machine = computed(() => s.opt("machine", ""));

const experiments = computed<Params>(() => ({
	layout: printLayouts(layouts.value) || undefined,
	order: order.value || undefined,
	tile: printSizes(tiles.value) || undefined,
}));
/** Loops move: their order may be illegal, and headers change. */
export const moving = computed(
	() => !!order.value || Object.keys(tiles.value).length > 0,
);
export const experimenting = computed(() =>
	Object.values(experiments.value).some((v) => v !== undefined),
);

/** SIZES without experiments; null until the suggestion is there. */
const plain = computed<Params | null>(() => {
	const [p, found] = [s.program.value, suggestion.value];

	if (!p || !found) return null;
	const set: Record<string, number> = {};
	for (const name of s.parameters.value) set[name] = localSize(name);
	for (const [name, v] of Object.entries(chosenSizes.value))
		if (p.parameters.includes(name)) set[name] = v;
	return {
		...s.which.value,
		set: printSizes(set) || undefined,
		others: Math.max(2, Math.ceil(s.USUAL / found.factor)),
		line: machine.value ? undefined : s.line.value,
		machine: machine.value || undefined,
		root: root.value || undefined,
	};
});
/** Without the threshold, which does not change the simulation. */
const sizes = computed<Params | null>(
	() => plain.value && { ...plain.value, ...experiments.value },
);

type Ask<T> = (n: number, p: Params, abort: AbortSignal) => Promise<T>;

/*
 * A question about a simulation; `more` may say null: nothing to ask. An answer about
 * another function than the one shown counts as none.
 */
function about<T>(
	base: { value: Params | null },
	ask: Ask<T>,
	more: () => Params | null = () => ({}),
): ReadonlySignal<T | null> {
	const answer = latest<{ of: unknown; value: T }>(() => {
		const [n, p, extra] = [s.number.value, base.value, more()];
		const of = s.program.value;

		return n === null || !p || !extra || !s.shows(LOCAL)
			? null
			: async (abort) => ({ of, value: await ask(n, { ...p, ...extra }, abort) });
	}).value;

	return computed(() => {
		const a = answer.value;
		return a && a.of === s.program.value ? a.value : null;
	});
}

const atThreshold = () => ({ threshold: s.threshold.value });
const original = () => (experimenting.value ? atThreshold() : null);

/** Why the sizes cannot be simulated; "" if they can. */
export const failure = signal("");
export const local = about<Local>(
	sizes,
	async (n, p, abort) => {
		try {
			const answer = await api.local(n, p, abort);
			failure.value = "";
			return answer;
		} catch (e) {
			if (!isAbort(e)) failure.value = (e as Error).message;
			throw e;
		}
	},
	atThreshold,
);
export const elements = about<Elements>(sizes, api.elements, atThreshold);
export const moves = about<Metrics>(sizes, api.metrics, () => ({
	...atThreshold(),
	simulate: 1,
}));
/** The same without experiments, to compare. */
export const before = about<Local>(plain, api.local, original);
export const elementsBefore = about<Elements>(plain, api.elements, original);
export const movesBefore = about<Metrics>(plain, api.metrics, () => {
	const o = original();
	return o && { ...o, simulate: 1 };
});

/** Whether the changed order of loops computes the same. */
export const legality = about(sizes, api.legality, () => (moving.value ? {} : null));

/* The step. */

/** What is asked for: a step by its number, or by the values of loops around a node. */
export const wanted = signal<{ step: number } | { node: number; loops: number[] }>({
	step: 0,
});
export const TRAIL = 24; // steps that stay visible behind the current one
/** The step in the URL. */
export const link: LinkPart = {
	print(p) {
		const now = step.value;
		if (now?.step) p.set("flow.step", String(now.step));
	},
	apply(p) {
		wanted.value = { step: numberIn(p.get("flow.step")) ?? 0 };
	},
	settled: () => !s.shows(LOCAL) || !!step.value || failure.value !== "",
};

const whichStep = () => {
	const w = wanted.value;

	return "step" in w
		? { step: w.step, trail: TRAIL }
		: { node: w.node, loops: w.loops.join(","), trail: TRAIL };
};
export const step = about<Step>(sizes, api.step, whichStep);
export const stepBefore = about<Step>(plain, api.step, () =>
	experimenting.value ? whichStep() : null,
);

export const playing = signal(false);
export const speed = signal(8); // steps a second

export function seek(to: number): void {
	const all = step.peek()?.steps ?? 1;

	wanted.value = { step: Math.max(0, Math.min(all - 1, Math.round(to))) };
}
export function stepBy(n: number): void {
	playing.value = false;
	seek((step.peek()?.step ?? 0) + n);
}
/** Moves a loop slider; the loops inside it stay where they are if they can. */
export function setLoop(depth: number, value: number): void {
	const now = step.peek();

	if (!now) return;
	const loops = now.loops.map((l) => l.value);
	loops[depth] = value;
	wanted.value = { node: now.node, loops };
}
export function togglePlay(): void {
	const now = step.peek();

	if (!playing.peek() && now && now.step + 1 >= now.steps) seek(0);
	playing.value = !playing.peek();
}

/** Plays: the next step is asked for when its time has come and the last one is there. */
export function startPlayback(): void {
	effect(() => {
		if (!playing.value || !s.shows(LOCAL)) return;
		let last = performance.now(); // when the step was asked for
		const timer = setInterval(() => {
			const now = step.peek();
			const w = wanted.peek();

			if (!now || ("step" in w && w.step !== now.step)) return;
			const steps = Math.floor(((performance.now() - last) / 1000) * speed.peek());
			if (steps < 1) return;
			last = performance.now();
			seek(now.step + steps);
			if (now.step + steps >= now.steps) playing.value = false;
		}, 8);
		return () => clearInterval(timer);
	});
}

/* Heat and elements. */

const usualHeats: [string, string][] = [
	["count", "accesses"],
	["related", "accesses related to chosen elements"],
	["min", "least stack distance (lines)"],
	["median", "median stack distance (lines)"],
	["max", "greatest stack distance (lines)"],
	["cold", "cold misses"],
	["misses", "capacity misses"],
	["all", "all misses"],
	["none", "nothing"],
];
const machineHeats: [string, string][] = [
	["missed", "misses of the machine's first level"],
	["memory", "accesses that memory served"],
];
/** What elements can show; some of it needs a machine. */
export const heats = computed(() =>
	machine.value ? [...usualHeats, ...machineHeats] : usualHeats,
);
export const heat = computed(() => {
	const wantedHeat = s.opt("heat", "count");

	return heats.value.some(([h]) => h === wantedHeat) ? wantedHeat : "count";
});
/** Containers are drawn as they lie in memory, not as the program writes them. */
export const stored = computed(() => s.opt("drawn", "") === "stored");
export const showLines = computed(() => s.opt("lines", "on") === "on");

export const chosen = computed(() => parseElements(s.opt("at", "")));
export const hoverElement = signal<Element | null>(null);
/** Chooses an element; `more` keeps the others, and takes it back if it was chosen. */
export function chooseElement(e: Element | null, more: boolean): void {
	const now = chosen.value;
	const same = (x: Element) => e && x.container === e.container && x.place === e.place;
	const rest = now.filter((x) => !same(x));

	if (!e) s.choose({ at: null });
	else if (more)
		s.choose({
			at: printElements(rest.length < now.length ? rest : [...now, e]) || null,
		});
	else s.choose({ at: now.length === 1 && same(now[0]!) ? null : printElements([e]) });
}
/** Of chosen elements, or else of the one under the pointer. */
export const related = about(sizes, api.related, () => {
	const over = hoverElement.value;
	const list = chosen.value.length || !over ? chosen.value : [over];

	return list.length ? { at: printElements(list) } : null;
});
/** Distances of the element chosen last. */
export const distances = about(sizes, api.distances, () => {
	const last = chosen.value.at(-1);

	return last ? { at: printElements([last]) } : null;
});
