// Small multiples: one chart for each member or each value of a parameter, all on the
// same axes, each before the gray span of all members.
import type { Palette } from "../../../draw/colours";
import type { Draw } from "../../../draw/draw";
import { valueOf, valuesOf, type Curves, type Member } from "../model/ensemble";
import { grid, outline, points, yOf, type Box, type Range } from "../model/graph";
import { ticks } from "../../../model/ticks";
import type { Window } from "../../../model/types";
import type { Look } from "./curves";
import { colourOf, cut, rowOf } from "./scene";

export interface Panel {
	title: string;
	box: Box; // of the chart
	members: Member[];
}

const GAP = 10;
const MAX = 400;

/** Charts and where they stand. `facet` is a parameter, or -1: each member has one. */
export function panels(look: Look, facet: number, room: Box): Panel[] {
	const { e, shown } = look;
	const groups =
		facet < 0
			? shown.map((m) => ({ title: m.label, members: [m] }))
			: valuesOf(e, facet)
					.map((v) => ({
						title: v,
						members: shown.filter((m) => valueOf(m, facet) === v),
					}))
					.filter((g) => g.members.length);
	const list = groups.slice(0, MAX);
	const { columns, rows } = grid(list.length, room.w, room.h);
	const [w, h] = [room.w / columns, room.h / rows];
	const head = h > 60 ? 16 : h > 34 ? 12 : 0;
	const gap = Math.min(GAP, w / 8);

	return list.map((g, i) => ({
		...g,
		box: {
			x: room.x + (i % columns) * w,
			y: room.y + Math.floor(i / columns) * h + head,
			w: w - gap,
			h: Math.max(6, h - head - Math.min(GAP, h / 8)),
		},
	}));
}

/*
 * The lowest and highest value of all members, in as many cells as a small chart has
 * pixels.
 */
function span(c: Curves, cells: number): [Float32Array, Float32Array] {
	const [low, high] = [new Float32Array(cells), new Float32Array(cells)];

	low.fill(NaN);
	high.fill(NaN);
	for (let row = 0; row < c.members.length; row++)
		for (let i = 0; i < c.cells; i++) {
			const v = c.mean[row * c.cells + i]!;
			const at = Math.floor((i * cells) / c.cells);
			if (v !== v) continue;
			if (!(low[at]! <= v)) low[at] = v;
			if (!(high[at]! >= v)) high[at] = v;
		}
	return [low, high];
}

export function drawMultiples(
	d: Draw,
	p: Palette,
	c: Curves,
	list: Panel[],
	window: Window,
	range: Range,
	look: Look,
	facet: number,
): void {
	const cells = Math.max(2, Math.min(c.cells, Math.ceil(list[0]?.box.w ?? 0)));
	const [low, high] = span(c, cells);
	const coarse = { ...c, cells };
	const few = list.length <= 60;

	for (const panel of list) {
		const { box } = panel;
		const on = (v: Float32Array, row: number) => points(v, row, c, window, range, box);
		const edge = (v: Float32Array) => points(v, 0, coarse, window, range, box);
		const pinned = panel.members.some((m) => look.pinned.includes(m.member));

		d.rect(box.x, box.y, box.w, box.h, p.panel);
		if (few)
			for (const v of ticks(range.low, range.high, Math.max(1, box.h / 40)))
				d.line(box.x, yOf(v, range, box), box.x + box.w, yOf(v, range, box), p.grid);
		d.clip(box.x, box.y, box.w, box.h, () => {
			d.path(outline(edge(high), edge(low)), p.muted, undefined, 0.18);
			for (const m of panel.members) {
				const row = rowOf(c, m.member);
				if (row >= 0)
					d.curve(on(c.mean, row), colourOf(look.e, p, m), few ? 1.7 : 1.2, 1);
			}
		});
		if (pinned) d.frame(box.x, box.y, box.w, box.h, p.cursor, 1.5);
		if (box.y - 12 < 0 || box.h < 20) continue;
		const text =
			facet < 0 ? panel.title : `${look.e.parameters[facet]!.name} ${panel.title}`;
		if (facet < 0)
			d.rect(box.x, box.y - 12, 8, 8, colourOf(look.e, p, panel.members[0]!));
		const left = facet < 0 ? 12 : 0;
		d.text(box.x + left, box.y - 8, cut(d, text, box.w - left), {
			colour: p.text,
			size: 11,
			bold: facet >= 0,
		});
	}
}
