// Two simulations on one set of rings. The server says which level of each simulation
// holds the data; this file finds the places in the picture.
import { layRings, polar, type Point, type Ring, type Rings } from "./rings";
import {
	armEnd,
	glyphsOf,
	homeOf,
	MOVE,
	UNKNOWN,
	type Glyph,
	type MoveList,
	type Place,
} from "./ringsGlyphs";
import type { HeldLines } from "./ringsLines";
import type { StateLevel } from "./types";

/** 0: in the same level of both, 1: nearer to the core in A, 2: in B. */
export type Nearer = 0 | 1 | 2;

export function nearerOf(a: number, b: number): Nearer {
	return a === b ? 0 : a < b ? 1 : 2;
}

/** Bytes by level in both (memory last): same level, nearer in A, nearer in B. */
export function totalsOf(
	resident: ArrayLike<number>,
	levels: number,
): [number, number, number] {
	const out: [number, number, number] = [0, 0, 0];

	for (let a = 0; a <= levels; a++)
		for (let b = 0; b <= levels; b++)
			out[nearerOf(a, b)] += resident[a * (levels + 1) + b]!;
	return out;
}

/*
 * References that both served from the same level, that A and that B served from a nearer
 * one.
 */
export function countServed(
	a: ArrayLike<number>,
	b: ArrayLike<number>,
): [number, number, number] {
	const out: [number, number, number] = [0, 0, 0];

	for (let i = 0; i < a.length; i++) out[nearerOf(a[i]!, b[i]!)]++;
	return out;
}

/** The length of the shortest line of both, in which lines are counted. */
export function unitOf(a: StateLevel[], b: StateLevel[]): number {
	return Math.min(...a.map((l) => l.line), ...b.map((l) => l.line));
}

function alike(a: StateLevel, b: StateLevel): boolean {
	return (
		a.sets === b.sets &&
		a.ways === b.ways &&
		a.line === b.line &&
		a.instances === b.instances
	);
}

/** Whether the levels of both have the same sets, ways and lines. */
export function sameGeometry(a: StateLevel[], b: StateLevel[]): boolean {
	return a.length === b.length && a.every((l, i) => alike(l, b[i]!));
}

/*
 * One set of rings for both: the rings of A, and behind them levels that only B has. If
 * the shapes of a level differ, B's lines stand on the same ring by its own sets and
 * ways.
 */
export function layBoth(
	a: StateLevel[],
	b: StateLevel[],
	radius: number,
	parts: (line: number) => number,
): { all: Rings; a: Rings; b: Rings } {
	const all = layRings([...a, ...b.slice(a.length)], radius, parts);
	const other = layRings([...b, ...a.slice(b.length)], radius, parts);
	const rings = b.map((info, k): Ring => {
		const [here, there] = [all.rings[k]!, other.rings[k]!];
		return alike(here.info, info) && here.info.group === info.group
			? { ...here, info }
			: there;
	});

	return {
		all,
		a: { ...all, rings: all.rings.slice(0, a.length) },
		b: { ...all, rings },
	};
}

/** One simulation's part of the picture. */
export interface Side {
	place: Place;
	held: HeldLines;
	glyphs: Glyph[];
	bySlot: Map<number, Glyph[]>; // glyphs that are at rest or have arrived
}

export function sideOf(place: Place, held: HeldLines, before: HeldLines | null): Side {
	const glyphs = glyphsOf(place, held, before);
	const bySlot = new Map<number, Glyph[]>();

	for (const g of glyphs) {
		if (g.motion === "leave") continue;
		const list = bySlot.get(g.slot);
		if (list) list.push(g);
		else bySlot.set(g.slot, [g]);
	}
	return { place, held, glyphs, bySlot };
}

/** The server's list of differences: columns of docs/api.md, levels from 1. */
export interface Pairs {
	bytes: ArrayLike<number>;
	region: ArrayLike<number>;
	offset: ArrayLike<number>;
	levelA: ArrayLike<number>;
	levelB: ArrayLike<number>;
	setA: ArrayLike<number>;
	setB: ArrayLike<number>;
	wayA: ArrayLike<number>;
	wayB: ArrayLike<number>;
}

/** Data that the two have in different levels. */
export interface Difference {
	nearer: 1 | 2;
	region: number;
	offset: number;
	bytes: number;
	levels: [a: number, b: number]; // from 0; behind the last is memory
	spots: [a: Spot, b: Spot];
}

/** The place of data in one of the two: glyphs, or one place on a wedge or in memory. */
export interface Spot {
	glyphs: Glyph[];
	at: Point; // their middle
}

function wedge(ring: Ring, set: number): Point {
	const l = ring.info;
	const groups = ring.arms / l.instances;
	const arm = Math.floor(set / l.sets) * groups + Math.floor((set % l.sets) / l.group);

	return polar((ring.r0 + ring.r1) / 2, (2 * Math.PI * (arm + 0.5)) / ring.arms);
}

function spotOf(
	s: Side,
	level: number,
	set: number,
	way: number,
	region: number,
	offset: number,
	bytes: number,
): Spot {
	const ring = s.place.rings.rings[level];

	if (!ring)
		return {
			glyphs: [],
			at: homeOf(s.place, region, offset >= UNKNOWN ? UNKNOWN : offset + bytes / 2),
		};
	if (ring.info.group) return { glyphs: [], at: wedge(ring, set) };
	const all = s.bySlot.get(ring.info.first + set * ring.info.ways + way) ?? [];
	const some = all.filter(
		(g) =>
			g.offset >= UNKNOWN ||
			offset >= UNKNOWN ||
			(g.offset < offset + bytes && offset < g.offset + g.bytes),
	);
	const glyphs = some.length ? some : all;
	const sum = glyphs.reduce(([x, y], g) => [x + g.to[0], y + g.to[1]], [0, 0]);
	const n = Math.max(1, glyphs.length);
	return { glyphs, at: [sum[0]! / n, sum[1]! / n] };
}

export function differencesOf(p: Pairs, a: Side, b: Side): Difference[] {
	const out: Difference[] = [];

	for (let i = 0; i < p.bytes.length; i++) {
		const [la, lb] = [p.levelA[i]! - 1, p.levelB[i]! - 1];
		const [region, offset, bytes] = [p.region[i]!, p.offset[i]!, p.bytes[i]!];
		out.push({
			nearer: la < lb ? 1 : 2,
			region,
			offset,
			bytes,
			levels: [la, lb],
			spots: [
				spotOf(a, la, p.setA[i]!, p.wayA[i]!, region, offset, bytes),
				spotOf(b, lb, p.setB[i]!, p.wayB[i]!, region, offset, bytes),
			],
		});
	}
	return out;
}

/*
 * One of the last references, from the place in the farther simulation to that in the
 * nearer one.
 */
export interface Request {
	age: number; // references ago
	nearer: Nearer;
	from: Point;
	to: Point;
}

/** The place that served a reference, by access; memory is its home. */
function servedAt(
	s: Side,
	m: MoveList,
	served: ArrayLike<number>,
	home: (i: number) => Point,
): { origin: (Point | null)[]; head: (Point | null)[] } {
	const levels = s.place.rings.rings.length;
	const origin: (Point | null)[] = Array.from({ length: served.length }, (_, i) =>
		served[i]! > levels ? home(i) : null,
	);
	const head: (Point | null)[] = new Array(served.length).fill(null);

	for (let i = 0; i < m.line.length; i++) {
		const at = m.access[i]!;
		const target = m.target[i]! - 1;
		const came = m.kind[i] === MOVE.fill || m.kind[i] === MOVE.hit;
		if (!came || target < 0 || target >= levels) continue;
		const end = armEnd(s.place, target, m.core[i]!, m.set[i]!, 0);
		if (m.kind[i] === MOVE.hit && target + 1 === served[at]) origin[at] ??= end;
		if (target === 0) head[at] = end;
	}
	return { origin, head };
}

/** Requests of the last references, the oldest first; those of both L1 are left out. */
export function requestsOf(
	a: Side,
	b: Side,
	movesA: MoveList,
	movesB: MoveList,
	servedA: ArrayLike<number>,
	servedB: ArrayLike<number>,
	home: (i: number) => Point,
): Request[] {
	const n = servedA.length;
	const x = servedAt(a, movesA, servedA, home);
	const y = servedAt(b, movesB, servedB, home);
	const out: Request[] = [];

	for (let i = 0; i < n; i++) {
		const nearer = nearerOf(servedA[i]!, servedB[i]!);
		const [from, to] =
			nearer === 0
				? [x.origin[i], servedA[i] === 1 ? null : x.head[i]]
				: nearer === 1
					? [y.origin[i], x.origin[i]]
					: [x.origin[i], y.origin[i]];
		if (from && to) out.push({ age: n - 1 - i, nearer, from, to });
	}
	return out;
}
