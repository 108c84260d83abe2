// Two sample sets side by side, before and after a change: rows of both joined by name.
import { shortPath } from "../../../model/format";
import type { Offender, Offenders, Sum } from "./table";
import type { Tree } from "./tree";

export interface Pair {
	name: string;
	a: Sum | null; // null: not in this set
	b: Sum | null;
	change: number; // of cycles, or of samples
}

type By = "cycles" | "samples";

function value(x: Sum | null, by: By): number {
	return x ? (by === "cycles" ? x.cycles : x.samples) : 0;
}

/** Rows of both sets by name, the largest change first. */
export function join(a: [string, Sum][], b: [string, Sum][], by: By): Pair[] {
	const rows = new Map<string, Pair>();

	for (const [name, sum] of a) rows.set(name, { name, a: sum, b: null, change: 0 });
	for (const [name, sum] of b)
		rows.set(name, { name, a: rows.get(name)?.a ?? null, b: sum, change: 0 });
	for (const r of rows.values()) r.change = value(r.b, by) - value(r.a, by);
	return [...rows.values()].sort(
		(x, y) => Math.abs(y.change) - Math.abs(x.change) || (x.name < y.name ? -1 : 1),
	);
}

/** Lines as "file:line", whatever they are grouped by. */
export function linesOf(o: Offenders): [string, Sum][] {
	return o.groups.flatMap((g) =>
		(g.lines ?? [])
			.filter((l) => Number(l.line) > 0)
			.map((l): [string, Sum] => [`${shortPath(g.file ?? g.name)}:${l.line}`, l]),
	);
}

export function namedOf(list: Offender[]): [string, Sum][] {
	return list.map((x) => [x.name, x]);
}

/** The sum of all groups. */
export function totalOf(o: Offenders): Sum {
	const zero = { samples: 0, timed: 0, cycles: 0 };

	return [...o.groups].reduce<Sum>(
		(t, g) => ({
			samples: t.samples + g.samples,
			timed: t.timed + g.timed,
			cycles: t.cycles + g.cycles,
		}),
		zero,
	);
}

/*
 * How the load of each resource of `t` changed: its share of its tier in the other set less
 * its share in this one, -1 to 1. Resources match by name; null: neither has samples.
 */
export function loadChange(
	t: Tree,
	now: ArrayLike<number>,
	other: Tree,
	then: ArrayLike<number>,
): (number | null)[] {
	const sums = (tree: Tree, values: ArrayLike<number>) => {
		const by = new Map<number, number>();

		tree.nodes.forEach((n, i) => by.set(n.tier, (by.get(n.tier) ?? 0) + values[i]!));
		return by;
	};
	const [mine, theirs] = [sums(t, now), sums(other, then)];
	const at = new Map(other.nodes.map((n, i) => [n.label, i]));

	return t.nodes.map((n, i) => {
		const k = at.get(n.label);
		const total = mine.get(n.tier) || 1;
		const otherTotal = k === undefined ? 1 : theirs.get(other.nodes[k]!.tier) || 1;
		const after = k === undefined ? 0 : then[k]!;

		return now[i] || after ? after / otherTotal - now[i]! / total : null;
	});
}

/** One row of samples beside a simulation. */
export interface BesideRow {
	name: string;
	file?: string;
	line?: number;
	samples: number;
	cycles: number;
	mean: number | null;
	beyondL1: number | null;
	references: number;
	simCycles: number;
	simMean: number | null;
	simBeyondL1: number | null;
	share: number;
	simShare: number;
}

export interface Beside {
	trace: number;
	machine: string;
	byCycles: boolean;
	lines: BesideRow[];
	objects: BesideRow[];
}

/** In words, where measurement and simulation disagree about a row. */
export function verdict(r: BesideRow): string {
	if (!r.samples && r.simShare > 0.005) return "simulated only";
	if (!r.references && r.share > 0.005) return "sampled only";
	const [a, b] = [r.share, r.simShare];
	if (Math.abs(a - b) < 0.02 || Math.max(a, b) < 1.3 * Math.min(a, b)) return "agree";
	return a > b ? "slower than simulated" : "faster than simulated";
}
