// A cell of the timeline as bands, one for each serving level: the ends of each band from
// 0 to 1, and its selected part.

/** Weights of the levels: 1 for references, cycles for time. */
export type Weights = readonly number[];

/*
 * Writes the upper ends of the bands into `ends` and the selected part of each band (0 to
 * 1) into `parts`; false for a cell without references. `some` null: all is selected.
 */
export function bands(
	all: ArrayLike<number>,
	some: ArrayLike<number> | null,
	at: number, // index of the cell's first number
	weights: Weights,
	ends: Float64Array,
	parts: Float64Array,
): boolean {
	let sum = 0;

	for (let l = 0; l < weights.length; l++) sum += all[at + l]! * weights[l]!;
	if (!(sum > 0)) return false;
	let end = 0;
	for (let l = 0; l < weights.length; l++) {
		const n = all[at + l]!;
		end += (n * weights[l]!) / sum;
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
