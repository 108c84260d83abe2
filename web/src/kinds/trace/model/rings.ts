// The rings: core in the middle, a ring for each level, memory outside. A set is an arm of
// its ring, and the place along the arm is the order in which lines leave: rank 0 stands
// at the inner end, the next victim at the outer edge. Coordinates are from the centre;
// angles are clockwise from the top.
import { extentOf } from "./shape";
import type { Region, StateLevel } from "./types";

export type Point = [x: number, y: number];

const TURN = 2 * Math.PI;
const CORE = 0.075; // of the radius
const MEMORY = 0.055;
const RESULT = 0.02; // the band of last results outside memory
const BETWEEN = 0.014;
const WOUND = 0.09; // smallest turns of an arm, so that it looks like one
const WOUND_SECTOR = 0.6; // largest share of its sector, so that cores stay apart
const READABLE = 4.6; // smallest distance of elements in pixels; below it a glyph is a line
const ELEMENTS_MAX = 20000; // of a level
const DENSE = 2; // pixels between arms; closer arms alternate between rows

/** The data that one glyph stands for. */
export type Grain = "element" | "line" | "sets";

export interface Ring {
	info: StateLevel;
	level: number; // from 0
	r0: number;
	r1: number;
	arms: number; // of all its instances
	turns: number; // of each arm, from its inner to its outer end
	grain: Grain;
	size: number; // pixels of a glyph
	rows: number; // rows that neighbouring arms alternate between, so that they do not overlap
}

export interface Rings {
	radius: number;
	core: number; // radius
	rings: Ring[];
	memory: [r0: number, r1: number];
	result: [r0: number, r1: number];
}

export function polar(r: number, angle: number): Point {
	return [r * Math.sin(angle), -r * Math.cos(angle)];
}

/** The radius at u of an arm; glyphs have equal areas at its inner and outer end. */
function radiusAt(l: Ring, u: number): number {
	const pad = Math.min((l.r1 - l.r0) * 0.14, 9);
	const [a, b] = [l.r0 + pad, l.r1 - pad];

	return Math.sqrt(a * a + u * (b * b - a * a));
}

export function armPoint(l: Ring, arm: number, u: number): Point {
	return polar(radiusAt(l, u), TURN * ((arm + 0.5) / l.arms + l.turns * u));
}

/** The arm at a place within its ring. */
export function armAt(l: Ring, x: number, y: number): number {
	const angle = Math.atan2(x, -y) / TURN;
	const pad = Math.min((l.r1 - l.r0) * 0.14, 9);
	const [a, b] = [l.r0 + pad, l.r1 - pad];
	const u = (x * x + y * y - a * a) / (b * b - a * a);
	const turned = angle - l.turns * Math.max(0, Math.min(1, u));
	const arm = Math.round((turned - Math.floor(turned)) * l.arms - 0.5);

	// Arms that are wedges begin at their edges.
	if (l.info.group) return Math.floor((angle < 0 ? angle + 1 : angle) * l.arms) % l.arms;
	return (arm + l.arms) % l.arms;
}

/** Where part i of n of a line with this rank stands. */
export function spot(l: Ring, arm: number, rank: number, i = 0, n = 1): Point {
	// A gap between lines shows where each begins.
	const within = n > 1 ? 0.08 + (0.84 * (i + 0.5)) / n : ((arm % l.rows) + 0.5) / l.rows;

	return armPoint(l, arm, (rank + within) / l.info.ways);
}

/** Room between glyphs along an arm and between arms, with `n` glyphs on each. */
function spacing(l: Ring, n: number): number {
	const r = (l.r0 + l.r1) / 2;
	const deep = l.r1 - l.r0;
	const around = TURN * r * l.turns;
	const long = Math.hypot(deep, around);
	const across = ((TURN * r) / l.arms) * (deep / long);

	return Math.min(long / n, across);
}

/** `parts`: elements of a line, as many as the finest of the shown regions has. */
export function layRings(
	levels: StateLevel[],
	radius: number,
	parts: (line: number) => number,
): Rings {
	const gap = BETWEEN * radius;
	const r1 = radius;
	const result: Point = [r1 - RESULT * radius, r1];
	const memory: Point = [result[0] - 2 - MEMORY * radius, result[0] - 2];
	const core = CORE * radius;
	// Memory is far away, and outer levels are wider than inner ones.
	const end = memory[0] - 0.1 * radius;
	const shares = levels.map((_, i) => 1 + 0.18 * i);
	const whole = shares.reduce((a, b) => a + b, 0);
	const room = end - core - gap * levels.length;
	let at = core;

	return {
		radius,
		core,
		memory,
		result,
		rings: levels.map((info, level) => {
			const arms = info.group
				? info.instances * Math.ceil(info.sets / info.group)
				: info.instances * info.sets;
			const r0 = at + gap;
			const l: Ring = {
				info,
				level,
				r0,
				r1: r0 + (room * shares[level]!) / whole,
				arms,
				turns: 0,
				grain: "sets",
				size: 0,
				rows: 1,
			};
			at = l.r1;
			if (info.group) return l;
			const n = parts(info.line);
			const wind = (glyphs: number) => {
				const even = ((l.r1 - r0) * glyphs) / (Math.PI * (r0 + l.r1) * arms);
				const max = info.instances > 1 ? WOUND_SECTOR / info.instances : Infinity;
				l.turns = Math.min(Math.max(WOUND, Math.sqrt(even)), max);
				return spacing(l, glyphs);
			};
			const fine = wind(info.ways * n);
			const few = arms * info.ways * n <= ELEMENTS_MAX;
			l.grain = n > 1 && few && fine >= READABLE ? "element" : "line";
			let room1 = l.grain === "element" ? fine : wind(info.ways);
			if (l.grain === "line" && room1 < DENSE) {
				// Thousands of arms: neighbours alternate within the room of a rank.
				const across = (Math.PI * (r0 + l.r1)) / arms;
				const deep = (l.r1 - r0) / info.ways;
				l.rows = Math.max(1, Math.floor(Math.sqrt(deep / across)));
				room1 = Math.min(across * l.rows, deep / l.rows);
			}
			l.size = Math.max(1, Math.min(room1 * (room1 > 5 ? 0.68 : 0.8), 17));
			return l;
		}),
	};
}

/** A region on the ring of memory. */
export interface Arc {
	region: Region;
	a0: number;
	a1: number;
	bytes: number;
}

/*
 * The regions around the ring, in proportion to the square roots of their sizes, so that
 * small ones can be seen beside large ones; after them comes all other memory.
 */
export function layMemory(regions: Region[]): { arcs: Arc[]; others: Point } {
	const gap = 0.045;
	const rest = 0.22; // all other memory
	const roots = regions.map((r) => Math.sqrt(extentOf(r)));
	const whole = roots.reduce((a, b) => a + b, 0) || 1;
	const room = TURN - rest - gap * (regions.length + 1);
	let at = -Math.PI + rest / 2 + gap; // all other memory is at the bottom

	const arcs = regions.map((region, i) => {
		const a0 = at;
		const a1 = a0 + (room * roots[i]!) / whole;
		at = a1 + gap;
		return { region, a0, a1, bytes: extentOf(region) };
	});
	return { arcs, others: [Math.PI - rest / 2, Math.PI + rest / 2] };
}

export function homeAngle(a: Arc, offset: number): number {
	return a.a0 + (a.a1 - a.a0) * Math.max(0, Math.min(1, offset / a.bytes));
}

/** The number of cells of an arc that can be told apart, and the bytes of each. */
export function cellsOf(a: Arc, r: number, min = 2): { cells: number; size: number } {
	const elem = a.region.elem || 8;
	const elements = Math.max(1, Math.ceil(a.bytes / elem));
	const max = Math.max(1, Math.floor(((a.a1 - a.a0) * r) / min));
	const each = Math.ceil(elements / max);

	return { cells: Math.ceil(elements / each), size: each * elem };
}

/*
 * The bytes of a line that lie before its region, which begins at `low`: a line that
 * begins before its region has the offset of the region's first byte.
 */
export function leadOf(low: number | undefined, address: number, offset: number): number {
	return offset === 0 && low !== undefined && low > address ? low - address : 0;
}

/** Elements of a region within one of its lines: first byte of the first, and how many. */
export function elementsOf(
	r: Region,
	low: number | undefined,
	line: number,
	address: number,
	offset: number,
): { first: number; size: number; count: number } {
	const elem = r.elem;
	const bytes = Math.min(line - leadOf(low, address, offset), extentOf(r) - offset);

	if (!elem || elem >= line) return { first: offset, size: Math.max(1, bytes), count: 1 };
	const begin = Math.floor(offset / elem);
	const end = Math.ceil((offset + bytes) / elem);
	return { first: begin * elem, size: elem, count: Math.max(1, end - begin) };
}

/** The points on the way of data that leave: a wide arc. */
export function wideWay(from: Point, to: Point, t: number): Point {
	const [r0, r1] = [Math.hypot(...from), Math.hypot(...to)];
	const a0 = Math.atan2(from[0], -from[1]);
	let turn = Math.atan2(to[0], -to[1]) - a0;

	// always in the same direction, and less than a full turn
	turn = ((turn % TURN) + TURN) % TURN;
	if (turn > 0.75 * TURN) turn -= TURN;
	const grow = t * t * (3 - 2 * t);
	return polar(r0 + (r1 - r0) * grow, a0 + turn * t);
}

export function straightWay(from: Point, to: Point, t: number): Point {
	return [from[0] + (to[0] - from[0]) * t, from[1] + (to[1] - from[1]) * t];
}

/** Slow at both ends: every movement takes the same time. */
export function ease(t: number): number {
	return t * t * (3 - 2 * t);
}

export function polyline(way: (t: number) => Point, steps: number, until = 1): Point[] {
	const out: Point[] = [];

	for (let i = 0; i <= steps; i++) out.push(way((until * i) / steps));
	return out;
}

/** The factor by which the rings are larger than the room, and their centre in radii. */
export interface Zoom {
	k: number;
	x: number;
	y: number;
}

const ZOOM_MAX = 40;
export const whole: Zoom = { k: 1, x: 0, y: 0 };

/** "4:0.5:-1", as the URL keeps it; any other text is the whole picture. */
export function parseZoom(text: string): Zoom {
	const [k, x, y] = text.split(":").map(Number);

	if (!k || !Number.isFinite(x) || !Number.isFinite(y)) return whole;
	return k > 1 && k <= ZOOM_MAX ? { k, x: x!, y: y! } : whole;
}

export function printZoom(z: Zoom): string {
	const n = (v: number) => String(Math.round(v * 1000) / 1000);

	return z.k > 1 ? [z.k, z.x, z.y].map(n).join(":") : "";
}

/** Closer by `times`, so that the point (x, y), in radii, stays where it is. */
export function zoomAt(z: Zoom, times: number, x: number, y: number): Zoom {
	const k = Math.max(1, Math.min(ZOOM_MAX, z.k * times));

	if (k === 1) return whole;
	return { k, x: x - ((x - z.x) * k) / z.k, y: y - ((y - z.y) * k) / z.k };
}
