// The pictures of an ensemble: the layout of their parts, and marks over them. The plot is
// the server's figure; ensembleView.ts handles the pointer.
import type { Box } from "../../../model/box";
import type { Palette } from "../../../draw/colours";
import type { Draw } from "../../../draw/draw";
import { cutText, drawFigure, drawLegend } from "../../../draw/figure";
import {
	drawStanding,
	type Disc,
	type PanelFrame,
	type Spot,
} from "../../../draw/figureMarks";
import { xOf, yOf } from "../../../model/cells";
import { axisOf, axesOf, type FigureMark } from "../../../model/figure";
import type { Window } from "../../../model/types";
import { valueAt } from "../model/graph";
import type { EnsembleFigure } from "../model/ensemble";
import * as s from "../state";
import { LayeredView } from "../../../views/layeredView";
import {
	drawContext,
	drawEndLabels,
	endLabels,
	memberMarks,
	type EndLabel,
} from "./curves";
import { colourOf, type Plane } from "./scene";

const HEAD = 32; // title and key
export const LEFT = 62; // at least
export const RIGHT = 16;
const LEFT_MAX = 140;
const LABELS = 150; // largest width of labels at the ends of curves
const CONTEXT = 46;
const COLOURS = 100; // scale of the colours of a heat map
const AXES = 58; // labels and marks of the axes

/** Pixels of a view that the frame of a figure does not have. */
export const AROUND_FIGURE = HEAD + CONTEXT + 16 + AXES;

const ids = new WeakMap<object, number>();
let next = 0;

/** A number that stands for an answer in keys. */
function idOf(answer: object | null): number {
	if (!answer) return -1;
	if (!ids.has(answer)) ids.set(answer, next++);
	return ids.get(answer)!;
}

/** Whether a plot has time from left to right. */
export function isOverTime(plot: string): boolean {
	return plot !== "parameter" && plot !== "map";
}

/** Plots whose curves have labels at their ends. */
function hasLabels(plot: string): boolean {
	return plot === "curves" || plot === "spread" || plot === "workingset";
}

export abstract class EnsemblePicture extends LayeredView {
	protected brush: Window | null = null; // being drawn over the plot
	protected figure: EnsembleFigure | null = null; // that is drawn
	protected frames: PanelFrame[] = []; // of its panels
	protected plane: Plane | null = null; // of the first panel over time
	protected context: Box = { x: 0, y: 0, w: 1, h: 1 };
	protected labels: EndLabel[] = [];
	protected spots: Spot[] = [];
	protected discs: Disc[] = [];
	protected way: FigureMark | null = null; // under the pointer, of a shared cache

	protected drawUnder(d: Draw, p: Palette): void {
		const e = s.ensemble.value;
		const f = s.figure.value;

		this.figure = f;
		this.frames = [];
		this.plane = null;
		this.spots = [];
		this.labels = [];
		this.discs = [];
		if (!e) return;
		if (!e.members.some((m) => m.done))
			return this.say(
				d,
				p,
				"None of the members of this ensemble has been simulated yet.",
			);
		const left = this.leftRoom(d, f);
		const right = this.rightRoom(d, f);
		this.drawStrip(d, p, left, right);
		if (!f) return this.say(d, p, this.why());
		this.drawHead(d, p, f);
		this.drawPlot(d, p, f, {
			x: left,
			y: HEAD,
			w: Math.max(20, d.width - left - right),
			h: this.context.y - HEAD - 8,
		});
	}

	/** Why there is no figure; empty: it is on its way. */
	private why(): string {
		if (!s.shown.value.length) return "All members are hidden by the legend.";
		if (!s.size.value && s.plot.value === "workingset")
			return "No parameter is a size, so there is no working set.";
		if (!s.size.value && s.plot.value === "shared")
			return "No parameter is a size, so there is no cache to share.";
		return "";
	}

	private say(d: Draw, p: Palette, text: string): void {
		d.text(d.width / 2, d.height / 2, text, {
			colour: p.muted,
			size: 13,
			align: "center",
		});
	}

	private drawStrip(d: Draw, p: Palette, left: number, right: number): void {
		this.context = {
			x: left,
			y: d.height - CONTEXT - 8,
			w: Math.max(20, d.width - left - right),
			h: CONTEXT,
		};
		drawContext(
			d,
			p,
			s.whole.value,
			this.context,
			s.end.value,
			s.chosenFocus.value,
			[idOf(s.whole.value), p.background, ...Object.values(this.context)].join(),
		);
	}

	/** Title, note and legend of a figure; the note gets the room that is left. */
	private drawHead(d: Draw, p: Palette, f: EnsembleFigure): void {
		const style = { colour: p.text, size: 13, bold: true };
		const key = drawLegend(d, p, f, d.width - RIGHT, 17, d.width * 0.6);
		const title = cutText(d, f.title, (key - 28) * 0.92, 13);
		const x = 12 + d.measure(title, style) + 12;

		d.text(12, 17, title, style);
		if (key - x > 40)
			d.text(x, 17.5, cutText(d, f.note, key - x - 12), {
				colour: p.muted,
				size: 11,
			});
	}

	/** Room at the left for the longest mark of a y axis. */
	private leftRoom(d: Draw, f: EnsembleFigure | null): number {
		const words = (f?.panels ?? []).flatMap((_, i) =>
			axesOf(f!, i).flatMap((a) => (a.id === "y" ? a.ticks : [])),
		);
		const widest = words.reduce(
			(w, t) => Math.max(w, d.measure(t.text, { colour: 0 })),
			0,
		);

		return Math.min(LEFT_MAX, Math.max(LEFT, widest + 18));
	}

	/** Room at the right: for labels as wide as the longest, or the scale of colours. */
	private rightRoom(d: Draw, f: EnsembleFigure | null): number {
		if (f && axisOf(f, "colour")) return COLOURS;
		if (!f || !hasLabels(f.plot)) return RIGHT;
		return RIGHT + this.labelRoom(d, f);
	}

	private labelRoom(d: Draw, f: EnsembleFigure): number {
		const longest = memberMarks(f, 0).reduce(
			(w, m) => Math.max(w, d.measure(m.title ?? "", { colour: 0, bold: true })),
			0,
		);

		return Math.min(LABELS, this.width * 0.22, longest + 28);
	}

	private drawPlot(d: Draw, p: Palette, f: EnsembleFigure, box: Box): void {
		const look = { pinned: s.pinned.value };
		const window = isOverTime(f.plot) ? s.focus.value : undefined;
		const { frames, spots, discs } = drawFigure(d, p, f, box, look, window);

		this.frames = frames;
		this.spots = spots;
		this.discs = discs;
		const first = frames[0]!;
		if (window) this.plane = { box: first, window, range: first.range };
		if (!hasLabels(f.plot)) return;
		this.labels = endLabels(d, p, f, first, look.pinned, this.labelRoom(d, f) - 14);
		drawEndLabels(d, p, this.labels, look.pinned);
	}

	/** The spot of the member under the pointer, here or in the ranking. */
	private lit(d: Draw, p: Palette): void {
		const spot = this.spots.find((x) => x.member === s.hovered.value);

		if (!spot) return;
		if (spot.w) d.frame(spot.x, spot.y, spot.w, spot.h, p.text, 2);
		else d.arc(spot.x, spot.y, 6, 8, 0, 2 * Math.PI, p.text);
	}

	/** The chart of the member under the pointer, and the moment in all charts. */
	private litCharts(d: Draw, p: Palette, f: EnsembleFigure): void {
		for (const frame of this.frames) {
			if (s.pointed.value !== null) {
				const x = xOf(s.pointed.value, frame.window, frame);
				d.line(x, frame.y, x, frame.y + frame.h, p.muted, 1, 0.7);
			}
			if (memberMarks(f, frame.panel).some((m) => m.member === s.hovered.value))
				d.frame(frame.x, frame.y, frame.w, frame.h, p.text, 1.5);
		}
	}

	private inFrame(d: Draw, frame: Box, paint: () => void): void {
		d.clip(frame.x, frame.y - 2, frame.w, frame.h + 3, paint);
	}

	/** The curve of the member under the pointer, while the others step back. */
	private litCurve(d: Draw, p: Palette, f: EnsembleFigure): void {
		const frame = this.frames[0]!;
		const marks = memberMarks(f, 0);
		const over = marks.find((m) => m.member === s.hovered.value);

		if (!over) return;
		const pinned = s.pinned.value.flatMap((n) => marks.find((m) => m.member === n) ?? []);
		this.inFrame(d, frame, () => {
			d.rect(frame.x, frame.y, frame.w, frame.h, p.background, 0.55);
			for (const m of [...pinned, over]) drawStanding(d, p, f, m, frame);
		});
		const label = this.labels.find((l) => l.member === over.member);
		if (label) d.rect(label.x + 10, label.y + 6, 30, 1.5, label.colour);
	}

	/** The moment under the pointer, and the values of selected members there. */
	private litMoment(d: Draw, p: Palette, plane: Plane): void {
		const { box, window, range } = plane;
		const c = s.curves.value;
		const e = s.ensemble.value;

		if (s.pointed.value === null) return;
		const x = xOf(s.pointed.value, window, box);
		if (x < box.x || x > box.x + box.w) return;
		for (const frame of this.frames)
			d.line(x, frame.y, x, frame.y + frame.h, p.muted, 1, 0.5);
		if (!c || !e || this.figure?.plot === "shared") return;
		for (const n of new Set([...s.pinned.value, s.hovered.value])) {
			const one = s.memberOf(n);
			const v = one ? valueAt(c, c.mean, one.member, s.pointed.value) : NaN;
			if (!one || !Number.isFinite(v)) continue;
			const y = yOf(v, range, box);
			d.arc(x, y, 0, 5.5, 0, 2 * Math.PI, p.background);
			d.arc(x, y, 0, 4, 0, 2 * Math.PI, colourOf(e, p, one));
		}
	}

	protected drawOver(d: Draw, p: Palette): void {
		const { plane, figure: f } = this;

		if (this.brush && plane) {
			const x = xOf(this.brush.from, plane.window, plane.box);
			const to = xOf(this.brush.to, plane.window, plane.box);
			d.rect(x, plane.box.y, to - x, plane.box.h, p.cursor, 0.25);
		}
		if (!f) return;
		if (!plane) return this.lit(d, p);
		if (f.across) return this.litCharts(d, p, f);
		const frame = this.frames[0]!;
		if (this.way) this.inFrame(d, frame, () => drawStanding(d, p, f, this.way!, frame));
		const { box, window } = plane;
		if (s.at.value !== null && s.at.value >= window.from && s.at.value <= window.to) {
			const x = xOf(s.at.value, window, box);
			d.line(x, box.y - 4, x, box.y + box.h, p.cursor, 1.5);
		}
		this.litCurve(d, p, f);
		this.litMoment(d, p, plane);
	}
}
