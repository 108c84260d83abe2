// Curves of members over common time, with envelopes, the mean across members, labels at
// their ends, milestones, volume circles and the whole run below.
import type { Palette } from "../../../draw/colours";
import type { Colour, Draw } from "../../../draw/draw";
import {
	knotTime,
	type Curves,
	type Ensemble,
	type Matching,
	type Member,
} from "../model/ensemble";
import {
	cellTime,
	circles,
	outline,
	padded,
	points,
	rangeOf,
	spreadLabels,
	usualRange,
	xOf,
	yOf,
	type Box,
	type Circle,
	type Range,
} from "../model/graph";
import type { Window } from "../../../model/types";
import {
	colourOf,
	cut,
	drawValues,
	rowOf,
	traceColour,
	valueText,
	type Plane,
} from "./scene";

/** With more members than this, only the selected ones have envelopes. */
const ENVELOPES = 16;
/** Up to this many curves are drawn with thick lines. */
const FEW = 12;
/*
 * Up to this many members, a curve shows the span of its moving average within each cell.
 */
const EXTREMES = 32;
const LABEL = 13; // height of a label
const EARLY = 24; // a curve that ends this many pixels before the plot has its label beside its end
const FAR = 60; // pixels that a label may stand away from its curve
const FAINT = 0.22;

/** Thickness and opacity of one of n curves. */
function stroke(n: number): { thick: number; alpha: number } {
	if (n <= FEW) return { thick: 1.9, alpha: 1 };
	if (n <= 48) return { thick: 1.5, alpha: 0.9 };
	return { thick: 1.2, alpha: n <= 120 ? 0.75 : 0.6 };
}

export interface Look {
	e: Ensemble;
	shown: Member[];
	pinned: number[];
	envelope: boolean;
	across: boolean;
	difference: boolean;
	peaks: boolean; // rare peaks are shown, and the rest becomes flat
}

/** The range of all means, and the range that is drawn, which includes envelopes. */
export function rangeFor(c: Curves, look: Look): { range: Range; whole: Range } {
	const whole = rangeOf(c.mean, c.cells, c.members.keys());
	const fit = (values: Float32Array, r: Range) =>
		look.peaks ? r : usualRange(values, r);
	const r = { ...fit(c.mean, whole) };

	if (look.envelope) {
		const rows = envelopeRows(c, look);
		const all = new Float32Array(2 * c.cells * rows.length);
		rows.forEach((row, k) => {
			for (let i = 0; i < c.cells; i++) {
				const [m, s] = [c.mean[row * c.cells + i]!, c.deviation[row * c.cells + i]!];
				all[2 * k * c.cells + i] = m + s;
				all[(2 * k + 1) * c.cells + i] = Math.max(m - s, look.difference ? -Infinity : 0);
			}
		});
		const f = fit(all, rangeOf(all, c.cells, [...rows, ...rows].keys()));
		r.low = Math.min(r.low, f.low);
		r.high = Math.max(r.high, f.high);
	}
	return { range: padded(r, look.difference), whole };
}

/** Marks places where curves go on beyond the plot. */
export function drawCut(
	d: Draw,
	p: Palette,
	plane: Plane,
	whole: Range,
	unit: string,
): void {
	const { box, range } = plane;
	const style = { colour: p.muted, size: 10, align: "right" as const };

	if (whole.high > range.high)
		d.text(
			box.x + box.w - 4,
			box.y + 7,
			`▲ peaks up to ${valueText(whole.high, unit)}`,
			style,
		);
	if (whole.low < range.low)
		d.text(
			box.x + box.w - 4,
			box.y + box.h - 8,
			`▼ down to ${valueText(whole.low, unit)}`,
			style,
		);
}

function envelopeRows(c: Curves, look: Look): number[] {
	const all = [...c.members.keys()];

	return all.length <= ENVELOPES
		? all
		: all.filter((row) => look.pinned.includes(c.members[row]!));
}

/** Mean plus and minus a deviation, as points of the box. */
function band(
	mean: Float32Array,
	by: Float32Array,
	row: number,
	c: Curves,
	plane: Plane,
	floor: number,
): number[] {
	const [up, down] = [new Float32Array(c.cells), new Float32Array(c.cells)];

	for (let i = 0; i < c.cells; i++) {
		const at = row * c.cells + i;
		up[i] = mean[at]! + by[at]!;
		down[i] = Math.max(floor, mean[at]! - by[at]!);
	}
	const on = (v: Float32Array) => points(v, 0, c, plane.window, plane.range, plane.box);
	return outline(on(up), on(down));
}

/** All curves of an answer; those that are selected stand out. */
export function drawCurves(
	d: Draw,
	p: Palette,
	c: Curves,
	plane: Plane,
	look: Look,
): void {
	const { thick, alpha } = stroke(c.members.length);
	const by = new Map(look.e.members.map((m) => [m.member, m]));
	const some = look.pinned.some((m) => c.members.includes(m));
	const floor = look.difference ? -Infinity : 0;

	if (look.envelope)
		for (const row of envelopeRows(c, look)) {
			const m = by.get(c.members[row]!);
			if (!m || (some && !look.pinned.includes(m.member))) continue;
			d.path(
				band(c.mean, c.deviation, row, c, plane, floor),
				colourOf(look.e, p, m),
				undefined,
				c.members.length > 6 && !some ? 0.1 : 0.16,
			);
		}
	if (c.members.length <= EXTREMES && !look.across)
		c.members.forEach((n, row) => {
			const m = by.get(n);
			if (m && (!some || look.pinned.includes(n)))
				drawExtremes(d, c, row, plane, colourOf(look.e, p, m));
		});
	c.members.forEach((n, row) => {
		const m = by.get(n);
		const quiet = look.across || (some && !look.pinned.includes(n));
		if (m && !look.pinned.includes(n))
			curve(
				d,
				c,
				row,
				plane,
				colourOf(look.e, p, m),
				thick,
				!quiet ? alpha : look.across && !some ? 2 * FAINT : FAINT,
			);
	});
	if (look.across) drawAcross(d, p, c, plane, floor);
	for (const n of look.pinned) {
		const [row, m] = [rowOf(c, n), by.get(n)];
		if (row < 0 || !m) continue;
		curve(d, c, row, plane, p.background, 5.5, 0.9);
		curve(d, c, row, plane, colourOf(look.e, p, m), 2.8, 1);
	}
}

function curve(
	d: Draw,
	c: Curves,
	row: number,
	plane: Plane,
	colour: Colour,
	thick: number,
	alpha: number,
): void {
	d.curve(
		points(c.mean, row, c, plane.window, plane.range, plane.box),
		colour,
		thick,
		alpha,
	);
}

/** The span of the moving average within each cell, if it is large enough to be seen. */
function drawExtremes(
	d: Draw,
	c: Curves,
	row: number,
	plane: Plane,
	colour: Colour,
): void {
	const pixel = (plane.range.high - plane.range.low) / Math.max(1, plane.box.h);
	const on = (v: Float32Array) => points(v, row, c, plane.window, plane.range, plane.box);
	let max = 0;

	for (let i = row * c.cells, end = i + c.cells; i < end; i++)
		if (c.high[i]! - c.low[i]! > max) max = c.high[i]! - c.low[i]!;
	if (max > 2 * pixel) d.path(outline(on(c.high), on(c.low)), colour, undefined, 0.28);
}

/** One curve over all others: the one under the pointer. */
export function drawOne(
	d: Draw,
	p: Palette,
	c: Curves,
	row: number,
	plane: Plane,
	colour: Colour,
): void {
	curve(d, c, row, plane, p.background, 6, 0.85);
	curve(d, c, row, plane, colour, 3, 1);
}

/** Mean across members with its deviation. */
function drawAcross(d: Draw, p: Palette, c: Curves, plane: Plane, floor: number): void {
	d.path(band(c.average, c.spread, 0, c, plane, floor), p.text, undefined, 0.13);
	d.curve(
		points(c.average, 0, c, plane.window, plane.range, plane.box),
		p.background,
		5,
		0.8,
	);
	d.curve(points(c.average, 0, c, plane.window, plane.range, plane.box), p.text, 2.4, 1);
}

/** The deviation across members as a chart of its own (figure 7.7, below). */
export function drawSpread(
	d: Draw,
	p: Palette,
	c: Curves,
	window: Window,
	box: Box,
	unit: string,
): void {
	const r = padded(usualRange(c.spread, rangeOf(c.spread, c.cells, [0])), false);
	const range = { low: 0, high: r.high * 1.35 }; // room for the words
	const line = points(c.spread, 0, c, window, range, box);
	const floor = line.map((v, i) => (i % 2 ? yOf(0, range, box) : v));

	drawValues(d, p, box, range, unit, 2);
	d.clip(box.x, box.y - 2, box.w, box.h + 3, () => {
		d.path(outline(line, floor), p.text, undefined, 0.14);
		d.curve(line, p.text, 1.8, 1);
	});
	d.text(box.x + 6, box.y + 8, "deviation across members", {
		colour: p.muted,
		size: 11,
	});
}

export interface EndLabel {
	member: number;
	text: string;
	x: number;
	y: number;
	from: number; // y of the curve's end
	inside: boolean; // the curve ends before the plot does
	colour: Colour;
}

/*
 * The height of a curve's end: the median of its last cells, because the very last ones
 * may jump.
 */
function endOf(c: Curves, row: number): { cell: number; value: number } | null {
	const list: number[] = [];
	const max = Math.max(1, Math.round(c.cells * 0.03));
	let cell = -1;

	for (let i = c.cells - 1; i >= 0 && list.length < max; i--) {
		const v = c.mean[row * c.cells + i]!;
		if (v !== v) continue;
		list.push(v);
		cell = Math.max(cell, i);
	}
	return cell < 0 ? null : { cell, value: list.sort((a, b) => a - b)[list.length >> 1]! };
}

/*
 * The members that get a label: all if they fit, otherwise the selected ones and the
 * extremes.
 */
export function endLabels(
	d: Draw,
	p: Palette,
	c: Curves,
	plane: Plane,
	look: Look,
	width: number,
): EndLabel[] {
	const max = Math.floor(plane.box.h / LABEL);
	const by = new Map(look.e.members.map((m) => [m.member, m]));
	const right = plane.box.x + plane.box.w;
	const all = c.members.flatMap((n, row) => {
		const m = by.get(n);
		const end = m ? endOf(c, row) : null;
		if (!m || !end) return [];
		const [top, bottom] = [plane.box.y, plane.box.y + plane.box.h];
		const y = Math.max(top, Math.min(bottom, yOf(end.value, plane.range, plane.box)));
		const x = xOf(cellTime(c, end.cell), plane.window, plane.box);
		return [{ m, y, x: Math.min(x, right), inside: x < right - EARLY }];
	});
	const ends = all.filter((x) => !x.inside);
	let list = ends;

	if (ends.length > max) {
		const sorted = [...ends].sort((a, b) => a.y - b.y);
		list = ends.filter(
			(x) => look.pinned.includes(x.m.member) || x === sorted[0] || x === sorted.at(-1),
		);
	}
	let places: number[] = [];
	// Labels far from their curves do not help: half of them go.
	for (;;) {
		places = spreadLabels(
			list.map((x) => x.y),
			LABEL,
			plane.box.y + LABEL / 2,
			plane.box.y + plane.box.h - LABEL / 2,
		);
		const far = list.some((x, i) => Math.abs(places[i]! - x.y) > FAR);
		if (!far || list.length <= 8) break;
		const order = [...list].sort((a, b) => a.y - b.y);
		list = list.filter(
			(x) => look.pinned.includes(x.m.member) || order.indexOf(x) % 2 === 0,
		);
		if (list.length === order.length) break;
	}
	const early = all.filter((x) => x.inside).slice(0, FEW);
	return [...list, ...early].map((x, i) => ({
		member: x.m.member,
		text: cut(d, x.m.label, width),
		x: x.inside ? x.x : right,
		y: places[i] ?? x.y,
		from: x.y,
		inside: x.inside,
		colour: colourOf(look.e, p, x.m),
	}));
}

export function drawEndLabels(
	d: Draw,
	p: Palette,
	labels: EndLabel[],
	pinned: number[],
): void {
	for (const l of labels) {
		const quiet = pinned.length > 0 && !pinned.includes(l.member);
		const alpha = quiet ? 0.45 : 1;
		if (!l.inside) {
			const to = Math.abs(l.y - l.from) > 1 ? l.from : l.y;
			d.line(l.x + 1, to, l.x + 9, l.y, l.colour, 1, 0.6 * alpha);
		}
		d.text(l.x + (l.inside ? 6 : 12), l.y, l.text, {
			colour: quiet ? p.muted : l.colour,
			size: 11,
			bold: pinned.includes(l.member),
			alpha,
		});
	}
}

const APART = 12; // pixels from one milestone line to the next
const NAMED = 90; // pixels of the name of a milestone

/** A line at each milestone (figure 7.3). */
export function drawMilestones(d: Draw, p: Palette, m: Matching, plane: Plane): void {
	const { box, window } = plane;
	let [last, named, before] = [-Infinity, -Infinity, ""];

	for (let i = 0; i < m.knots.length; i++) {
		const x = Math.round(xOf(knotTime(m, i), window, box)) + 0.5;
		const [, name = "", nth = ""] = m.names[i]?.match(/^(.*?)(?:, (\d+))?$/) ?? [];
		if (x < box.x - 1 || x > box.x + box.w + 1 || x - last < APART) continue;
		last = x;
		d.line(x, box.y, x, box.y + box.h, p.muted, 1, 0.32);
		// The name once, then its count: "mark sweep", 2, 3, ...
		const text = nth && name === before ? nth : cut(d, m.names[i] ?? "", NAMED, 10);
		const style = { colour: p.muted, size: 10 };
		if (x < named || x > box.x + box.w - 20) continue;
		before = name;
		named = x + d.measure(text, style) + 10;
		d.text(x + 4, box.y + 7, text, style);
	}
}

export const VOLUME_ROW = 22;

/** A circle for each trace and stretch: its area is the trace's references there. */
export function drawVolumes(
	d: Draw,
	p: Palette,
	e: Ensemble,
	m: Matching,
	plane: Plane,
	top: number,
): { circle: Circle; y: number; r: number }[] {
	const list = circles(m, plane.window, plane.box, VOLUME_ROW + 2);
	const max = Math.max(1, ...list.map((c) => c.references));
	const out = list.map((circle) => ({
		circle,
		y: top + (circle.trace + 0.5) * VOLUME_ROW,
		r: Math.max(0.8, (VOLUME_ROW / 2 - 0.5) * Math.sqrt(circle.references / max)),
	}));

	for (const t of e.traces) {
		const y = top + (t.trace + 0.5) * VOLUME_ROW;
		d.text(plane.box.x - 8, y, cut(d, t.label, plane.box.x - 12), {
			colour: traceColour(e, p, t.trace),
			size: 11,
			align: "right",
		});
		d.line(plane.box.x, y, plane.box.x + plane.box.w, y, p.grid);
	}
	for (const c of out)
		if (c.circle.references > 0)
			d.arc(
				c.circle.x,
				c.y,
				0,
				c.r,
				0,
				2 * Math.PI,
				traceColour(e, p, c.circle.trace),
				0.85,
			);
	return out;
}

/** The whole run in small, with the window between its handles. */
export function drawContext(
	d: Draw,
	p: Palette,
	c: Curves | null,
	look: Look,
	box: Box,
	end: number,
	focus: Window | null,
	key: string, // changes with everything that the curves depend on
): void {
	const window = { from: 0, to: end };

	d.rect(box.x, box.y, box.w, box.h, p.panel);
	// Hundreds of curves that stay while the window moves over them.
	if (c)
		d.layer("context", key, () =>
			d.clip(box.x, box.y, box.w, box.h, () => {
				const whole = rangeOf(c.mean, c.cells, c.members.keys());
				const range = padded(usualRange(c.mean, whole), look.difference);
				const by = new Map(look.e.members.map((m) => [m.member, m]));
				const alpha = c.members.length > 40 ? 0.35 : 0.7;
				c.members.forEach((n, row) => {
					const m = by.get(n);
					if (m)
						curve(d, c, row, { box, window, range }, colourOf(look.e, p, m), 1, alpha);
				});
			}),
		);
	const [a, b] = focus
		? [xOf(focus.from, window, box), xOf(focus.to, window, box)]
		: [box.x, box.x + box.w];
	if (focus) {
		d.rect(box.x, box.y, Math.max(0, a - box.x), box.h, p.background, 0.72);
		d.rect(b, box.y, Math.max(0, box.x + box.w - b), box.h, p.background, 0.72);
	}
	d.frame(box.x, box.y, box.w, box.h, p.grid);
	d.frame(
		a,
		box.y,
		Math.max(2, b - a),
		box.h,
		p.cursor,
		focus ? 1.5 : 1,
		focus ? 1 : 0.5,
	);
	for (const x of [a, b]) d.rect(x - 2, box.y + box.h / 2 - 9, 4, 18, p.cursor);
}
