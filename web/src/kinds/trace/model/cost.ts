// The costs of lines and levels, from counts by serving level (memory last).
import type { Level } from "./types";

export function caches(levels: Level[]): Level[] {
	return levels.filter((l) => l.kind === "cache");
}

/** Names of the serving levels, memory last. */
export function servers(levels: Level[]): string[] {
	return [...caches(levels).map((l) => l.name), "memory"];
}

/** References that level i (from 0) did not serve although they got that far. */
export function missesOf(served: number[], level: number): number {
	let n = 0;

	for (let i = level + 1; i < served.length; i++) n += served[i]!;
	return n;
}

export function sum(values: ArrayLike<number>): number {
	let n = 0;

	for (let i = 0; i < values.length; i++) n += values[i]!;
	return n;
}

export interface LevelRow {
	name: string;
	asked: number; // references that came this far
	missed: number;
	ratio: number; // missed / asked
	waiting: number; // for what this level served, in cycles
}

/** One row for each level of cache, then memory. */
export function levelRows(
	{ served, waiting }: { served: number[]; waiting: number[] },
	levels: Level[],
): LevelRow[] {
	const inner = caches(levels);
	let asked = sum(served);

	return served.map((s, i) => {
		const row = {
			name: inner[i]?.name ?? "memory",
			asked,
			missed: asked - s,
			ratio: asked ? (asked - s) / asked : 0,
			waiting: waiting[i] ?? 0,
		};
		asked -= s;
		return row;
	});
}

/** The measure of the bars in the source: "waiting", "references", "miss0", "miss1", ... */
export type Metric = string;

export function metrics(levels: Level[]): [Metric, string][] {
	return [
		["waiting", "waiting"],
		["references", "references"],
		...caches(levels).map((l, i): [Metric, string] => [`miss${i}`, `${l.name} misses`]),
	];
}

/** The bar of a line: one part for each serving level; of waiting one more. */
export function costParts(
	{ served, waiting }: { served: number[]; waiting: number[] },
	metric: Metric,
): number[] {
	if (metric === "waiting") return waiting.map((n) => Math.max(0, n));
	if (metric.startsWith("miss")) {
		const level = Number(metric.slice(4));
		return served.map((s, i) => (i > level ? s : 0));
	}
	return served;
}

/** A line of code and what it costs, for lists of the worst ones. */
export interface LineCost {
	file: number;
	line: number;
	references: number;
	served: number[]; // empty without a simulation
	parts: number[]; // of the bar
	cost: number; // their sum
}

export function byCost(a: LineCost, b: LineCost): number {
	return b.cost - a.cost || a.file - b.file || a.line - b.line;
}
