// The regions that are shown until the person chooses: the person's own data.
import { extentOf } from "./shape";
import type { Region } from "./types";

const MAX = 6;
const FAIR = 50; // data with one of so many references are worth showing
const DATA = new Set(["global", "heap", "registered"]);

/** Whether a region can be drawn: memory without a known block has no layout. */
export function drawable(r: Region): boolean {
	return extentOf(r) > 0;
}

/*
 * Data of the user's code: known by name, and touched by that code at least as often as
 * by libraries for themselves. Buffers without a type (a stream's, for example) must have
 * a fair share of the references; less than a thousandth is noise. If such data are
 * hardly touched (a stripped program, an imported trace), the most referenced regions are
 * shown.
 */
export function usualRegions(regions: Region[]): number[] {
	const can = regions.filter(drawable);
	const own = can.filter(
		(r) =>
			r.kind === "registered" ||
			(DATA.has(r.kind) && r.file !== "" && r.own * 2 >= r.references),
	);
	const sum = (list: Region[]) => list.reduce((n, r) => n + r.references, 0);
	const named = can.filter((r) => DATA.has(r.kind));
	const other = can.filter((r) => r.kind !== "stack");
	const data = own.length ? own : sum(named) * FAIR >= sum(can) ? named : other;
	const list = [...(data.length ? data : can)].sort(
		(a, b) => b.references - a.references || a.region - b.region,
	);
	const first = list[0]?.references ?? 0;
	const typed = list.some((r) => r.elem > 0);

	return list
		.filter((r) => r.references >= first / (typed && !r.elem ? 4 : 1000))
		.slice(0, MAX)
		.map((r) => r.region);
}
