// Numbers of cells as colours: the scale of a heat map and the ends that its legend names.

export interface Scale {
	low: number; // lowest value
	high: number;
	log: boolean;
}

/** The scale of all values above 0; it is logarithmic for wide ranges unless `linear`. */
export function scaleOf(values: Iterable<ArrayLike<number>>, linear = false): Scale {
	let [low, high] = [Infinity, 0];

	for (const list of values)
		for (let i = 0; i < list.length; i++) {
			const v = list[i]!;
			if (v <= 0) continue;
			if (v < low) low = v;
			if (v > high) high = v;
		}
	if (!high) return { low: 0, high: 0, log: false };
	return { low, high, log: !linear && high / low > 50 };
}

/** 0 to 1 along the scale. */
export function along(s: Scale, v: number): number {
	if (s.high === s.low) return 1;
	return s.log
		? Math.log(v / s.low) / Math.log(s.high / s.low)
		: (v - s.low) / (s.high - s.low);
}

/** The sums of columns of a table [cells][levels] from level `first` (0 is L1) on. */
export function sumFrom(
	served: ArrayLike<number>,
	levels: number,
	first: number,
): Float64Array {
	const out = new Float64Array(served.length / levels);

	for (let i = 0; i < out.length; i++)
		for (let l = first; l < levels; l++) out[i] = out[i]! + served[i * levels + l]!;
	return out;
}

/** The most frequent values, at most `max`. */
export function frequent(values: ArrayLike<number>, none: number, max: number): number[] {
	const count = new Map<number, number>();

	for (let i = 0; i < values.length; i++)
		if (values[i] !== none) count.set(values[i]!, (count.get(values[i]!) ?? 0) + 1);
	return [...count]
		.sort((a, b) => b[1] - a[1] || a[0] - b[0])
		.slice(0, max)
		.map(([v]) => v);
}
