// Draws two simulations on one set of rings. Data in the same level of both are pale;
// others are in full colour, in both places, with a line between.
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
	type Rings,
} from "../model/rings";
import type { Glyph } from "../model/ringsGlyphs";
import { count, exact } from "../../../model/format";
import type { Nearer, Difference, Request, Side, Spot } from "../model/ringsDiff";
import { sideColours, mix, type Palette } from "../../../draw/colours";
import type { Colour, Draw } from "../../../draw/draw";
import type { Moment } from "./diffScene";
import { levelLabels, sideAlign } from "./words";

const TURN = 2 * Math.PI;
const KINDS = 3;

export interface DiffPicture {
	x: number;
	y: number;
	rings: Rings; // all levels
	arcs: Arc[];
	others: Point;
	sides: [a: Side, b: Side];
	differences: Difference[];
	requests: Request[];
	moment: Moment;
	region: (p: Palette, region: number) => Colour;
}

function pale(p: Palette, c: Colour): Colour {
	return mix(p.background, c, 0.3);
}

function circle(x: number, y: number, r: number): number[] {
	const n = r > 6 ? 28 : 14;
	const out: number[] = [];

	for (let i = 0; i <= n; i++)
		out.push(x + r * Math.sin((TURN * i) / n), y - r * Math.cos((TURN * i) / n));
	return out;
}

function line(
	d: Draw,
	q: DiffPicture,
	way: Point[],
	c: Colour,
	thick: number,
	alpha: number,
): void {
	d.path(
		way.flatMap(([x, y]) => [q.x + x, q.y + y]),
		c,
		thick,
		alpha,
	);
}

/** The place of a glyph at a phase of the movement. */
function at(g: Glyph, phase: number): Point {
	if (g.motion === "rest" || (phase >= 1 && g.motion !== "leave")) return g.to;
	return g.motion === "leave"
		? wideWay(g.from, g.to, ease(phase))
		: straightWay(g.from, g.to, ease(phase));
}

function grounds(d: Draw, p: Palette, q: DiffPicture): void {
	for (const l of q.rings.rings) {
		d.arc(q.x, q.y, l.r0, l.r1, 0, TURN, p.panel);
		for (const r of [l.r0, l.r1]) d.arc(q.x, q.y, r - 0.5, r + 0.5, 0, TURN, p.grid, 0.8);
		if (l.info.group || l.arms > 128) continue;
		for (let i = 0; i < l.arms; i++)
			line(
				d,
				q,
				polyline((u) => armPoint(l, i, u), Math.ceil(8 + 40 * l.turns)),
				p.grid,
				1,
				0.8,
			);
	}
	d.arc(q.x, q.y, ...q.rings.memory, ...q.others, p.muted, 0.2);
	for (const a of q.arcs) {
		const { cells, size } = cellsOf(a, q.rings.memory[1]);
		const [r0, r1] = [q.rings.memory[0], q.rings.result[1]];
		const angle = (i: number) => a.a0 + (a.a1 - a.a0) * Math.min(1, (i * size) / a.bytes);
		const gap = (angle(1) - angle(0)) * r1 >= 5 ? 0.8 / r1 : 0;
		const c = mix(p.background, q.region(p, a.region.region), 0.4);
		if (!gap) d.arc(q.x, q.y, r0, r1, a.a0, a.a1, c);
		else
			for (let i = 0; i < cells; i++)
				d.arc(q.x, q.y, r0, r1, angle(i) + gap, angle(i + 1) - gap, c);
	}
	d.path(circle(q.x, q.y, q.rings.core), mix(p.background, p.muted, 0.25));
	if (q.rings.core >= 17)
		d.text(q.x, q.y, "core", { colour: p.muted, size: 11, align: "center" });
}

/*
 * Levels that are too large to draw their lines: a wedge is a group of sets. The inner
 * half of the ring is A's and the outer half B's; each wedge is as deep as its sets are
 * full, beginning with data that agree.
 */
function wedges(d: Draw, p: Palette, q: DiffPicture): void {
	const colours = [mix(p.background, p.muted, 0.3), ...sideColours(p)];

	q.sides.forEach((s, which) => {
		const kinds = which ? q.moment.groupsB : q.moment.groupsA;
		let first = 0;
		for (const l of s.place.rings.rings) {
			if (!l.info.group) continue;
			const middle = (l.r0 + l.r1) / 2;
			const [r0, r1] = which ? [middle + 1, l.r1 - 2] : [l.r0 + 2, middle - 1];
			const full = l.info.group * l.info.ways * l.info.line;
			for (let i = 0; i < l.arms; i++) {
				let r = r0;
				for (let k = 0; k < KINDS; k++) {
					const bytes = kinds[(first + i) * KINDS + k] ?? 0;
					const to = r + ((r1 - r0) * bytes) / full;
					const [a0, a1] = [(TURN * i) / l.arms, (TURN * (i + 1)) / l.arms];
					const gap = Math.min(0.15 * (a1 - a0), 0.004);
					if (bytes)
						d.arc(q.x, q.y, r, to, a0 + gap, a1 - gap, colours[k]!, k ? 0.9 : 0.7);
					r = to;
				}
			}
			first += l.arms;
			d.arc(q.x, q.y, middle - 0.5, middle + 0.5, 0, TURN, p.muted, 0.5);
		}
	});
}

function sizeOf(s: Side, level: number): number {
	return s.place.rings.rings[level]?.size ?? 5;
}

/** Everything in the caches of both, pale: A's as discs, B's as circles around them. */
function baseline(d: Draw, p: Palette, q: DiffPicture, phase: number): void {
	const inside = ([x, y]: Point) =>
		x + q.x > -9 && y + q.y > -9 && x + q.x < d.width + 9 && y + q.y < d.height + 9;
	const colours = new Map<number, Colour>();
	const colour = (region: number): Colour => {
		const c = colours.get(region) ?? pale(p, q.region(p, region));
		colours.set(region, c);
		return c;
	};

	q.sides.forEach((s, which) => {
		for (const l of s.place.rings.rings) {
			const list = s.glyphs.filter(
				(g) =>
					g.level === l.level &&
					(g.motion !== "leave" || phase < 1) &&
					inside(at(g, phase)),
			);
			const r = l.size / 2;
			if (which) {
				if (r >= 2)
					for (const g of list) {
						const [x, y] = at(g, phase);
						const c = mix(colour(g.region), p.muted, 0.35);
						d.path(circle(q.x + x, q.y + y, r - 0.4), c, 0.9);
					}
				continue;
			}
			const places = list.map((g) => at(g, phase));
			d.dots({
				x: Float32Array.from(places, ([x]) => x),
				y: Float32Array.from(places, ([, y]) => y),
				colour: Uint32Array.from(list, (g) => colour(g.region)),
				first: 0,
				end: list.length,
				dx: q.x,
				dy: q.y,
				radius: r,
			});
		}
	});
}

/** The requests of the last references; those that both served alike lie below. */
function requests(d: Draw, p: Palette, q: DiffPicture, tail: number): void {
	const hues: Colour[] = [mix(p.background, p.muted, 0.35), ...sideColours(p)];
	const some = (nearer: Nearer) =>
		q.requests.filter((r) => (nearer ? r.nearer > 0 : !r.nearer));

	for (const r of some(0))
		line(d, q, [r.from, r.to], hues[0]!, 1, 0.8 * (1 - r.age / tail) ** 1.2);
	for (const r of some(1)) {
		const fresh = (1 - r.age / tail) ** 1.2;
		line(d, q, [r.from, r.to], hues[r.nearer]!, r.age ? 1.4 : 2.6, 0.15 + 0.8 * fresh);
	}
}

/** The middle of data that may be on their way. */
function middle(s: Spot, phase: number): Point {
	const n = s.glyphs.length;

	if (!n || phase >= 1) return s.at;
	const sum = s.glyphs
		.map((g) => at(g, phase))
		.reduce(([x, y], [a, b]) => [x + a, y + b]);
	return [sum[0] / n, sum[1] / n];
}

/** A line from the place in the farther level to the place in the nearer one. */
function links(d: Draw, p: Palette, q: DiffPicture, phase: number): void {
	const hues = sideColours(p);
	const alpha = Math.max(
		0.12,
		Math.min(0.55, 14 / Math.sqrt(q.differences.length + 1) / 4),
	);

	for (const x of q.differences)
		line(
			d,
			q,
			x.spots.map((s) => middle(s, phase)),
			hues[x.nearer - 1]!,
			0.9,
			alpha,
		);
}

/** A disc, or its right half. */
function disc(d: Draw, x: number, y: number, r: number, c: Colour, half: boolean): void {
	const n = r > 6 ? 28 : 14;
	const points: number[] = [];

	for (let i = 0; i <= (half ? n / 2 : n); i++) {
		const a = (TURN * i) / n;
		points.push(x + r * Math.sin(a), y - r * Math.cos(a));
	}
	d.path(points, c);
}

/*
 * A filled mark in the nearer level, a hollow one in the farther; if both fall together,
 * halves.
 */
function marks(d: Draw, p: Palette, q: DiffPicture, phase: number): void {
	const hues = sideColours(p);
	const taken = new Set<string>();

	// A's before B's, so that B's half lies on top
	const ordered = [...q.differences].sort((x, y) => x.nearer - y.nearer);
	for (const fill of [false, true])
		for (const x of ordered)
			x.spots.forEach((s, which) => {
				const near = x.nearer - 1 === which;
				const c = hues[x.nearer - 1]!;
				const level = x.levels[which]!;
				if (near !== fill) return;
				for (const g of s.glyphs) {
					const r = Math.max(1.5, sizeOf(q.sides[which]!, level) / 2);
					const [x0, y0] = at(g, phase);
					const [gx, gy] = [q.x + x0, q.y + y0];
					const key = `${Math.round(2 * gx)}:${Math.round(2 * gy)}`;
					if (near) {
						disc(d, gx, gy, r, c, taken.has(key));
						if (!which) taken.add(key);
					} else {
						d.path(circle(gx, gy, r), p.background, undefined, 0.75);
						d.path(circle(gx, gy, r - 0.5), c, 1.3);
					}
				}
				if (s.glyphs.length || near) return;
				const [mx, my] = [q.x + s.at[0], q.y + s.at[1]];
				d.path(circle(mx, my, 2.6), p.background);
				d.path(circle(mx, my, 2.6), c, 1.2);
			});
}

function labels(d: Draw, p: Palette, q: DiffPicture): void {
	const outside = q.rings.radius + 9;

	for (const a of q.arcs) {
		const angle = (a.a0 + a.a1) / 2;
		const [x, y] = polar(outside, angle);
		d.text(q.x + x, q.y + y, a.region.name, {
			colour: q.region(p, a.region.region),
			size: 12,
			bold: true,
			align: sideAlign(angle),
		});
	}
	levelLabels(d, p, q, q.rings);
}

/*
 * Draws the picture at a phase of the reference's movement; at 1 everything has arrived.
 */
export function drawDiff(
	d: Draw,
	p: Palette,
	q: DiffPicture,
	phase: number,
	tail: number,
): void {
	grounds(d, p, q);
	wedges(d, p, q);
	baseline(d, p, q, phase);
	links(d, p, q, phase);
	requests(d, p, q, Math.max(1, tail));
	marks(d, p, q, phase);
	labels(d, p, q);
}

/** The contents of the legend; counts are exact. */
export interface DiffWords {
	names: [a: string, b: string];
	unit: string; // "lines of 64 B", "bytes"
	totals: [same: number, a: number, b: number];
	served: [same: number, a: number, b: number] | null;
	levels: string[]; // memory last
	table: number[][]; // by level of A, then of B
	notes: string[];
}

/** Pixels that the words take at the left: in the upper and in the lower corner. */
export const LEGEND = 168;
const UPPER = 104;
export const NOTES = 34;

function lowerHeight(w: DiffWords): number {
	return 15 * w.levels.length + 24 + (w.served ? 32 : 0) + 40;
}

/** The largest circle that leaves the corners to the words, and `beside` to names. */
export function diffRoom(
	d: Draw,
	w: DiffWords,
	beside: number,
	above: number,
): { x: number; y: number; r: number } {
	const high = d.height - (w.notes.length ? NOTES : 0);
	const y = high / 2;
	const corners: Point[] = [
		[LEGEND, UPPER],
		[LEGEND, high - lowerHeight(w)],
	];
	let r = Math.max(60, Math.min(d.width / 2 - beside, high / 2 - above));
	const middle = () =>
		Math.max(d.width / 2, Math.min(d.width / 2 + 110, d.width - beside - r));

	while (r > 60 && corners.some(([cx, cy]) => Math.hypot(cx - middle(), cy - y) < r + 6))
		r -= 2;
	return { x: middle(), y, r };
}

/** The legend at the left, with counts. */
export function diffLegend(d: Draw, p: Palette, w: DiffWords, over: boolean): void {
	const hues = sideColours(p);
	const x = 12;
	const high = d.height - (w.notes.length ? NOTES : 0);
	let y = 16;
	const small = (text: string, at = x, colour = p.muted) =>
		d.text(at, y, text, { colour, size: 10 });

	if (over) {
		d.rect(0, 0, LEGEND, UPPER + 4, p.background, 0.85);
		d.rect(0, high - lowerHeight(w) - 6, LEGEND, lowerHeight(w) + 6, p.background, 0.85);
	}
	w.names.forEach((name, i) => {
		d.text(x, y, i ? "B" : "A", { colour: hues[i]!, size: 12, bold: true });
		d.clip(x + 16, y - 8, (over ? LEGEND : d.width / 2) - x - 18, 16, () =>
			d.text(x + 16, y, name, { colour: p.text, size: 11 }),
		);
		y += 16;
	});
	y += 4;
	small(w.unit);
	y += 15;
	const rows: [Colour, string, number][] = [
		[mix(p.background, p.muted, 0.4), "same level", w.totals[0]],
		[hues[0], "nearer in A", w.totals[1]],
		[hues[1], "nearer in B", w.totals[2]],
	];
	for (const [c, words, n] of rows) {
		d.path(circle(x + 5, y, 4.5), c);
		d.text(x + 16, y, words, { colour: p.text, size: 11 });
		d.text(LEGEND - 8, y, exact(n), {
			colour: p.text,
			size: 11,
			bold: true,
			align: "right",
		});
		y += 15;
	}
	y = matrix(d, p, w, x, high - lowerHeight(w) + 6);
	if (w.served) {
		const [same, a, b] = w.served;
		small(`last ${count(same + a + b)} references`);
		y += 14;
		const alike = `alike ${exact(same)}, nearer in `;
		small(alike);
		const at = x + d.measure(alike, { colour: 0, size: 10 });
		const first = `A ${exact(a)}`;
		d.text(at, y, first, { colour: hues[0], size: 10, bold: true });
		d.text(
			at + d.measure(first, { colour: 0, size: 10, bold: true }) + 6,
			y,
			`B ${exact(b)}`,
			{ colour: hues[1], size: 10, bold: true },
		);
		y += 18;
	}
	d.path(circle(x + 5, y, 4), p.muted);
	small("place in the nearer level", x + 16);
	y += 14;
	d.path(circle(x + 5, y, 3.5), p.muted, 1.2);
	small("place in the other one", x + 16);
	if (w.notes.length) notes(d, p, w.notes.join(" "));
}

/** Notes at the foot of the picture, in at most two lines. */
function notes(d: Draw, p: Palette, text: string): void {
	const style = { colour: p.muted, size: 10.5 };
	const rows = [""];

	for (const word of text.split(" ")) {
		const more = `${rows.at(-1)} ${word}`.trim();
		if (d.measure(more, style) < d.width - 24) rows[rows.length - 1] = more;
		else rows.push(word);
	}
	d.rect(0, d.height - NOTES, d.width, NOTES, p.background, 0.85);
	rows
		.slice(0, 2)
		.forEach((row, i) => d.text(12, d.height - NOTES + 11 + 14 * i, row, style));
}

/** The table of levels: those of A downwards, those of B to the right. */
function matrix(d: Draw, p: Palette, w: DiffWords, x: number, y: number): number {
	const hues = sideColours(p);
	const short = (name: string) => (name === "memory" ? "mem" : name);
	const n = w.levels.length;
	const left = x + 34;
	const cell = Math.min(40, (LEGEND - left - 4) / n);

	d.text(left - 30, y, "A \\ B", { colour: p.muted, size: 9 });
	w.levels.forEach((name, i) =>
		d.text(left + cell * (i + 0.5), y, short(name), {
			colour: p.muted,
			size: 9,
			align: "center",
		}),
	);
	y += 12;
	w.table.forEach((row, a) => {
		d.text(left - 6, y + 7, short(w.levels[a]!), {
			colour: p.muted,
			size: 9,
			align: "right",
		});
		row.forEach((v, b) => {
			const none = a === n - 1 && b === n - 1;
			const c = a === b ? p.muted : hues[a < b ? 0 : 1]!;
			const strong = a === b ? 0.14 : v ? 0.22 : 0.06;
			if (none) return;
			d.rect(left + cell * b, y, cell - 1, 14, mix(p.background, c, strong));
			d.text(left + cell * (b + 0.5), y + 7.5, v >= 100000 ? count(v) : exact(v), {
				colour: v ? p.text : p.muted,
				size: 10,
				align: "center",
			});
		});
		y += 15;
	});
	return y + 12;
}
