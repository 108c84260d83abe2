// One attribute in detail: its histogram, a strip of a metric in windows along it, and the
// clusters of windows that are alike. Each cluster is a small picture of the hardware.
import type { Box } from "../../../model/box";
import { along as mixAlong, type Palette } from "../../../draw/colours";
import type { Draw } from "../../../draw/draw";
import { count, exact, percent } from "../../../model/format";
import { binText, position, shown } from "../model/axes";
import { brushed, rangeText } from "../model/selection";
import { unitOf, type Cluster, type SampleColumn, type Window } from "../model/table";
import * as s from "../state";
import { sampleColours } from "./colours";
import { drawSunburst } from "./hardware";
import { NOTHING, type Part, type Under } from "./parts";

const LEFT = 58;
const RIGHT = 20;
const STRIP = 16;

interface Plan {
	plot: Box;
	strip: Box | null;
	glyphs: Box | null;
}

function plan(box: Box): Plan {
	const strip = !!s.windows.value;
	const glyphs = !!s.clusters.value?.length;
	const below = (strip ? STRIP + 44 : 0) + (glyphs ? Math.min(210, box.h * 0.36) : 0);
	const plot = {
		x: box.x + LEFT,
		y: box.y + 30,
		w: box.w - LEFT - RIGHT,
		h: box.h - 30 - 40 - below,
	};
	const stripY = plot.y + plot.h + 44;

	return {
		plot,
		strip: strip ? { x: plot.x, y: stripY, w: plot.w, h: STRIP } : null,
		glyphs: glyphs
			? {
					x: plot.x,
					y: stripY + STRIP + 24,
					w: plot.w,
					h: box.y + box.h - stripY - STRIP - 30,
				}
			: null,
	};
}

export function metricOf(w: Window): number | null {
	return s.metric.value === "latency" ? w.latency : w.imbalance;
}

/** From the lowest to the highest value of a metric. */
function spread(list: Window[]): [number, number] {
	const values = list.map(metricOf).filter((v): v is number => v !== null);

	return values.length ? [Math.min(...values), Math.max(...values)] : [0, 0];
}

export class HistogramPart implements Part {
	private plan_: Plan | null = null;
	private range: [number, number] | null = null;
	private over_: { what: "bin" | "window" | "cluster"; at: number } | null = null;
	private pressed: string | null = null;

	reads(): void {
		void s.oneAxis.value;
		void s.oneBase.value;
		void s.windows.value;
		void s.clusters.value;
		void s.clusterLoads.value;
		void s.metric.value;
		void s.selected.value;
		void s.hover.value;
		if (s.along.value >= 0) void s.edgesOf(s.along.value);
	}

	private column(): SampleColumn | null {
		return s.info.value?.columns[s.along.value] ?? null;
	}

	draw(d: Draw, p: Palette, box: Box): void {
		const [c, now, all] = [this.column(), s.oneAxis.value, s.oneBase.value];

		if (!c || !now || !all || now.columns[0] !== s.along.value) return;
		const x = (this.plan_ = plan(box));
		this.drawBars(d, p, x.plot, c);
		if (x.strip) this.drawStrip(d, p, x.strip, c);
		if (x.glyphs) this.drawGlyphs(d, p, x, c);
	}

	private place(c: SampleColumn, value: string): number {
		const edges = s.edgesOf(s.along.value);

		return edges ? position(c, value, edges) : 0;
	}

	/** Where a window begins and ends on the axis. */
	private windowEnds(c: SampleColumn, i: number): [number, number] {
		const list = s.windows.value!;

		return [
			this.place(c, list[i]!.from),
			i + 1 < list.length ? this.place(c, list[i + 1]!.from) : 1,
		];
	}

	private drawBars(d: Draw, p: Palette, b: Box, c: SampleColumn): void {
		const colours = sampleColours(p);
		const [now, all] = [s.oneAxis.value!, s.oneBase.value!];
		const bins = now.bins[0]!;
		const counts = now.selected.histograms[0]!;
		const also = now.also?.histograms[0];
		const behind = all.selected.histograms[0]!;
		const scale = s.selected.value ? counts : behind;
		const most = Math.max(1, ...scale.subarray(0, bins));
		const step = b.w / bins;
		const unit = unitOf(c);

		d.text(b.x, b.y - 18, `samples by ${c.column}${unit ? ` (${unit})` : ""}`, {
			colour: p.text,
			size: 12,
			bold: true,
		});
		if (behind[bins])
			d.text(b.x + b.w, b.y - 18, `${exact(behind[bins]!)} without a value`, {
				colour: p.muted,
				align: "right",
			});
		for (const share of [0, 0.5, 1]) {
			const y = b.y + b.h * (1 - share);

			d.line(b.x, y, b.x + b.w, y, p.grid);
			d.text(b.x - 6, y, count(Math.round(most * share)), {
				colour: p.muted,
				size: 10,
				align: "right",
			});
		}
		for (let i = 0; i < bins; i++) {
			const bar = (n: number, colour: number) =>
				n > 0 &&
				d.rect(
					b.x + i * step,
					b.y + b.h - Math.max(1, (b.h * Math.min(n, most)) / most),
					Math.max(0.7, step - (step > 4 ? 1 : 0)),
					Math.max(1, (b.h * Math.min(n, most)) / most),
					colour,
				);

			if (s.selected.value) bar(behind[i]!, colours.rest);
			bar(counts[i]!, colours.selected);
			if (also) bar(also[i]!, colours.hover);
		}
		this.drawTicks(d, p, b, c);
		this.drawRange(d, p, b, c, bins);
	}

	private drawTicks(d: Draw, p: Palette, b: Box, c: SampleColumn): void {
		const edges = s.edgesOf(s.along.value);
		const y = b.y + b.h;

		if (!edges) return;
		for (let i = 0; i <= 6; i++) {
			const at = Math.round(((edges.length - 1) * i) / 6);

			d.line(b.x + (b.w * i) / 6, y, b.x + (b.w * i) / 6, y + 4, p.muted);
			d.text(b.x + (b.w * i) / 6, y + 13, shown(c, edges[at]!), {
				colour: p.muted,
				size: 10,
				align: i === 0 ? "left" : i === 6 ? "right" : "center",
			});
		}
	}

	private drawRange(d: Draw, p: Palette, b: Box, c: SampleColumn, bins: number): void {
		const edges = s.edgesOf(s.along.value);
		const range = this.range ?? (edges ? brushed(s.selected.value, c, edges) : null);

		if (!range) return;
		const [low, high] = [Math.min(...range), Math.max(...range)];
		const [x0, x1] = [b.x + (b.w * low) / bins, b.x + (b.w * (high + 1)) / bins];
		d.rect(x0, b.y, x1 - x0, b.h, p.cursor, 0.15);
		d.frame(x0, b.y, Math.max(2, x1 - x0), b.h, p.cursor, 1.5);
	}

	private drawStrip(d: Draw, p: Palette, b: Box, c: SampleColumn): void {
		const heat = sampleColours(p).heat;
		const list = s.windows.value!;
		const [low, high] = spread(list);
		const name = s.metric.value === "latency" ? "latency L" : "imbalance I";
		const tier = s.tier.value;

		d.text(b.x, b.y - 9, `${name} of ${tier} in ${list.length} windows`, {
			colour: p.muted,
			size: 10,
		});
		const unit = s.metric.value === "latency" ? " cycles" : "";
		const small = { colour: p.muted, size: 10, align: "right" as const };
		const most = `${high.toFixed(2)}${unit}`;
		const scale = b.x + b.w - d.measure(most, small) - 66;
		d.text(b.x + b.w, b.y - 9, most, small);
		for (let i = 0; i < 30; i++)
			d.rect(scale + 2 * i, b.y - 13, 2.5, 8, mixAlong(heat, i / 29));
		d.text(scale - 6, b.y - 9, low.toFixed(2), small);
		list.forEach((w, i) => {
			const v = metricOf(w);
			const [x0, x1] = this.windowEnds(c, i).map((at) => b.x + b.w * at) as [
				number,
				number,
			];

			d.rect(
				x0,
				b.y,
				Math.max(1, x1 - x0 - 0.5),
				b.h,
				v === null
					? p.empty
					: mixAlong(heat, high > low ? (v - low) / (high - low) : 0.5),
			);
			if (this.over_?.what === "window" && this.over_.at === i)
				d.frame(x0, b.y, x1 - x0, b.h, p.text, 1.5);
		});
	}

	private slot(b: Box, i: number, n: number): Box {
		const side = Math.min(b.h - 38, b.w / n - 6);

		return {
			x: b.x + (b.w * (i + 0.5)) / n - side / 2,
			y: b.y + 18,
			w: side,
			h: side,
		};
	}

	/** Markers on the axis, and the hardware of each cluster unfolded below it. */
	private drawGlyphs(d: Draw, p: Palette, x: Plan, c: SampleColumn): void {
		const list = s.clusters.value!;
		const all = s.clusterLoads.value;
		const heat = sampleColours(p).heat;
		const [low, high] = spread(list);
		const b = x.glyphs!;
		const markerY = b.y - 10;
		const tree = s.tree.value;

		d.line(b.x, markerY, b.x + b.w, markerY, p.muted, 1, 0.6);
		list.forEach((k, i) => {
			const at = b.x + b.w * ((this.place(c, k.from) + this.place(c, k.to)) / 2);
			const v = metricOf(k);
			const colour = mixAlong(
				heat,
				v === null ? 0 : high > low ? (v - low) / (high - low) : 0.5,
			);
			const slot = this.slot(b, i, list.length);
			const on = this.over_?.what === "cluster" && this.over_.at === i;
			const [x0, x1] = [
				b.x + b.w * this.place(c, k.from),
				b.x + b.w * this.place(c, k.to),
			];

			if (on) d.line(x0, markerY, x1, markerY, p.cursor, 5);
			d.line(x0, markerY - 4, x0, markerY + 4, p.muted, 1);
			d.line(at, markerY + 5, slot.x + slot.w / 2, slot.y - 2, p.muted, 1, 0.5);
			d.arc(at, markerY, 0, 6, 0, 2 * Math.PI, p.text);
			d.arc(at, markerY, 0, 5, 0, 2 * Math.PI, colour);
			if (tree && all?.[i] && slot.w > 34) {
				drawSunburst(d, p, slot, { tree, loads: all[i]!, by: "samples" });
				this.drawCaption(d, p, slot, b.w / list.length, on, [
					`${shown(c, k.from)}–${shown(c, k.to)}`,
					v === null ? "" : v.toFixed(2),
				]);
			}
		});
		if (this.over_?.what === "cluster") this.drawUnfolded(d, p, x, this.over_.at);
	}

	/** The range of a cluster and its metric, in two lines where one is too long. */
	private drawCaption(
		d: Draw,
		p: Palette,
		slot: Box,
		room: number,
		on: boolean,
		[range, metric]: [string, string],
	): void {
		const style = {
			colour: on ? p.text : p.muted,
			size: 10,
			align: "center" as const,
			bold: on,
		};
		const one = metric ? `${range}: ${metric}` : range;
		const lines = d.measure(one, style) + 8 <= room ? [one] : [range, metric];

		lines.forEach((text, i) =>
			d.text(slot.x + slot.w / 2, slot.y + slot.h + 9 + 12 * i, text, style),
		);
	}

	/** The cluster under the pointer, large. */
	private drawUnfolded(d: Draw, p: Palette, x: Plan, i: number): void {
		const [tree, loads] = [s.tree.value, s.clusterLoads.value?.[i]];
		const n = s.clusters.value!.length;
		const slot = this.slot(x.glyphs!, i, n);
		const side = Math.min(230, x.plot.h - 12);

		if (!tree || !loads || side < slot.w * 1.3) return;
		const left = Math.max(
			x.plot.x,
			Math.min(x.plot.x + x.plot.w - side - 12, slot.x + slot.w / 2 - side / 2),
		);
		const box = {
			x: left,
			y: x.plot.y + x.plot.h - side - 12,
			w: side + 12,
			h: side + 12,
		};
		d.rect(box.x, box.y, box.w, box.h, p.background, 0.95);
		d.frame(box.x, box.y, box.w, box.h, p.muted);
		drawSunburst(
			d,
			p,
			{ x: box.x + 6, y: box.y + 6, w: side, h: side },
			{ tree, loads, by: "samples", labels: true },
		);
	}

	private at(x: number, y: number): typeof this.over_ {
		const k = this.plan_;
		const c = this.column();

		if (!k || !c || x < k.plot.x || x >= k.plot.x + k.plot.w) return null;
		const share = (x - k.plot.x) / k.plot.w;
		if (y >= k.plot.y && y < k.plot.y + k.plot.h + 20)
			return { what: "bin", at: Math.floor(share * (s.oneAxis.value?.bins[0] ?? 1)) };
		if (k.strip && y >= k.strip.y && y < k.strip.y + k.strip.h)
			return {
				what: "window",
				at: s.windows.value!.findIndex((_, i) => share < this.windowEnds(c, i)[1]),
			};
		if (!k.glyphs || y < k.glyphs.y - 20) return null;
		const list = s.clusters.value!;
		if (y < k.glyphs.y + 4) {
			const at = list.findIndex(
				(w) => share >= this.place(c, w.from) && share <= this.place(c, w.to),
			);
			return at < 0 ? null : { what: "cluster", at };
		}
		return { what: "cluster", at: Math.floor(share * list.length) };
	}

	over(x: number, y: number): Under {
		const at = (this.over_ = this.at(x, y));
		const c = this.column();
		const edges = s.edgesOf(s.along.value);
		const now = s.oneAxis.value;

		if (!at || !c || !edges || !now) return NOTHING;
		if (at.what === "bin") {
			const has = now.selected.histograms[0]![at.at] ?? 0;

			return {
				cursor: "ew-resize",
				hover: has ? rangeText(c, edges, at.at, at.at) : "",
				tip: [
					`${c.column}: ${binText(c, edges, at.at)}`,
					`${exact(has)} samples, ${percent(has, now.selected.samples)}`,
				],
			};
		}
		const w: Window | Cluster | undefined =
			at.what === "window" ? s.windows.value![at.at] : s.clusters.value![at.at];
		if (!w) return NOTHING;
		return {
			cursor: "pointer",
			hover: s.clusterText(w),
			tip: [
				`${c.column} ${shown(c, w.from)} to ${shown(c, w.to)}`,
				`${exact(w.samples)} samples on ${exact(w.used)} of ${s.tier.value}`,
				`imbalance I ${w.imbalance?.toFixed(2) ?? "–"}, latency L ${w.latency?.toFixed(1) ?? "–"} cycles`,
				"click selects",
			],
		};
	}

	down(x: number, y: number): boolean {
		const at = this.at(x, y);

		if (!at) return false;
		if (at.what === "bin") this.range = [at.at, at.at];
		else this.pressed = this.over(x, y).hover;
		return true;
	}

	drag(x: number): void {
		const [b, bins] = [this.plan_!.plot, s.oneAxis.value?.bins[0] ?? 1];

		if (this.range)
			this.range[1] = Math.max(
				0,
				Math.min(bins - 1, Math.floor(((x - b.x) / b.w) * bins)),
			);
	}

	up(_x: number, _y: number, e: PointerEvent): void {
		const [c, edges, range] = [this.column(), s.edgesOf(s.along.value), this.range];

		this.range = null;
		if (range && c && edges)
			s.select(rangeText(c, edges, Math.min(...range), Math.max(...range)), s.modeOf(e));
		else if (this.pressed) s.select(this.pressed, s.modeOf(e));
		this.pressed = null;
	}
}
