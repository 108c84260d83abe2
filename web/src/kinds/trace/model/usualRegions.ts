// The regions that are shown until the person chooses: the person's own data, those that
// the program waits for most first.
import { extentOf } from "./shape";
import type { Region } from "./types";

const MAX = 6;
const FAIR = 50; // data with one of so many references are worth showing
const NOISE = 1000; // regions with one of so many cycles or references of the largest are none
const UNTYPED = [10, 4] as const; // the same of waiting and references, without a type
const MATTERS = 0.05; // of all waiting: the share from which on no region is folded away
const DATA = new Set(["global", "heap", "registered"]);

/** What is known beyond the list of regions: nothing until a simulation has ended. */
export interface Weight {
	waiting: Map<number, number>; // cycles by region
	first: number; // the region of the top finding; -1: none
}

export const UNKNOWN: Weight = { waiting: new Map(), first: -1 };

/** Whether a region can be drawn: memory without a known block has no layout. */
export function drawable(r: Region): boolean {
	return extentOf(r) > 0;
}

/** Orders regions: that of the top finding, then by waiting, then by references. */
export function byWeight(w: Weight): (a: Region, b: Region) => number {
	const first = (r: Region) => (r.region === w.first ? 1 : 0);
	const waiting = (r: Region) => w.waiting.get(r.region) ?? 0;

	return (a, b) =>
		first(b) - first(a) ||
		waiting(b) - waiting(a) ||
		b.references - a.references ||
		a.region - b.region;
}

/*
 * Whether a region is one of the loader, of a library or of the stack. Lists fold these
 * into one row, except those that the program waits for.
 */
export function inBackground(r: Region, w: Weight): boolean {
	const own = r.own * 2 >= r.references;
	let all = 0;

	for (const cycles of w.waiting.values()) all += cycles;
	if (r.region === w.first) return false;
	if (own && (w.waiting.get(r.region) ?? 0) > all * MATTERS) return false;
	if (r.kind === "global") return r.file === "" && !own;
	if (r.kind === "section") return !own || / of .*\.so(\.|$)/.test(r.name);
	return !own || (r.kind !== "registered" && r.kind !== "heap");
}

/*
 * Data of the user's code: known by name, and touched by that code at least as often as
 * by libraries for themselves. If there are none (a stripped program, an imported trace),
 * other data are shown, without those of the loader if some are not. Those that the program waits for come first.
 * A region with less than a thousandth of the waiting and of the references of the
 * largest is noise. Beside data with types, those without one (a stream's buffer, for
 * example) need a tenth of the waiting or a quarter of the references.
 */
export function usualRegions(regions: Region[], w: Weight = UNKNOWN): number[] {
	const can = regions.filter(drawable);
	const own = can.filter(
		(r) =>
			r.kind === "registered" ||
			(DATA.has(r.kind) && r.file !== "" && r.own * 2 >= r.references),
	);
	const sum = (list: Region[]) => list.reduce((n, r) => n + r.references, 0);
	const users = (r: Region) => r.own * 2 >= r.references || r.region === w.first;
	const known = can.filter((r) => DATA.has(r.kind));
	const named = known.some(users) ? known.filter(users) : known;
	const other = can.filter((r) => r.kind !== "stack");
	const data = own.length ? own : sum(named) * FAIR >= sum(can) ? named : other;
	const shown = new Set(data.length ? data : can);
	const list = can.filter((r) => shown.has(r) || r.region === w.first).sort(byWeight(w));
	const waiting = (r: Region) => w.waiting.get(r.region) ?? 0;
	const most = Math.max(0, ...list.map((r) => r.references));
	const longest = Math.max(0, ...list.map(waiting));

	const typed = list.some((r) => r.elem > 0);
	const counts = (r: Region, [wait, use]: readonly [number, number]) =>
		r.references * use >= most || (longest > 0 && waiting(r) * wait >= longest);

	return list
		.filter(
			(r) =>
				r.region === w.first || counts(r, typed && !r.elem ? UNTYPED : [NOISE, NOISE]),
		)
		.slice(0, MAX)
		.map((r) => r.region);
}
