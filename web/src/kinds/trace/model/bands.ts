// A cell of the timeline as bands, one for each serving level: the ends of each band from
// 0 to 1, and its selected part.
import type { Timeline } from "./types";

/** What the bands of cells are shares of: numbers by cell and part. */
export interface Shares {
	all: Float64Array;
	some: Float64Array | null; // of the selected references; null: all are selected
	parts: number;
}

/*
 * Cycles by part: the first band is what the first level would take for all references;
 * above it references wait.
 */
function cycles(t: Timeline, served: Float64Array, waits: Float64Array, first: number) {
	const parts = t.levels + 1;
	const out = waits.map((n) => Math.max(0, n));

	for (let i = 0; i < t.cells; i++) {
		let n = 0;
		for (let l = 0; l < t.levels; l++) n += served[i * t.levels + l]!;
		out[i * parts] = n * first;
	}
	return out;
}

const known = new WeakMap<Timeline, { first: number; shares: Shares }>();

/** Cells as shares of references, or of cycles where a cycle of the first level is given. */
export function sharesOf(t: Timeline, first: number | null): Shares {
	if (first === null) return { all: t.served, some: t.selected, parts: t.levels };
	const before = known.get(t);
	if (before?.first === first) return before.shares;
	const shares = {
		all: cycles(t, t.served, t.waiting, first),
		some:
			t.selected && t.selectedWaiting
				? cycles(t, t.selected, t.selectedWaiting, first)
				: null,
		parts: t.levels + 1,
	};
	known.set(t, { first, shares });
	return shares;
}

/*
 * Writes the upper ends of the bands of a cell into `ends` and the selected part of each
 * band (0 to 1) into `parts`; false for a cell without references.
 */
export function bands(
	{ all, some, parts: count }: Shares,
	cell: number,
	ends: Float64Array,
	parts: Float64Array,
): boolean {
	const at = cell * count;
	let sum = 0;

	for (let l = 0; l < count; l++) sum += all[at + l]!;
	if (!(sum > 0)) return false;
	let end = 0;
	for (let l = 0; l < count; l++) {
		const n = all[at + l]!;
		end += n / sum;
		ends[l] = end;
		parts[l] = !some ? 1 : n > 0 ? Math.min(1, some[at + l]! / n) : 0;
	}
	return true;
}

const PART = 0.95; // of the cells whose misses must have room
const TOPS = [0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001];

/*
 * The height at which a chart begins so that misses can be seen: 0, or 1 less the smallest
 * of a few round shares that nearly all cells keep below. `missed` has the share of each
 * cell that the first level did not serve.
 */
export function chartBase(missed: number[]): number {
	const sorted = [...missed].sort((a, b) => a - b);
	const most = sorted[Math.ceil(sorted.length * PART) - 1] ?? 1;
	const top = TOPS.filter((t) => t >= most).at(-1);

	return top === undefined ? 0 : 1 - top;
}

/** The band at a height from 0 (bottom) to 1, or -1. */
export function bandAt(ends: Float64Array, height: number): number {
	for (let l = 0; l < ends.length; l++) if (height < ends[l]!) return l;
	return height <= 1 ? ends.length - 1 : -1;
}
