// Waiting: the cycles beyond those that references would take if the first level served
// all of them.
import { cyclesOf } from "./cost";
import type { Level, SelectAnswer } from "./types";

export function waitingOf(served: number[], levels: Level[]): number {
	const first = levels.find((l) => l.kind === "cache")?.cycles ?? 0;

	return served.reduce((w, n) => w - n * first, cyclesOf(served, levels));
}

/** The waiting for each region, by its number. */
export function waitingByRegion(a: SelectAnswer, levels: Level[]): Map<number, number> {
	return new Map(a.regions.map((r) => [r.region, waitingOf(r.served ?? [], levels)]));
}
