// The page's painter of figures: it maps domains to pixels and roles to colours, and decides
// nothing else. lib/query/drawing/paint_figure.c is the other painter.
import type { Box } from "../model/box";
import { axesOf, shareOn, type Figure, type FigureAxis } from "../model/figure";
import type { Window } from "../model/types";
import type { Palette } from "./colours";
import type { Draw } from "./draw";
import {
	dashed,
	drawAreas,
	drawCurves,
	drawMarks,
	scales,
	type Disc,
	type Look,
	type Painting,
	type PanelFrame,
	type Spot,
} from "./figureMarks";
import { heatColour, numberColour, roleColour } from "./roles";

export interface Painted {
	frames: PanelFrame[]; // of the panels
	spots: Spot[];
	discs: Disc[];
}

const HEAD = 22; // label of a y axis
const NAMES = 14; // names of moments
const TICKS = 20;
const X_LABEL = 16;
const CIRCLES = 22; // a row of circles
const CHART_TITLE = 16; // of a small chart
const CHART_GAP = 10;
const RAMP = 160; // pixels

/*
 * Draws the figure into a box, with its axes; numbers of y axes stand at the left of it. A
 * window shows another stretch of time than the figure was made for, until the next answer
 * is there.
 */
export function drawFigure(
	d: Draw,
	p: Palette,
	f: Figure,
	box: Box,
	look: Look,
	window?: Window,
): Painted {
	const frames = f.across ? tiled(f, box) : stacked(f, box);
	const o: Painting = { d, p, f, look, spots: [], discs: [] };

	for (const frame of frames) {
		if (window) frame.window = window;
		drawPanel(o, frame);
	}
	// All curves of a grid at once: they are written into memory, not to the canvas.
	if (f.across) for (const frame of frames) drawCurves(o, frame);
	const heat = axesOf(f, 0).find((a) => a.id === "colour");
	if (heat) drawColours(d, p, heat, frames[0]!);
	return { frames, spots: o.spots, discs: o.discs };
}

function axis(f: Figure, panel: number, id: FigureAxis["id"]): FigureAxis {
	return axesOf(f, panel).find((a) => a.id === id)!;
}

function frameOf(f: Figure, panel: number, box: Box): PanelFrame {
	const [x, y] = [axis(f, panel, "x").domain, axis(f, panel, "y").domain];

	return {
		...box,
		panel,
		small: f.across > 0,
		titled: true,
		window: { from: x[0], to: x[1] },
		range: { low: y[0], high: y[1] },
	};
}

/** Pixels that the axes of a panel need above and below its frame. */
function around(f: Figure, panel: number): [above: number, below: number] {
	const [x, y] = [axis(f, panel, "x"), axis(f, panel, "y")];
	const names = f.panels[panel]!.moments.some((m) => m.text);

	return [
		(y.label ? HEAD : 0) + (names ? NAMES : 0),
		(x.ticks.length ? TICKS : 0) + (x.label ? X_LABEL : 0),
	];
}

/** Panels one below the other share the height that is left by their axes. */
function stacked(f: Figure, box: Box): PanelFrame[] {
	const room = f.panels.reduce((h, panel, i) => {
		const [above, below] = around(f, i);
		return h - above - below - panel.rows * CIRCLES;
	}, box.h);
	let top = box.y;

	return f.panels.map((panel, i) => {
		const [above, below] = around(f, i);
		const h = Math.max(10, panel.rows * CIRCLES + panel.share * room);
		const y = top + above;
		top = y + h + below;
		return frameOf(f, i, { x: box.x, y, w: box.w, h });
	});
}

function tiled(f: Figure, box: Box): PanelFrame[] {
	const down = Math.ceil(f.panels.length / f.across);
	const [w, h] = [box.w / f.across, (box.h - HEAD - TICKS - X_LABEL) / down];
	const gap = Math.min(CHART_GAP, w / 8);
	const title = h > 34 ? CHART_TITLE : 0;

	return f.panels.map((_, i) => ({
		...frameOf(f, i, {
			x: box.x + (i % f.across) * w,
			y: box.y + HEAD + Math.floor(i / f.across) * h + title,
			w: w - gap,
			h: Math.max(6, h - title - Math.min(6, h / 8)),
		}),
		titled: title > 0,
	}));
}

function drawPanel(o: Painting, frame: PanelFrame): void {
	const { d, p, f } = o;
	const panel = f.panels[frame.panel]!;
	const at = scales(f, frame);
	const [x, y] = [axis(f, frame.panel, "x"), axis(f, frame.panel, "y")];
	const { across } = f;
	const i = frame.panel;

	if (across) d.rect(frame.x, frame.y, frame.w, frame.h, p.panel);
	drawY(d, p, y, frame, at.y, !across || i % across === 0);
	drawX(d, p, x, frame, at.x, !across || i + across >= f.panels.length);
	if (!across || i === 0) {
		const label = y.scale === "band" && y.label ? `${y.label} ↑` : y.label;
		const title = frame.titled ? CHART_TITLE : 0;
		const [above] = across ? [title + HEAD] : around(f, i);
		d.text(12, frame.y - above + 8, label, { colour: p.muted, size: 11 });
	}
	if (!across || i === f.panels.length - 1)
		d.text(
			across ? frame.x + frame.w : frame.x + frame.w / 2,
			frame.y + frame.h + 28,
			x.label,
			{ colour: p.muted, align: across ? "right" : "center" },
		);
	if (panel.title) drawTitle(o, frame, panel.title);
	drawMoments(o, frame, at.x);
	if (across) drawAreas(o, frame);
	else d.clip(frame.x, frame.y - 2, frame.w, frame.h + 3, () => drawMarks(o, frame));
	const beyond = { colour: p.muted, size: 10, align: "right" as const };
	const right = frame.x + frame.w - 4;
	if (panel.above) d.text(right, frame.y + 7, panel.above, beyond);
	if (panel.below) d.text(right, frame.y + frame.h - 8, panel.below, beyond);
}

/** The title of a small chart, and a frame if it has a member that stands out. */
function drawTitle({ d, p, f, look }: Painting, frame: PanelFrame, title: string): void {
	const { marks } = f.panels[frame.panel]!;

	if (marks.some((m) => look.pinned.includes(m.member ?? -1)))
		d.frame(frame.x, frame.y, frame.w, frame.h, p.cursor, 1.5);
	if (frame.titled)
		d.text(frame.x, frame.y - 8, cutText(d, title, frame.w), {
			colour: p.text,
			size: 11,
		});
}

function drawMoments(
	{ d, p, f }: Painting,
	frame: PanelFrame,
	at: (v: number) => number,
): void {
	for (const m of f.panels[frame.panel]!.moments) {
		const x = Math.round(at(m.at)) + 0.5;
		if (x < frame.x || x > frame.x + frame.w) continue;
		d.line(x, frame.y, x, frame.y + frame.h, p.muted, 1, 0.4);
		if (m.text) d.text(x, frame.y - 7, m.text, { colour: p.muted, size: 10 });
	}
}

function drawX(
	d: Draw,
	p: Palette,
	x: FigureAxis,
	box: PanelFrame,
	at: (v: number) => number,
	words: boolean,
): void {
	const bottom = box.y + box.h;
	let right = -Infinity;

	for (const { at: v, text } of x.ticks) {
		const place = at(v);
		const half = d.measure(text, { colour: 0 }) / 2;
		if (place < box.x - 1 || place > box.x + box.w + 1) continue;
		if (x.scale !== "band") d.line(place, bottom, place, bottom + 4, p.muted, 1, 0.7);
		if (place - half < right + 6 || !words) continue;
		if (box.small && place + half > box.x + box.w + 4) continue; // of its neighbour
		right = place + half;
		d.text(place, bottom + 13, text, { colour: p.muted, align: "center" });
	}
}

function drawY(
	d: Draw,
	p: Palette,
	y: FigureAxis,
	box: Box,
	at: (v: number) => number,
	words: boolean,
): void {
	let top = Infinity;

	for (const { at: v, text } of y.ticks) {
		const place = y.scale === "band" ? at(v) : Math.round(at(v)) + 0.5;
		const zero = v === 0 && y.domain[0] <= 0;
		if (y.scale !== "band")
			d.line(
				box.x,
				place,
				box.x + box.w,
				place,
				zero ? p.muted : p.grid,
				1,
				zero ? 0.6 : 1,
			);
		if (place > top || !words) continue;
		d.text(box.x - 8, place, cutText(d, text, box.x - 12), {
			colour: p.muted,
			size: 11,
			align: "right",
		});
		top = place - 12;
	}
}

/** The scale of colours at the right of the frame, much at the top. */
function drawColours(d: Draw, p: Palette, heat: FigureAxis, box: Box): void {
	const x = box.x + box.w + 14;
	const h = Math.min(RAMP, box.h);

	for (let i = 0; i < 32; i++)
		d.rect(x, box.y + h - ((i + 1) * h) / 32, 10, h / 32 + 0.5, heatColour(p, i / 31));
	for (const { at, text } of heat.ticks)
		d.text(x + 15, box.y + 5 + (h - 10) * (1 - shareOn(heat, at)), text, {
			colour: p.muted,
		});
}

/*
 * The key in one line, right-aligned. Of too many numbers only the first and the last stand
 * beside a ramp of their colours; other parts that have no room are left out. Returns where
 * the key begins.
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
		const name = title ? d.measure(title, style) + 10 : 0;
		const all = keys.reduce((w, k) => w + key(k.text), name);
		let x = right - all;
		if (x < left) {
			if (keys.every((k) => k.colour.role === "number"))
				right = drawRamp(d, p, title, keys, right, y);
			continue;
		}
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

/** The ends of a list of numbers with the colours between them. */
function drawRamp(
	d: Draw,
	p: Palette,
	title: string,
	keys: Figure["legend"][number]["keys"],
	right: number,
	y: number,
): number {
	const style = { colour: p.text, size: 11 };
	const [first, last] = [keys[0]!.text, keys.at(-1)!.text];
	const [steps, step] = [22, 5];
	const ramp = right - d.measure(last, style) - 6 - steps * step;
	const from = ramp - 6 - d.measure(first, style);
	const left = from - 12 - d.measure(title, style);

	d.text(left, y, title, { ...style, colour: p.muted });
	d.text(from, y, first, style);
	for (let i = 0; i < steps; i++)
		d.rect(ramp + i * step, y - 5, step, 10, numberColour(p, i, steps));
	d.text(ramp + steps * step + 6, y, last, style);
	return left - 8;
}

/** The text cut to a width, with an ellipsis. */
export function cutText(d: Draw, text: string, width: number, size = 11): string {
	const style = { colour: 0, size };

	if (d.measure(text, style) <= width) return text;
	let n = text.length;
	while (n > 1 && d.measure(`${text.slice(0, n)}…`, style) > width) n--;
	return `${text.slice(0, n)}…`;
}
