// Parts of the timeline that draw themselves: shares of levels, phases, threads, gaps, axis.
import type { Palette } from "../../../draw/colours";
import type { Colour, Draw } from "../../../draw/draw";
import { bands, sharesOf } from "../model/bands";
import { sum } from "../model/cost";
import { count, exact, tick } from "../../../model/format";
import type { RangeSums } from "../model/range";
import { warmth } from "../model/temperature";
import { ticks } from "../../../model/ticks";
import type { Window } from "../../../model/types";
import type { Phase, Spans, Trace } from "../model/types";
import type { Shown } from "./tiles";

/** The scale from positions of the run to pixels. */
export class Scale {
	constructor(
		readonly window: Window,
		readonly width: number,
	) {}

	x(time: number): number {
		const w = this.window;
		return ((time - w.from) / Math.max(1, w.to - w.from)) * this.width;
	}

	time(x: number): number {
		const w = this.window;
		return w.from + (x / this.width) * (w.to - w.from);
	}
}

const GAP_FROM = 6; // pixels from which on cells stand apart
const FAINT = 0.22; // opacity of references that are not selected
const PALE = 0.5; // opacity of references that are not pre-selected

/** Calls `then` for each cell within a window, with its pixels. */
export function eachCell(
	a: Spans,
	w: Window,
	s: Scale,
	then: (i: number, x: number, width: number) => void,
): void {
	const [from, to] = [
		Math.max(a.from, w.from, Math.floor(s.window.from)),
		Math.min(a.to, w.to, Math.ceil(s.window.to)),
	];
	const last = Math.min(a.cells - 1, Math.floor((to - 1 - a.first) / a.width));

	if (to <= from) return;
	for (let i = Math.max(0, Math.floor((from - a.first) / a.width)); i <= last; i++) {
		const at = a.first + i * a.width;
		const x0 = s.x(Math.max(from, at));
		const x1 = s.x(Math.min(to, at + a.width));
		then(i, x0, x1 - x0 >= GAP_FROM ? x1 - x0 - 1 : x1 - x0);
	}
}

export interface ShareStyle {
	colours: Colour[];
	first: number | null; // as in sharesOf()
	top: number;
	height: number;
	level?: number; // this serving level stands out, from 0
	base?: number; // the share at the foot, if not 0
}

/*
 * L1 at the bottom, memory on top, each as a share of the cell. The lower part of each
 * band, in full colour, is selected. A band that is not empty is never thinner than a
 * pixel; the farther level wins the pixel.
 */
export function drawShares(d: Draw, shown: Shown, s: Scale, style: ShareStyle): void {
	const { colours, first, top, height, level, base = 0 } = style;
	const above = (end: number) => Math.max(0, end - base) / (1 - base);
	const a = shown.cells;
	const shares = sharesOf(a, first);
	const ends = new Float64Array(shares.parts);
	const parts = new Float64Array(shares.parts);

	eachCell(a, shown.window, s, (i, x, width) => {
		if (!bands(shares, i, ends, parts)) return;
		for (let l = 0, low = 0; l < shares.parts; low = ends[l++]!) {
			const h = (above(ends[l]!) - above(low)) * height;
			const y = top + height - above(ends[l]!) * height;
			const part = level !== undefined && level !== l ? 0 : parts[l]!;
			if (!(h > 0)) continue;
			if (part < 1) d.splat(x, y, width, h, colours[l]!, a.selected ? FAINT : PALE);
			if (part > 0) d.splat(x, y + h * (1 - part), width, h * part, colours[l]!);
		}
	});
}

/** Shares beside the chart, from top to bottom: their height and words. */
export function shareTicks(style: ShareStyle): { y: number; share: number }[] {
	const { top, height, base = 0 } = style;
	const shares = height < 48 ? [1, base] : [1, (1 + base) / 2, base];

	return shares.map((share) => ({
		share,
		y: top + (height * (1 - share)) / (1 - base),
	}));
}

export function shareText(share: number): string {
	return `${Number((100 * share).toFixed(2))} %`;
}

/*
 * Shares on the left edge of the chart, for an exported picture; a chart that does not begin
 * at 0 says so at its foot.
 */
export function drawShareAxis(d: Draw, p: Palette, style: ShareStyle, of: string): void {
	const { top, height, base = 0 } = style;
	const words = { colour: p.text, size: 10 };

	for (const { y, share } of shareTicks(style)) {
		const more =
			share === 1 ? ` of the ${of}` : share === base && base ? ", the rest is below" : "";
		const text = `${shareText(share)}${more}`;
		const middle = Math.max(top + 7, Math.min(top + height - 7, y));
		d.rect(0, y - 0.5, 5, 1, p.text);
		d.rect(6, middle - 7, d.measure(text, words) + 6, 14, p.background, 0.82);
		d.text(9, middle, text, words);
	}
}

/** References that are wide enough to be seen: read or write, at the foot of each. */
export function drawKinds(
	d: Draw,
	p: Palette,
	s: Scale,
	chunks: { from: number; count: number; what: ArrayLike<number> }[],
	bottom: number,
): void {
	const colours = [p.read, p.write, p.fetch];

	for (const { from, count, what } of chunks)
		eachCell(
			{ from, to: from + count, first: from, width: 1, cells: count, levels: 0 },
			s.window,
			s,
			(i, x, width) => {
				d.splat(x, bottom - 5, width, 5, p.background);
				d.splat(x, bottom - 4, width, 4, colours[what[i]! >> 14]!);
			},
		);
}

/** A lane that is as dark as the selection's share of the cell. */
export function drawLane(
	d: Draw,
	shown: Shown,
	s: Scale,
	y: number,
	h: number,
	colour: Colour,
): void {
	const a = shown.cells;
	const total = (counts: Float64Array, i: number) =>
		sum(counts.subarray(i * a.levels, (i + 1) * a.levels));

	if (!a.selected) return;
	eachCell(a, shown.window, s, (i, x, width) => {
		const part = total(a.selected!, i) / Math.max(1, total(a.served, i));
		if (part > 0) d.splat(x, y, width, h, colour, 0.15 + 0.85 * Math.min(1, part));
	});
}

const PHASE = 13; // height of a row of phases
const DEPTHS = 3;

/** Rows of phases: one for each depth of nesting; the innermost of many are left out. */
export function phaseRows(t: Trace | null): number {
	let rows = 0;

	for (const p of t?.phases ?? []) rows = Math.max(rows, Math.min(DEPTHS, p.depth + 1));
	return rows;
}

export function phasesHeight(t: Trace | null): number {
	return phaseRows(t) * PHASE;
}

/** The innermost shown phase at a time, or the phase in a row. */
export function phaseAt(t: Trace | null, time: number, row = DEPTHS): Phase | undefined {
	let found: Phase | undefined;

	for (const p of t?.phases ?? [])
		if (
			p.from <= time &&
			time < p.to &&
			(row < DEPTHS ? p.depth === row : p.depth < DEPTHS) &&
			(!found || p.depth >= found.depth)
		)
			found = p;
	return found;
}

export function phaseRowAt(y: number): number {
	return Math.floor(y / PHASE);
}

/** Names of phases from `top` on, their beginnings and ends as lines down to `bottom`. */
export function drawPhases(
	d: Draw,
	p: Palette,
	s: Scale,
	t: Trace | null,
	top: number,
	bottom: number,
): void {
	const style = { colour: p.text, size: 10 };

	for (const phase of t?.phases ?? []) {
		const [x0, x1] = [Math.max(0, s.x(phase.from)), Math.min(s.width, s.x(phase.to))];
		const y = top + phase.depth * PHASE;
		const w = Math.max(1, x1 - x0 - 1);

		if (phase.depth >= DEPTHS || x1 < 0 || x0 > s.width || x1 <= x0) continue;
		d.rect(x0, y, w, PHASE - 2, p.grid);
		if (phase.depth === 0 && s.x(phase.from) >= 0)
			d.line(x0 + 0.5, y, x0 + 0.5, bottom, p.text, 1, 0.55);
		if (phase.depth === 0 && s.x(phase.to) <= s.width)
			d.line(x1 - 0.5, y, x1 - 0.5, bottom, p.text, 1, 0.3);
		if (w > 24)
			d.clip(x0, y, w - 2, PHASE - 2, () =>
				d.text(x0 + 5, y + PHASE / 2 - 0.5, phase.name, style),
			);
	}
}

/** Gaps, where references are missing, and marks of the program. */
export function drawMarks(
	d: Draw,
	p: Palette,
	s: Scale,
	t: Trace | null,
	top: number,
	bottom: number,
): void {
	for (const m of t?.marks ?? []) {
		const x = s.x(m.time);
		if (x < 0 || x > s.width) continue;
		d.path([x - 3.5, top, x + 3.5, top, x, top + 5], p.text);
		d.line(x, top, x, bottom, p.text, 1, 0.35);
	}
	for (const g of t?.gaps ?? []) {
		const x = s.x(g.time);
		if (x < 0 || x > s.width) continue;
		// A torn edge: nothing else on the timeline is jagged.
		const points: number[] = [];
		for (let y = top, i = 0; y <= bottom; y += 4, i++)
			points.push(x + (i % 2 ? 2 : -2), y);
		d.path(points, p.background, 5);
		d.path(points, p.text, 1.5);
	}
}

/** Gap or mark within a few pixels of x, in words. */
export function markAt(s: Scale, t: Trace | null, x: number): string | undefined {
	const near = (time: number) => Math.abs(s.x(time) - x) < 5;
	const gap = t?.gaps.find((g) => near(g.time));
	const mark = t?.marks.find((m) => near(m.time));

	if (gap)
		return `gap: ${gap.count ? `${tick(gap.count)} references are` : "something is"} missing${gap.reason ? ` (${gap.reason})` : ""}`;
	return mark ? `mark: ${mark.name}` : undefined;
}

export function drawAxis(d: Draw, p: Palette, s: Scale, y: number): void {
	const style = { colour: p.muted, size: 10, align: "center" as const };
	const all = ticks(s.window.from, s.window.to, s.width / 110, 1);
	// If neighbours would have the same short number, all digits are shown.
	const names = all.map(tick);
	const unlike = new Set(names).size === names.length;

	for (const [i, t] of all.entries()) {
		const x = s.x(t);
		const text = unlike ? names[i]! : exact(t);
		const half = d.measure(text, style) / 2;

		d.line(x, y, x, y + 3, p.muted);
		d.text(Math.max(half + 1, Math.min(s.width - half - 1, x)), y + 10, text, style);
	}
}

/** Where the parts of the window begin, from top to bottom. */
export interface Layout {
	phases: number;
	chart: number;
	chartEnd: number;
	axis: number;
}

/** Temperatures of the levels (see lib/analyse/passes/temperature.h) around the line of zero. */
export function drawHeat(
	d: Draw,
	p: Palette,
	s: Scale,
	a: (Spans & { temperature: Float32Array }) | null,
	colours: Colour[],
	top: number,
	h: number,
): void {
	const y = (t: number) => top + h - 2 - warmth(t) * (h - 4);

	d.rect(0, top, d.width, h, p.empty);
	d.line(0, y(0), d.width, y(0), p.muted, 1, 0.4);
	if (!a) return;
	const levels = a.levels - 1; // memory has none
	for (let l = 0; l < levels; l++) {
		const points: number[] = [];
		eachCell(a, s.window, s, (i, x, width) =>
			points.push(x + width / 2, y(a.temperature[i * levels + l]!)),
		);
		d.path(points, p.empty, 4, 0.8);
		d.path(points, colours[l]!, 1.75);
	}
	const words = { colour: p.text, size: 10 };
	for (const [text, at] of [
		["warm: data are used again", top + 7],
		["cold: data are fetched", top + h - 7],
	] as const) {
		d.rect(4, at - 7, d.measure(text, words) + 8, 14, p.background);
		d.text(8, at, text, words);
	}
}

/** The whole run, faint outside of the window, with handles at the window's ends. */
export function drawStrip(
	d: Draw,
	p: Palette,
	s: Scale,
	whole: Shown[],
	w: Window,
	style: ShareStyle,
): void {
	const h = style.height;
	const [x0, x1] = [s.x(w.from), Math.max(s.x(w.from) + 2, s.x(w.to))];

	d.rect(0, 0, d.width, h, p.empty);
	for (const shown of whole) drawShares(d, shown, s, style);
	d.rect(0, 0, x0, h, p.background, 0.65);
	d.rect(x1, 0, d.width - x1, h, p.background, 0.65);
	if (x1 - x0 < d.width) d.frame(x0, 0, x1 - x0, h, p.text, 1, 0.8);
	for (const x of [Math.max(2, x0), Math.min(d.width - 2, x1)]) {
		d.rect(x - 3, 0, 6, h, p.background);
		d.rect(x - 2, 0, 4, h, p.text);
	}
}

export function drawCursor(
	d: Draw,
	p: Palette,
	s: Scale,
	cursor: number,
	at: Layout,
): void {
	const w = s.window;

	if (cursor < w.from || cursor >= w.to) {
		// The cursor is outside the window: an arrow shows on which side.
		const [x, by] = cursor < w.from ? [2, 8] : [d.width - 2, -8];
		const y = (at.chart + at.chartEnd) / 2;
		d.path([x, y, x + by, y - 6, x + by, y + 6, x, y], p.background, 4);
		d.path([x, y, x + by, y - 6, x + by, y + 6], p.cursor);
		return;
	}
	const x = s.x(cursor);
	const width = s.x(cursor + 1) - x;
	const wide = width >= 4;
	// A reference that is wide enough has a frame.
	if (wide) d.frame(x - 1, at.chart, width + 1, at.chartEnd - at.chart, p.cursor, 2);
	else {
		d.line(x, at.phases, x, at.axis + 3, p.background, 4, 0.6);
		d.line(x, at.phases, x, at.axis + 3, p.cursor, 2);
	}
	const middle = wide ? x + width / 2 : x;
	const y = at.axis;
	const flag = [middle - 5, y + 5, middle + 5, y + 5, middle, y - 1];
	d.path([...flag, flag[0]!, flag[1]!], p.background, 3);
	d.path(flag, p.cursor);
}

/** A range in a line: its length and, if they are known, its misses and cycles. */
function rangeWords(r: Window, s: RangeSums | null): string {
	const missed = s?.levels.map((l) => `${count(l.missed)} miss ${l.name}`) ?? [];

	return [
		`${exact(r.to - r.from)} references`,
		...missed,
		...(s ? [`${count(s.waiting)} cycles waiting`] : []),
	].join(" · ");
}

/** The chosen range: all else is paler, and a line says what it adds up to. */
export function drawRange(
	d: Draw,
	p: Palette,
	s: Scale,
	r: Window,
	top: number,
	bottom: number,
	sums: RangeSums | null,
): void {
	const [x0, x1] = [Math.max(0, s.x(r.from)), Math.min(d.width, s.x(r.to))];

	if (x1 <= x0) return;
	d.rect(0, top, x0, bottom - top, p.background, 0.55);
	d.rect(x1, top, d.width - x1, bottom - top, p.background, 0.55);
	for (const x of [x0, x1]) d.rect(x - 1, top, 2, bottom - top, p.text);
	labelOver(d, p, (x0 + x1) / 2, top + 4, rangeWords(r, sums));
}

/** A line of words on the chart, wholly inside the picture. */
function labelOver(d: Draw, p: Palette, x: number, top: number, text: string): void {
	const style = { colour: p.text, bold: true, align: "center" as const };
	const half = d.measure(text, style) / 2 + 6;
	const middle = Math.max(half, Math.min(d.width - half, x));

	d.rect(middle - half, top, half * 2, 16, p.background, 0.9);
	d.text(middle, top + 8, text, style);
}

/** The window that is being drawn, and how long it is. */
export function drawBrush(
	d: Draw,
	p: Palette,
	s: Scale,
	w: Window,
	top: number,
	bottom: number,
): void {
	const [x0, x1] = [Math.max(0, s.x(w.from)), Math.min(d.width, s.x(w.to))];

	d.rect(x0, top, x1 - x0, bottom - top, p.cursor, 0.22);
	d.frame(x0, top, x1 - x0, bottom - top, p.cursor, 1);
	labelOver(d, p, (x0 + x1) / 2, top + 4, `${exact(w.to - w.from)} references`);
}

const TICKS_APART = 3; // pixels

/** Where the chosen cycle turns: a line on top of the chart, and a tick for each turn. */
export function drawTurns(
	d: Draw,
	p: Palette,
	s: Scale,
	turns: { from: number; to: number; turns: number; ticks: number[] } | null,
	y: number,
): void {
	if (!turns) return;
	const [x0, x1] = [Math.max(0, s.x(turns.from)), Math.min(s.width, s.x(turns.to))];
	if (x1 <= x0) return;
	d.rect(x0, y, x1 - x0, 3, p.cursor);
	if (turns.ticks.length && (x1 - x0) / turns.ticks.length >= TICKS_APART)
		for (const t of turns.ticks) d.rect(s.x(t) - 0.5, y, 1, 9, p.cursor);
}
