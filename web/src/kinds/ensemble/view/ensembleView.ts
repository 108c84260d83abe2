// Many simulations side by side: curves of all members over common time, with the whole
// run below, and other pictures of the same numbers. This file handles the pointer;
// ../state.ts holds the choices, picture.ts draws.
import { effect } from "@preact/signals";
import type { Member } from "../model/ensemble";
import { curvesCsv, plotJson, rankingCsv, sharedCacheCsv } from "../model/files";
import { nearest, timeAt, valueAt, xOf } from "../model/graph";
import { exact } from "../../../model/format";
import * as s from "../state";
import { AROUND_FIGURE, EnsemblePicture, LEFT, RIGHT } from "./picture";
import { rowOf, timeOn, timeText, valueText } from "./scene";
import { wayText } from "./sharedCache";
import { wheelFactor } from "../../../views/wheel";
import type { ViewKind } from "../../../views/view";

const NEAR = 24; // pixels within which a curve is caught
const HANDLE = 6;

interface Drag {
	move(x: number): void;
	click?(): void;
	startX: number;
	moved: boolean;
}

class EnsembleView extends EnsemblePicture {
	private drag: Drag | null = null;

	protected start(): void {
		this.startOver();
		this.watch(() => {
			void [s.ensemble.value, s.shown.value, s.curves.value, s.whole.value];
			void [s.ranking.value, s.matching.value, s.workingSet.value];
			void [s.sharedCache.value, s.pinned.value, s.plot.value, s.focus.value];
			void [s.envelope.value, s.across.value, s.colourBy.value, s.real.value];
			void [s.peaks.value, s.against.value];
			void [s.figure.value, s.facet.value];
		});
		this.onDestroy(
			effect(() => {
				void [s.hovered.value, s.pointed.value, s.at.value];
				this.redrawOver();
			}),
		);
		this.listen("pointerdown", (e, x, y) => this.press(e, x, y));
		this.listen("pointermove", (e, x, y) => this.move(e, x, y));
		this.listen("pointerup", () => this.release());
		this.listen("pointercancel", () => this.release());
		this.listen("pointerleave", () => this.leave());
		this.listen("dblclick", () => s.setFocus(null));
		this.listen("wheel", (e, x) => {
			e.preventDefault();
			if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY))
				s.panFocus((e.deltaX || e.deltaY) / 1000);
			else s.zoomFocus(wheelFactor(e), this.plane ? timeOn(this.plane, x) : undefined);
		});
		this.onDestroy(() => this.leave());
		this.resized();
	}

	protected override resized(): void {
		const wanted = Math.max(64, Math.min(1024, Math.round(this.width - LEFT - RIGHT)));
		if (s.room.peek() !== wanted) s.room.value = wanted;
		const steps = Math.round((this.height - AROUND_FIGURE) / s.FRAME_STEP);
		s.frame.value = Math.max(2, steps) * s.FRAME_STEP;
	}

	private inContext(y: number): boolean {
		return y >= this.context.y - 4;
	}

	private handleAt(x: number): "from" | "to" | null {
		const w = { from: 0, to: s.end.value };
		const a = Math.abs(xOf(s.focus.value.from, w, this.context) - x);
		const b = Math.abs(xOf(s.focus.value.to, w, this.context) - x);

		if (Math.min(a, b) > HANDLE) return null;
		return a < b ? "from" : "to";
	}

	private press(e: PointerEvent, x: number, y: number): void {
		if (e.button !== 0 || !s.ensemble.value) return;
		this.canvas.setPointerCapture(e.pointerId);
		const start = (move: (x: number) => void, click?: () => void): void => {
			this.drag = { move, click, startX: x, moved: false };
		};

		if (this.inContext(y)) return this.pressContext(x, start);
		const plane = this.plane;
		const click = () => this.click(x, y);
		if (!plane || !this.overTime() || s.plot.value === "multiples")
			return start(() => {}, click);
		if (e.shiftKey || !s.chosenFocus.value)
			start((to) => {
				const [a, b] = [timeOn(plane, Math.min(x, to)), timeOn(plane, Math.max(x, to))];
				this.brush = { from: a, to: b };
				this.redrawOver();
			}, click);
		else {
			const w = plane.window;
			start((to) => {
				const by = timeAt(x, w, plane.box) - timeAt(to, w, plane.box);
				s.setFocus({ from: w.from + by, to: w.to + by });
			}, click);
		}
	}

	private pressContext(
		x: number,
		start: (move: (x: number) => void, click?: () => void) => void,
	): void {
		const whole = { from: 0, to: s.end.value };
		const w = s.focus.value;
		const time = (at: number) =>
			Math.max(0, Math.min(s.end.value, timeAt(at, whole, this.context)));
		const handle = this.handleAt(x);
		const inside = time(x) > w.from && time(x) < w.to && s.chosenFocus.value;

		if (handle)
			start((to) =>
				s.setFocus(
					handle === "from"
						? { from: Math.min(time(to), w.to), to: w.to }
						: { from: w.from, to: Math.max(time(to), w.from) },
				),
			);
		else if (inside)
			start((to) => {
				const by = Math.max(-w.from, Math.min(s.end.value - w.to, time(to) - time(x)));
				s.setFocus({ from: w.from + by, to: w.to + by });
			});
		else
			start(
				(to) =>
					s.setFocus({
						from: Math.min(time(x), time(to)),
						to: Math.max(time(x), time(to)),
					}),
				() => {
					const half = (w.to - w.from) / 2;
					if (s.chosenFocus.value)
						s.setFocus({ from: time(x) - half, to: time(x) + half });
				},
			);
	}

	private move(e: PointerEvent, x: number, y: number): void {
		const drag = this.drag;

		if (drag && e.buttons & 1) {
			drag.moved ||= Math.abs(x - drag.startX) > 3;
			if (drag.moved) {
				this.tip(null);
				drag.move(x);
			}
			return;
		}
		if (this.inContext(y)) {
			this.canvas.style.cursor = this.handleAt(x) ? "ew-resize" : "crosshair";
			return this.leave();
		}
		this.point(x, y, e.shiftKey);
	}

	private release(): void {
		const { drag, brush } = this;

		this.drag = null;
		this.brush = null;
		if (drag && !drag.moved) drag.click?.();
		else if (brush) s.setFocus(brush);
		this.redrawOver();
	}

	private leave(): void {
		this.tip(null);
		this.way = null;
		if (s.hovered.peek() !== null) s.hovered.value = null;
		if (s.pointed.peek() !== null) s.pointed.value = null;
	}

	/** The member at a place of the picture. */
	private memberAt(x: number, y: number): Member | undefined {
		const c = s.curves.value;

		if (!this.overTime()) {
			const inside = this.spots.find(
				(t) => t.w && x >= t.x && x < t.x + t.w && y >= t.y && y < t.y + t.h,
			);
			const near = [...this.spots]
				.filter((t) => !t.w)
				.sort((a, b) => Math.hypot(a.x - x, a.y - y) - Math.hypot(b.x - x, b.y - y))[0];
			if (inside) return s.memberOf(inside.member);
			return near && Math.hypot(near.x - x, near.y - y) <= NEAR
				? s.memberOf(near.member)
				: undefined;
		}
		if (!c || s.plot.value === "shared") return undefined;
		if (s.plot.value === "multiples") return this.inChart(x, y);
		const label = this.labels.find((l) => Math.abs(l.y - y) < 7);
		if (this.plane && x > this.plane.box.x + this.plane.box.w)
			return label && s.memberOf(label.member);
		if (!this.plane || y > this.plane.box.y + this.plane.box.h + 4) return undefined;
		const { box, window, range } = this.plane;
		const hit = nearest(c.mean, c.members.length, c, window, range, box, x, y);
		return hit && hit.distance <= NEAR ? s.memberOf(c.members[hit.row]!) : undefined;
	}

	/** The nearest of the curves that stand out in a small chart. */
	private inChart(x: number, y: number): Member | undefined {
		const c = s.curves.value;
		const chart = this.charts.find(
			({ box: b }) => x >= b.x && x < b.x + b.w && y >= b.y - 14 && y < b.y + b.h,
		);

		if (!c || !chart || !this.plane) return undefined;
		if (chart.members.length === 1) return chart.members[0];
		const rows = chart.members.map((m) => rowOf(c, m.member)).filter((r) => r >= 0);
		const mean = new Float32Array(rows.length * c.cells);
		rows.forEach((r, i) =>
			mean.set(c.mean.subarray(r * c.cells, (r + 1) * c.cells), i * c.cells),
		);
		const { window, range } = this.plane;
		const hit = nearest(mean, rows.length, c, window, range, chart.box, x, y);
		return hit ? s.memberOf(c.members[rows[hit.row]!]!) : undefined;
	}

	/** Common time under the pointer; null in plots without time. */
	private timeUnder(x: number, y: number): number | null {
		if (!this.plane || !this.overTime()) return null;
		if (s.plot.value !== "multiples") return timeOn(this.plane, x);
		const chart = this.charts.find(
			({ box: b }) => x >= b.x && x < b.x + b.w && y >= b.y && y < b.y + b.h,
		);
		return chart ? timeAt(x, this.plane.window, chart.box) : null;
	}

	private point(x: number, y: number, shift: boolean): void {
		const volume = this.volumes.find(
			(v) => Math.hypot(v.circle.x - x, v.y - y) <= Math.max(5, v.r),
		);
		const m = this.memberAt(x, y);
		const time = this.timeUnder(x, y);

		this.canvas.style.cursor = shift ? "crosshair" : m ? "pointer" : "default";
		if (volume) {
			const { trace, references, from, to } = volume.circle;
			this.leave();
			return this.tip(
				[
					s.ensemble.value?.traces[trace]?.label ?? "",
					`${exact(references)} references between ${timeText(from)} and ${timeText(to)}`,
				],
				x,
				y,
			);
		}
		if (s.plot.value === "shared") return this.pointWay(x, y);
		if (s.hovered.peek() !== (m?.member ?? null)) s.hovered.value = m?.member ?? null;
		if (s.pointed.peek() !== time) s.pointed.value = time;
		this.tip(m ? this.words(m, time) : null, x, y);
	}

	private pointWay(x: number, y: number): void {
		const [a, plane, e] = [s.sharedCache.value, this.plane, s.ensemble.value];

		if (!a || !plane || !e) return;
		const { box, window, range } = plane;
		const hit = nearest(a.mean, a.ways, a, window, range, box, x, y);
		const way = hit && hit.distance <= NEAR ? hit.row : null;
		if (way !== this.way) {
			this.way = way;
			this.redrawOver();
		}
		s.pointed.value = timeOn(plane, x);
		this.tip(
			way === null
				? null
				: [
						wayText(e, a, way, s.size.value),
						`${valueText(a.value[way]!, s.curves.value?.unit ?? a.unit)} over the run`,
						`${a.starved[way]} of ${a.threads} threads starved`,
					],
			x,
			y,
		);
	}

	private words(m: Member, time: number | null): string[] {
		const c = s.curves.value;
		const row = s.ranking.value?.rows.find((r) => r.member === m.member);
		const signed = s.against.value !== null;
		const unit = c?.unit ?? s.ranking.value?.unit ?? "";
		const lines = [m.label];

		if (c && time !== null) {
			const v = valueAt(c, c.mean, m.member, time);
			const deviation = valueAt(c, c.deviation, m.member, time);
			if (Number.isFinite(v))
				lines.push(
					`${valueText(v, unit, signed)}${deviation > 0 && !signed ? ` ± ${valueText(deviation, unit)}` : ""}`,
				);
			lines.push(
				`at ${timeText(time)}: its reference ${exact(Math.floor(s.positionIn(m, time)))}`,
			);
		}
		if (row)
			lines.push(
				`${valueText(row.value, s.ranking.value!.unit, signed)} ${s.chosenFocus.value ? "in the window" : "over the run"}`,
			);
		return lines;
	}

	/** Selects the member there and sets the moment: one step of undo. */
	private click(x: number, y: number): void {
		const m = this.memberAt(x, y);
		const time = this.timeUnder(x, y);
		const digits = s.time.value === "normalised" ? 1e6 : 1;

		s.choose({
			...(time !== null ? { at: String(Math.round(time * digits) / digits) } : {}),
			...(m ? { pin: s.pinsWith(m.member) } : {}),
		});
	}

	// Files.

	exportText(kind: "csv" | "json"): string {
		const e = s.ensemble.value;
		const [c, r] = [s.curves.value, s.ranking.value];

		if (!e) return "";
		if (kind === "json")
			return plotJson(e, s.plot.value, s.query.value, {
				curves: c,
				window: r,
				run: s.runRanking.value,
				workingSet: s.workingSet.value,
				shared: s.sharedCache.value,
			});
		if (s.plot.value === "shared" && s.sharedCache.value)
			return sharedCacheCsv(e, s.sharedCache.value);
		if (!this.overTime() && r) {
			const visible = new Set(s.shown.value.map((m) => m.member));
			const rows = r.rows.filter((x) => visible.has(x.member));
			return rankingCsv(e, { ...r, rows }, s.runRanking.value);
		}
		return c
			? curvesCsv(e, c, s.plot.value === "workingset" ? s.workingSet.value : null)
			: "";
	}
}

export const ensembleView: ViewKind = {
	id: s.VIEW,
	title: "Ensemble",
	description:
		"Many machines or traces side by side over time: curves, differences, ranking, parameters",
	tables: true,
	create: () => new EnsembleView(),
};
