/*
 * Scales of heat maps, as the paper has them: around the mean or the median (from 0 to twice
 * the centre; outliers are clamped), by the rank among the distinct values (histogram), and
 * linear or logarithmic from the least to the greatest value.
 */

export const scalings = ["mean", "median", "histogram", "linear", "logarithmic"] as const;
export type Scaling = (typeof scalings)[number];

export interface Scale {
	/** From 0 to 1; NaN for what is not known. */
	at(value: number): number;
	/** Values for a legend: those at 0, at the middle and at 1. */
	ends: [number, number, number];
}

function known(values: Iterable<number>): number[] {
	return [...values].filter((v) => Number.isFinite(v)).sort((a, b) => a - b);
}

function clamp(t: number): number {
	return Math.max(0, Math.min(1, t));
}

export function median(sorted: number[]): number {
	const m = sorted.length >> 1;

	return sorted.length % 2 ? sorted[m]! : (sorted[m - 1]! + sorted[m]!) / 2;
}

export function scaleOf(values: Iterable<number>, how: Scaling): Scale {
	const list = known(values);
	const nan = (f: (v: number) => number) => (v: number) =>
		Number.isFinite(v) ? clamp(f(v)) : NaN;

	if (!list.length) return { at: () => NaN, ends: [NaN, NaN, NaN] };
	const [low, high] = [list[0]!, list.at(-1)!];
	if (how === "mean" || how === "median") {
		const c =
			how === "mean" ? list.reduce((s, v) => s + v, 0) / list.length : median(list);

		return { at: nan((v) => (c ? v / (2 * c) : v ? 1 : 0)), ends: [0, c, 2 * c] };
	}
	if (how === "histogram") {
		const distinct = [...new Set(list)];
		const rank = new Map(distinct.map((v, i) => [v, i]));
		const n = distinct.length;
		// a value that is not among them has the rank of the next smaller one
		const place = (v: number) => {
			const r = rank.get(v);
			return (
				r ??
				Math.max(
					0,
					distinct.findLastIndex((d) => d <= v),
				)
			);
		};

		return {
			at: nan((v) => (n > 1 ? place(v) / (n - 1) : 1)),
			ends: [low, distinct[n >> 1]!, high],
		};
	}
	if (how === "linear")
		return {
			at: nan((v) => (high > low ? (v - low) / (high - low) : 1)),
			ends: [low, (low + high) / 2, high],
		};
	const least = list.find((v) => v > 0) ?? 1;
	const span = Math.log(Math.max(high, least) / least);
	return {
		at: nan((v) => (v <= 0 ? 0 : span ? Math.log(v / least) / span : 1)),
		ends: [low, Math.sqrt(least * Math.max(high, least)), high],
	};
}
