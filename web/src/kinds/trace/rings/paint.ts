// Draws the rings: glow, arms, memory with its band of last results, paths, data.
import {
	armPoint,
	cellsOf,
	ease,
	polar,
	polyline,
	straightWay,
	wideWay,
	type Arc,
	type Point,
	type Ring,
} from "../model/rings";
import {
	cachedBytes,
	isDirty,
	isGhost,
	UNKNOWN,
	MOVE,
	type Cloud,
	type Glyph,
	type Place,
} from "../model/ringsGlyphs";
import { bundleWay, bundleWidth, type Bundle, type Path } from "../model/ringsPaths";
import type { Held } from "../state/cacheMoment";
import { isDark, levelColours, mix, type Palette } from "../../../draw/colours";
import { rgba, type Colour, type Draw } from "../../../draw/draw";

const TURN = 2 * Math.PI;
const DISC = 14; // corners of a small disc
const APART = 5; // pixels of cells that are drawn apart
const PALE = 0.12; // opacity of sets that are not chosen
const GLOW_LIGHT = 0.32; // opacity of the strongest glow
const GLOW_DARK = 0.6; // more: light on dark fades faster to the eye
const GLOWS = 40; // steps of a glow, so that it need not be drawn again all the time

/** The reference that has just happened. */
export interface Access {
	region: number;
	offset: number;
	bytes: number;
	addr: number;
	core: number; // -1: not known
}

/** The level that served the last access to each part of a region; 0: no access yet. */
export type Results = Map<number, { served: ArrayLike<number>; size: number }>;

export interface Picture {
	key: string; // changes with everything that does not move within a frame; the view sets it
	ground: string; // the same for everything behind the data
	x: number; // of the centre
	y: number;
	place: Place;
	held: Held;
	settled: Cloud; // where everything has arrived
	flight: Cloud; // glyphs that move and glyphs at rest, on the way there
	paths: Path[];
	bundles: Bundle[] | null; // instead of paths, if these are too many
	tail: number; // references of the paths
	access: Access | null;
	levels: number; // serving levels, with memory
	chosen: (Uint8Array | null)[]; // chosen sets by level; null: all
	results: Results;
	colour: (p: Palette, region: number) => Colour;
}

export function miss(p: Palette): Colour {
	return p.levels[p.levels.length - 1]!;
}

/** The colour of data that come from a level (from 0); behind the last is memory. */
export function sourceColour(p: Palette, q: Picture, level: number): Colour {
	return levelColours(p, q.levels)[level] ?? miss(p);
}

function line(
	d: Draw,
	q: Picture,
	way: Point[],
	c: Colour,
	thick: number,
	alpha: number,
) {
	d.path(
		way.flatMap(([x, y]) => [q.x + x, q.y + y]),
		c,
		thick,
		alpha,
	);
}

export function disc(
	d: Draw,
	x: number,
	y: number,
	r: number,
	c: Colour,
	alpha = 1,
): void {
	const points: number[] = [];
	const n = r > 6 ? 2 * DISC : DISC;

	for (let i = 0; i < n; i++) {
		const a = (TURN * i) / n;
		points.push(x + r * Math.sin(a), y - r * Math.cos(a));
	}
	d.path(points, c, undefined, alpha);
}

function halo(d: Draw, x: number, y: number, r: number, c: Colour, thick: number): void {
	const points: number[] = [];

	for (let i = 0; i <= 24; i++) {
		const a = (TURN * i) / 24;
		points.push(x + r * Math.sin(a), y - r * Math.cos(a));
	}
	d.path(points, c, thick);
}

/** From -GLOWS, as cold as it gets, to GLOWS. */
export function glowStep(temperature: number): number {
	// A miss counts for several hits: the cold end is longer than the warm one.
	const strong =
		temperature > 0 ? Math.min(1, temperature) : Math.exp(temperature / 2) - 1;

	return Math.round(GLOWS * strong) || 0;
}

/** The colours of the coldest and of the warmest level. */
export function glowColours(p: Palette): [cold: Colour, warm: Colour] {
	return [p.levels[0]!, miss(p)];
}

/** Red is warm, blue is cold; the ground colour between means no accesses, or a balance. */
function glow(d: Draw, p: Palette, q: Picture, l: Ring): void {
	const step = glowStep(q.held.temperature[l.level] ?? 0);
	const strong = Math.abs(step) / GLOWS;
	const c = glowColours(p)[step > 0 ? 1 : 0];
	const bands = 20;
	const most = isDark(p) ? GLOW_DARK : GLOW_LIGHT;

	d.arc(q.x, q.y, l.r0, l.r1, 0, TURN, p.panel);
	if (!step) return;
	for (let i = 0; i < bands; i++) {
		const at = (i + 0.5) / bands;
		const soft = Math.sin(Math.PI * at) ** 0.8;
		const r0 = l.r0 + ((l.r1 - l.r0) * i) / bands;
		d.arc(q.x, q.y, r0, r0 + (l.r1 - l.r0) / bands, 0, TURN, c, most * strong * soft);
	}
}

function along(l: Ring, arm: number): Point[] {
	return polyline((u) => armPoint(l, arm, u), Math.ceil(8 + 40 * l.turns));
}

function arms(d: Draw, p: Palette, q: Picture, l: Ring): void {
	const chosen = q.chosen[l.level];
	const soft = mix(p.grid, p.muted, 0.25);

	if (l.info.group) return;
	for (let i = 0; i < l.arms; i++) {
		const on = chosen?.[i % l.info.sets];
		if (on) line(d, q, along(l, i), mix(p.grid, p.muted, 0.7), 1.2, 1);
		else if (l.arms <= 128) line(d, q, along(l, i), soft, 1, chosen ? 0.3 : 0.75);
	}
}

/** Lines between the sectors of cores. */
function sectors(d: Draw, p: Palette, q: Picture, l: Ring): void {
	if (l.info.instances < 2) return;
	for (let i = 0; i < l.info.instances; i++) {
		const way = along(l, (i * l.arms) / l.info.instances - 0.5);
		const stretch = (v: Point, r: number): Point => {
			const k = r / Math.hypot(...v);
			return [v[0] * k, v[1] * k];
		};
		line(
			d,
			q,
			[stretch(way[0]!, l.r0), ...way, stretch(way.at(-1)!, l.r1)],
			p.background,
			4,
			1,
		);
	}
}

/*
 * Levels that are too large to draw their lines: a wedge is a group of sets, as deep as
 * it is full.
 */
function wedges(d: Draw, p: Palette, q: Picture, l: Ring): void {
	const each = l.info.group * l.info.ways;
	const groups = l.arms / l.info.instances;
	const chosen = q.chosen[l.level];

	for (let i = 0; i < l.arms; i++) {
		const at = l.info.first + i;
		const n = q.held.held[at]!;
		if (!n) continue;
		const first = (i % groups) * l.info.group;
		const last = i % groups === groups - 1;
		const sets = last ? l.info.sets - (groups - 1) * l.info.group : l.info.group;
		const full = n / Math.min(each, sets * l.info.ways);
		const [a, b] = [l.r0 + 3, l.r1 - 3];
		const r = Math.max(a + 4, Math.sqrt(a * a + full * (b * b - a * a)));
		const [from, to] = [(TURN * i) / l.arms, (TURN * (i + 1)) / l.arms];
		const gap = Math.min(0.15 * (to - from), 0.004);
		const c = q.colour(p, q.held.owner[at]!);
		const on = !chosen || chosen.subarray(first, first + sets).includes(1);
		d.arc(q.x, q.y, a, r, from + gap, to - gap, c, on ? 0.8 : PALE);
	}
}

/** Draws cells of an arc, apart from each other where there is room for that. */
function band(
	d: Draw,
	q: Picture,
	a: Arc,
	[r0, r1]: Point,
	cells: number,
	size: number,
	look: (cell: number) => [colour: Colour, alpha: number],
): void {
	const step = ((a.a1 - a.a0) * size) / a.bytes;

	if (step * r1 < APART) {
		const colour = new Uint32Array(cells);
		for (let i = 0; i < cells; i++) colour[i] = rgba(...look(i));
		d.band({ x: q.x, y: q.y, r0, r1, a0: a.a0, a1: a.a1, step, colour });
		return;
	}
	const gap = 0.8 / r1;
	for (let i = 0; i < cells; i++) {
		const end = Math.min(a.a1, a.a0 + (i + 1) * step);
		d.arc(q.x, q.y, r0, r1, a.a0 + i * step + gap, end - gap, ...look(i));
	}
}

function memory(d: Draw, p: Palette, q: Picture): void {
	const { rings, arcs, others } = q.place;
	const cut = new Map([...arcs].map(([n, a]) => [n, cellsOf(a, rings.memory[1])]));
	const inCache = cachedBytes(q.place, q.held, cut);

	d.arc(q.x, q.y, rings.memory[0], rings.memory[1], others[0], others[1], p.muted, 0.35);
	for (const [n, a] of arcs) {
		const { cells, size } = cut.get(n)!;
		const bytes = inCache.get(n)!;
		const c = q.colour(p, n);
		// In steps, so that neighbours can be drawn as one.
		const shades = Array.from({ length: 9 }, (_, i) =>
			mix(mix(p.background, c, 0.85), mix(p.background, c, 0.22), i / 8),
		);
		band(d, q, a, rings.memory, cells, size, (i) => [
			// Blocks that share a line may count it twice.
			shades[Math.min(8, Math.ceil((8 * bytes[i]!) / size))]!,
			1,
		]);
	}
}

/** The level that served the last access to each element, on the edge of memory. */
function results(d: Draw, p: Palette, q: Picture): void {
	const { rings, arcs } = q.place;
	const colours = levelColours(p, q.levels);

	for (const [n, a] of arcs) {
		const r = q.results.get(n);
		const { cells, size } = cellsOf(a, rings.result[1]);
		band(d, q, a, rings.result, cells, size, (i) => {
			const served = r?.served[i];
			return served ? [colours[served - 1] ?? p.muted, 0.9] : [p.grid, 0.5];
		});
	}
}

function fresh(q: Picture, age: number): number {
	return (1 - age / q.tail) ** 1.7;
}

function wayColour(p: Palette, q: Picture, w: Path | Bundle): Colour {
	if (!w.leaves) return sourceColour(p, q, w.source - 1);
	if (w.kind === MOVE.writeBack) return p.write;
	return w.region < 0 ? p.muted : q.colour(p, w.region);
}

function paths(d: Draw, p: Palette, q: Picture, list: Path[]): void {
	const dense = Math.min(1, 12 / Math.sqrt(Math.max(1, list.length)));

	// The oldest first: newer ones lie on top.
	for (let i = list.length - 1; i >= 0; i--) {
		const w = list[i]!;
		const light = w.age ? dense * fresh(q, w.age) : 1;
		if (light < 0.02) continue;
		const c = wayColour(p, q, w);
		if (!w.leaves) {
			line(d, q, [w.from, w.to], c, w.age ? 1.2 : 2, 0.75 * light);
			continue;
		}
		const back = w.kind === MOVE.writeBack;
		const way = polyline((t) => wideWay(w.from, w.to, t), 20);
		line(d, q, way, c, back ? 1.8 : 1, (back ? 0.75 : 0.55) * light);
	}
}

/** One line for all movements of a bundle: the more movements, the wider. */
function bundled(d: Draw, p: Palette, q: Picture, list: Bundle[]): void {
	const max = Math.max(...list.map((b) => b.count));

	for (const b of list) {
		const back = b.kind === MOVE.writeBack;
		const light = (0.1 + 0.6 * fresh(q, b.newest)) * (b.leaves ? (back ? 0.7 : 0.45) : 1);
		const way = polyline((t) => bundleWay(b, t), b.leaves ? 20 : 12);
		const wide = bundleWidth(b.count, max, q.place.rings.radius);
		line(d, q, way, wayColour(p, q, b), wide, light);
	}
}

/** The place of a glyph at a phase of the movement. */
export function at(g: Glyph, phase: number): Point {
	if (g.motion === "rest" || (phase >= 1 && g.motion !== "leave")) return g.to;
	return g.motion === "leave"
		? wideWay(g.from, g.to, ease(phase))
		: straightWay(g.from, g.to, ease(phase));
}

/** Whether the reference's datum is in this glyph. */
export function touches(g: Glyph, a: Access | null): boolean {
	if (!a || g.level > 0) return false;
	if (g.offset >= UNKNOWN || g.region !== a.region)
		return a.addr >= g.line && a.addr < g.line + g.bytes;
	return g.offset < a.offset + a.bytes && a.offset < g.offset + g.bytes;
}

/** Glyphs in flight, with the way behind them. */
function trails(d: Draw, p: Palette, q: Picture, phase: number, moving: Glyph[]): void {
	for (const g of moving) {
		if (g.motion === "shift") continue;
		const enters = g.motion === "enter";
		const way = enters ? straightWay : wideWay;
		const points = polyline((t) => way(g.from, g.to, t), enters ? 1 : 14, ease(phase));
		const c = enters
			? sourceColour(p, q, g.source)
			: g.dirty
				? p.write
				: q.colour(p, g.region);

		line(d, q, points, c, g.dirty || enters ? 2 : 1.2, 0.8 - 0.3 * phase);
	}
}

type Shades = [own: Colour, ghost: Colour, small: Colour];

function shadesOf(p: Palette, q: Picture): (region: number) => Shades {
	const known = new Map<number, Shades>();

	return (region) => {
		let c = known.get(region);
		if (!c) {
			const own = q.colour(p, region);
			c = [own, mix(p.background, own, 0.38), mix(p.background, own, 0.55)];
			known.set(region, c);
		}
		return c;
	};
}

const painted = new WeakMap<Cloud, { key: string; colour: Uint32Array }>();

/** A colour for each glyph at rest. */
function colours(p: Palette, q: Picture, c: Cloud): Uint32Array {
	const key = `${p.background}:${q.ground}`;
	const known = painted.get(c);

	if (known?.key === key) return known.colour;
	const out = new Uint32Array(c.count);
	const of = shadesOf(p, q);
	const region = c.lines.held.region;
	const { slot } = c;
	let last = -1;
	let [own, ghost] = [0, 0];
	for (const l of q.place.rings.rings) {
		const pale = l.size > 4 ? 1 : 2;
		const end = c.first[l.level + 1]!;
		last = -1;
		for (let i = c.first[l.level]!; i < end; i++) {
			const n = region[slot[i]!]!;
			if (n !== last) {
				const shades = of((last = n));
				[own, ghost] = [shades[0], shades[pale]];
			}
			out[i] = isGhost(c, i) ? ghost : own;
		}
	}
	painted.set(c, { key, colour: out });
	return out;
}

/** Dots of chosen glyphs only, each of its own colour or all of one. */
function some(
	d: Draw,
	q: Picture,
	c: Cloud,
	list: number[],
	radius: (l: Ring) => number,
	colour: Uint32Array | Colour,
): void {
	for (const l of q.place.rings.rings) {
		const here = list.filter((i) => i >= c.first[l.level]! && i < c.first[l.level + 1]!);
		const r = radius(l);
		if (!here.length || r <= 0) continue;
		d.dots({
			x: Float32Array.from(here, (i) => c.x[i]!),
			y: Float32Array.from(here, (i) => c.y[i]!),
			colour: Uint32Array.from(here, (i) =>
				typeof colour === "number" ? colour : colour[i]!,
			),
			first: 0,
			end: here.length,
			dx: q.x,
			dy: q.y,
			radius: r,
		});
	}
}

const HOLE_FROM = 2.4; // radius

function holes(d: Draw, p: Palette, q: Picture, c: Cloud, of?: number[]): void {
	const list: number[] = [];

	for (const l of q.place.rings.rings)
		if (l.size / 2 >= HOLE_FROM)
			for (let i = c.first[l.level]!; !of && i < c.first[l.level + 1]!; i++)
				if (isDirty(c, i)) list.push(i);
	for (const i of of ?? []) if (isDirty(c, i)) list.push(i);
	some(
		d,
		q,
		c,
		list,
		(l) => (l.size / 2 >= HOLE_FROM ? l.size * 0.18 : 0),
		mix(p.background, p.panel, 0.5),
	);
}

/** All data at rest. */
function rest(d: Draw, p: Palette, q: Picture, c: Cloud): void {
	const colour = colours(p, q, c);

	for (const l of q.place.rings.rings)
		d.dots({
			x: c.x,
			y: c.y,
			colour,
			first: c.first[l.level]!,
			end: c.first[l.level + 1]!,
			dx: q.x,
			dy: q.y,
			radius: l.size / 2,
		});
	holes(d, p, q, c);
}

/** Glyphs that stand out have a rim. */
function rims(d: Draw, p: Palette, q: Picture, c: Cloud, list: number[], rim: Colour) {
	if (!list.length) return;
	some(d, q, c, list, (l) => l.size / 2 + Math.max(1, Math.min(2, l.size / 4)), rim);
	some(d, q, c, list, (l) => l.size / 2, colours(p, q, c));
	holes(d, p, q, c, list);
}

/** Glyphs on their way, and the one that is used, which grows for a moment. */
function moving(d: Draw, p: Palette, q: Picture, phase: number): void {
	const of = shadesOf(p, q);
	const list = q.flight.moving;

	trails(d, p, q, phase, list);
	for (const g of list) {
		const size = q.place.rings.rings[g.level]!.size;
		const [gx, gy] = at(g, phase);
		const own = of(g.region)[g.ghost && g.motion === "shift" ? (size > 4 ? 1 : 2) : 0]!;
		// A glyph that came in flashes in the colour of the level where it was found: red
		// from memory.
		const c =
			g.motion === "enter" ? mix(sourceColour(p, q, g.source), own, phase ** 2) : own;
		const big = g.motion === "enter" ? Math.max(size / 2, 2) : size / 2;
		const r = big * (touches(g, q.access) ? 1 + 0.8 * Math.sin(Math.PI * phase) : 1);
		disc(d, q.x + gx, q.y + gy, r, c, g.motion === "leave" ? 1 - 0.5 * phase : 1);
		if (g.dirty && r >= HOLE_FROM)
			disc(d, q.x + gx, q.y + gy, r * 0.36, p.background, 0.9);
	}
}

/** Numbers of the glyphs at rest that stand out. */
export interface Marks {
	chosen: number[];
	near: number[];
	touched: Glyph[]; // by the reference, at rest or on their way
}

function core(d: Draw, p: Palette, q: Picture): void {
	const r = q.place.rings.core;
	const n = q.place.cores;
	const soft = mix(p.background, p.cursor, 0.3);
	const split = n > 1 && q.place.rings.rings.some((l) => l.info.instances === n);

	disc(d, q.x, q.y, r, soft);
	if (split) {
		for (let i = 0; i < n; i++) {
			if (i === q.access?.core)
				d.arc(q.x, q.y, 0, r, (TURN * i) / n, (TURN * (i + 1)) / n, p.cursor);
			line(d, q, [[0, 0], polar(r, (TURN * i) / n)], p.background, 2, 1);
			const [x, y] = polar(r * 0.6, (TURN * (i + 0.5)) / n);
			if (r >= 17 && n <= 8)
				d.text(q.x + x, q.y + y, String(i), {
					colour: i === q.access?.core ? p.background : p.text,
					size: 10,
					align: "center",
				});
		}
		return;
	}
	if (r >= 17)
		d.text(q.x, q.y, "core", {
			colour: mix(p.text, p.cursor, 0.25),
			size: 11,
			align: "center",
		});
}

/*
 * The back end keeps layers that do not move within a frame: the ground until the
 * temperature changes, the data at rest until there are others.
 */
export function drawRings(
	d: Draw,
	p: Palette,
	q: Picture,
	phase: number,
	marks: Marks,
): void {
	const flies = phase < 1;
	const c = flies ? q.flight : q.settled;
	const theme = `${p.background}:${d.width}:${d.height}`;

	d.layer("scene", `${theme}:${q.key}:${flies}`, () => {
		d.layer("ground", `${theme}:${q.ground}`, () => {
			for (const l of q.place.rings.rings) {
				glow(d, p, q, l);
				arms(d, p, q, l);
			}
		});
		for (const l of q.place.rings.rings) {
			if (l.info.group) wedges(d, p, q, l);
			sectors(d, p, q, l);
		}
		core(d, p, q);
		if (q.bundles) bundled(d, p, q, q.bundles);
		// During its movement the last reference has no path yet.
		const single = q.bundles ? q.paths.filter((w) => !w.age) : q.paths;
		paths(d, p, q, flies ? single.filter((w) => w.age) : single);
		// All splats together: memory and data in caches.
		memory(d, p, q);
		results(d, p, q);
		rest(d, p, q, c);
	});
	rims(d, p, q, c, marks.chosen, p.text);
	rims(d, p, q, c, marks.near, p.muted);
	if (flies) moving(d, p, q, phase);
	for (const g of marks.touched) {
		const r =
			(q.place.rings.rings[g.level]!.size / 2) * (1 + 0.8 * Math.sin(Math.PI * phase));
		const [x, y] = at(g, phase);
		if (flies && g.motion === "rest") disc(d, q.x + x, q.y + y, r, q.colour(p, g.region));
		halo(d, q.x + x, q.y + y, Math.max(r, 1.5) + 2.5, p.cursor, 2);
	}
}
