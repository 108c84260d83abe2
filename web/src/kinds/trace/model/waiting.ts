// Waiting: the cycles that references take beyond what the first level would take for all
// of them. The server counts it (lib/analyse/passes/waiting.h): one part for each serving
// level, and a last one for what comes on top, pages and lines from other cores.
import { caches, sum } from "./cost";
import type { Level, SelectAnswer } from "./types";

export function waitingOf(parts: ArrayLike<number>): number {
	return Math.max(0, sum(parts));
}

/** Cycles of a reference that the first level serves. */
export function firstCycles(levels: Level[]): number {
	return caches(levels)[0]?.cycles ?? 0;
}

/** Cycles of a reference that the first level serves, and of one from memory. */
export function cellScale(levels: Level[]): readonly [number, number] {
	const memory = levels.find((l) => l.kind === "memory")?.cycles ?? 0;

	return [Math.max(1, firstCycles(levels)), Math.max(2, memory)];
}

/** All cycles of references: those that the first level would take, and the waiting. */
export function cyclesOf(
	a: { references: number; waiting: number[] },
	levels: Level[],
): number {
	return a.references * firstCycles(levels) + sum(a.waiting);
}

/** The waiting for each region, by its number. */
export function waitingByRegion(a: SelectAnswer): Map<number, number> {
	return new Map(a.regions.map((r) => [r.region, waitingOf(r.waiting)]));
}
