// The moment of one run that belongs to a moment of another. A match is a list of pairs
// of times that belong together, in growing order; times between two pairs are in
// proportion. Better milestones make a better list; nothing else changes.

export type Match = [time: number, other: number][];

export interface Run {
	length: number; // positions
	phases: { name: string; depth: number; from: number; to: number }[];
}

const PHASES_MAX = 120; // of a run; more are too many to be milestones

/** Outermost phases that both runs have, in the same order: a longest common sequence. */
function commonPhases(a: Run, b: Run): [number, number][] {
	const x = a.phases.filter((p) => p.depth === 0 && p.name);
	const y = b.phases.filter((p) => p.depth === 0 && p.name);
	const [n, m] = [x.length, y.length];

	if (!n || !m || n > PHASES_MAX || m > PHASES_MAX) return [];
	const long = Array.from({ length: n + 1 }, () => new Uint16Array(m + 1));
	for (let i = n - 1; i >= 0; i--)
		for (let k = m - 1; k >= 0; k--)
			long[i]![k] =
				x[i]!.name === y[k]!.name
					? long[i + 1]![k + 1]! + 1
					: Math.max(long[i + 1]![k]!, long[i]![k + 1]!);
	const out: [number, number][] = [];
	for (let i = 0, k = 0; i < n && k < m; )
		if (x[i]!.name === y[k]!.name) {
			out.push([x[i]!.from, y[k]!.from], [x[i]!.to, y[k]!.to]);
			i++;
			k++;
		} else if (long[i + 1]![k]! >= long[i]![k + 1]!) i++;
		else k++;
	return out;
}

/** The same share of the run, and of each phase that both have. */
export function matchOf(a: Run, b: Run): Match {
	const out: Match = [[0, 0]];
	const add = (time: number, other: number) => {
		const [t, o] = out[out.length - 1]!;
		if (time > t && other >= o && time <= a.length && other <= b.length)
			out.push([time, other]);
	};

	for (const [time, other] of commonPhases(a, b)) add(time, other);
	add(a.length, b.length);
	return out;
}

/** The time of the other run that belongs to a time of this one. */
export function matchedTime(m: Match, time: number): number {
	let i = 1;

	if (!m.length || time <= m[0]![0]) return m[0]?.[1] ?? 0;
	while (i + 1 < m.length && m[i]![0] < time) i++;
	const [low, high] = [m[i - 1]!, m[i] ?? m[i - 1]!];
	if (time >= high[0]) return high[1];
	const [here, there, by] = [high[0] - low[0], high[1] - low[1], time - low[0]];
	// At the same pace no division is needed, which could be off by one.
	return low[1] + (here === there ? by : Math.floor((by * there) / here));
}

/** As routes take it: "0:0,1000:1200". */
export function printMatch(m: Match): string {
	return m.map(([a, b]) => `${a}:${b}`).join(",");
}
