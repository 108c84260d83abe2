// Draws the marks of a figure's panel: each kind maps its values to pixels.
import type { Box } from "../model/box";
import { density, outline, points, type Cells, type Range } from "../model/cells";
import {
	axisOf,
	column,
	matrix,
	NO_MEMBER,
	shareOn,
	type Figure,
	type FigureAxis,
	type FigureMark,
} from "../model/figure";
import type { Window } from "../model/types";
import type { Palette } from "./colours";
import { rgba, type Colour, type Draw } from "./draw";
import { heatColour, readableOn, roleColour } from "./roles";

/** A place in the picture, and the member there. */
export interface Spot {
	x: number;
	y: number;
	w: number; // 0: a point
	h: number;
	member: number;
}

/** A circle, and the row of the figure that it stands for. */
export interface Disc {
	x: number;
	y: number;
	r: number;
	row: number;
	axis: string; // the word of its band
}

/** A panel in its frame: what maps values to pixels. */
export interface PanelFrame extends Box {
	panel: number;
	small: boolean; // one of a grid
	titled: boolean; // there is room for a title
	window: Window; // x axis
	range: Range; // y axis
}

/** Members that stand out; the others step back. */
export interface Look {
	pinned: number[];
}

export interface Painting {
	d: Draw;
	p: Palette;
	f: Figure;
	look: Look;
	spots: Spot[];
	discs: Disc[];
}

const GAP = 1;
const FAINT = 0.22; // opacity beside curves that stand out

/** Where values of a panel stand, on any scale. */
export function scales(f: Figure, frame: PanelFrame) {
	const [x, y] = [axisOf(f, "x", frame.panel)!, axisOf(f, "y", frame.panel)!];
	const shown: FigureAxis = { ...x, domain: [frame.window.from, frame.window.to] };

	return {
		x: (v: number) => frame.x + frame.w * shareOn(shown, v),
		y: (v: number) => frame.y + frame.h * (1 - shareOn(y, v)),
	};
}

type Scales = ReturnType<typeof scales>;

/** Draws the marks that are no curves, then the curves. */
export function drawMarks(o: Painting, frame: PanelFrame): void {
	drawAreas(o, frame);
	drawCurves(o, frame);
}

function someStandOut(o: Painting, frame: PanelFrame): boolean {
	return o.f.panels[frame.panel]!.marks.some(
		(m) => m.type === "curve" && o.look.pinned.includes(m.member ?? -1),
	);
}

export function drawAreas(o: Painting, frame: PanelFrame): void {
	const { f, look } = o;
	const at = scales(f, frame);
	const some = someStandOut(o, frame);

	for (const m of f.panels[frame.panel]!.marks)
		switch (m.type) {
			case "line":
				drawLine(o, m, at);
				break;
			case "point":
				drawPoints(o, m, at);
				break;
			case "cells":
				drawCells(o, m, at);
				break;
			case "circles":
				drawCircles(o, m, at, frame);
				break;
			case "steps":
				drawSteps(o, m, at, frame);
				break;
			case "bands":
				if (!some || m.member === undefined || look.pinned.includes(m.member))
					drawBands(o, m, frame);
				break;
		}
	if (some && !frame.small) drawOwnBands(o, frame);
}

/** Among many curves only those that stand out have an envelope. */
function drawOwnBands(o: Painting, frame: PanelFrame): void {
	const { marks } = o.f.panels[frame.panel]!;

	if (!o.f.column["low"] || marks.some((m) => m.type === "bands")) return;
	for (const m of marks)
		if (m.type === "curve" && o.look.pinned.includes(m.member ?? -1))
			drawBands(o, { ...m, of: ["low", "high"], opacity: 0.16 }, frame);
}

/** The curves of a panel; those that stand out come last. */
export function drawCurves(o: Painting, frame: PanelFrame): void {
	const { f, look } = o;
	const marks = f.panels[frame.panel]!.marks.filter((m) => m.type === "curve");
	const some = someStandOut(o, frame);

	for (const m of marks)
		if (!some || m.member === undefined) drawCurve(o, m, frame);
		else if (!look.pinned.includes(m.member))
			drawCurve(o, { ...m, opacity: FAINT }, frame);
	if (!some) return;
	for (const n of look.pinned) {
		const m = marks.find((x) => x.member === n);
		if (m) drawStanding(o.d, o.p, f, m, frame, 2.8);
	}
}

/** The points of a curve's row. */
export function curvePoints(
	f: Figure,
	name: string,
	row: number,
	frame: PanelFrame,
): Float64Array {
	const line = points(matrix(f, name), row, cellsOf(f), frame.window, frame.range, frame);

	return frame.small ? within(line, frame) : line;
}

/*
 * Moves points into the frame. For hundreds of small charts this replaces clipping, which
 * would put the pixels of each chart onto the canvas by itself.
 */
function within(line: Float64Array, { x, y, w, h }: Box): Float64Array {
	for (let i = 0; i < line.length; i += 2) {
		if (line[i]! < x) line[i] = x;
		else if (line[i]! > x + w) line[i] = x + w;
		if (line[i + 1]! < y) line[i + 1] = y;
		else if (line[i + 1]! > y + h) line[i + 1] = y + h;
	}
	return line;
}

/** Of points that are denser than pixels, the highest or lowest (`least`) of each pixel. */
function coarse(line: Float64Array, width: number, least: boolean): Float64Array {
	const each = Math.floor(line.length / 2 / Math.max(1, width));

	if (each < 2) return line;
	const out = new Float64Array(2 * Math.ceil(line.length / 2 / each));
	for (let i = 0, o = 0; i < line.length; i += 2 * each, o += 2) {
		let y = NaN;
		for (let k = i + 1; k < Math.min(i + 2 * each, line.length); k += 2)
			if (!(least ? y >= line[k]! : y <= line[k]!)) y = line[k]!;
		out[o] = line[i]!;
		out[o + 1] = y;
	}
	return out;
}

function cellsOf(f: Figure): Cells {
	return { from: f.from, to: f.to, cells: f.cells ?? 1 };
}

function drawCurve(o: Painting, m: FigureMark, frame: PanelFrame): void {
	const line = curvePoints(o.f, m.of![0]!, m.rows[0], frame);

	o.d.curve(
		m.dash.length ? gapped(line, m.dash) : line,
		roleColour(o.p, m.colour),
		m.width,
		m.opacity,
	);
}

/** A curve over all others, on a wider line in the colour of the ground. */
export function drawStanding(
	d: Draw,
	p: Palette,
	f: Figure,
	m: FigureMark,
	frame: PanelFrame,
	thick = 3,
): void {
	const line = curvePoints(f, m.of![0]!, m.rows[0], frame);

	d.curve(line, p.background, 2 * thick, 0.9);
	d.curve(line, roleColour(p, m.colour), thick, 1);
}

/*
 * One band is a path. Many bands would be too slow: the number of bands over each pixel
 * gives the opacity that so many paths would have.
 */
function drawBands(o: Painting, m: FigureMark, frame: PanelFrame): void {
	const [low, high] = m.of!.map((name) => matrix(o.f, name));
	const colour = roleColour(o.p, m.colour);

	if (m.rows[1] === 1) {
		const on = (i: number) =>
			coarse(curvePoints(o.f, m.of![i]!, m.rows[0], frame), frame.w, i === 0);
		o.d.path(outline(on(1), on(0)), colour, undefined, m.opacity);
		return;
	}
	const { from, to, cells } = cellsOf(o.f);
	const rows = Math.max(1, Math.round(frame.h / 2));
	const dense = density(low!, high!, m.rows[0], m.rows[1], cells, frame.range, rows);
	const fill = new Uint32Array(dense.length);
	const at = scales(o.f, frame);
	dense.forEach((n, i) => {
		if (n) fill[i] = rgba(colour, 1 - (1 - m.opacity) ** n);
	});
	o.d.cells(at.x(from), frame.y, at.x(to) - at.x(from), frame.h, cells, rows, fill);
}

function drawSteps(o: Painting, m: FigureMark, at: Scales, frame: PanelFrame): void {
	const { from, to, cells } = cellsOf(o.f);
	const v = matrix(o.f, m.of![0]!).subarray(m.rows[0] * cells, (m.rows[0] + 1) * cells);
	const colour = roleColour(o.p, m.colour);
	const x = (c: number) => at.x(from + (c / cells) * (to - from));

	for (let c = 0, end = 1; c < cells; c = end++) {
		while (end < cells && Object.is(v[end], v[c])) end++;
		if (!Number.isFinite(v[c]!)) continue;
		const [left, w, top] = [x(c), x(end) - x(c), at.y(v[c]!)];
		o.d.rect(left, top, w, frame.y + frame.h - top, colour, m.opacity);
		o.d.rect(left, top - m.width / 2, w, m.width, colour);
	}
}

/** Calls with each row of a mark. */
function eachRow(m: FigureMark, visit: (row: number) => void): void {
	for (let row = m.rows[0]; row < m.rows[0] + m.rows[1]; row++) visit(row);
}

function drawLine({ d, p, f }: Painting, m: FigureMark, at: Scales): void {
	const [xs, ys] = [column(f, "x"), column(f, "y")];
	const colour = roleColour(p, m.colour);
	let line: number[] = [];
	const flush = () => {
		if (line.length > 2)
			for (const part of dashed(line, m.dash)) d.path(part, colour, m.width, m.opacity);
		line = [];
	};

	eachRow(m, (row) => {
		if (Number.isFinite(ys[row]!)) line.push(at.x(xs[row]!), at.y(ys[row]!));
		else flush();
	});
	flush();
}

function drawPoints(o: Painting, m: FigureMark, at: Scales): void {
	const { d, p, f } = o;
	const [xs, ys, members] = [column(f, "x"), column(f, "y"), column(f, "member")];
	const disc = (x: number, y: number, r: number, colour: Colour, alpha?: number) =>
		d.arc(x, y, 0, r, 0, 2 * Math.PI, colour, alpha);

	eachRow(m, (row) => {
		if (!Number.isFinite(ys[row]!)) return;
		const [x, y, member] = [at.x(xs[row]!), at.y(ys[row]!), members[row]!];
		if (o.look.pinned.includes(member)) disc(x, y, m.width + 4, p.cursor, 0.9);
		disc(x, y, m.width + 1, p.background);
		disc(x, y, m.width, roleColour(p, m.colour));
		o.spots.push({ x, y, w: 0, h: 0, member });
	});
}

function drawCells(o: Painting, m: FigureMark, at: Scales): void {
	const { d, p, f } = o;
	const colours = axisOf(f, "colour")!;
	const [xs, ends, ys] = [column(f, "x"), column(f, "x_end"), column(f, "y")];
	const [values, members] = [column(f, "value"), column(f, "member")];

	eachRow(m, (row) => {
		const [x, y] = [at.x(xs[row]!), at.y(ys[row]! + 0.5)];
		const last = Math.abs((ends[row]! % 1) - 0.5) < 1e-6; // no gap between stripes
		const w = at.x(ends[row]!) - x - (last ? GAP : 0);
		const h = at.y(ys[row]! - 0.5) - y - GAP;
		const [value, text, member] = [values[row]!, f.texts[row]!, members[row]!];
		const fill = Number.isFinite(value)
			? heatColour(p, shareOn(colours, value))
			: p.empty;
		const style = { colour: readableOn(fill), size: 11, align: "center" as const };

		d.rect(x, y, w, h, fill);
		if (h > 16 && d.measure(text, style) < w - 6)
			d.text(x + w / 2, y + h / 2, text, style);
		if (o.look.pinned.includes(member)) d.frame(x, y, w, h, p.cursor, 2);
		if (member !== NO_MEMBER) o.spots.push({ x, y, w, h, member });
	});
}

/** Circles in the middle of the part of their stretch that is shown. */
function drawCircles(o: Painting, m: FigureMark, at: Scales, frame: PanelFrame): void {
	const { d, p, f } = o;
	const [area, bands] = [axisOf(f, "area", frame.panel)!, axisOf(f, "y", frame.panel)!];
	const [xs, ends, ys] = [column(f, "x"), column(f, "x_end"), column(f, "y")];
	const values = column(f, "value");
	const { from, to } = frame.window;

	eachRow(m, (row) => {
		const [a, b] = [Math.max(xs[row]!, from), Math.min(ends[row]!, to)];
		const band = at.y(ys[row]! - 0.5) - at.y(ys[row]! + 0.5);
		if (!(values[row]! > 0) || b <= a) return;
		const [x, y] = [at.x((a + b) / 2), at.y(ys[row]!)];
		const r = Math.max(0.8, (band / 2 - 1) * Math.sqrt(shareOn(area, values[row]!)));
		d.arc(x, y, 0, r, 0, 2 * Math.PI, roleColour(p, m.colour), m.opacity);
		const axis = bands.ticks.find((t) => t.at === ys[row])?.text ?? "";
		o.discs.push({ x, y, r, row, axis });
	});
}

/** The strokes of a pattern along a curve as one curve, with gaps between them. */
function gapped(line: ArrayLike<number>, pattern: number[]): number[] {
	const out: number[] = [];
	let part: number[] = [];
	const flush = () => {
		if (part.length > 2)
			for (const stroke of dashed(part, pattern))
				out.push(...stroke, stroke.at(-2)!, Number.NaN);
		part = [];
	};

	for (let i = 0; i < line.length; i += 2)
		if (line[i + 1] === line[i + 1]) part.push(line[i]!, line[i + 1]!);
		else flush();
	flush();
	return out;
}

/** A line of points x, y, ... cut into the strokes of a pattern. */
export function dashed(line: number[], pattern: number[]): number[][] {
	if (!pattern.length) return [line];
	const out: number[][] = [];
	let [turn, rest] = [0, pattern[0]!]; // pixels until the next turn
	let stroke = [line[0]!, line[1]!];

	for (let i = 2; i < line.length; i += 2) {
		let [x, y] = [line[i - 2]!, line[i - 1]!];
		const [toX, toY] = [line[i]!, line[i + 1]!];
		let length = Math.hypot(toX - x, toY - y);
		while (length > rest) {
			x += ((toX - x) * rest) / length;
			y += ((toY - y) * rest) / length;
			length -= rest;
			if (turn % 2 === 0) out.push([...stroke, x, y]);
			turn = (turn + 1) % pattern.length;
			rest = pattern[turn]!;
			stroke = [x, y];
		}
		rest -= length;
		stroke.push(toX, toY);
	}
	if (turn % 2 === 0 && stroke.length > 2) out.push(stroke);
	return out;
}
