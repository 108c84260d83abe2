// Draws the rings: glow, arms, memory with what was last served from where, paths, data.
import { count, exact } from "../model/format";
import {
	armPoint,
	cellsOf,
	ease,
	leadOf,
	polar,
	polyline,
	straightWay,
	wideWay,
	type Arc,
	type Point,
	type Ring,
} from "../model/rings";
import {
	EMPTY,
	MOVE,
	UNKNOWN,
	type Glyph,
	type Path,
	type Place,
} from "../model/ringsGlyphs";
import { sizeOf, servedOf } from "../model/trail";
import type { Chunk } from "../state/around";
import type { Held } from "../state/caches";
import { levelColours, mix, type Palette } from "../draw/colours";
import type { Colour, Draw } from "../draw/draw";

const TURN = 2 * Math.PI;
const OTHERS = "other memory";
const DISC = 14; // corners of a small disc

/** The reference that has just happened. */
export interface Access {
	region: number;
	offset: number;
	bytes: number;
	addr: number;
	core: number; // -1: not known
}

export interface Picture {
	x: number; // of the centre
	y: number;
	place: Place;
	held: Held;
	glyphs: Glyph[];
	paths: Path[];
	tail: number; // references of the paths
	access: Access | null;
	levels: number; // that serve, with memory
	colour: (p: Palette, region: number) => Colour;
}

export function miss(p: Palette): Colour {
	return p.levels[p.levels.length - 1]!;
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
	if (r < 1.6) return d.splat(x - r, y - r, 2 * r, 2 * r, c, alpha);
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

/** Red is warm, blue is cold, the ground between them: nothing happens or it evens out. */
function glow(d: Draw, p: Palette, q: Picture, l: Ring): void {
	const t = q.held.temperature[l.level] ?? 0;
	// A miss counts for several hits: the cold end is longer than the warm one.
	const strong = t > 0 ? Math.min(1, t) : 1 - Math.exp(t / 2);
	const c = t > 0 ? miss(p) : p.levels[0]!;
	const bands = 20;

	d.arc(q.x, q.y, l.r0, l.r1, 0, TURN, p.panel);
	for (let i = 0; i < bands; i++) {
		const at = (i + 0.5) / bands;
		const soft = Math.sin(Math.PI * at) ** 0.8;
		const r0 = l.r0 + ((l.r1 - l.r0) * i) / bands;
		d.arc(q.x, q.y, r0, r0 + (l.r1 - l.r0) / bands, 0, TURN, c, 0.32 * strong * soft);
	}
}

function arms(d: Draw, p: Palette, q: Picture, l: Ring): void {
	const along = (arm: number) =>
		polyline((u) => armPoint(l, arm, u), Math.ceil(8 + 40 * l.turns));

	if (l.arms <= 128 && !l.info.group)
		for (let i = 0; i < l.arms; i++)
			line(d, q, along(i), mix(p.grid, p.muted, 0.25), 1, 0.75);
	if (l.info.instances < 2) return;
	for (let i = 0; i < l.info.instances; i++) {
		const at = (i * l.arms) / l.info.instances - 0.5;
		const [a, b] = [along(at)[0]!, along(at).at(-1)!];
		const stretch = (v: Point, r: number): Point => {
			const k = r / Math.hypot(...v);
			return [v[0] * k, v[1] * k];
		};
		line(d, q, [stretch(a, l.r0), ...along(at), stretch(b, l.r1)], p.background, 4, 1);
	}
}

/** Levels that are too large for their lines: a wedge is some sets, as deep as it is full. */
function wedges(d: Draw, p: Palette, q: Picture, l: Ring): void {
	const each = l.info.group * l.info.ways;
	const groups = l.arms / l.info.instances;

	for (let i = 0; i < l.arms; i++) {
		const at = l.info.first + i;
		const n = q.held.held[at]!;
		if (!n) continue;
		const last = i % groups === groups - 1;
		const sets = last ? l.info.sets - (groups - 1) * l.info.group : l.info.group;
		const full = n / Math.min(each, sets * l.info.ways);
		const [a, b] = [l.r0 + 3, l.r1 - 3];
		const r = Math.max(a + 4, Math.sqrt(a * a + full * (b * b - a * a)));
		const [from, to] = [(TURN * i) / l.arms, (TURN * (i + 1)) / l.arms];
		const gap = Math.min(0.15 * (to - from), 0.004);
		const c = q.colour(p, q.held.owner[at]!);
		d.arc(q.x, q.y, a, r, from + gap, to - gap, c, 0.8);
	}
}

/** Bytes of each cell of an arc that are in some cache; each counts once. */
function cachedBytes(q: Picture, a: Arc, cells: number, size: number): Float64Array {
	const out = new Float64Array(cells);
	const seen = new Set<number>();
	const unit = Math.min(...q.held.levels.map((l) => l.line));

	for (const l of q.held.levels) {
		if (l.group) continue;
		for (let i = l.first; i < l.first + l.instances * l.sets * l.ways; i++) {
			if (q.held.line[i] === EMPTY || q.held.region[i] !== a.region.region) continue;
			const line = Number(q.held.line[i]!);
			const low = q.held.offset[i]!;
			if (low >= UNKNOWN) continue;
			const first = low - leadOf(q.place.lows.get(a.region.region), line, low);
			for (let k = 0; k < l.line; k += unit) {
				if (seen.has(line + k)) continue;
				seen.add(line + k);
				const high = Math.min(first + k + unit, a.bytes);
				for (let b = Math.max(0, first + k); b < high; ) {
					const cell = Math.floor(b / size);
					const end = Math.min(high, (cell + 1) * size);
					if (cell < cells) out[cell]! += end - b;
					b = end;
				}
			}
		}
	}
	return out;
}

/** Draws cells of an arc; neighbours that look the same are one piece unless there is room. */
function band(
	d: Draw,
	q: Picture,
	a: Arc,
	[r0, r1]: Point,
	cells: number,
	size: number,
	look: (cell: number) => [colour: Colour, alpha: number] | null,
): void {
	const at = (cell: number) =>
		a.a0 + (a.a1 - a.a0) * Math.min(1, (cell * size) / a.bytes);
	const wide = (at(1) - at(0)) * r1;
	const gap = wide >= 5 ? 0.8 / r1 : 0;

	for (let i = 0; i < cells; ) {
		const now = look(i);
		let end = i + 1;
		while (!gap && end < cells) {
			const next = look(end);
			if (next?.[0] !== now?.[0] || next?.[1] !== now?.[1]) break;
			end++;
		}
		if (now) d.arc(q.x, q.y, r0, r1, at(i) + gap, at(end) - gap, now[0], now[1]);
		i = end;
	}
}

function memory(d: Draw, p: Palette, q: Picture): void {
	const { rings, arcs, others } = q.place;

	d.arc(q.x, q.y, rings.memory[0], rings.memory[1], others[0], others[1], p.muted, 0.35);
	for (const a of arcs.values()) {
		const { cells, size } = cellsOf(a, rings.memory[1]);
		const inCache = cachedBytes(q, a, cells, size);
		const c = q.colour(p, a.region.region);
		// in steps, so that neighbours can be drawn as one
		const shades = Array.from({ length: 9 }, (_, i) =>
			mix(mix(p.background, c, 0.85), mix(p.background, c, 0.22), i / 8),
		);
		band(d, q, a, rings.memory, cells, size, (i) => [
			shades[Math.ceil((8 * inCache[i]!) / size)]!,
			1,
		]);
	}
}

/** Who served the last access to each element, on the edge of memory. */
function results(d: Draw, p: Palette, q: Picture, chunks: Chunk[], to: number): void {
	const { rings, arcs } = q.place;
	const colours = levelColours(p, q.levels);
	const laid = new Map(
		[...arcs.values()].map((a) => {
			const { cells, size } = cellsOf(a, rings.result[1]);
			return [a.region.region, { a, cells, size, served: new Uint8Array(cells) }];
		}),
	);

	for (const c of chunks)
		for (let i = 0, end = Math.min(c.count, to - c.from); i < end; i++) {
			const l = laid.get(c.region[i]!);
			if (!l) continue;
			const last = Math.floor((c.offset[i]! + sizeOf(c.what[i]!) - 1) / l.size);
			for (let k = Math.floor(c.offset[i]! / l.size); k <= last && k < l.cells; k++)
				l.served[k] = servedOf(c.outcome[i]!);
		}
	for (const l of laid.values())
		band(d, q, l.a, rings.result, l.cells, l.size, (i) =>
			l.served[i] ? [colours[l.served[i]! - 1] ?? p.muted, 0.9] : [p.grid, 0.5],
		);
}

function paths(d: Draw, p: Palette, q: Picture, phase: number): void {
	const colours = levelColours(p, q.levels);
	const dense = Math.min(1, 12 / Math.sqrt(Math.max(1, q.paths.length)));

	// the oldest first: newer ones lie on them
	for (let i = q.paths.length - 1; i >= 0; i--) {
		const w = q.paths[i]!;
		if (!w.age && phase < 1) continue; // its data are on their way
		const fresh = w.age ? dense * (1 - w.age / q.tail) ** 1.7 : 1;
		if (fresh < 0.02) continue;
		if (!w.leaves) {
			const c = colours[w.source - 1] ?? miss(p);
			line(d, q, [w.from, w.to], c, w.age ? 1.2 : 2, 0.75 * fresh);
			continue;
		}
		const back = w.kind === MOVE.writeBack;
		line(
			d,
			q,
			polyline((t) => wideWay(w.from, w.to, t), 20),
			back ? p.write : w.region < 0 ? p.muted : q.colour(p, w.region),
			back ? 1.8 : 1,
			(back ? 0.75 : 0.55) * fresh,
		);
	}
}

/** Where a glyph is at a phase of the movement. */
export function at(g: Glyph, phase: number): Point {
	if (g.motion === "rest" || (phase >= 1 && g.motion !== "leave")) return g.to;
	return g.motion === "leave"
		? wideWay(g.from, g.to, ease(phase))
		: straightWay(g.from, g.to, ease(phase));
}

/** Is the reference's datum in this glyph? */
export function touches(g: Glyph, a: Access | null): boolean {
	if (!a || g.level > 0) return false;
	if (g.offset >= UNKNOWN || g.region !== a.region)
		return a.addr >= g.line && a.addr < g.line + g.bytes;
	return g.offset < a.offset + a.bytes && a.offset < g.offset + g.bytes;
}

/** What is in flight, with the way that lies behind it. */
function trails(d: Draw, p: Palette, q: Picture, phase: number, moving: Glyph[]): void {
	for (const g of moving) {
		const enters = g.motion === "enter";
		const way = enters ? straightWay : wideWay;
		const points = polyline((t) => way(g.from, g.to, t), enters ? 1 : 14, ease(phase));
		const c = enters ? miss(p) : g.dirty ? p.write : q.colour(p, g.region);

		line(d, q, points, c, g.dirty || enters ? 2 : 1.2, 0.8 - 0.3 * phase);
	}
}

/*
 * All glyphs: those that move lie on those at rest, and what marks them on both. Each kind
 * of mark is a pass of its own, as splats and paths cannot alternate cheaply.
 */
function data(d: Draw, p: Palette, q: Picture, phase: number, marked: Marked): void {
	const rest: Glyph[] = [];
	const moving: Glyph[] = [];
	const colours = new Map<number, [own: Colour, ghost: Colour, small: Colour]>();
	const holes: [x: number, y: number, r: number][] = [];
	const rings: [x: number, y: number, r: number, c: Colour, thick: number][] = [];
	const red = miss(p);

	const put = (g: Glyph, flies: boolean) => {
		const size = q.place.rings.rings[g.level]!.size;
		const still = g.motion === "rest" || (phase >= 1 && g.motion !== "leave");
		const [gx, gy] = still ? g.to : at(g, phase);
		const [x, y] = [q.x + gx, q.y + gy];
		if (x < -30 || y < -30 || x > d.width + 30 || y > d.height + 30) return;
		let known = colours.get(g.region);
		if (!known) {
			const own = q.colour(p, g.region);
			known = [own, mix(p.background, own, 0.38), mix(p.background, own, 0.55)];
			colours.set(g.region, known);
		}
		const touched = touches(g, q.access);
		const r = (size / 2) * (touched ? 1 + 0.8 * Math.sin(Math.PI * phase) : 1);
		let c = known[g.ghost && !flies ? (size > 4 ? 1 : 2) : 0]!;
		if (flies && g.motion === "enter") c = mix(red, c, phase ** 2);
		disc(d, x, y, r, c, g.motion === "leave" ? 1 - 0.5 * phase : 1);
		// data that must be written back have a hole
		if (g.dirty && r >= 2.4) holes.push([x, y, r * 0.36]);
		if (touched) rings.push([x, y, r + 2.5, p.cursor, 2]);
		const mark = marked(g);
		if (mark) rings.push([x, y, r + 1.5, mark === 2 ? p.text : p.muted, 1.6]);
	};
	const pierce = () => {
		for (const [x, y, r] of holes) disc(d, x, y, r, p.background, 0.9);
		holes.length = 0;
	};

	for (const g of q.glyphs)
		if (phase < 1 && (g.motion === "enter" || g.motion === "leave")) moving.push(g);
		else if (g.motion !== "leave") rest.push(g);
	for (const g of rest) put(g, false);
	pierce();
	trails(d, p, q, phase, moving);
	for (const g of moving) put(g, true);
	pierce();
	for (const [x, y, r, c, thick] of rings) halo(d, x, y, r, c, thick);
}

/** 2: selected, 1: under the pointer, 0: neither. */
export type Marked = (g: Glyph) => 0 | 1 | 2;

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

export function drawRings(
	d: Draw,
	p: Palette,
	q: Picture,
	phase: number,
	marked: Marked,
	chunks: Chunk[],
	to: number,
): void {
	for (const l of q.place.rings.rings) {
		glow(d, p, q, l);
		if (l.info.group) wedges(d, p, q, l);
		arms(d, p, q, l);
	}
	memory(d, p, q);
	results(d, p, q, chunks, to);
	core(d, p, q);
	paths(d, p, q, phase);
	data(d, p, q, phase, marked);
	labels(d, p, q);
}

/** Names of regions outside, and of levels on the edges of their rings. */
function labels(d: Draw, p: Palette, q: Picture): void {
	const { rings, arcs, others } = q.place;
	const outside = rings.radius + 9;
	const taken: { x: number; y: number; w: number }[] = [];
	const name = (angle: number, text: string, colour: Colour) => {
		const [x, at] = polar(outside, angle);
		const side = Math.sin(angle);
		const align = side > 0.25 ? "left" : side < -0.25 ? "right" : "center";
		const style = { colour, size: 12, bold: true, align } as const;
		const w = d.measure(text, style);
		const left = x - { left: 0, center: w / 2, right: w }[align];
		let y = at;

		// small regions stand close together: their names go outwards
		const hit = () =>
			taken.some(
				(t) => Math.abs(t.y - y) < 12 && left < t.x + t.w + 4 && t.x < left + w + 4,
			);
		if (hit() && text === OTHERS) return;
		for (let i = 0; i < 6 && hit(); i++) y += at < 0 ? -6 : 6;
		taken.push({ x: left, y, w });
		d.text(q.x + x, q.y + y, text, style);
	};

	for (const a of arcs.values())
		name((a.a0 + a.a1) / 2, a.region.name, q.colour(p, a.region.region));
	name((others[0] + others[1]) / 2, OTHERS, p.muted);
	for (const l of rings.rings) {
		const [x, y] = polar(l.r1, -Math.PI / 4);
		const style = { colour: p.text, size: 11, bold: true, align: "center" } as const;
		const w = d.measure(l.info.name, style) + 10;
		d.rect(q.x + x - w / 2, q.y + y - 8, w, 16, p.background, 0.92);
		d.frame(q.x + x - w / 2, q.y + y - 8, w, 16, p.grid);
		d.text(q.x + x, q.y + y, l.info.name, style);
	}
}

/** Lines that a level holds, of how many. */
export function heldOf(held: Held, l: Ring): [held: number, of: number] {
	const { info } = l;
	const slots = info.instances * info.sets * info.ways;
	let n = 0;

	if (info.group) for (let i = 0; i < l.arms; i++) n += held.held[info.first + i]!;
	else for (let i = 0; i < slots; i++) if (held.line[info.first + i] !== EMPTY) n++;
	return [n, slots];
}

/** What the rings and lines are, in words at the left. */
export function legend(
	d: Draw,
	p: Palette,
	q: Picture,
	tail: number,
	over: boolean, // the rings lie behind the words
): void {
	const small = { colour: p.muted, size: 10 };
	const x = 12;
	let y = 14;

	if (over) d.rect(0, 0, 150, 10 + 32 * q.place.rings.rings.length, p.background, 0.85);
	for (const l of q.place.rings.rings) {
		const { info } = l;
		const [n, of] = heldOf(q.held, l);
		const grain = {
			element: "a glyph: an element",
			line: `a glyph: a line of ${info.line} B`,
			sets: `a wedge: ${info.group === 1 ? "a set" : `${info.group} sets`}`,
		}[l.grain];
		d.text(x, y, info.name, { colour: p.text, size: 11, bold: true });
		d.text(
			x + 22,
			y,
			n === of ? `all ${exact(of)} lines` : `${exact(n)} of ${exact(of)} lines`,
			{
				colour: p.text,
				size: 10,
			},
		);
		d.text(x, y + 13, grain, small);
		y += 32;
	}
	const colours = levelColours(p, q.levels);
	const keys: [Colour, number, string][] = [
		...q.place.rings.rings
			.slice(1)
			.map((l): [Colour, number, string] => [
				colours[l.level]!,
				2,
				`from ${l.info.name}`,
			]),
		[colours.at(-1)!, 2, "from memory"],
		[p.muted, 1, "leaves"],
		[p.write, 2, "is written back"],
	];
	y = d.height - 60 - 13 * keys.length;
	if (over) d.rect(0, y - 10, 120, d.height - y, p.background, 0.85);
	d.text(x, y, tail === 1 ? "this reference" : `last ${count(tail)} references`, small);
	keys.forEach(([c, thick, words], i) => {
		d.line(x, y + 14 + 13 * i, x + 14, y + 14 + 13 * i, c, thick);
		d.text(x + 19, y + 14 + 13 * i, words, small);
	});
	d.text(x, d.height - 46, "pale: also nearer", small);
}
