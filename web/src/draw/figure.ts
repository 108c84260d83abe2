// The page's painter of figures: it maps domains to pixels and roles to colours, and decides
// nothing else. lib/query/drawing/paint_figure.c is the other painter.
import {
	axisOf,
	NO_MEMBER,
	shareOn,
	type Figure,
	type FigureAxis,
	type FigureMark,
} from "../model/figure";
import type { Palette } from "./colours";
import type { Colour, Draw } from "./draw";
import { heatColour, readableOn, roleColour } from "./roles";

export interface Frame {
	x: number;
	y: number;
	w: number;
	h: number;
}

/** A place in the picture, and the member there. */
export interface Spot {
	x: number;
	y: number;
	w: number; // 0: a point
	h: number;
	member: number;
}

const RAMP = 160; // pixels
const GAP = 1;

function scales(f: Figure, box: Frame) {
	const [x, y] = [axisOf(f, "x")!, axisOf(f, "y")!];

	return {
		x: (v: number) => box.x + box.w * shareOn(x, v),
		y: (v: number) => box.y + box.h * (1 - shareOn(y, v)),
	};
}

/** Draws the figure into the frame; labels and marks of the axes stand around it. */
export function drawFigure(
	d: Draw,
	p: Palette,
	f: Figure,
	box: Frame,
	pinned: number[],
): Spot[] {
	const at = scales(f, box);
	const spots: Spot[] = [];
	const colours = axisOf(f, "colour");

	drawX(d, p, axisOf(f, "x")!, box, at.x);
	drawY(d, p, axisOf(f, "y")!, box, at.y);
	for (const m of f.marks)
		if (m.type === "line") drawLine(d, p, f, m, at);
		else if (m.type === "point") drawPoints(d, p, f, m, at, pinned, spots);
		else drawCells(d, p, f, m, at, pinned, spots);
	if (colours) drawColours(d, p, colours, box);
	return spots;
}

function drawX(
	d: Draw,
	p: Palette,
	axis: FigureAxis,
	box: Frame,
	at: (v: number) => number,
): void {
	const bottom = box.y + box.h;
	let right = -Infinity;

	for (const { at: v, text } of axis.ticks) {
		const x = at(v);
		const half = d.measure(text, { colour: 0 }) / 2;
		if (axis.scale !== "band") d.line(x, box.y, x, bottom + 4, p.grid);
		if (x - half < right + 6) continue;
		right = x + half;
		d.text(x, bottom + 14, text, { colour: p.muted, align: "center" });
	}
	d.text(box.x + box.w / 2, bottom + 30, axis.label, {
		colour: p.muted,
		align: "center",
	});
}

function drawY(
	d: Draw,
	p: Palette,
	axis: FigureAxis,
	box: Frame,
	at: (v: number) => number,
): void {
	const style = { colour: p.muted, size: 11 };
	let top = Infinity;

	for (const { at: v, text } of axis.ticks) {
		const y = axis.scale === "band" ? at(v) : Math.round(at(v)) + 0.5;
		const zero = v === 0 && axis.domain[0] <= 0;
		if (axis.scale !== "band")
			d.line(box.x, y, box.x + box.w, y, zero ? p.muted : p.grid, 1, zero ? 0.6 : 1);
		if (y > top) continue;
		d.text(box.x - 8, y, text, { ...style, align: "right" });
		top = y - 12;
	}
	d.text(
		12,
		box.y - 14,
		axis.scale === "band" && axis.label ? `${axis.label} ↑` : axis.label,
		style,
	);
}

type Scales = ReturnType<typeof scales>;

/** Calls with each row of a mark that has a value. */
function eachRow(f: Figure, m: FigureMark, visit: (row: number) => void): void {
	for (let row = m.rows[0]; row < m.rows[0] + m.rows[1]; row++)
		if (m.type === "cells" || Number.isFinite(f.y[row]!)) visit(row);
}

function drawLine(d: Draw, p: Palette, f: Figure, m: FigureMark, at: Scales): void {
	const colour = roleColour(p, m.colour);
	let points: number[] = [];
	const flush = () => {
		if (points.length > 2)
			for (const part of dashed(points, m.dash)) d.path(part, colour, m.width, 0.9);
		points = [];
	};

	for (let row = m.rows[0]; row < m.rows[0] + m.rows[1]; row++)
		if (Number.isFinite(f.y[row]!)) points.push(at.x(f.x[row]!), at.y(f.y[row]!));
		else flush();
	flush();
}

function drawPoints(
	d: Draw,
	p: Palette,
	f: Figure,
	m: FigureMark,
	at: Scales,
	pinned: number[],
	spots: Spot[],
): void {
	const disc = (x: number, y: number, r: number, colour: Colour, alpha?: number) =>
		d.arc(x, y, 0, r, 0, 2 * Math.PI, colour, alpha);

	eachRow(f, m, (row) => {
		const [x, y, member] = [at.x(f.x[row]!), at.y(f.y[row]!), f.member[row]!];
		if (pinned.includes(member)) disc(x, y, m.width + 4, p.cursor, 0.9);
		disc(x, y, m.width + 1, p.background);
		disc(x, y, m.width, roleColour(p, m.colour));
		spots.push({ x, y, w: 0, h: 0, member });
	});
}

function drawCells(
	d: Draw,
	p: Palette,
	f: Figure,
	m: FigureMark,
	at: Scales,
	pinned: number[],
	spots: Spot[],
): void {
	const colours = axisOf(f, "colour")!;

	eachRow(f, m, (row) => {
		const [x, y] = [at.x(f.x[row]!), at.y(f.y[row]! + 0.5)];
		const last = Math.abs((f.x_end[row]! % 1) - 0.5) < 1e-6; // no gap between stripes
		const w = at.x(f.x_end[row]!) - x - (last ? GAP : 0);
		const h = at.y(f.y[row]! - 0.5) - y - GAP;
		const [value, text, member] = [f.value[row]!, f.texts[row]!, f.member[row]!];
		const fill = Number.isFinite(value)
			? heatColour(p, shareOn(colours, value))
			: p.empty;
		const style = { colour: readableOn(fill), size: 11, align: "center" as const };

		d.rect(x, y, w, h, fill);
		if (h > 16 && d.measure(text, style) < w - 6)
			d.text(x + w / 2, y + h / 2, text, style);
		if (pinned.includes(member)) d.frame(x, y, w, h, p.cursor, 2);
		if (member !== NO_MEMBER) spots.push({ x, y, w, h, member });
	});
}

/** The scale of colours at the right of the frame, much at the top. */
function drawColours(d: Draw, p: Palette, axis: FigureAxis, box: Frame): void {
	const x = box.x + box.w + 14;
	const h = Math.min(RAMP, box.h);

	for (let i = 0; i < 32; i++)
		d.rect(x, box.y + h - ((i + 1) * h) / 32, 10, h / 32 + 0.5, heatColour(p, i / 31));
	for (const { at, text } of axis.ticks)
		d.text(x + 15, box.y + 5 + (h - 10) * (1 - shareOn(axis, at)), text, {
			colour: p.muted,
		});
}

/*
 * The key in one line, right-aligned; parts that have no room are left out. Returns where
 * it begins.
 */
export function drawLegend(
	d: Draw,
	p: Palette,
	f: Figure,
	right: number,
	y: number,
	room: number,
): number {
	const style = { colour: p.text, size: 11 };
	const key = (text: string) => 22 + d.measure(text, style) + 10;
	const left = right - room;

	for (const { title, keys } of [...f.legend].reverse()) {
		const name = d.measure(title, style) + 10;
		const all = keys.reduce((w, k) => w + key(k.text), name);
		let x = right - all;
		if (x < left) continue;
		right = x - 8;
		d.text(x, y, title, { ...style, colour: p.muted });
		x += name;
		for (const k of keys) {
			for (const part of dashed([x, y, x + 17, y], k.dash))
				d.path(part, roleColour(p, k.colour), 3);
			d.text(x + 22, y, k.text, style);
			x += key(k.text);
		}
	}
	return right;
}

/** A line of points x, y, ... cut into the strokes of a pattern. */
export function dashed(points: number[], pattern: number[]): number[][] {
	if (!pattern.length) return [points];
	const out: number[][] = [];
	let [turn, rest] = [0, pattern[0]!]; // pixels until the next turn
	let stroke = [points[0]!, points[1]!];

	for (let i = 2; i < points.length; i += 2) {
		let [x, y] = [points[i - 2]!, points[i - 1]!];
		const [toX, toY] = [points[i]!, points[i + 1]!];
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
