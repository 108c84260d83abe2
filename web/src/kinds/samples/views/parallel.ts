// Parallel coordinates: a histogram on every axis, and between two axes a line for each pair
// of bins that have samples in common. Luminance is the strength of a line, width its count;
// the strongest are drawn last.
import type { Box } from "../../../model/box";
import type { Palette } from "../../../draw/colours";
import type { Draw } from "../../../draw/draw";
import { identity } from "../../../state/identity";
import { exact, percent } from "../../../model/format";
import {
	axisX,
	binAt,
	binText,
	binY,
	moved,
	placeAt,
	shown,
	strengths,
	strokes,
	type Frame,
} from "../model/axes";
import { brushed, rangeText } from "../model/selection";
import {
	isNames,
	unitOf,
	type Axes,
	type AxisCounts,
	type Links,
	type SampleColumn,
} from "../model/table";
import * as s from "../state";
import { lineColour, sampleColours } from "./colours";
import { NOTHING, type Part, type Under } from "./parts";

const HEAD = 40; // names and highest values
const FOOT = 34; // lowest values, and the bin of missing values
const NEAR = 20; // pixels from an axis
/** How much of the other lines stays beside a pre-selection. */
const DIMMED = 0.55;

type Grip =
	| { what: "axis"; from: number; dx: number; at: number; start: number }
	| { what: "range"; axis: number; first: number; last: number }
	| { what: "close"; axis: number };

export class ParallelPart implements Part {
	private frame: Frame = { left: 0, right: 1, top: 0, bottom: 1 };
	private grip: Grip | null = null;
	private over_: { axis: number; bin: number; head: boolean } | null = null;

	reads(): void {
		void s.base.value;
		void s.counts.value;
		void s.strength.value;
		void s.ownScale.value;
		void s.hover.value;
		void s.selected.value;
		for (const a of s.axes.value) void s.edgesOf(a);
	}

	private isLog(i: number): boolean {
		return s.logs.value.includes(s.axes.value[i]!);
	}

	private column(i: number): SampleColumn {
		return s.info.value!.columns[s.axes.value[i]!]!;
	}

	/** The x of an axis; the one that is dragged is where the pointer is. */
	private x(i: number): number {
		const n = s.axes.value.length;
		const g = this.grip;

		if (g?.what !== "axis") return axisX(this.frame, i, n);
		if (i === g.from) return g.dx;
		const order = moved([...s.axes.value.keys()], g.from, g.at);
		return axisX(this.frame, order.indexOf(i), n);
	}

	draw(d: Draw, p: Palette, box: Box): void {
		const [base, now] = [s.base.value, s.counts.value];
		const n = s.axes.value.length;

		this.frame = {
			left: box.x + this.leftRoom(d),
			right: box.x + box.w - 62,
			top: box.y + HEAD,
			bottom: box.y + box.h - FOOT,
		};
		if (!now || !base || !s.info.value) {
			d.text(box.x + box.w / 2, box.y + box.h / 2, "counting…", {
				colour: p.muted,
				align: "center",
			});
			return;
		}
		// an answer about other axes has no lines for these
		if (now.columns.join() === s.axes.value.join()) {
			if (this.grip?.what === "axis") this.drawDraggedLines(d, p, now);
			else this.drawLines(d, p, now);
		}
		const at = s.axes.value.map((c) => now.columns.indexOf(c));
		// what does not follow the pointer is kept: bars and names cost as much as lines
		d.layer("axes", this.axesKey(p, base, now), () => {
			for (let i = 0; i < n; i++) this.drawAxis(d, p, i, at[i]!, base, now);
		});
		for (let i = 0; i < n; i++) {
			if (at[i]! < 0) continue;
			this.drawAlso(d, p, this.x(i), now, at[i]!);
			this.drawBrush(d, p, i, this.x(i), now.bins[at[i]!]!);
		}
		d.layer("names", this.namesKey(p, base, now), () => {
			for (let i = 0; i < n; i++) {
				if (at[i]! >= 0) this.drawNames(d, p, i, this.x(i), now.bins[at[i]!]!);
				this.drawHead(d, p, i, this.x(i), this.column(i));
			}
		});
	}

	/** Where the axes stand and what they are of, as a part of keys. */
	private place(p: Palette): string {
		const f = this.frame;
		const xs = s.axes.value.map((_, i) => this.x(i));

		return [p.background, f.left, f.right, f.top, f.bottom, xs, s.axes.value].join(" ");
	}

	private axesKey(p: Palette, base: Axes, now: Axes): string {
		return [
			this.place(p),
			identity(base.selected),
			identity(now.selected),
			s.selected.value ? "selected" : "",
		].join(" ");
	}

	private namesKey(p: Palette, base: Axes, now: Axes): string {
		const over = this.over_?.head ? this.over_.axis : -1;
		const held = this.grip?.what === "axis" ? this.grip.from : -1;

		return [
			this.place(p),
			identity(s.info.value),
			identity(base.selected),
			now.columns,
			now.bins,
			s.logs.value,
			s.axes.value.map((a) => identity(s.edgesOf(a))),
			over,
			held,
		].join(" ");
	}

	/** What the labels of the first axis need. */
	private leftRoom(d: Draw): number {
		const first = s.axes.value[0];
		const edges = first === undefined ? null : s.edgesOf(first);

		if (!edges || !s.info.value || !isNames(this.column(0)) || edges.length > 40)
			return 34;
		const widest = Math.max(...edges.map((e) => d.measure(e, { colour: 0, size: 9.5 })));
		return Math.max(34, Math.min(116, widest + 10));
	}

	/** Lines between neighbours. What the pointer is on lies over the rest. */
	private drawLines(d: Draw, p: Palette, a: Axes): void {
		const c = sampleColours(p);
		const { also } = a;

		// over the background, dimmed lines are lines of dimmed colours
		d.layer(
			"lines",
			this.linesKey(p, a),
			() => {
				for (let i = 0; i + 1 < a.columns.length; i++)
					this.drawPair(d, p, a, a.selected, a.selected.links[i]!, i, c.selected);
			},
			also ? DIMMED : 1,
		);
		if (!also) return;
		d.layer(
			"lines under the pointer",
			[this.linesKey(p, a), identity(also), s.ownScale.value].join(" "),
			() =>
				also.links.forEach((links, i) => this.drawPair(d, p, a, also, links, i, c.hover)),
		);
	}

	/** While an axis is dragged its lines follow it, as far as neighbours stay. */
	private drawDraggedLines(d: Draw, p: Palette, a: Axes): void {
		const c = sampleColours(p);
		const g = this.grip as Extract<Grip, { what: "axis" }>;
		const order = moved([...a.columns.keys()], g.from, g.at);
		const draw = (follows: boolean) => {
			for (let i = 0; i + 1 < a.columns.length; i++)
				if (
					order.indexOf(i + 1) - order.indexOf(i) === 1 &&
					(i === g.from || i + 1 === g.from) === follows
				)
					this.drawPair(d, p, a, a.selected, a.selected.links[i]!, i, c.selected);
		};

		d.layer("lines", [this.linesKey(p, a), "without", g.from, order].join(" "), () =>
			draw(false),
		);
		draw(true);
	}

	private linesKey(p: Palette, a: Axes): string {
		const f = this.frame;

		return [
			identity(a.selected),
			a.columns,
			a.bins,
			s.strength.value,
			p.background,
			f.left,
			f.right,
			f.top,
			f.bottom,
		].join(" ");
	}

	private drawPair(
		d: Draw,
		p: Palette,
		a: Axes,
		of: AxisCounts,
		links: Links,
		i: number,
		colour: number,
	): void {
		const scale = of === a.also && !s.ownScale.value ? a.selected.links[i] : of.links[i];

		const list = strokes(
			links,
			strengths(links, s.strength.value, scale),
			of === a.also && s.ownScale.value ? of.samples : a.selected.samples,
			this.x(i),
			this.x(i + 1),
			this.frame,
			[a.bins[i]!, a.bins[i + 1]!],
		);
		d.segments(
			list.map((k) => ({
				ends: k.ends,
				colour: lineColour(p, colour, k.shade),
				thick: k.width,
			})),
		);
	}

	/** The axis with the bars of all samples and of the selected; `at`: its place in `now`. */
	private drawAxis(
		d: Draw,
		p: Palette,
		i: number,
		at: number,
		base: Axes,
		now: Axes,
	): void {
		const f = this.frame;
		const x = this.x(i);
		const c = sampleColours(p);

		d.line(x, f.top, x, f.bottom, p.text, 1, 0.7);
		if (at < 0) return;
		const bins = now.bins[at]!;
		const counts = now.selected.histograms[at]!;
		const all = allCounts(base, s.axes.value[i]!);
		if (s.selected.value && all)
			this.drawBars(d, x, bins, all, Math.max(1, ...all), c.rest, 0.75);
		this.drawBars(d, x, bins, counts, this.longest(now, at), c.selected, 0.85);
		if (counts[bins] || all?.[bins])
			d.text(x - 4, f.bottom + 11, "none", { colour: p.muted, size: 9, align: "right" });
	}

	/** The bars of the pre-selection. */
	private drawAlso(d: Draw, p: Palette, x: number, now: Axes, at: number): void {
		const also = now.also?.histograms[at];

		if (!also) return;
		const most = s.ownScale.value ? Math.max(1, ...also) : this.longest(now, at);
		this.drawBars(d, x, now.bins[at]!, also, most, sampleColours(p).hover, 1);
	}

	/** The count whose bar is as long as bars get. */
	private longest(now: Axes, at: number): number {
		const counts = now.selected.histograms[at]!;
		const all = s.base.value && allCounts(s.base.value, now.columns[at]!);

		return Math.max(1, ...(s.selected.value ? counts : (all ?? counts)));
	}

	private drawBars(
		d: Draw,
		x: number,
		bins: number,
		counts: Float64Array,
		most: number,
		colour: number,
		alpha: number,
	): void {
		const f = this.frame;
		const wide = this.barRoom();
		const high = (f.bottom - f.top) / bins;

		for (let b = 0; b <= bins; b++) {
			if (!counts[b]) continue;
			const h = b >= bins ? 6 : Math.max(1, high - (high > 4 ? 1 : 0));
			const w = Math.max(1, wide * Math.sqrt(counts[b]! / most));

			d.rect(x + 1, binY(f, b, bins) - h / 2, w, h, colour, alpha);
		}
	}

	private barRoom(): number {
		const n = s.axes.value.length;

		return Math.min(
			44,
			((this.frame.right - this.frame.left) / Math.max(1, n - 1)) * 0.38,
		);
	}

	/** The range that is selected on this axis, or is being drawn. */
	private drawBrush(d: Draw, p: Palette, i: number, x: number, bins: number): void {
		const f = this.frame;
		const edges = s.edgesOf(s.axes.value[i]!);
		const g = this.grip;
		const range: [number, number] | null =
			g?.what === "range" && g.axis === i
				? [Math.min(g.first, g.last), Math.max(g.first, g.last)]
				: edges
					? brushed(s.selected.value, this.column(i), edges)
					: null;

		if (!range || range[0] >= bins) return;
		const step = (f.bottom - f.top) / bins;
		const y0 = f.bottom - step * (Math.min(range[1], bins - 1) + 1);
		const y1 = f.bottom - step * range[0];
		d.rect(x - 7, y0, 14, Math.max(2, y1 - y0), p.cursor, 0.35);
		d.frame(x - 7, y0, 14, Math.max(2, y1 - y0), p.cursor, 1.5);
	}

	/** Names beside their bins, or numbers at round places, where there is room. */
	private drawNames(d: Draw, p: Palette, i: number, x: number, bins: number): void {
		const f = this.frame;
		const c = this.column(i);
		const edges = s.edgesOf(s.axes.value[i]!);
		const room = (f.bottom - f.top) / bins;
		const space = (f.right - f.left) / Math.max(1, s.axes.value.length - 1);
		const style = { colour: p.text, size: 9.5, align: "right" as const };
		const put = (y: number, text: string) => {
			let t = text;

			while (t.length > 3 && d.measure(t, style) > Math.min(110, space * 0.5))
				t = `${t.slice(0, -2)}…`;
			const w = d.measure(t, style);
			d.rect(x - 6 - w, y - 5.5, w + 2, 11, p.background, 0.72);
			d.text(x - 5, y, t, style);
		};

		if (!edges) return;
		if (isNames(c) || bins <= 32) {
			const each = Math.ceil(12 / room);
			const used =
				s.base.value?.selected.histograms[s.base.value.columns.indexOf(s.axes.value[i]!)];

			if (isNames(c) && each > 4) return;
			for (let b = 0; b < bins; b++)
				if (isNames(c) && each === 1 ? used?.[b] : b % each === 0)
					put(binY(f, b, bins), shown(c, edges[b]!));
			return;
		}
		if (c.type === "hexadecimal" && !shown(c, edges[0]!).startsWith("+")) return;
		for (const share of [0.25, 0.5, 0.75]) {
			const b = Math.round(bins * share);
			put(f.bottom - (f.bottom - f.top) * (b / bins), shown(c, edges[b]!));
		}
	}

	private drawHead(d: Draw, p: Palette, i: number, x: number, c: SampleColumn): void {
		const f = this.frame;
		const held = this.grip?.what === "axis" && this.grip.from === i;
		const on = held || (this.over_?.axis === i && this.over_.head);
		const room =
			(f.right - f.left) / Math.max(1, s.axes.value.length - 1) - (on ? 24 : 8);
		const style = { colour: p.text, size: 11, bold: true, align: "center" as const };
		const marks = [unitOf(c), this.isLog(i) ? "log" : ""].filter(Boolean);
		// the unit gives way first: "latency (cycles, log)", "latency (log)", "latency"
		const tries = [marks, marks.slice(-1), []].map((m) =>
			m.length ? `${c.column} (${m.join(", ")})` : c.column,
		);
		let name = tries.find((n) => d.measure(n, style) <= room) ?? c.column;

		while (name.length > 2 && d.measure(name, style) > Math.max(34, room))
			name = `${name.slice(0, -2)}…`;
		const w = d.measure(name, style) + 12;
		if (on) d.rect(x - w / 2, f.top - HEAD + 3, w + 14, 18, p.grid);
		d.text(x, f.top - HEAD + 12, name, style);
		if (on && !held)
			d.text(x + w / 2 + 5, f.top - HEAD + 12, "×", {
				...style,
				colour: p.muted,
				bold: false,
			});
		if (isNames(c)) {
			d.text(x, f.top - 8, `${c.names} names`, {
				...style,
				bold: false,
				size: 9.5,
				colour: p.muted,
			});
			return;
		}
		const small = { colour: p.muted, size: 9.5, align: "center" as const };
		d.text(x, f.top - 8, shortNumber(c, c.max), small);
		d.text(x, f.bottom + 25, shortNumber(c, c.min), small);
	}

	/** The axis and bin at a place. */
	private at(x: number, y: number): { axis: number; bin: number; head: boolean } | null {
		const f = this.frame;
		const n = s.axes.value.length;
		const now = s.counts.value;

		if (!now || x < 0 || now.columns.length !== n) return null;
		const wide = Math.max(NEAR, this.barRoom());
		for (let i = 0; i < n; i++) {
			const dx = x - this.x(i);
			const head = y < f.top - 14;

			if (head ? Math.abs(dx) < 50 && nearest(this, x, n) === i : dx > -NEAR && dx < wide)
				return { axis: i, bin: binAt(f, y, now.bins[i]!), head };
		}
		return null;
	}

	axisAt(i: number): number {
		return this.x(i);
	}

	over(x: number, y: number): Under {
		const at = (this.over_ = this.at(x, y));
		const now = s.counts.value;

		if (!at || !now) return NOTHING;
		const c = this.column(at.axis);
		if (at.head)
			return {
				hover: "",
				cursor: "grab",
				tip: [
					c.column,
					`${c.type}${c.role ? `, the ${c.role} of a sample` : ""}`,
					"drag to move; × or double click to remove",
					...(isNames(c) || c.type === "real"
						? []
						: [
								`click for ${this.isLog(at.axis) ? "bins of equal width" : "growing bins (log)"}`,
							]),
				],
			};
		const edges = s.edgesOf(s.axes.value[at.axis]!);
		const counts = now.selected.histograms[at.axis]!;
		if (!edges || at.bin > edges.length - 1) return NOTHING;
		const has = counts[at.bin] ?? 0;
		const unit = unitOf(c);
		return {
			hover: has ? rangeText(c, edges, at.bin, at.bin) : "",
			cursor: "ns-resize",
			tip: [
				`${c.column}: ${binText(c, edges, at.bin)}${unit ? ` ${unit}` : ""}`,
				has
					? `${exact(has)} samples, ${percent(has, now.selected.samples)}`
					: "no samples",
			],
		};
	}

	down(x: number, y: number): boolean {
		const at = this.at(x, y);

		if (!at) return false;
		if (at.head) {
			const close = x - this.x(at.axis) > 14 && this.overClose(x, at.axis);

			this.grip = close
				? { what: "close", axis: at.axis }
				: { what: "axis", from: at.axis, dx: x, at: at.axis, start: x };
		} else this.grip = { what: "range", axis: at.axis, first: at.bin, last: at.bin };
		return true;
	}

	/** Whether the pointer is on the × of an axis. */
	private overClose(x: number, axis: number): boolean {
		const c = this.column(axis);
		const room = Math.min(46, 6 + c.column.length * 3.4);

		return x > this.x(axis) + room - 6;
	}

	drag(x: number, y: number): void {
		const g = this.grip;

		if (g?.what === "axis") {
			g.dx = x;
			g.at = placeAt(this.frame, x, s.axes.value.length);
		} else if (g?.what === "range") {
			const bins = s.counts.value?.bins[g.axis] ?? 1;
			g.last = Math.min(bins - 1, binAt(this.frame, y, bins));
			// what the brush would select is the pre-selection: all views follow it
			const text = this.brushText(g);
			if (text) s.hover.value = text;
		}
	}

	private brushText(g: Extract<Grip, { what: "range" }>): string {
		const edges = s.edgesOf(s.axes.value[g.axis]!);
		const [low, high] = [Math.min(g.first, g.last), Math.max(g.first, g.last)];

		return edges ? rangeText(this.column(g.axis), edges, low, high) : "";
	}

	up(_x: number, _y: number, e: PointerEvent): void {
		const g = this.grip;

		this.grip = null;
		if (g?.what === "close") s.hideAxis(s.axes.value[g.axis]!);
		if (g?.what === "axis" && g.at === g.from && Math.abs(g.dx - g.start) < 4)
			s.toggleLog(s.axes.value[g.from]!);
		if (g?.what === "axis" && g.at !== g.from)
			s.setAxes(moved(s.axes.value, g.from, g.at));
		if (g?.what !== "range") return;
		const text = this.brushText(g);
		if (text) s.select(text, s.modeOf(e));
	}

	doubleClick(x: number, y: number): void {
		const at = this.at(x, y);

		if (at?.head) s.hideAxis(s.axes.value[at.axis]!);
	}
}

/** The counts of all samples on a column. */
function allCounts(base: Axes, column: number): Float64Array | null {
	return base.selected.histograms[base.columns.indexOf(column)] ?? null;
}

function nearest(part: ParallelPart, x: number, n: number): number {
	let best = 0;

	for (let i = 1; i < n; i++)
		if (Math.abs(part.axisAt(i) - x) < Math.abs(part.axisAt(best) - x)) best = i;
	return best;
}

function shortNumber(c: SampleColumn, text: string | null): string {
	if (text === null) return "";
	if (c.type === "hexadecimal" && !shown(c, text).startsWith("+"))
		return text.length > 9 ? `${text.slice(0, 4)}…${text.slice(-3)}` : text;
	return shown(c, text);
}
