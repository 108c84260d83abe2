// What only the page has on top of a figure of curves: labels at the ends of curves, placed
// by the width of their texts, and the whole run below.
import type { Box } from "../../../model/box";
import type { Palette } from "../../../draw/colours";
import type { Colour, Draw } from "../../../draw/draw";
import { cutText } from "../../../draw/figure";
import { curvePoints, type PanelFrame } from "../../../draw/figureMarks";
import { roleColour } from "../../../draw/roles";
import { cellTime, xOf, yOf } from "../../../model/cells";
import { axisOf, matrix, type Figure, type FigureMark } from "../../../model/figure";
import type { Window } from "../../../model/types";
import { spreadLabels } from "../model/graph";

const LABEL = 13; // height of a label
const EARLY = 24; // a curve that ends this many pixels before the plot has its label beside its end
const EARLY_MAX = 12; // labels beside such ends
const FAR = 60; // pixels that a label may stand away from its curve

export interface EndLabel {
	member: number;
	text: string;
	x: number;
	y: number;
	from: number; // y of the curve's end
	inside: boolean; // the curve ends before the plot does
	colour: Colour;
}

/** The curves of members in a panel. */
export function memberMarks(f: Figure, panel: number): FigureMark[] {
	return f.panels[panel]!.marks.filter(
		(m) => m.type === "curve" && m.member !== undefined,
	);
}

/*
 * The height of a curve's end: the median of its last cells, because the very last ones
 * may jump.
 */
function endOf(f: Figure, row: number): { cell: number; value: number } | null {
	const [mean, cells] = [matrix(f, "mean"), f.cells ?? 1];
	const list: number[] = [];
	const max = Math.max(1, Math.round(cells * 0.03));
	let cell = -1;

	for (let i = cells - 1; i >= 0 && list.length < max; i--) {
		const v = mean[row * cells + i]!;
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
	f: Figure,
	frame: PanelFrame,
	pinned: number[],
	width: number,
): EndLabel[] {
	const max = Math.floor(frame.h / LABEL);
	const right = frame.x + frame.w;
	const cells = { from: f.from, to: f.to, cells: f.cells ?? 1 };
	const all = memberMarks(f, frame.panel).flatMap((m) => {
		const end = endOf(f, m.rows[0]);
		if (!end) return [];
		const [top, bottom] = [frame.y, frame.y + frame.h];
		const y = Math.max(top, Math.min(bottom, yOf(end.value, frame.range, frame)));
		const x = xOf(cellTime(cells, end.cell), frame.window, frame);
		return [{ m, y, x: Math.min(x, right), inside: x < right - EARLY }];
	});
	const ends = all.filter((x) => !x.inside);
	const isPinned = (m: FigureMark) => pinned.includes(m.member!);
	let list = ends;

	if (ends.length > max) {
		const sorted = [...ends].sort((a, b) => a.y - b.y);
		list = ends.filter((x) => isPinned(x.m) || x === sorted[0] || x === sorted.at(-1));
	}
	let places: number[] = [];
	// Labels far from their curves do not help: half of them go.
	for (;;) {
		places = spreadLabels(
			list.map((x) => x.y),
			LABEL,
			frame.y + LABEL / 2,
			frame.y + frame.h - LABEL / 2,
		);
		const far = list.some((x, i) => Math.abs(places[i]! - x.y) > FAR);
		if (!far || list.length <= 8) break;
		const order = [...list].sort((a, b) => a.y - b.y);
		list = list.filter((x) => isPinned(x.m) || order.indexOf(x) % 2 === 0);
		if (list.length === order.length) break;
	}
	const early = all.filter((x) => x.inside).slice(0, EARLY_MAX);
	return [...list, ...early].map((x, i) => ({
		member: x.m.member!,
		text: cutText(d, x.m.title ?? "", width),
		x: x.inside ? x.x : right,
		y: places[i] ?? x.y,
		from: x.y,
		inside: x.inside,
		colour: roleColour(p, x.m.colour),
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

/** The whole run in small, with the window between its handles. */
export function drawContext(
	d: Draw,
	p: Palette,
	f: Figure | null,
	box: Box,
	end: number,
	focus: Window | null,
	key: string, // changes with everything that the curves depend on
): void {
	const window = { from: 0, to: end };

	d.rect(box.x, box.y, box.w, box.h, p.panel);
	// Hundreds of curves that stay while the window moves over them.
	if (f)
		d.layer("context", key, () =>
			d.clip(box.x, box.y, box.w, box.h, () => {
				const [low, high] = axisOf(f, "y")!.domain;
				const frame = {
					...box,
					panel: 0,
					small: false,
					titled: false,
					window,
					range: { low, high },
				};
				const list = memberMarks(f, 0);
				for (const m of list)
					d.curve(
						curvePoints(f, "mean", m.rows[0], frame),
						roleColour(p, m.colour),
						1,
						list.length > 40 ? 0.35 : 0.7,
					);
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
