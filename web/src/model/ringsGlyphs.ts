// Data on the rings: where each stands after a reference, and where it was before. Nothing
// is guessed: places are those of the server's two states, and what differs moves.
import {
	elementsOf,
	homeAngle,
	polar,
	spot,
	type Arc,
	type Point,
	type Ring,
	type Rings,
} from "./rings";
import type { StateLevel } from "./types";

export const EMPTY = 0xffffffffffffffffn;
export const UNKNOWN = 2 ** 53; // offsets from here on are not known
const DIRTY = 1;

/** What the server tells of caches, as far as it is drawn. */
export interface HeldLines {
	levels: StateLevel[];
	line: BigUint64Array;
	rank: ArrayLike<number>;
	region: ArrayLike<number>;
	offset: ArrayLike<number>;
	flags: ArrayLike<number>;
}

/** Movements of references, as the server tells them. */
export interface MoveList {
	line: BigUint64Array;
	access: ArrayLike<number>;
	set: ArrayLike<number>;
	kind: ArrayLike<number>;
	source: ArrayLike<number>; // levels from 1; behind the last is memory
	target: ArrayLike<number>;
	core: ArrayLike<number>;
}

export const MOVE = {
	fill: 0,
	hit: 1,
	evict: 2,
	writeBack: 3,
	through: 4,
	invalidate: 5,
	transfer: 6,
	prefetch: 7,
} as const;

export interface Place {
	rings: Rings;
	arcs: Map<number, Arc>; // by region
	others: Point; // angles of all other memory
	lows: Map<number, number>; // addresses of regions that have one block, if known
	cores: number;
}

export type Motion = "rest" | "shift" | "enter" | "leave";

export interface Glyph {
	level: number;
	slot: number; // in the state after; of what leaves, in the one before
	arm: number;
	rank: number;
	line: number; // its address
	region: number;
	offset: number; // of its first byte in the region; UNKNOWN
	bytes: number;
	from: Point;
	to: Point;
	motion: Motion;
	ghost: boolean; // a copy is nearer to the core
	dirty: boolean;
}

/** Addresses of regions of one block, as far as lines in caches tell them. */
export function lowsOf(h: HeldLines, one: Set<number>): Map<number, number> {
	const out = new Map<number, number>();

	for (let i = 0; i < h.line.length; i++) {
		const [region, offset] = [h.region[i]!, h.offset[i]!];
		if (h.line[i] === EMPTY || !offset || offset >= UNKNOWN || !one.has(region)) continue;
		if (!out.has(region)) out.set(region, Number(h.line[i]!) - offset);
	}
	return out;
}

/** Where lines of each instance of each level stand: address to slot. */
type Index = Map<number, number>[][];

function indexOf(h: HeldLines): Index {
	return h.levels.map((l) => {
		const each = Array.from({ length: l.instances }, () => new Map<number, number>());
		if (l.group) return each;
		const n = l.sets * l.ways;
		for (let i = 0; i < l.instances * n; i++) {
			const line = h.line[l.first + i]!;
			if (line !== EMPTY) each[Math.floor(i / n)]!.set(Number(line), l.first + i);
		}
		return each;
	});
}

/** The slot of a byte in a level; `near` is the instance to look at first. */
function find(h: HeldLines, x: Index, level: number, near: number, byte: number): number {
	const l = h.levels[level]!;
	const line = Math.floor(byte / l.line) * l.line;
	const here = x[level]![Math.min(near, l.instances - 1)]!.get(line);

	if (here !== undefined) return here;
	for (const m of x[level]!) {
		const at = m.get(line);
		if (at !== undefined) return at;
	}
	return -1;
}

function armOf(l: StateLevel, slot: number): number {
	return Math.floor((slot - l.first) / l.ways);
}

/** Where data have their home in memory. */
export function homeOf(p: Place, region: number, offset: number): Point {
	const a = p.arcs.get(region);
	const r = (p.rings.memory[0] + p.rings.memory[1]) / 2;

	if (!a || offset >= UNKNOWN) return polar(r, (p.others[0] + p.others[1]) / 2);
	return polar(r, homeAngle(a, offset));
}

interface Parts {
	first: number;
	size: number;
	count: number;
}

function partsOf(p: Place, h: HeldLines, ring: Ring, slot: number): Parts {
	const line = ring.info.line;
	const a = p.arcs.get(h.region[slot]!);
	const offset = h.offset[slot]!;

	if (ring.grain !== "element" || !a || offset >= UNKNOWN)
		return { first: offset, size: line, count: 1 };
	const low = p.lows.get(a.region.region);
	return elementsOf(a.region, low, line, Number(h.line[slot]!), offset);
}

/** Where byte `offset` of the line in a slot is drawn. */
function spotIn(p: Place, h: HeldLines, ring: Ring, slot: number, offset: number): Point {
	const parts = partsOf(p, h, ring, slot);
	const i = Math.max(
		0,
		Math.min(parts.count - 1, Math.floor((offset - parts.first) / parts.size) || 0),
	);

	return spot(ring, armOf(ring.info, slot), h.rank[slot]!, i, parts.count);
}

/** Where a line is that is known by its byte: in a level from `first` to `last`, or home. */
function whereIs(
	p: Place,
	h: HeldLines,
	x: Index,
	levels: [first: number, last: number],
	near: number,
	g: { line: number; region: number; offset: number; bytes: number },
): Point {
	for (let k = levels[0]; k <= levels[1]; k++) {
		const ring = p.rings.rings[k]!;
		const slot = ring.info.group ? -1 : find(h, x, k, near, g.line);
		if (slot >= 0) return spotIn(p, h, ring, slot, g.offset);
	}
	return homeOf(p, g.region, g.offset + g.bytes / 2);
}

/*
 * All data in caches that are told line by line. `before` is the state before the
 * reference; without it nothing moves.
 */
export function glyphsOf(p: Place, after: HeldLines, before: HeldLines | null): Glyph[] {
	const now = indexOf(after);
	const was = before ? indexOf(before) : null;
	const out: Glyph[] = [];
	const outermost = p.rings.rings.length - 1;

	const each = (
		h: HeldLines,
		ring: Ring,
		slot: number,
		make: (g: Glyph, part: number, parts: Parts) => Glyph,
	) => {
		const arm = armOf(ring.info, slot);
		const parts = partsOf(p, h, ring, slot);
		const line = Number(h.line[slot]!);
		let ghost = false;

		for (let k = 0; k < ring.level && !ghost; k++)
			for (let b = line; b < line + ring.info.line && !ghost; b += h.levels[k]!.line)
				ghost = find(h, h === after ? now : was!, k, 0, b) >= 0;
		for (let i = 0; i < parts.count; i++) {
			const at = spot(ring, arm, h.rank[slot]!, i, parts.count);
			out.push(
				make(
					{
						level: ring.level,
						slot,
						arm,
						rank: h.rank[slot]!,
						line,
						region: h.region[slot]!,
						offset: parts.first >= UNKNOWN ? UNKNOWN : parts.first + i * parts.size,
						bytes: parts.size,
						from: at,
						to: at,
						motion: "rest",
						ghost,
						dirty: (h.flags[slot]! & DIRTY) !== 0,
					},
					i,
					parts,
				),
			);
		}
	};

	for (const ring of p.rings.rings) {
		const l = ring.info;
		if (l.group) continue;
		for (let slot = l.first; slot < l.first + l.instances * l.sets * l.ways; slot++) {
			const instance = Math.floor((slot - l.first) / (l.sets * l.ways));
			if (after.line[slot] !== EMPTY)
				each(after, ring, slot, (g, i, parts) => {
					if (!was) return g;
					const old = was[ring.level]![instance]!.get(g.line);
					if (old !== undefined) {
						g.from = spot(ring, g.arm, before!.rank[old]!, i, parts.count);
						if (before!.rank[old] !== g.rank) g.motion = "shift";
						return g;
					}
					g.motion = "enter";
					// from another core, if that one lost it, or from farther out
					const gave = was[ring.level]!.some(
						(m, k) => m.has(g.line) && !now[ring.level]![k]!.has(g.line),
					);
					const first = gave ? ring.level : ring.level + 1;
					g.from = whereIs(p, before!, was, [first, outermost], instance, g);
					return g;
				});
			if (!was || before!.line[slot] === EMPTY) continue;
			if (now[ring.level]![instance]!.has(Number(before!.line[slot]!))) continue;
			each(before!, ring, slot, (g) => {
				g.motion = "leave";
				g.to = whereIs(p, after, now, [ring.level, outermost], instance, g);
				return g;
			});
		}
	}
	return out;
}

/** The path of one movement. */
export interface Path {
	age: number; // references ago
	kind: number;
	source: number; // level from 1; behind the last is memory
	region: number; // -1: not known
	from: Point;
	to: Point;
	leaves: boolean;
}

/** Where an arm begins or ends: what comes goes to its head, what leaves stood at its end. */
function armEnd(p: Place, level: number, core: number, set: number, end: 0 | 1): Point {
	const ring = p.rings.rings[level]!;
	const l = ring.info;
	const instance = Math.floor((core * l.instances) / Math.max(1, p.cores));

	if (l.group) {
		const groups = ring.arms / l.instances;
		const arm = instance * groups + Math.floor(set / l.group);
		return polar((ring.r0 + ring.r1) / 2, (2 * Math.PI * (arm + 0.5)) / ring.arms);
	}
	return spot(ring, instance * l.sets + set, end ? l.ways - 1 : 0);
}

/*
 * Paths of the movements of `count` references that led to the state `after`, the newest first and at most `most`.
 * `home` tells region and offset of a line's address, as far as they are known.
 */
export function pathsOf(
	p: Place,
	m: MoveList,
	after: HeldLines,
	count: number,
	most: number,
	home: (line: number, access: number) => [region: number, offset: number] | null,
): Path[] {
	const out: Path[] = [];
	const levels = p.rings.rings.length;
	const now = indexOf(after);
	// Where the line was found, or came to on its way: what goes on starts there.
	let hits = new Map<number, Point>();
	let of = -1;

	for (let i = m.line.length - 1; i >= 0 && out.length < most; i--) {
		const kind = m.kind[i]!;
		const [source, target] = [m.source[i]! - 1, m.target[i]! - 1];
		if (m.access[i] !== of) {
			of = m.access[i]!;
			hits = new Map();
			for (let j = i; j >= 0 && m.access[j] === of; j--) {
				const to = m.target[j]! - 1;
				const came = m.kind[j] === MOVE.fill || m.kind[j] === MOVE.hit;
				if (came && to > 0 && to < levels)
					hits.set(to, armEnd(p, to, m.core[j]!, m.set[j]!, 0));
			}
		}
		const comes = kind === MOVE.fill || kind === MOVE.prefetch;
		const leaves =
			kind === MOVE.evict || kind === MOVE.writeBack || kind === MOVE.invalidate;
		const level = comes ? target : source;
		if ((!comes && !leaves) || level < 0 || level >= levels) continue;
		const known = home(Number(m.line[i]!), of);
		const [region, offset] = known ?? [-1, UNKNOWN];
		const memory = homeOf(p, region, offset);
		const here = armEnd(p, level, m.core[i]!, m.set[i]!, comes ? 0 : 1);
		out.push({
			age: count - 1 - of,
			kind,
			source: source + 1,
			region,
			from: comes ? (hits.get(source) ?? memory) : here,
			// what left is where it is now: at another core, farther out or only in memory
			to: comes
				? here
				: whereIs(
						p,
						after,
						now,
						[kind === MOVE.invalidate ? level : level + 1, levels - 1],
						0,
						{
							line: Number(m.line[i]!),
							region,
							offset,
							bytes: 0,
						},
					),
			leaves,
		});
	}
	return out;
}
