// The costs of lines of code: of the shown file in the window, and of the worst lines of
// the run.
import { computed, signal } from "@preact/signals";
import { api } from "../api";
import { byCost, costParts, sum, type LineCost, type Metric } from "../model/cost";
import type { LineCount, LineServed } from "../model/types";
import { select, ELSEWHERE, chosenWindow, counts, file, ready, showLine } from "./store";
import { latest } from "../../../state/latest";
import { option } from "../../../state/store";

/** Costs are asked for so many files; the others have next to none of the references. */
const FILES = 16;

/** The measure of the bars in the source. */
export const metric = computed<Metric>(() =>
	ready.value ? option("source.metric", "waiting") : "references",
);

interface Counted {
	line: number;
	references: number;
	reads: number;
	writes: number;
	served?: number[];
	waiting?: number[];
}

function cost(inFile: number, l: Counted): LineCost {
	const { served, waiting } = l;
	const parts =
		served && waiting
			? costParts({ served, waiting }, metric.value)
			: [l.reads, l.writes];

	return {
		file: inFile,
		line: l.line,
		references: l.references,
		served: l.served ?? [],
		parts,
		cost: sum(parts),
	};
}

export function fileOf(l: LineCount): number {
	return l.file ?? ELSEWHERE;
}

const referencesByFile = computed(() => {
	const by = new Map<number, number>();

	for (const l of counts.value)
		by.set(fileOf(l), (by.get(fileOf(l)) ?? 0) + l.references);
	return by;
});

const largest = computed(() =>
	[...referencesByFile.value]
		.sort((a, b) => b[1] - a[1])
		.map(([f]) => f)
		.filter((f) => f >= 0)
		.slice(0, FILES),
);

const run = latest<[number, LineServed[]][]>(() => {
	const [s, files] = [ready.value, largest.value];

	return s && files.length
		? (abort) =>
				Promise.all(
					files.map(
						async (f): Promise<[number, LineServed[]]> => [
							f,
							await api.lines(s.sim, f, undefined, abort),
						],
					),
				)
		: null;
});

const windowed = latest<[number, LineServed[]]>(() => {
	const [s, w, f] = [ready.value, chosenWindow.value, file.value];

	return s && w && f >= 0
		? async (abort) => [f, await api.lines(s.sim, f, w, abort)]
		: null;
}, 60);

/** Lines of the whole run, the worst first. */
export const worstLines = computed<LineCost[]>(() => {
	const all = run.value.value
		? run.value.value.flatMap(([f, lines]) => lines.map((l) => cost(f, l)))
		: counts.value.filter((l) => l.file !== null).map((l) => cost(fileOf(l), l));

	return all.filter((l) => l.cost > 0).sort(byCost);
});

/** Files with their cost, the worst first; files without a reference are left out. */
export const fileCosts = computed<{ file: number; cost: number }[]>(() => {
	const by = new Map<number, number>();

	for (const f of referencesByFile.value.keys()) by.set(f, 0);
	for (const l of worstLines.value) by.set(l.file, (by.get(l.file) ?? 0) + l.cost);
	return [...by].map(([f, c]) => ({ file: f, cost: c })).sort((a, b) => b.cost - a.cost);
});

/** Whether the costs of lines are those of the file and window that are shown now. */
export const costsFresh = computed(() =>
	chosenWindow.value ? windowed.fresh.value : run.fresh.value,
);

/** Lines of the shown file, in the window. */
export const lineCosts = computed<Map<number, LineCost>>(() => {
	const w = windowed.value.value;
	const lines =
		chosenWindow.value && w?.[0] === file.value
			? w[1].map((l) => cost(file.value, l))
			: worstLines.value.filter((l) => l.file === file.value);

	return new Map(lines.map((l) => [l.line, l]));
});

/** The rank of the worst line that was jumped to last; -1: none yet. */
export const worstRank = signal(-1);

/** Jumps to the next of the worst lines, or back. */
export function jumpToWorst(dir: 1 | -1): void {
	const n = worstLines.value.length;

	if (!n) return;
	worstRank.value = Math.max(0, Math.min(n - 1, worstRank.value + dir));
	const l = worstLines.value[worstRank.value]!;
	showLine(l.file, l.line);
	select({ file: l.file, line: l.line });
}
