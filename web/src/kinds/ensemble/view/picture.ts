// The pictures of an ensemble: the layout of their parts, and marks over them. view.ts
// handles the pointer.
import type { Palette } from "../../../draw/colours";
import type { Draw } from "../../../draw/draw";
import { drawFigure, drawLegend, type Spot } from "../../../draw/figure";
import { valueAt, xOf, yOf, type Box } from "../model/graph";
import { axisOf } from "../../../model/figure";
import { bytes, count, exact } from "../../../model/format";
import type { Window } from "../../../model/types";
import * as s from "../state";
import { LayeredView } from "../../../views/layeredView";
import {
	drawContext,
	drawCurves,
	drawCut,
	drawEndLabels,
	drawMilestones,
	drawOne,
	drawSpread,
	drawVolumes,
	endLabels,
	rangeFor,
	VOLUME_ROW,
	type EndLabel,
	type Look,
} from "./curves";
import { drawMultiples, panels, type Panel } from "./multiples";
import {
	colourOf,
	cut,
	drawKey,
	drawTimes,
	drawValues,
	measureText,
	rowOf,
	timeWord,
	valueText,
	type Plane,
} from "./scene";
import {
	drawClusterKey,
	drawSharedCache,
	drawWay,
	drawWorkingSet,
	sharedCacheRange,
} from "./sharedCache";

const HEAD = 36; // title and key
export const LEFT = 62; // at least
export const RIGHT = 16;
const LABELS = 150; // largest width of labels at the ends of curves
const AXIS = 24;
const SPREAD = 64;
const CONTEXT = 46;
const FIGURE_HEAD = 20; // label of the y axis
const FIGURE_FOOT = 20; // label of the x axis
const COLOURS = 100; // scale of the colours of a heat map

/** Pixels of a view that the frame of a figure does not have. */
export const AROUND_FIGURE = HEAD + AXIS + CONTEXT + 16 + FIGURE_HEAD + FIGURE_FOOT;

type Circles = ReturnType<typeof drawVolumes>;

const ids = new WeakMap<object, number>();
let next = 0;

/** A number that stands for an answer in keys. */
function idOf(answer: object | null): number {
	if (!answer) return -1;
	if (!ids.has(answer)) ids.set(answer, next++);
	return ids.get(answer)!;
}

export abstract class EnsemblePicture extends LayeredView {
	protected brush: Window | null = null; // being drawn over the plot
	protected plane: Plane | null = null; // of the curves that are drawn
	protected context: Box = { x: 0, y: 0, w: 1, h: 1 };
	protected labels: EndLabel[] = [];
	protected charts: Panel[] = [];
	protected spots: Spot[] = [];
	protected volumes: Circles = [];
	protected way: number | null = null; // under the pointer, of a shared cache

	private look(): Look | null {
		const e = s.ensemble.value;

		return e
			? {
					e,
					shown: s.shown.value,
					pinned: s.pinned.value,
					envelope: s.envelope.value,
					across: s.across.value,
					difference: s.against.value !== null,
					peaks: s.peaks.value,
				}
			: null;
	}

	/** Whether the plot has time from left to right. */
	protected overTime(): boolean {
		return s.plot.value !== "parameter" && s.plot.value !== "heat";
	}

	protected drawUnder(d: Draw, p: Palette): void {
		const look = this.look();

		this.plane = null;
		this.spots = [];
		this.charts = [];
		this.labels = [];
		this.volumes = [];
		if (!look) return;
		if (!look.e.members.some((m) => m.done))
			return this.say(
				d,
				p,
				"None of the members of this ensemble has been simulated yet.",
			);
		const left = this.leftRoom(d, look);
		this.context = {
			x: left,
			y: d.height - CONTEXT - 8,
			w: Math.max(20, d.width - left - RIGHT - this.labelRoom(d, look)),
			h: CONTEXT,
		};
		drawContext(
			d,
			p,
			s.whole.value,
			look,
			this.context,
			s.end.value,
			s.chosenFocus.value,
			[
				idOf(s.whole.value),
				p.background,
				s.colourBy.value,
				...Object.values(this.context),
			].join(),
		);
		this.drawHead(d, p, look);
		const room = {
			x: left,
			y: HEAD,
			w: d.width - left - RIGHT,
			h: this.context.y - HEAD - AXIS - 8,
		};
		({
			curves: () => this.drawCurvePlot(d, p, look, room),
			multiples: () => this.drawMultiplePlot(d, p, look, room),
			parameter: () => this.drawFigurePlot(d, p, look, room),
			heat: () => this.drawFigurePlot(d, p, look, room),
			workingset: () => this.drawWorkingSetPlot(d, p, look, room),
			shared: () => this.drawSharedCachePlot(d, p, room),
		})[s.plot.value]();
	}

	private say(d: Draw, p: Palette, text: string): void {
		d.text(d.width / 2, d.height / 2, text, {
			colour: p.muted,
			size: 13,
			align: "center",
		});
	}

	private drawHead(d: Draw, p: Palette, look: Look): void {
		const title = { colour: p.text, size: 13, bold: true };
		const n = look.shown.length;
		const all = look.e.members.length;
		if (!this.overTime()) return this.drawFigureHead(d, p);
		const key =
			s.plot.value === "shared"
				? drawClusterKey(
						d,
						p,
						s.sharedCache.value,
						s.memberOf(s.real.value)?.label,
						d.width - RIGHT,
						17,
					)
				: drawKey(d, p, look.e, s.colourBy.value, d.width - RIGHT, 17, d.width * 0.6);
		const text = cut(d, measureText(), (key - 28) * 0.92, 13);

		d.text(12, 17, text, title);
		const x = 12 + d.measure(text, title) + 12;
		const ways = s.plot.value === "shared" ? s.sharedCache.value : null;
		const side = ways
			? `${ways.threads} threads share ${bytes(ways.total)} in ${exact(ways.ways)} ways`
			: n === all
				? `${exact(n)} members`
				: `${exact(n)} of ${exact(all)} members`;
		const style = { colour: p.muted, size: 11 };
		const averaged =
			this.overTime() && s.smoothing.value > 0
				? `, averaged over ${count(s.smoothing.value)} references`
				: "";
		const fits = [side + averaged, side].find(
			(text) => x + d.measure(text, style) + 12 < key,
		);
		if (fits) d.text(x, 17.5, fits, style);
	}

	/** Title, note and legend of a figure; the note gets the room that is left. */
	private drawFigureHead(d: Draw, p: Palette): void {
		const f = s.figure.value;

		if (!f) return;
		const style = { colour: p.text, size: 13, bold: true };
		const key = drawLegend(d, p, f, d.width - RIGHT, 17, d.width * 0.6);
		const title = cut(d, f.title, (key - 28) * 0.92, 13);
		const x = 12 + d.measure(title, style) + 12;
		d.text(12, 17, title, style);
		if (key - x > 40)
			d.text(x, 17.5, cut(d, f.note, key - x - 12), { colour: p.muted, size: 11 });
	}

	/** Room at the left: for values, and for the names of traces beside their circles. */
	private leftRoom(d: Draw, look: Look): number {
		if (s.plot.value !== "curves" || s.time.value !== "matched") return LEFT;
		return look.e.traces.reduce(
			(w, t) => Math.max(w, Math.min(120, d.measure(t.label, { colour: 0 }) + 18)),
			LEFT,
		);
	}

	/** Room at the right for labels: as wide as the longest. */
	private labelRoom(d: Draw, look: Look): number {
		if (s.plot.value !== "curves" && s.plot.value !== "workingset") return 0;
		const longest = look.shown.reduce(
			(w, m) => Math.max(w, d.measure(m.label, { colour: 0, bold: true })),
			d.measure(timeWord(), { colour: 0, size: 10 }),
		);

		return Math.min(LABELS, this.width * 0.22, longest + 28);
	}

	private drawCurvePlot(d: Draw, p: Palette, look: Look, room: Box): void {
		const c = s.curves.value;
		const m = s.time.value === "matched" ? s.matching.value : null;
		const rows = m && look.e.traces.length <= 6 ? look.e.traces.length : 0;
		const below = rows * VOLUME_ROW + (s.across.value ? SPREAD + 10 : 0);
		const labels = this.labelRoom(d, look);
		const box = { ...room, w: room.w - labels, h: Math.max(40, room.h - below) };

		if (!c) return this.nothing(d, p, look);
		const { range, whole } = rangeFor(c, look);
		const plane = { box, window: s.focus.value, range };
		this.plane = plane;
		drawValues(d, p, box, plane.range, c.unit);
		if (m) drawMilestones(d, p, m, plane);
		d.clip(box.x, box.y - 2, box.w, box.h + 3, () => drawCurves(d, p, c, plane, look));
		drawCut(d, p, plane, whole, c.unit);
		this.labels = endLabels(d, p, c, plane, look, labels - 14);
		drawEndLabels(d, p, this.labels, look.pinned);
		let y = box.y + box.h;
		if (s.across.value) {
			drawSpread(d, p, c, plane.window, { ...box, y: y + 10, h: SPREAD - 4 }, c.unit);
			y += SPREAD + 6;
		}
		drawTimes(d, p, { ...box, y: box.y, h: y - box.y }, plane.window);
		this.timeWord(d, p, box, y);
		if (m && rows) this.volumes = drawVolumes(d, p, look.e, m, plane, y + AXIS - 2);
	}

	private timeWord(d: Draw, p: Palette, box: Box, y: number): void {
		const room = d.width - box.x - box.w;

		if (room > 60)
			d.text(box.x + box.w + 24, y + 13, cut(d, timeWord(), room - 26, 10), {
				colour: p.muted,
				size: 10,
			});
	}

	private nothing(d: Draw, p: Palette, look: Look): void {
		if (!look.shown.length) this.say(d, p, "All members are hidden by the legend.");
	}

	private drawMultiplePlot(d: Draw, p: Palette, look: Look, room: Box): void {
		const c = s.curves.value;

		if (!c) return this.nothing(d, p, look);
		const { range } = rangeFor(c, { ...look, envelope: false });
		const all = { ...room, x: 14, w: d.width - 14 - RIGHT + 8, h: room.h + 12 };
		this.charts = panels(look, s.facet.value, all);
		drawMultiples(d, p, c, this.charts, s.focus.value, range, look, s.facet.value);
		const first = this.charts[0];
		if (first) this.plane = { box: first.box, window: s.focus.value, range };
		d.text(
			14,
			this.context.y - 10,
			`all charts go from ${valueText(range.low, c.unit)} to ${valueText(range.high, c.unit)}; gray: all members`,
			{ colour: p.muted, size: 11 },
		);
	}

	/** A plot of parameters: the figure that the server sends. */
	private drawFigurePlot(d: Draw, p: Palette, look: Look, room: Box): void {
		const f = s.figure.value;

		if (!f) return this.nothing(d, p, look);
		const cells = axisOf(f, "colour") !== undefined;
		const names =
			axisOf(f, "y")?.ticks.map((t) => d.measure(t.text, { colour: 0 })) ?? [];
		const left = Math.min(140, Math.max(LEFT, 16 + Math.max(0, ...names)));
		const box = {
			x: left,
			y: room.y + FIGURE_HEAD,
			w: d.width - left - (cells ? COLOURS : RIGHT),
			h: room.h - FIGURE_HEAD - FIGURE_FOOT,
		};
		this.spots = drawFigure(d, p, f, box, look.pinned);
	}

	/** The spot of the member under the pointer, here or in the ranking. */
	private lit(d: Draw, p: Palette): void {
		const spot = this.spots.find((x) => x.member === s.hovered.value);

		if (!spot) return;
		if (spot.w) d.frame(spot.x, spot.y, spot.w, spot.h, p.text, 2);
		else d.arc(spot.x, spot.y, 6, 8, 0, 2 * Math.PI, p.text);
	}

	/** The chart of the member under the pointer, and the moment in all charts. */
	private litCharts(d: Draw, p: Palette, window: Window): void {
		for (const { box, members } of this.charts) {
			if (s.pointed.value !== null) {
				const x = xOf(s.pointed.value, window, box);
				d.line(x, box.y, x, box.y + box.h, p.muted, 1, 0.7);
			}
			if (members.some((m) => m.member === s.hovered.value))
				d.frame(box.x, box.y, box.w, box.h, p.text, 1.5);
		}
	}

	private drawWorkingSetPlot(d: Draw, p: Palette, look: Look, room: Box): void {
		const upper = Math.round(room.h * 0.52);

		this.drawCurvePlot(d, p, look, { ...room, h: upper - AXIS });
		if (!this.plane) return;
		const { box } = this.plane;
		const lower = { ...box, y: room.y + upper + 8, h: room.h - upper - 8 };
		if (!s.size.value)
			d.text(
				lower.x,
				lower.y + 20,
				"No parameter is a size, so there is no working set.",
				{ colour: p.muted, size: 12 },
			);
		else if (s.workingSet.value) {
			drawWorkingSet(
				d,
				p,
				look.e,
				s.workingSet.value,
				s.size.value,
				s.focus.value,
				lower,
			);
			drawTimes(d, p, lower, s.focus.value);
		}
	}

	private drawSharedCachePlot(d: Draw, p: Palette, room: Box): void {
		const [a, c] = [s.sharedCache.value, s.curves.value];

		if (!a)
			return this.say(
				d,
				p,
				s.size.value ? "" : "No parameter is a size, so there is no cache to share.",
			);
		const plane = {
			box: room,
			window: s.focus.value,
			range: sharedCacheRange(a, c, s.real.value, s.peaks.value),
		};
		this.plane = plane;
		drawSharedCache(d, p, a, c, s.real.value, plane, c?.unit || a.unit);
		drawTimes(d, p, room, plane.window);
	}

	protected drawOver(d: Draw, p: Palette): void {
		const [look, plane, c] = [this.look(), this.plane, s.curves.value];

		if (this.brush && plane) {
			const x = xOf(this.brush.from, plane.window, plane.box);
			const to = xOf(this.brush.to, plane.window, plane.box);
			d.rect(x, plane.box.y, to - x, plane.box.h, p.cursor, 0.25);
		}
		if (!this.overTime()) return this.lit(d, p);
		if (!look || !plane) return;
		if (s.plot.value === "multiples") return this.litCharts(d, p, plane.window);
		if (s.plot.value === "shared" && this.way !== null && s.sharedCache.value)
			drawWay(d, p, s.sharedCache.value, this.way, plane);
		const { box, window } = plane;
		if (s.at.value !== null && s.at.value >= window.from && s.at.value <= window.to) {
			const x = xOf(s.at.value, window, box);
			d.line(x, box.y - 4, x, box.y + box.h, p.cursor, 1.5);
		}
		const m = s.memberOf(s.hovered.value);
		const row = m && c ? rowOf(c, m.member) : -1;
		if (c && m && row >= 0 && s.plot.value !== "shared") {
			d.clip(box.x, box.y - 2, box.w, box.h + 3, () => {
				d.rect(box.x, box.y, box.w, box.h, p.background, 0.55);
				for (const n of look.pinned) {
					const one = s.memberOf(n);
					if (one && rowOf(c, n) >= 0)
						drawOne(d, p, c, rowOf(c, n), plane, colourOf(look.e, p, one));
				}
				drawOne(d, p, c, row, plane, colourOf(look.e, p, m));
			});
			const label = this.labels.find((l) => l.member === m.member);
			if (label) d.rect(label.x + 10, label.y + 6, 30, 1.5, label.colour);
		}
		if (s.pointed.value === null) return;
		const x = xOf(s.pointed.value, window, box);
		if (x < box.x || x > box.x + box.w) return;
		d.line(x, box.y, x, box.y + box.h, p.muted, 1, 0.5);
		if (!c || s.plot.value === "shared") return;
		for (const n of new Set([...look.pinned, ...(m ? [m.member] : [])])) {
			const v = valueAt(c, c.mean, n, s.pointed.value);
			const one = s.memberOf(n);
			if (!one || !Number.isFinite(v)) continue;
			const y = yOf(v, plane.range, box);
			d.arc(x, y, 0, 5.5, 0, 2 * Math.PI, p.background);
			d.arc(x, y, 0, 4, 0, 2 * Math.PI, colourOf(look.e, p, one));
		}
	}
}
