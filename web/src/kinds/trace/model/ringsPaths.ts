// The ways of data: one path for each movement of the last references, or bundles of
// paths if there are too many to follow. Movements with the same origin and destination
// are one bundle, which counts them; no movement is left out.
import { polar, wideWay, type Point } from "./rings";
import {
	armEnd,
	homeOf,
	MOVE,
	UNKNOWN,
	whereIs,
	type MoveList,
	type Place,
	type Sets,
} from "./ringsGlyphs";
import { type HeldLines, linesOf } from "./ringsLines";

const TURN = 2 * Math.PI;
/** Sectors of memory and of a ring; a ring's are rounded up to a multiple of the cores. */
const FINE: Sectors = { memory: 36, ring: 12 };
const COARSE: Sectors = { memory: 18, ring: 6 };
const BUNDLES = 300; // more wide curves are neither readable nor fast

export interface Path {
	age: number; // references ago
	kind: number;
	source: number; // level from 1; behind the last is memory
	target: number; // for data that leave: where they are now
	region: number; // -1: not known
	from: Point;
	to: Point;
	leaves: boolean;
}

/*
 * Paths of the movements of `count` references that led to the state `after`, the newest
 * first. `home` gives region and offset of a line's address, if they are known; `shown`
 * says which sets are chosen.
 */
export function pathsOf(
	p: Place,
	m: MoveList,
	after: HeldLines,
	count: number,
	home: (line: number, access: number) => [region: number, offset: number] | null,
	shown: Sets | null = null,
): Path[] {
	const out: Path[] = [];
	const levels = p.rings.rings.length;
	const now = linesOf(after);
	// The place where the line was found, or that it reached: the next movement starts
	// there.
	const hits: (Point | undefined)[] = [];
	let of = -1;

	for (let i = m.line.length - 1; i >= 0; i--) {
		const kind = m.kind[i]!;
		const [source, target] = [m.source[i]! - 1, m.target[i]! - 1];
		if (m.access[i] !== of) {
			of = m.access[i]!;
			hits.fill(undefined);
			for (let j = i; j >= 0 && m.access[j] === of; j--) {
				const to = m.target[j]! - 1;
				const came = m.kind[j] === MOVE.fill || m.kind[j] === MOVE.hit;
				if (came && to > 0 && to < levels)
					hits[to] = armEnd(p, to, m.core[j]!, m.set[j]!, 0);
			}
		}
		const comes = kind === MOVE.fill || kind === MOVE.prefetch;
		const leaves =
			kind === MOVE.evict || kind === MOVE.writeBack || kind === MOVE.invalidate;
		const level = comes ? target : source;
		if ((!comes && !leaves) || level < 0 || level >= levels) continue;
		if (shown && !shown(level, m.set[i]!)) continue;
		const line = Number(m.line[i]!);
		const known = home(line, of);
		const [region, offset] = known ?? [-1, UNKNOWN];
		const here = armEnd(p, level, m.core[i]!, m.set[i]!, comes ? 0 : 1);
		const first = kind === MOVE.invalidate ? level : level + 1;
		// Data that left are where they are now: at another core, farther out or only in
		// memory.
		const end = comes
			? { level, at: here }
			: whereIs(p, now, [first, levels - 1], 0, { line, region, offset, bytes: 0 });
		out.push({
			age: count - 1 - of,
			kind,
			source: source + 1,
			target: end.level + 1,
			region,
			from: comes ? (hits[source] ?? homeOf(p, region, offset)) : here,
			to: end.at,
			leaves,
		});
	}
	return out;
}

/** Movements of one kind from one place to another. */
export interface Bundle {
	kind: number; // of all of them; evictions and invalidations are one
	source: number;
	target: number;
	region: number; // of most of them; -1: not known
	count: number;
	newest: number; // age
	oldest: number;
	leaves: boolean;
	from: Point; // where they begin on average
	to: Point;
	gates: [Point, Point]; // that ways from the same origin, and to the same ring, share
}

function angleOf([x, y]: Point): number {
	const a = Math.atan2(x, -y);

	return a < 0 ? a + TURN : a;
}

export function bundlesOf(p: Place, paths: Path[]): Bundle[] {
	const fine = bundledBy(p, paths, FINE);
	return fine.length > BUNDLES ? bundledBy(p, paths, COARSE) : fine;
}

interface Sectors {
	memory: number;
	ring: number;
}

function bundledBy(p: Place, paths: Path[], by: Sectors): Bundle[] {
	const out = new Map<string, Bundle>();
	const votes = new Map<Bundle, Map<number, number>>();
	const { rings, memory } = p.rings;
	const sectors = Math.ceil(by.ring / Math.max(1, p.cores)) * Math.max(1, p.cores);
	const sector = (level: number, at: Point): [number, number] => {
		const n = level > rings.length ? by.memory : sectors;
		const i = Math.floor((angleOf(at) / TURN) * n) % n;
		return [i, (TURN * (i + 0.5)) / n];
	};
	const between = (memory[0] + rings[rings.length - 1]!.r1) / 2;
	const gate = (level: number, out: boolean) => {
		const l = rings[level - 1];
		return l ? (out ? l.r0 : l.r1) : between;
	};

	for (const w of paths) {
		const [a, from] = sector(w.source, w.from);
		const [b, to] = sector(w.target, w.to);
		const kind = w.leaves && w.kind !== MOVE.writeBack ? MOVE.evict : w.kind;
		// On the ring of memory, neighbours of different regions are different origins.
		const owner = w.source > rings.length || w.target > rings.length ? w.region : -1;
		const key = `${kind}:${w.source}:${a}:${w.target}:${b}:${owner}`;
		let g = out.get(key);
		if (!g) {
			g = {
				kind,
				source: w.source,
				target: w.target,
				region: w.region,
				count: 0,
				newest: w.age,
				oldest: w.age,
				leaves: w.leaves,
				from: [0, 0],
				to: [0, 0],
				gates: [polar(gate(w.source, true), from), polar(gate(w.target, false), to)],
			};
			out.set(key, g);
			votes.set(g, new Map());
		}
		g.count++;
		g.newest = Math.min(g.newest, w.age);
		g.oldest = Math.max(g.oldest, w.age);
		g.from[0] += w.from[0];
		g.from[1] += w.from[1];
		g.to[0] += w.to[0];
		g.to[1] += w.to[1];
		const v = votes.get(g)!;
		v.set(w.region, (v.get(w.region) ?? 0) + 1);
	}
	for (const [g, v] of votes) {
		g.from = [g.from[0] / g.count, g.from[1] / g.count];
		g.to = [g.to[0] / g.count, g.to[1] / g.count];
		g.region = [...v].reduce((x, y) => (y[1] > x[1] ? y : x))[0];
	}
	return [...out.values()].sort(
		(x, y) =>
			Number(y.leaves) - Number(x.leaves) || y.newest - x.newest || y.count - x.count,
	);
}

/*
 * The way of a bundle: data that come go through its gates, data that leave take a wide
 * arc.
 */
export function bundleWay(b: Bundle, t: number): Point {
	if (b.leaves) return wideWay(b.from, b.to, t);
	const [c, d] = b.gates;
	const u = 1 - t;
	const k = [u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t];
	const mix = (i: 0 | 1) =>
		k[0]! * b.from[i] + k[1]! * c[i] + k[2]! * d[i] + k[3]! * b.to[i];

	return [mix(0), mix(1)];
}

/*
 * The width of a bundle in pixels, from its count, the largest count and the size of the
 * rings.
 */
export function bundleWidth(count: number, max: number, radius: number): number {
	const widest = Math.max(3, 0.019 * radius);

	return 0.8 + (Math.min(widest, 0.8 * Math.sqrt(max)) - 0.8) * Math.sqrt(count / max);
}
