// Data on the rings: the place of each after a reference, and the place before. Nothing
// is guessed: both places come from the server's two states, and data whose places differ
// move.
import {
	elementsOf,
	homeAngle,
	leadOf,
	polar,
	spot,
	type Arc,
	type Point,
	type Ring,
	type Rings,
} from "./rings";
import { linesOf, type HeldLines, type Lines } from "./ringsLines";
import type { StateLevel } from "./types";

export const EMPTY = 0xffffffffffffffffn;
export const UNKNOWN = 2 ** 53; // offsets from here on are not known
const DIRTY = 1;

/** Movements of references, as the server sends them. */
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
	slot: number; // in the state after the reference; for data that leave, in the state before
	arm: number;
	rank: number;
	line: number; // its address
	region: number;
	offset: number; // of its first byte in the region; UNKNOWN
	bytes: number;
	from: Point;
	to: Point;
	motion: Motion;
	source: number; // level (from 0) that entering data come from; behind the last: memory
	ghost: boolean; // a copy is nearer to the core
	dirty: boolean;
}

/** Adds the addresses of regions of one block that lines in caches give away. */
export function lowsOf(
	h: HeldLines,
	one: Set<number>,
	out = new Map<number, number>(),
): Map<number, number> {
	const x = linesOf(h);

	for (let i = 0; i < x.address.length && out.size < one.size; i++) {
		const [region, offset] = [h.region[i]!, h.offset[i]!];
		if (!offset || offset >= UNKNOWN || x.empty(i)) continue;
		if (one.has(region) && !out.has(region)) out.set(region, x.address[i]! - offset);
	}
	return out;
}

function armOf(l: StateLevel, slot: number): number {
	return Math.floor((slot - l.first) / l.ways);
}

/** The place of data in memory. */
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

/** The place of byte `offset` of the line in a slot. */
function spotIn(p: Place, h: HeldLines, ring: Ring, slot: number, offset: number): Point {
	const parts = partsOf(p, h, ring, slot);
	const i = Math.max(
		0,
		Math.min(parts.count - 1, Math.floor((offset - parts.first) / parts.size) || 0),
	);

	return spot(ring, armOf(ring.info, slot), h.rank[slot]!, i, parts.count);
}

/** The place of a byte's data: in a level, or (behind the last) in memory. */
export interface Whereabouts {
	level: number;
	at: Point;
}

export function whereIs(
	p: Place,
	x: Lines,
	levels: [first: number, last: number],
	near: number,
	g: { line: number; region: number; offset: number; bytes: number },
): Whereabouts {
	for (let k = levels[0]; k <= levels[1]; k++) {
		const ring = p.rings.rings[k]!;
		const slot = ring.info.group ? -1 : x.find(k, near, g.line);
		if (slot >= 0) return { level: k, at: spotIn(p, x.held, ring, slot, g.offset) };
	}
	return {
		level: p.rings.rings.length,
		at: homeOf(p, g.region, g.offset + g.bytes / 2),
	};
}

/** The head of an arm, for data that come, or its end, for data that leave. */
export function armEnd(
	p: Place,
	level: number,
	core: number,
	set: number,
	end: 0 | 1,
): Point {
	const ring = p.rings.rings[level]!;
	const l = ring.info;
	const instance = Math.floor(core / l.share);

	if (l.group) {
		const groups = ring.arms / l.instances;
		const arm = instance * groups + Math.floor(set / l.group);
		return polar((ring.r0 + ring.r1) / 2, (2 * Math.PI * (arm + 0.5)) / ring.arms);
	}
	return spot(ring, instance * l.sets + set, end ? l.ways - 1 : 0);
}

/*
 * The origin of the last reference's data according to its movements: needed for levels
 * that are answered in groups of sets, whose lines no state lists.
 */
export type Origins = (level: number, line: number) => Whereabouts | null;

export function originsOf(p: Place, m: MoveList, count: number): Origins {
	const found = new Map<string, Whereabouts>();

	for (let i = m.line.length - 1; i >= 0 && m.access[i] === count - 1; i--) {
		if (m.kind[i] !== MOVE.fill) continue;
		const source = m.source[i]! - 1;
		const ring = p.rings.rings[source];
		if (!ring?.info.group) continue;
		// the slot where the line was found, or the set by which it came
		for (let j = i; j >= 0 && m.access[j] === count - 1; j--)
			if (m.target[j]! - 1 === source && m.kind[j]! <= MOVE.hit) {
				const at = armEnd(p, source, m.core[j]!, m.set[j]!, 0);
				found.set(`${m.target[i]! - 1}:${m.line[i]}`, { level: source, at });
				break;
			}
	}
	return (level, line) => found.get(`${level}:${line}`) ?? null;
}

const GHOST = 1;
const HOLE = 2; // dirty

/** All data in caches that are answered line by line; those at rest are columns. */
export interface Cloud {
	place: Place;
	lines: Lines;
	count: number;
	x: Float32Array;
	y: Float32Array;
	slot: Int32Array;
	part: Uint16Array; // of its line
	flags: Uint8Array;
	first: number[]; // first glyph of each ring, and the number of all
	moving: Glyph[]; // data that enter, shift and leave
}

export function isGhost(c: Cloud, i: number): boolean {
	return (c.flags[i]! & GHOST) !== 0;
}

export function isDirty(c: Cloud, i: number): boolean {
	return (c.flags[i]! & HOLE) !== 0;
}

const spots = new WeakMap<Ring, Float32Array>();

/** Places of a ring by arm and rank, where a glyph is a line. */
function spotsOf(ring: Ring): Float32Array {
	let known = spots.get(ring);

	if (known) return known;
	known = new Float32Array(2 * ring.arms * ring.info.ways);
	for (let arm = 0, i = 0; arm < ring.arms; arm++)
		for (let rank = 0; rank < ring.info.ways; rank++) {
			const [x, y] = spot(ring, arm, rank);
			known[i++] = x;
			known[i++] = y;
		}
	spots.set(ring, known);
	return known;
}

function grow(c: Cloud, room: number): void {
	const old = { x: c.x, y: c.y, slot: c.slot, part: c.part, flags: c.flags };
	const n = Math.max(room, 2 * c.x.length);

	c.x = new Float32Array(n);
	c.y = new Float32Array(n);
	c.slot = new Int32Array(n);
	c.part = new Uint16Array(n);
	c.flags = new Uint8Array(n);
	for (const key of ["x", "y", "slot", "part", "flags"] as const)
		c[key].set(old[key] as Float32Array);
}

/** The chosen sets of a level. */
export type Sets = (level: number, set: number) => boolean;

/*
 * `before` is the state before the reference; without it nothing moves. A line of one
 * instance and set stays in its arm, so only the arm is searched for its old place.
 */
export function cloudOf(
	p: Place,
	after: HeldLines,
	before: HeldLines | null,
	shown: Sets | null = null,
	origins: Origins = () => null,
): Cloud {
	const now = linesOf(after);
	const was = before ? linesOf(before) : null;
	const ghosts = now.ghosts();
	const c: Cloud = {
		place: p,
		lines: now,
		count: 0,
		x: new Float32Array(0),
		y: new Float32Array(0),
		slot: new Int32Array(0),
		part: new Uint16Array(0),
		flags: new Uint8Array(0),
		first: [],
		moving: [],
	};

	for (const ring of p.rings.rings) {
		const l = ring.info;
		c.first.push(c.count);
		if (l.group) continue;
		const by = ring.grain === "line" ? spotsOf(ring) : null;
		if (c.count + l.instances * l.sets * l.ways > c.x.length)
			grow(c, c.count + l.instances * l.sets * l.ways);
		for (let arm = 0; arm < ring.arms; arm++) {
			const from = l.first + arm * l.ways;
			if (shown && !shown(ring.level, arm % l.sets)) continue;
			let moved = false;
			for (let k = from; was && !moved && k < from + l.ways; k++)
				moved =
					now.address[k] !== was.address[k] ||
					(after.rank[k] !== before!.rank[k] && !now.empty(k));
			for (let k = from; k < from + l.ways; k++) {
				if (now.empty(k)) continue;
				const old = moved ? inArm(was!, from, l.ways, now.address[k]!) : k;
				if (moved && (old < 0 || before!.rank[old] !== after.rank[k])) {
					arrive(c, ring, k, old, was!, origins);
					continue;
				}
				const flags = (after.flags[k]! & DIRTY ? HOLE : 0) | (ghosts[k] ? GHOST : 0);
				if (by) {
					const at = 2 * (from - l.first + after.rank[k]!);
					const n = c.count++;
					c.x[n] = by[at]!;
					c.y[n] = by[at + 1]!;
					c.slot[n] = k;
					c.flags[n] = flags;
					continue;
				}
				const parts = partsOf(p, after, ring, k).count;
				if (c.count + parts > c.x.length) grow(c, c.count + parts);
				for (let i = 0; i < parts; i++) {
					const [x, y] = spot(ring, arm, after.rank[k]!, i, parts);
					c.x[c.count] = x;
					c.y[c.count] = y;
					c.slot[c.count] = k;
					c.part[c.count] = i;
					c.flags[c.count++] = flags;
				}
			}
			for (let k = from; moved && k < from + l.ways; k++)
				if (!was!.empty(k) && inArm(now, from, l.ways, was!.address[k]!) < 0)
					depart(c, ring, k, was!);
		}
	}
	c.first.push(c.count);
	return c;
}

function inArm(x: Lines, first: number, ways: number, line: number): number {
	for (let k = first; k < first + ways; k++) if (x.address[k] === line) return k;
	return -1;
}

/** The glyph of a part of the line in a slot, at rest. */
function glyphOf(p: Place, x: Lines, ring: Ring, slot: number, i: number): Glyph {
	const h = x.held;
	const parts = partsOf(p, h, ring, slot);
	const arm = armOf(ring.info, slot);
	const line = x.address[slot]!;
	const at = spot(ring, arm, h.rank[slot]!, i, parts.count);

	return {
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
		source: ring.level,
		ghost: x.ghosts()[slot] === 1,
		dirty: (h.flags[slot]! & DIRTY) !== 0,
	};
}

/** A glyph that came into a slot, or moved along its arm from slot `old`. */
function arrive(
	c: Cloud,
	ring: Ring,
	slot: number,
	old: number,
	was: Lines,
	origins: Origins,
): void {
	const p = c.place;
	const l = ring.info;
	const n = partsOf(p, c.lines.held, ring, slot).count;
	const instance = Math.floor((slot - l.first) / (l.sets * l.ways));

	for (let i = 0; i < n; i++) {
		const g = glyphOf(p, c.lines, ring, slot, i);
		if (old >= 0) {
			g.from = spot(ring, g.arm, was.held.rank[old]!, i, n);
			g.motion = "shift";
		} else {
			// It comes from another core, if that core lost the line, or from farther out.
			const gave = lost(c.lines, was, ring, g.arm % l.sets, g.line);
			const first = gave ? ring.level : ring.level + 1;
			const out = p.rings.rings.length - 1;
			const told = gave ? null : origins(ring.level, g.line);
			const from = told ?? whereIs(p, was, [first, out], instance, g);
			g.motion = "enter";
			g.from = from.at;
			g.source = from.level;
		}
		c.moving.push(g);
	}
}

/** Whether an instance of the level held the line before and no longer does. */
function lost(now: Lines, was: Lines, ring: Ring, set: number, line: number): boolean {
	const l = ring.info;

	for (let k = 0; k < l.instances; k++) {
		const first = l.first + (k * l.sets + set) * l.ways;
		if (inArm(was, first, l.ways, line) >= 0 && inArm(now, first, l.ways, line) < 0)
			return true;
	}
	return false;
}

/** A glyph that was in a slot and is no longer in its arm. */
function depart(c: Cloud, ring: Ring, slot: number, was: Lines): void {
	const p = c.place;
	const l = ring.info;
	const n = partsOf(p, was.held, ring, slot).count;
	const instance = Math.floor((slot - l.first) / (l.sets * l.ways));

	for (let i = 0; i < n; i++) {
		const g = glyphOf(p, was, ring, slot, i);
		g.motion = "leave";
		const out = p.rings.rings.length - 1;
		g.to = whereIs(p, c.lines, [ring.level, out], instance, g).at;
		c.moving.push(g);
	}
}

/** Glyph i of those at rest. */
export function glyphIn(c: Cloud, i: number): Glyph {
	let level = 0;

	while (i >= c.first[level + 1]!) level++;
	return glyphOf(c.place, c.lines, c.place.rings.rings[level]!, c.slot[i]!, c.part[i]!);
}

/** All glyphs one by one; slow. */
export function glyphsOf(p: Place, after: HeldLines, before: HeldLines | null): Glyph[] {
	const c = cloudOf(p, after, before);

	return [...Array.from({ length: c.count }, (_, i) => glyphIn(c, i)), ...c.moving];
}

/*
 * The bytes of each cell of an arc that are in some cache; each byte counts once. Cells
 * are `size` bytes of the region.
 */
export function cachedBytes(
	p: Place,
	h: HeldLines,
	cut: Map<number, { cells: number; size: number }>,
): Map<number, Float64Array> {
	const x = linesOf(h);
	const ghosts = x.ghosts();
	const out = new Map([...cut].map(([n, c]) => [n, new Float64Array(c.cells)]));
	const unit = Math.min(...h.levels.map((l) => l.line));
	let [region, into, size, end, low] = [
		-1,
		new Float64Array(0),
		1,
		0,
		undefined as number | undefined,
	];

	h.levels.forEach((l, level) => {
		const last = l.group ? l.first : l.first + l.instances * l.sets * l.ways;
		for (let i = l.first; i < last; i++) {
			if (x.empty(i)) continue;
			if (h.region[i] !== region) {
				region = h.region[i]!;
				into = out.get(region) ?? new Float64Array(0);
				size = cut.get(region)?.size ?? 1;
				end = p.arcs.get(region)?.bytes ?? 0;
				low = p.lows.get(region);
			}
			const offset = h.offset[i]!;
			if (!into.length || offset >= UNKNOWN) continue;
			if (ghosts[i] && unit === l.line) continue;
			const line = x.address[i]!;
			if (l.instances > 1 && x.find(level, 0, line) !== i) continue;
			const first = offset - leadOf(low, line, offset);
			const cell = Math.floor(offset / size);
			// Usually a line is within one cell.
			if (
				unit === l.line &&
				offset + l.line <= end &&
				offset + l.line <= (cell + 1) * size
			) {
				if (cell < into.length) into[cell]! += first + l.line - offset;
				continue;
			}
			for (let k = 0; k < l.line; k += unit) {
				if (ghosts[i] && x.nearer(level, line + k, unit)) continue;
				const high = Math.min(first + k + unit, end);
				for (let b = Math.max(0, first + k); b < high; ) {
					const n = Math.floor(b / size);
					const stop = Math.min(high, (n + 1) * size);
					if (n < into.length) into[n]! += stop - b;
					b = stop;
				}
			}
		}
	});
	return out;
}
