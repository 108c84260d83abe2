// Many simulations side by side: curves of all members over common time, with the whole
// run below, and other pictures of the same numbers. This file handles the pointer;
// ../state.ts holds the choices, picture.ts draws.
import { effect } from "@preact/signals";
import type { Member } from "../model/ensemble";
import { curvesCsv, plotJson, rankingCsv, sharedCacheCsv } from "../model/files";
import { valueAt } from "../model/graph";
import type { PanelFrame } from "../../../draw/figureMarks";
import { nearest, timeAt, xOf } from "../../../model/cells";
import { matrix, type FigureMark } from "../../../model/figure";
import { exact } from "../../../model/format";
import * as s from "../state";
import { memberMarks } from "./curves";
import { AROUND_FIGURE, EnsemblePicture, isOverTime, LEFT, RIGHT } from "./picture";
import { timeOn, timeText, valueText } from "./scene";
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
		this.greyWhile(() => !s.figureFresh.value);
		this.watch(() => {
			void [s.ensemble.value, s.shown.value, s.figure.value, s.whole.value];
			void [s.pinned.value, s.plot.value, s.focus.value, s.size.value];
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
		if (!plane || this.figure?.across) return start(() => {}, click);
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

	/** The panel whose frame, with its title, holds a place. */
	private frameAt(x: number, y: number): PanelFrame | undefined {
		return this.frames.find(
			(b) => x >= b.x && x < b.x + b.w && y >= b.y - 14 && y < b.y + b.h,
		);
	}

	/** The member at a place of the picture. */
	private memberAt(x: number, y: number): Member | undefined {
		const f = this.figure;

		if (!f || f.plot === "shared") return undefined;
		if (!this.plane) return this.spotAt(x, y);
		const first = this.frames[0]!;
		if (!f.across && x > first.x + first.w) {
			const label = this.labels.find((l) => Math.abs(l.y - y) < 7);
			return label && s.memberOf(label.member);
		}
		const frame = f.across ? this.frameAt(x, y) : first;
		if (!frame || y > frame.y + frame.h + 4) return undefined;
		const list = memberMarks(f, frame.panel);
		if (f.across && list.length === 1) return s.memberOf(list[0]!.member!);
		const hit = this.nearestOf(list, frame, x, y, f.across ? Infinity : NEAR);
		return hit && s.memberOf(hit.member!);
	}

	/** The member whose point or cell is there. */
	private spotAt(x: number, y: number): Member | undefined {
		const inside = this.spots.find(
			(t) => t.w && x >= t.x && x < t.x + t.w && y >= t.y && y < t.y + t.h,
		);
		const far = (t: { x: number; y: number }) => Math.hypot(t.x - x, t.y - y);
		const near = this.spots.filter((t) => !t.w).sort((a, b) => far(a) - far(b))[0];

		if (inside) return s.memberOf(inside.member);
		return near && far(near) <= NEAR ? s.memberOf(near.member) : undefined;
	}

	/** Of some curves of the figure, the nearest to a place. */
	private nearestOf(
		marks: FigureMark[],
		frame: PanelFrame,
		x: number,
		y: number,
		max: number,
	): FigureMark | undefined {
		const f = this.figure!;
		const rows = new Map(marks.map((m) => [m.rows[0], m]));
		const cells = { from: f.from, to: f.to, cells: f.cells ?? 1 };
		const { window, range } = frame;
		const mean = matrix(f, "mean");
		const hit = nearest(mean, rows.keys(), cells, window, range, frame, x, y);

		return hit && hit.distance <= max ? rows.get(hit.row) : undefined;
	}

	/** Common time under the pointer; null in plots without time. */
	private timeUnder(x: number, y: number): number | null {
		if (!this.plane) return null;
		if (!this.figure?.across) return timeOn(this.plane, x);
		const frame = this.frameAt(x, y);
		return frame ? timeAt(x, frame.window, frame) : null;
	}

	private point(x: number, y: number, shift: boolean): void {
		const disc = this.discs.find((v) => Math.hypot(v.x - x, v.y - y) <= Math.max(5, v.r));
		const m = this.memberAt(x, y);
		const time = this.timeUnder(x, y);

		this.canvas.style.cursor = shift ? "crosshair" : m ? "pointer" : "default";
		if (disc) {
			this.leave();
			return this.tip([disc.axis, this.figure!.texts[disc.row]!], x, y);
		}
		if (this.figure?.plot === "shared") return this.pointWay(x, y);
		if (s.hovered.peek() !== (m?.member ?? null)) s.hovered.value = m?.member ?? null;
		if (s.pointed.peek() !== time) s.pointed.value = time;
		this.tip(m ? this.words(m, time) : null, x, y);
	}

	private pointWay(x: number, y: number): void {
		const { figure: f, plane } = this;
		const frame = this.frames[0];

		if (!f || !plane || !frame) return;
		const ways = f.panels[0]!.marks.filter((m) => m.of?.[0] === "mean");
		const way = this.nearestOf(ways, frame, x, y, NEAR) ?? null;
		if (way !== this.way) {
			this.way = way;
			this.redrawOver();
		}
		s.pointed.value = timeOn(plane, x);
		this.tip(way?.title ? way.title.split(/: |; /) : null, x, y);
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
		if (!isOverTime(s.plot.value) && r) {
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
