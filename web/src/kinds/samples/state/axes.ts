// Parallel coordinates: axes, bins and the counts along them.
import { computed, effect, signal } from "@preact/signals";
import { indicesIn, wholeIn } from "../../../model/link";
import { latest } from "../../../state/latest";
import { message } from "../../../state/store";
import { api, type AxesQuestion } from "../api";
import { usualAxes, type Strength } from "../model/axes";
import type { Axes } from "../model/table";
import {
	shows,
	number,
	version,
	info,
	columnOf,
	selected,
	hover,
	choose,
	opt,
} from "./store";

export const bins = computed(() => wholeIn(opt("bins", "100"), 20, 1000, 100));

/** The axes from left to right, as numbers of columns. */
export const axes = computed<number[]>(() => {
	const i = info.value;
	const chosen = opt("axes", "");

	if (!i) return [];
	const list = indicesIn(chosen, i.columns.length);
	return list.length ? list : usualAxes(i);
});

export function setAxes(list: number[]): void {
	choose({ axes: [...new Set(list)].join(",") || null });
}

export function showAxis(column: number): void {
	if (!axes.value.includes(column)) setAxes([...axes.value, column]);
}

export function hideAxis(column: number): void {
	if (axes.value.length > 1) setAxes(axes.value.filter((a) => a !== column));
}

/** Puts two axes side by side. */
export function correlate(a: number, b: number): void {
	const rest = axes.value.filter((x) => x !== b);

	if (!rest.includes(a)) rest.push(a);
	const at = rest.indexOf(a);
	setAxes([...rest.slice(0, at + 1), b, ...rest.slice(at + 1)]);
}

export const strength = computed<Strength>(() => {
	const s = opt("lines", "all");

	return s === "left" || s === "right" ? s : "all";
});
/** The pre-selection has its own scale of strengths, not that of all samples. */
export const ownScale = computed(() => opt("scale", "shared") === "own");

/*
 * Columns whose bins grow, as a logarithmic axis has them: latencies with a long tail,
 * until the person chooses.
 */
export const logs = computed<number[]>(() => {
	const chosen = opt("log", "*");
	const latency = columnOf("latency");
	const c = info.value?.columns[latency];

	if (chosen !== "*") return indicesIn(chosen, info.value?.columns.length ?? 0);
	return c && Number(c.max) - Number(c.min) > 500 ? [latency] : [];
});

export function toggleLog(column: number): void {
	const now = logs.value;

	choose({
		log: (now.includes(column) ? now.filter((x) => x !== column) : [...now, column]).join(
			",",
		),
	});
}

/** The bins of a column begin at these values; the last one is the highest value. */
const edgeCache = signal<Record<string, string[]>>({});
const asked = new Set<string>();

export function edgesOf(column: number, count = bins.value): string[] | null {
	const log = logs.value.includes(column);
	const key = `${number.value} ${version.value} ${column} ${count} ${log}`;
	const known = edgeCache.value[key];

	if (!known && number.value !== null && !asked.has(key)) {
		asked.add(key);
		api.edges(number.value, column, count, log).then(
			(e) => (edgeCache.value = { ...edgeCache.peek(), [key]: e }),
			(e: Error) => (message.value = e.message),
		);
	}
	return known ?? null;
}

/** The question about the axes as they are; null: nothing to ask. */
function question(select: string, also: string): AxesQuestion | null {
	const [n, columns] = [number.value, axes.value];

	void version.value;
	return n === null || !columns.length || !shows("samples", "parallel")
		? null
		: { number: n, columns, bins: bins.value, log: logs.value, select, also };
}

/** Counts of all samples, which stay behind those of the selection. */
export const base = latest<Axes>(() => {
	const q = question("", "");

	return q && ((abort) => api.axes(q, abort));
}).value;

/** An answer with the selection that it is about. */
type About<T> = T & { select: string };

const chosen = latest<About<Axes>>(() => {
	const q = question(selected.value, "");

	return q && (async (abort) => ({ ...(await api.axes(q, abort)), select: q.select }));
}).value;

/*
 * The strongest lines of a pre-selection are drawn: fewer while it moves, so that drawing
 * them takes a part of a frame, and more once it has rested for so many milliseconds.
 */
const LINES = { moving: 1500, resting: 4000 };
const REST = 150;

const rested = signal(""); // the pre-selection that rested last
effect(() => {
	const now = hover.value;
	const timer = setTimeout(() => (rested.value = now), REST);

	return () => clearTimeout(timer);
});
const overLines = computed(() =>
	rested.value === hover.value ? LINES.resting : LINES.moving,
);

/** What the pointer or a brush is on. It follows each move, so it is asked for alone. */
const over = latest<About<Awaited<ReturnType<typeof api.axesOver>>>>(() => {
	const [also, lines] = [hover.value, overLines.value];
	const q = question(selected.value, also);

	if (!q || !also) return null;
	return async (abort) => ({
		...(await api.axesOver(q, lines, abort)),
		select: q.select,
	});
}).value;

/** Counts of the selection, with those of the pre-selection if they belong to it. */
export const counts = computed<Axes | null>(() => {
	const [all, now] = [chosen.value, over.value];
	const same =
		all &&
		now &&
		now.select === all.select &&
		now.columns.join() === all.columns.join() &&
		now.bins.join() === all.bins.join();

	return same ? { ...all, also: now.also } : all;
});
