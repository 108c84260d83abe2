// Words around the rings: names of regions and levels, and the legend.
import type { Box } from "../../../model/box";
import { count, exact } from "../../../model/format";
import { polar, type Ring, type Rings } from "../model/rings";
import { linesOf } from "../model/ringsLines";
import { cutMiddle } from "../model/regionNames";
import type { Held } from "../state/cacheMoment";
import { names } from "../state/store";
import { levelColours, mix, type Palette } from "../../../draw/colours";
import type { Colour, Draw } from "../../../draw/draw";
import { glowColours, type Picture } from "./paint";

const OTHERS = "other memory";
const LEVEL = 32; // pixels of a level's words
const LINE = 13;
const NOTES = 3; // lines of notes that there is room for
export const CAPTION = 42;

/** The alignment of a region's name beside the ring at an angle. */
export function sideAlign(angle: number): "left" | "right" | "center" {
	const side = Math.sin(angle);

	return side > 0.25 ? "left" : side < -0.25 ? "right" : "center";
}

/** Names of levels on the edges of their rings. */
export function levelLabels(
	d: Draw,
	p: Palette,
	centre: { x: number; y: number },
	rings: Rings,
): void {
	for (const l of rings.rings) {
		const [x, y] = polar(l.r1, -Math.PI / 4);
		const [left, top] = [centre.x + x, centre.y + y];
		const style = { colour: p.text, size: 11, bold: true, align: "center" } as const;
		const w = d.measure(l.info.name, style) + 10;
		d.rect(left - w / 2, top - 8, w, 16, p.background, 0.92);
		d.frame(left - w / 2, top - 8, w, 16, p.grid);
		d.text(left, top, l.info.name, style);
	}
}

/** Names of regions outside, and of levels on the edges of their rings. */
export function labels(
	d: Draw,
	p: Palette,
	q: Picture,
	boxes: Box[], // places that are taken
	named: Set<number>, // regions whose names stand elsewhere
): void {
	const { rings, arcs, others } = q.place;
	const taken: Box[] = [...boxes];
	const name = (a0: number, a1: number, whole: string, colour: Colour) => {
		// in the middle of its arc, or as near to it as there is room
		for (let i = 0; i < 15; i++) {
			const away = (Math.ceil(i / 2) / 7) * (i % 2 ? 1 : -1);
			const angle = (a0 + a1) / 2 + (away * (a1 - a0)) / 2;
			const align = sideAlign(angle);
			const style = { colour, size: 12, bold: true, align } as const;
			const [x, y] = polar(rings.radius + 9, angle);
			// A name keeps both of its ends where the edge of the picture is near.
			const [before, after] = [q.x + x - 4, d.width - q.x - x - 4];
			const room = {
				left: after,
				center: 2 * Math.min(before, after),
				right: before,
			}[align];
			const text = cutMiddle(whole, room, (t) => d.measure(t, style));
			const w = d.measure(text, style);
			const left = q.x + x - { left: 0, center: w / 2, right: w }[align];
			for (let out = 0; out < 9; out++) {
				const top = q.y + y - 6 + out * (y < 0 ? -7 : 7);
				const box = { x: left, y: top, w, h: 12 };
				const hit = taken.some(
					(t) =>
						box.x < t.x + t.w + 4 &&
						t.x < box.x + w + 4 &&
						box.y < t.y + t.h + 1 &&
						t.y < box.y + 13,
				);
				if (hit) continue;
				taken.push(box);
				d.text(q.x + x, top + 6, text, style);
				return;
			}
		}
	};

	for (const [n, a] of arcs)
		if (!named.has(n)) name(a.a0, a.a1, names.region(n), q.colour(p, n));
	name(others[0], others[1], OTHERS, p.muted);
	levelLabels(d, p, q, rings);
}

/*
 * The lines that a level holds, and the lines that it has room for; `only`: of chosen
 * sets.
 */
export function heldOf(
	held: Held,
	l: Ring,
	only: Uint8Array | null = null,
): [held: number, of: number] {
	const { info } = l;
	const slots = info.instances * info.sets * info.ways;
	const lines = linesOf(held);
	let n = 0;
	let all = 0;

	if (info.group) {
		for (let i = 0; i < l.arms; i++) n += held.held[info.first + i]!;
		return [n, slots];
	}
	for (let i = 0; i < slots; i++) {
		if (only && !only[Math.floor(i / info.ways) % info.sets]) continue;
		all++;
		if (!lines.empty(info.first + i)) n++;
	}
	return [n, all];
}

function ofAll(n: number, of: number, what: string): string {
	return n === of ? `all ${exact(of)} ${what}` : `${exact(n)} of ${exact(of)} ${what}`;
}

function chosenCount(q: Picture): number {
	return q.chosen.filter((c) => c).length;
}

/** The places of the words, for everything beside them. */
export function wordBoxes(
	width: number,
	height: number,
	levels: number,
	filtered: number,
): Box[] {
	const below = CAPTION + 28 + LINE * (levels + 3 + NOTES);

	return [
		{ x: 0, y: 0, w: 152, h: 4 + LEVEL * levels + LINE * filtered },
		{ x: 0, y: height - below, w: 132, h: below },
		{ x: 0, y: height - CAPTION, w: width, h: CAPTION },
	];
}

/** The colours of a level's glow: cold if data are fetched, warm if they are used again. */
function glowKey(d: Draw, p: Palette, x: number, y: number): void {
	const small = { colour: p.muted, size: 10 };
	const [cold, warm] = glowColours(p);
	const steps = 12;
	const left = x + d.measure("glow: cold", small) + 5;

	d.text(x, y, "glow: cold", small);
	for (let i = 0; i <= steps; i++) {
		const at = (2 * i) / steps - 1;
		d.rect(left + 3 * i, y - 4, 3, 8, mix(p.panel, at < 0 ? cold : warm, Math.abs(at)));
	}
	d.text(left + 3 * (steps + 1) + 5, y, "warm", small);
}

/** The legend at the left. */
export function legend(
	d: Draw,
	p: Palette,
	q: Picture,
	over: boolean, // the rings lie behind the words
	notes: string[],
): void {
	const small = { colour: p.muted, size: 10 };
	const rings = q.place.rings.rings;
	const [above, below] = wordBoxes(d.width, d.height, rings.length, chosenCount(q));
	const x = 12;
	let y = 14;

	if (over)
		for (const b of [above!, below!])
			d.rect(b.x, b.y, b.w + 14, b.h + 10, p.background, 0.85);
	for (const l of rings) {
		const { info } = l;
		const grain = {
			element: "a glyph: an element",
			line: `a glyph: a line of ${info.line} B`,
			sets: `a wedge: ${info.group === 1 ? "a set" : `${info.group} sets`}`,
		}[l.grain];
		d.text(x, y, info.name, { colour: p.text, size: 11, bold: true });
		d.text(x + 22, y, ofAll(...heldOf(q.held, l), "lines"), { colour: p.text, size: 10 });
		d.text(x, y + LINE, grain, small);
		const chosen = q.chosen[l.level];
		if (chosen) {
			const sets = chosen.reduce((n, v) => n + v, 0);
			const [n] = heldOf(q.held, l, chosen);
			const lines = info.group ? "" : `: ${exact(n)} lines`;
			d.text(x, y + 2 * LINE, `${exact(sets)} of ${exact(info.sets)} sets${lines}`, {
				colour: p.text,
				size: 10,
				bold: true,
			});
			y += LINE;
		}
		y += LEVEL;
	}
	const colours = levelColours(p, q.levels);
	const keys: [Colour, number, string][] = [
		...rings
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
	y = d.height - CAPTION - 20 - LINE * (keys.length + 1 + notes.length);
	d.text(
		x,
		y,
		q.tail === 1 ? "this reference" : `last ${count(q.tail)} references`,
		small,
	);
	keys.forEach(([c, thick, words], i) => {
		d.line(x, y + LINE * (i + 1), x + 14, y + LINE * (i + 1), c, thick);
		d.text(x + 19, y + LINE * (i + 1), words, small);
	});
	glowKey(d, p, x, y + LINE * (keys.length + 1));
	notes.forEach((text, i) => d.text(x, y + LINE * (keys.length + 2 + i), text, small));
}
