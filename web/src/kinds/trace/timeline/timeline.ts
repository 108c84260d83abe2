// The run from left to right: the share of the references that each level served. The
// whole run is a thin strip on top, with handles at the ends of the window; the window is
// below.
import { effect } from "@preact/signals";
import { api } from "../api";
import { costColours, type Palette } from "../../../draw/colours";
import type { Draw } from "../../../draw/draw";
import { bandAt, bands, chartBase, sharesOf } from "../model/bands";
import { sum } from "../model/cost";
import { firstCycles, waitingOf } from "../model/waiting";
import { count, exact, percent } from "../../../model/format";
import { isNothing, sameSelection, type Selection } from "../model/selection";
import type { Window } from "../../../model/types";
import { cellOf, cellSpan } from "../model/tiling";
import type { Timeline as Answer } from "../model/types";
import { turnsShown } from "../state/cycles";
import { goToPhase } from "../state/follow";
import { scores } from "../state/scores";
import { setRange, sums } from "../state/range";
import { refsOf, arrived } from "../state/nearbyRefs";
import { pan, zoom } from "../state/window";
import {
	select,
	cursor,
	hover,
	length,
	levelNames,
	range,
	ready,
	selection,
	setCursor,
	setWindow,
	shownWindow,
	sim,
	trace,
} from "../state/store";
import { option } from "../../../state/store";
import { LayeredView } from "../../../views/layeredView";
import { DisagreementStrip } from "./disagreements";
import {
	Scale,
	drawAxis,
	drawBrush,
	drawCursor,
	drawHeat,
	drawKinds,
	drawLane,
	drawMarks,
	drawPhases,
	drawRange,
	drawShareAxis,
	shareText,
	shareTicks,
	type ShareStyle,
	drawShares,
	drawStrip,
	drawTurns,
	eachCell,
	markAt,
	phaseAt,
	phaseRowAt,
	phasesHeight,
} from "./parts";
import { wheelFactor } from "../../../views/wheel";
import { QUICK, Tiles, WALKED, type Shown } from "./tiles";
import type { View } from "../../../views/view";

const STRIP = 14; // height of the whole run
const SPACE = 5; // pixels below it
const AXIS = 16;
const LANE = 6; // of a thread
const LANES = 8;
const KINDS_FROM = 5; // pixels of a reference from which on reads and writes are shown
const NEAR = 5; // pixels within which the pointer catches a line or handle

type Temperature = Awaited<ReturnType<typeof api.temperature>>;
type Zone = "strip" | "disagreements" | "phases" | "chart" | "heat" | "lanes" | "axis";

/** A drag, from press to release. */
interface Drag {
	move(x: number): void;
	/** The pointer did not move: a click. */
	click?(): void;
	startX: number;
	moved: boolean;
}

class Timeline extends LayeredView {
	private tiles!: Tiles;
	private disagreements!: DisagreementStrip;
	private running!: { value: Answer | null }; // while the simulation runs
	private heat!: { value: Temperature | null };
	private readonly axis = document.createElement("div");
	private drag: Drag | null = null;
	private brush: Window | null = null;

	protected start(): void {
		this.startOver();
		this.axis.className = "share-axis";
		this.host.append(this.axis);
		this.tiles = new Tiles(this.redraw);
		this.onDestroy(() => this.tiles.dispose());
		this.disagreements = new DisagreementStrip(this.redraw);
		this.onDestroy(() => this.disagreements.dispose());
		// While a simulation runs, only the whole run is known, in coarse cells.
		this.running = this.ask(
			() => {
				const [s, to] = [sim.value, length.value];
				return s?.state === "running" && s.done > 0
					? (abort) =>
							api.timeline(s.sim, { from: 0, to }, this.columns(), undefined, abort)
					: null;
			},
			0,
			true,
		);
		this.heat = this.ask(() => {
			const [s, w, by] = [ready.value, shownWindow.value, scores()];
			return s && this.warm() && w.to > w.from
				? (abort) => api.temperature(s.sim, w, this.columns(), by, abort)
				: null;
		});
		this.watch(() => {
			void [hover.value, trace.value, sim.value, arrived.value, this.warm()];
			void turnsShown.value;
			void this.first();
			void option("timeline.zoom", "misses");
			this.want();
		});
		this.onDestroy(
			effect(() => {
				void [cursor.value, range.value, sums.value];
				this.redrawOver();
			}),
		);
		this.listen("pointerdown", (e, x, y) => this.press(e, x, y));
		this.listen("pointermove", (e, x, y) => this.move(e, x, y));
		this.listen("pointerup", () => this.release());
		this.listen("pointercancel", () => this.release());
		this.listen("pointerleave", () => this.preselect({}));
		this.listen("wheel", (e, x, y) => {
			e.preventDefault();
			if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY))
				pan((e.deltaX || e.deltaY) / 1000);
			else
				zoom(
					wheelFactor(e),
					this.zone(y) === "strip" ? cursor.value : this.scale().time(x),
				);
		});
	}

	protected override resized(): void {
		if (this.tiles) this.want();
	}

	private columns(): number {
		return Math.max(16, Math.min(4096, Math.round(this.width)));
	}

	private scale(): Scale {
		return new Scale(shownWindow.value, this.width);
	}

	private strip(): Scale {
		return new Scale({ from: 0, to: length.value }, this.width);
	}

	private warm(): boolean {
		return option("timeline.temperature", "off") === "on";
	}

	/** What the chart shows shares of: cycles, or references (null). */
	private first(): number | null {
		return option("timeline.by", "references") === "cycles"
			? firstCycles(sim.value?.levels ?? [])
			: null;
	}

	/** The share at which a chart begins: its top part only, if nearly all is served by L1. */
	private base(shown: Shown[], scale: Scale): number {
		const ends = new Float64Array(levelNames.value.length + 1);
		const parts = new Float64Array(ends.length);
		const missed: number[] = [];

		if (option("timeline.zoom", "misses") !== "misses" || !ready.value) return 0;
		for (const { cells, window } of shown) {
			const shares = sharesOf(cells, this.first());
			eachCell(cells, window, scale, (i) => {
				if (bands(shares, i, ends, parts)) missed.push(1 - ends[0]!);
			});
		}
		return chartBase(missed);
	}

	/*
	 * The references that stand out: the pre-selected ones if they are quick to count, or
	 * the selected ones.
	 */
	private counted(): Selection | null {
		const w = shownWindow.value;
		const { level, ...rest } = hover.value;

		if (!isNothing(rest) && w.to - w.from <= QUICK) return hover.value;
		if (level !== undefined && isNothing(selection.value)) return null; // known without asking
		return isNothing(selection.value) ? null : selection.value;
	}

	/** Threads that have a lane: if there are several, and counting them is quick. */
	private threads(): number[] {
		const all = trace.value?.threads ?? [];
		const w = shownWindow.value;

		if (all.length < 2 || (w.to - w.from) * Math.min(LANES, all.length) > 2 * WALKED)
			return [];
		return [...all]
			.sort((a, b) => b.references - a.references)
			.slice(0, LANES)
			.map((t) => t.thread)
			.sort((a, b) => a - b);
	}

	private want(): void {
		const chosen = this.counted();

		this.tiles.want(shownWindow.value, this.columns(), [
			null,
			...(chosen ? [chosen] : []),
			...this.threads().map((thread) => ({ thread })),
		]);
	}

	/** Where the parts begin, from top to bottom. */
	private layout() {
		const strip = this.disagreements.height();
		const phases = STRIP + (strip && strip + 2) + SPACE;
		const chart = phases + phasesHeight(trace.value);
		const lanes = this.threads().length * LANE;
		const bottom = Math.max(chart + 20, this.height - AXIS - lanes);
		const room = bottom - chart;
		const heat = this.warm() && room > 40 ? chart + Math.round(room * 0.55) : bottom;

		return {
			phases,
			chart,
			chartEnd: heat < bottom ? heat - 4 : bottom,
			heat,
			lanes: bottom + 1,
			axis: bottom + lanes,
		};
	}

	private zone(y: number): Zone {
		const at = this.layout();

		if (y < STRIP + 1) return "strip";
		if (y < at.phases - SPACE / 2)
			return this.disagreements.height() ? "disagreements" : "strip";
		if (y < at.chart) return "phases";
		if (y < at.chartEnd) return "chart";
		if (y < at.lanes) return "heat";
		return y < at.axis ? "lanes" : "axis";
	}

	// The pointer.

	private press(e: PointerEvent, x: number, y: number): void {
		if (e.button !== 0) return;
		const zone = this.zone(y);
		const start = (move: (x: number) => void, click?: () => void, startX = x): void => {
			this.drag = { move, click, startX, moved: false };
		};

		this.canvas.setPointerCapture(e.pointerId);
		this.tip(null);
		this.preselect({});
		if (zone === "strip") this.pressStrip(x, e.shiftKey, start);
		else if (zone === "disagreements")
			start(
				() => {},
				() => void this.disagreements.go(Math.floor(this.strip().time(x))),
			);
		else if (e.shiftKey) this.startBrush(this.scale(), x, start);
		else if (zone === "phases")
			start(
				() => {},
				() => this.phaseClicked(x, y),
			);
		else if (zone === "lanes")
			start(
				() => {},
				() => select({ thread: this.threads()[this.laneAt(y)] }, true),
			);
		else if (zone === "axis" || this.onCursor(x)) {
			const scrub = (at: number) => setCursor(this.scale().time(at));
			start(scrub, () => scrub(x));
		} else this.startRange(x, start);
	}

	/** A drag selects a range, from its other end if it begins at one; a click goes there. */
	private startRange(
		x: number,
		start: (move: (x: number) => void, click?: () => void) => void,
	): void {
		const s = this.scale();
		const r = range.value;
		const edge = this.rangeEdgeAt(x);
		const anchor = r && edge ? (edge === "from" ? r.to : r.from) : s.time(x);

		start(
			(at) => setRange(anchor, s.time(Math.max(0, Math.min(this.width, at)))),
			() => {
				setCursor(s.time(x));
				range.value = null;
			},
		);
	}

	private rangeEdgeAt(x: number): "from" | "to" | null {
		const [s, r] = [this.scale(), range.value];

		if (!r) return null;
		if (Math.abs(s.x(r.from) - x) <= NEAR) return "from";
		return Math.abs(s.x(r.to) - x) <= NEAR ? "to" : null;
	}

	private pressStrip(
		x: number,
		shift: boolean,
		start: (move: (x: number) => void, click?: () => void) => void,
	): void {
		const [s, w] = [this.strip(), shownWindow.value];
		const handle = this.handleAt(x);
		const width = w.to - w.from;

		if (handle)
			start((at) => {
				const t = Math.max(0, Math.min(length.value, s.time(at)));
				setWindow(
					handle === "from"
						? { from: Math.min(t, w.to - 16), to: w.to }
						: { from: w.from, to: Math.max(t, w.from + 16) },
				);
			});
		else if (!shift && width < length.value && x >= s.x(w.from) && x <= s.x(w.to)) {
			start(
				(at) => {
					const by = s.time(at) - s.time(x);
					setWindow({ from: w.from + by, to: w.to + by });
				},
				() => setCursor(s.time(x)),
			);
		} else
			this.startBrush(s, x, start, () => {
				setCursor(s.time(x));
				if (width < length.value)
					setWindow({ from: s.time(x) - width / 2, to: s.time(x) + width / 2 });
			});
	}

	private startBrush(
		s: Scale,
		x: number,
		start: (move: (x: number) => void, click?: () => void) => void,
		click?: () => void,
	): void {
		start((at) => {
			const within = Math.max(0, Math.min(this.width, at));
			const [a, b] = [s.time(Math.min(x, within)), s.time(Math.max(x, within))];
			this.brush = { from: Math.floor(a), to: Math.ceil(b) };
			this.redrawOver();
		}, click);
	}

	private move(e: PointerEvent, x: number, y: number): void {
		const drag = this.drag;

		if (drag && e.buttons & 1) {
			drag.moved ||= Math.abs(x - drag.startX) > 2;
			if (drag.moved) drag.move(x);
			return;
		}
		this.canvas.style.cursor = this.pointer(x, y, e.shiftKey);
		this.point(x, y);
	}

	private release(): void {
		const { drag, brush } = this;

		this.drag = null;
		this.brush = null;
		if (drag && !drag.moved) drag.click?.();
		else if (brush) setWindow(brush);
		this.redrawOver();
	}

	private pointer(x: number, y: number, shift: boolean): string {
		const zone = this.zone(y);

		if (zone === "strip") return this.handleAt(x) ? "ew-resize" : "crosshair";
		if (shift) return "crosshair";
		if (zone === "phases" || zone === "lanes" || zone === "disagreements")
			return "pointer";
		return this.onCursor(x) || this.rangeEdgeAt(x) ? "ew-resize" : "default";
	}

	private onCursor(x: number): boolean {
		return Math.abs(this.scale().x(cursor.value) - x) <= NEAR;
	}

	private handleAt(x: number): "from" | "to" | null {
		const [s, w] = [this.strip(), shownWindow.value];
		const [a, b] = [Math.abs(s.x(w.from) - x), Math.abs(s.x(w.to) - x)];

		// If the handles meet, the side of the pointer decides.
		if (Math.min(a, b) > NEAR + 1) return null;
		return a < b || (a === b && x < s.x(w.from)) ? "from" : "to";
	}

	private laneAt(y: number): number {
		return Math.floor((y - this.layout().lanes) / LANE);
	}

	/** A click on a phase makes it the window; a second click shows the whole run again. */
	private phaseClicked(x: number, y: number): void {
		const row = phaseRowAt(y - this.layout().phases);
		const phase = phaseAt(trace.value, this.scale().time(x), row);
		const w = shownWindow.value;

		if (!phase) return;
		if (w.from === phase.from && w.to === phase.to) setWindow(null);
		else {
			setWindow(phase);
			goToPhase(phase);
		}
	}

	private preselect(s: Selection): void {
		if (!sameSelection(s, hover.value)) hover.value = s;
	}

	/** Describes the place under the pointer, and pre-selects it. */
	private point(x: number, y: number): void {
		const zone = this.zone(y);
		const s = zone === "strip" || zone === "disagreements" ? this.strip() : this.scale();
		const time = Math.max(0, Math.min(length.value - 1, Math.floor(s.time(x))));
		const phase = phaseAt(
			trace.value,
			time,
			zone === "phases" ? phaseRowAt(y - this.layout().phases) : undefined,
		);

		if (!length.value) return;
		if (zone === "disagreements") {
			this.preselect({});
			return this.tip(this.disagreements.words(time), x, y);
		}
		if (zone === "phases" && phase) {
			const n = phase.to - phase.from;
			this.preselect({});
			this.tip([phase.name, `${exact(n)} references from ${exact(phase.from)} on`], x, y);
			return;
		}
		if (zone === "lanes") {
			const thread = this.threads()[this.laneAt(y)];
			const t = trace.value?.threads.find((one) => one.thread === thread);
			if (t) {
				this.preselect({ thread: t.thread });
				this.tip(
					[
						`thread ${t.thread}${t.name ? ` ${t.name}` : ""}`,
						`${exact(t.references)} references in all`,
					],
					x,
					y,
				);
			}
			return;
		}
		this.tip(this.words(s, time, x, y, zone, phase?.name), x, y);
	}

	private words(
		s: Scale,
		time: number,
		x: number,
		y: number,
		zone: Zone,
		phase?: string,
	): string[] {
		const found = this.cellAt(s, time, zone);
		const mark = markAt(s, trace.value, x);
		const more = [...(phase ? [`phase ${phase}`] : []), ...(mark ? [mark] : [])];

		if (!found) return [`reference ${exact(time)}`, ...more];
		const { cells, i } = found;
		const span = cellSpan(cells, i);
		const of = (counts: Float64Array) =>
			counts.subarray(i * cells.levels, (i + 1) * cells.levels);
		const part = of(cells.served);
		const n = sum(part);
		const title =
			span.to - span.from === 1
				? `reference ${exact(span.from)}`
				: `references ${exact(span.from)} – ${exact(span.to - 1)}`;
		const lines = levelNames.value.flatMap((name, l) =>
			part[l]
				? [
						n === 1
							? `from ${name}`
							: `${name}: ${exact(part[l]!)}, ${percent(part[l]!, n)}`,
					]
				: [],
		);

		const waits = waitingOf(
			cells.waiting.subarray(i * (cells.levels + 1), (i + 1) * (cells.levels + 1)),
		);
		if (n > 1)
			lines.push(`waiting: ${count(waits)} cycles, ${(waits / n).toFixed(2)} each`);
		if (cells.selected) {
			const chosen = sum(of(cells.selected));
			lines.push(`selected: ${exact(chosen)}, ${percent(chosen, n)}`);
		}
		if (zone === "chart") this.preselect(this.bandUnder(cells, i, y));
		else this.preselect({});
		return [title, ...lines.reverse(), ...more];
	}

	private cellAt(
		s: Scale,
		time: number,
		zone: Zone,
	): { cells: Answer; i: number } | null {
		const shown =
			zone === "strip" ? this.wholeShown() : this.mainShown(s.window, this.counted());

		for (const { window, cells } of shown) {
			const i = cellOf(cells, time);
			if (i >= 0 && time >= window.from && time < window.to) return { cells, i };
		}
		return null;
	}

	private bandUnder(a: Answer, i: number, y: number): Selection {
		const { chart, chartEnd } = this.layout();
		const shares = sharesOf(a, this.first());
		const ends = new Float64Array(shares.parts);
		const ok = bands(shares, i, ends, new Float64Array(shares.parts));
		const base = this.base(this.mainShown(shownWindow.value, null), this.scale());
		const height = (chartEnd - y) / Math.max(1, chartEnd - chart);
		const l = ok ? bandAt(ends, base + height * (1 - base)) : -1;

		return l < 0 || l >= a.levels ? {} : { level: l + 1 };
	}

	// The picture.

	private mainShown(w: Window, counted: Selection | null): Shown[] {
		const a = this.running.value;

		if (!ready.value)
			return a ? [{ window: { from: a.from, to: a.until }, cells: a }] : [];
		return this.tiles.shown(w, this.columns(), counted);
	}

	private wholeShown(): Shown[] {
		const a = ready.value ? this.tiles.whole() : this.running.value;

		return a ? [{ window: { from: a.from, to: a.to }, cells: a }] : [];
	}

	protected drawUnder(d: Draw, p: Palette): void {
		const at = this.layout();
		const s = this.scale();
		const levels = Math.max(1, levelNames.value.length);
		const colours = costColours(p, levels);
		const first = this.first();
		const { level, ...rest } = hover.value;
		const style = {
			colours,
			first,
			top: at.chart,
			height: at.chartEnd - at.chart,
			base: this.base(this.mainShown(s.window, null), s),
			level: level !== undefined && isNothing(rest) ? level - 1 : undefined,
		};

		d.rect(0, at.chart, d.width, style.height, p.empty);
		for (const shown of this.mainShown(s.window, this.counted()))
			drawShares(d, shown, s, style);
		const of = first === null ? "references" : "cycles, waiting above L1";
		if (levelNames.value.length) {
			const what = of.replace("L1", levelNames.value[0]!);
			if (this.exporting) drawShareAxis(d, p, style, what);
			else this.showAxis(style, what);
		}
		if (ready.value && this.width / (s.window.to - s.window.from) >= KINDS_FROM)
			drawKinds(d, p, s, refsOf(s.window.from, s.window.to) ?? [], at.chartEnd);
		if (this.warm() && at.heat > at.chartEnd)
			drawHeat(d, p, s, this.heat.value, colours, at.heat, at.lanes - 1 - at.heat);
		this.drawThreads(d, p, s, at.lanes);
		drawPhases(d, p, s, trace.value, at.phases, at.axis);
		drawMarks(d, p, s, trace.value, at.chart, at.axis);
		this.drawProgress(d, p, s, at.chart, style.height);
		drawTurns(d, p, s, turnsShown.value, at.chart);
		drawAxis(d, p, s, at.axis);
		drawStrip(d, p, this.strip(), this.wholeShown(), s.window, {
			colours,
			first,
			top: 0,
			height: STRIP,
			base: this.base(this.wholeShown(), this.strip()),
		});
		if (this.disagreements.height())
			this.disagreements.draw(d, p, this.strip(), STRIP + 2);
	}

	protected drawOver(d: Draw, p: Palette): void {
		const at = this.layout();
		const s = this.scale();
		const now = this.strip().x(cursor.value);

		const high = STRIP + (this.disagreements.height() && this.disagreements.height() + 2);
		d.rect(now - 1.5, 0, 3, high, p.background, 0.7);
		d.rect(now - 1, 0, 2, high, p.cursor);
		drawCursor(d, p, s, cursor.value, at);
		const chosen = range.value;
		if (chosen) drawRange(d, p, s, chosen, at.phases, at.axis, sums.value);
		if (this.brush) drawBrush(d, p, s, this.brush, at.phases, at.axis);
	}

	/** The axis of shares stands beside the picture, where it hides nothing of the run. */
	private showAxis(style: ShareStyle, of: string): void {
		const cut = style.base ? "; the axis is cut, the rest is below" : "";
		const rows = shareTicks(style).map(({ y, share }) => ({
			y,
			text: shareText(share) + (style.base && share === style.base ? " ≈" : ""),
		}));
		const key = JSON.stringify([rows, of]);

		if (this.axis.dataset["key"] === key) return;
		this.axis.dataset["key"] = key;
		this.axis.title = `shares of the ${of}${cut}`;
		this.axis.replaceChildren(
			...rows.map(({ y, text }) => {
				const row = document.createElement("span");
				row.textContent = text;
				row.style.top = `${y}px`;
				return row;
			}),
		);
	}

	private drawThreads(d: Draw, p: Palette, s: Scale, top: number): void {
		for (const [i, thread] of this.threads().entries()) {
			const y = top + i * LANE;
			const chosen = (hover.value.thread ?? selection.value.thread) === thread;
			d.rect(0, y, d.width, LANE - 1, p.empty);
			for (const shown of this.tiles.shown(s.window, this.columns(), { thread }))
				drawLane(d, shown, s, y, LANE - 1, chosen ? p.cursor : p.muted);
		}
	}

	/** The progress of the simulation. */
	private drawProgress(d: Draw, p: Palette, s: Scale, top: number, h: number): void {
		const now = sim.value;

		if (now?.state !== "running") return;
		const x = Math.max(0, s.x(this.running.value?.until ?? 0));
		if (x >= d.width) return;
		d.line(x, top, x, top + h, p.muted);
		if (d.width - x > 90)
			d.text(
				x + 8,
				top + h / 2,
				`simulating: ${percent(now.done, Math.max(1, now.total))}`,
				{ colour: p.muted },
			);
	}
}

export function createTimeline(): View {
	return new Timeline();
}
