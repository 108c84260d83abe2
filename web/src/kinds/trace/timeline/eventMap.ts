// The event map (section 4.2.3.3 of the dissertation): time in reading order, one cell
// for each reference, or for a power of two of references if the window is too long.
import { wholeIn } from "../../../model/link";
import { effect, signal, untracked } from "@preact/signals";
import { api } from "../api";
import { cellColour, mix, type Palette } from "../../../draw/colours";
import type { Draw } from "../../../draw/draw";
import { drawCellKey } from "./cellKey";
import { cellScale } from "../model/waiting";
import { exact, percent, tick } from "../../../model/format";
import { cellAt, CELLS_MAX, layOut, placeOf, type Sheet } from "../model/readingOrder";
import { isNothing, sameSelection, type Selection } from "../model/selection";
import type { Window } from "../../../model/types";
import { cellOf } from "../model/tiling";
import type { At, Timeline } from "../model/types";
import { setRange } from "../state/range";
import { pan, zoom } from "../state/window";
import { option } from "../../../state/store";
import {
	costName,
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
import { LayeredView } from "../../../views/layeredView";
import { phaseAt } from "./parts";
import { wheelFactor } from "../../../views/wheel";
import type { View, ViewKind } from "../../../views/view";

const HEAD = 30; // height of the line that describes a cell
const LABELS = 76; // width of the times at the left
const MARGIN = 12;
const FAINT = 0.16; // of cells without selected references

type Answer = Awaited<ReturnType<typeof api.map>>;

class EventMap extends LayeredView {
	private all!: { value: Answer | null };
	private some!: { value: Timeline | null };
	private word!: { value: At | null }; // of the reference under the pointer
	private readonly pointed = signal<number | null>(null);
	private readonly room = signal({ width: 1, height: 1 });
	private at: [number, number] = [0, 0]; // of the pointer
	/** Cells that are being dragged over, for a window or for a range. */
	private brush: { from: number; to: number; window: boolean } | null = null;

	protected start(): void {
		const question = () => {
			const [s, w] = [ready.value, shownWindow.value];
			return s && w.to > w.from ? { s, w, cells: this.count(this.sheet()) } : null;
		};

		this.startOver();
		this.resized();
		this.all = this.ask(() => {
			const q = question();
			return q && ((abort) => api.map(q.s.sim, q.w, q.cells, abort));
		});
		this.some = this.ask(() => {
			const [q, sel] = [question(), selection.value];
			return q && !isNothing(sel)
				? (abort) => api.timeline(q.s.sim, q.w, q.cells, sel, abort)
				: null;
		}, 150);
		this.word = this.ask(
			() => {
				const [s, t] = [ready.value, this.pointed.value];
				return s && t !== null && this.sheet().width === 1
					? (abort) => api.at(s.sim, t, abort)
					: null;
			},
			60,
			true,
		);
		this.watch(() => {
			void [selection.value, trace.value, shownWindow.value, sim.value];
			void this.sheet();
		});
		this.onDestroy(
			effect(() => {
				void [cursor.value, range.value];
				this.redrawOver();
			}),
		);
		this.onDestroy(
			effect(() => {
				void [this.word.value, this.pointed.value];
				untracked(() => this.tell());
			}),
		);
		this.listen("pointerdown", (e, x, y) => {
			const cell = this.cellUnder(x, y);
			if (e.button !== 0 || cell < 0) return;
			this.canvas.setPointerCapture(e.pointerId);
			this.brush = { from: cell, to: cell, window: e.shiftKey };
		});
		this.listen("pointermove", (e, x, y) => this.move(e, x, y));
		this.listen("pointerup", () => this.release());
		this.listen("pointercancel", () => this.release());
		this.listen("pointerleave", () => this.leave());
		this.listen("wheel", (e, x, y) => {
			e.preventDefault();
			if (e.shiftKey) return pan((e.deltaX || e.deltaY) / 1000);
			const cell = this.cellUnder(x, y);
			zoom(wheelFactor(e), cell < 0 ? undefined : this.span(cell).from);
		});
	}

	protected override resized(): void {
		this.room.value = {
			width: Math.max(1, this.width - LABELS - MARGIN),
			height: Math.max(1, this.height - HEAD - MARGIN),
		};
	}

	private sheet(): Sheet {
		const w = shownWindow.value;

		const columns = wholeIn(option("eventmap.columns", "0"), 0, 1e6, 0);

		return layOut(w.from, w.to, this.room.value, columns);
	}

	private count(s: Sheet): number {
		const w = shownWindow.value;
		const n = Math.ceil(w.to / s.width) - Math.floor(w.from / s.width);

		return Math.max(2, Math.min(CELLS_MAX, n));
	}

	/** References of a cell of the sheet, whether its answer has come or not. */
	private span(cell: number, s = this.sheet()): Window {
		const w = shownWindow.value;
		const from = (Math.floor(w.from / s.width) + cell) * s.width;

		return { from: Math.max(w.from, from), to: Math.min(w.to, from + s.width) };
	}

	private cellOfTime(time: number): number {
		const [s, w] = [this.sheet(), shownWindow.value];

		if (time < w.from || time >= w.to) return -1;
		return Math.floor(time / s.width) - Math.floor(w.from / s.width);
	}

	private cellUnder(x: number, y: number): number {
		const s = this.sheet();
		const cell = cellAt(s, x - LABELS, y - HEAD);

		return cell >= 0 && cell < this.count(s) && this.span(cell).to > this.span(cell).from
			? cell
			: -1;
	}

	// The pointer.

	private jump(cell: number): void {
		setCursor(this.span(cell).from);
	}

	private move(e: PointerEvent, x: number, y: number): void {
		const cell = this.cellUnder(x, y);

		this.at = [x, y];
		this.canvas.style.cursor =
			cell < 0 ? "default" : e.shiftKey ? "crosshair" : "pointer";
		if (cell < 0) return this.leave();
		if (this.brush) {
			this.brush = { ...this.brush, to: cell };
			this.redrawOver();
		}
		this.pointed.value = this.span(cell).from;
		this.tell();
	}

	private leave(): void {
		this.pointed.value = null;
		this.tip(null);
		this.preselect({});
	}

	private preselect(s: Selection): void {
		if (!sameSelection(s, hover.value)) hover.value = s;
	}

	private release(): void {
		const b = this.brush;

		this.brush = null;
		this.redrawOver();
		if (!b) return;
		const first = this.span(Math.min(b.from, b.to)).from;
		const end = this.span(Math.max(b.from, b.to)).to;
		if (b.window) setWindow({ from: first, to: end });
		else if (b.from !== b.to) setRange(first, end);
		else {
			this.jump(b.from);
			range.value = null;
		}
	}

	/*
	 * Describes the cell under the pointer; of a single reference also its words, and its
	 * line is pre-selected.
	 */
	private tell(): void {
		const time = this.pointed.value;
		const a = this.all.value;

		if (time === null || this.brush) return;
		const span = this.span(this.cellOfTime(time));
		const n = span.to - span.from;
		const lines = [
			n === 1
				? `reference ${exact(time)}`
				: `references ${exact(span.from)} – ${exact(span.to - 1)}`,
		];
		const i = a ? cellOf(a, time) : -1;
		const level = i >= 0 ? a!.level[i]! : 0;
		const word = this.word.value;
		const phase = phaseAt(trace.value, time);

		if (level)
			lines.push(
				n === 1
					? `${a!.cycles[i]!} cycles, ${costName(level)}`
					: `${a!.cycles[i]!.toFixed(2)} cycles a reference, most of them ${costName(level)}`,
			);
		if (n === 1 && word?.time === time) {
			lines.push(word.caption);
			this.preselect(word.file === null ? {} : { file: word.file, line: word.line });
		}
		const chosen = this.some.value && cellOf(this.some.value, time);
		if (chosen !== null && chosen >= 0) {
			const s = this.some.value!;
			const part = s.selected!.subarray(chosen * s.levels, (chosen + 1) * s.levels);
			const k = part.reduce((x, v) => x + v, 0);
			lines.push(
				n === 1
					? k
						? "selected"
						: "not selected"
					: `selected: ${exact(k)}, ${percent(k, n)}`,
			);
		}
		if (phase) lines.push(`phase ${phase.name}`);
		this.tip(lines, ...this.at);
	}

	// The picture.

	protected drawUnder(d: Draw, p: Palette): void {
		const s = this.sheet();

		this.drawHead(d, p, s);
		if (!ready.value) {
			d.text(LABELS, HEAD + 20, "Shown when the simulation is ready.", {
				colour: p.muted,
			});
			return;
		}
		if (this.all.value) this.drawCells(d, p, s, this.all.value);
		this.drawTimes(d, p, s);
		this.drawPhases(d, p, s);
	}

	protected drawOver(d: Draw, p: Palette): void {
		const s = this.sheet();

		this.markShown(cursor.value, !this.all.value);
		if (this.brush) this.drawBrush(d, p, s, this.brush);
		else if (range.value) this.drawRange(d, p, s, range.value);
		this.drawCursor(d, p, s);
	}

	private drawHead(d: Draw, p: Palette, s: Sheet): void {
		const w = shownWindow.value;
		const what = s.width === 1 ? "1 reference" : `${exact(s.width)} references`;
		const text = `one cell is ${what}, ${exact(s.columns)} cells a row`;

		d.text(LABELS, HEAD / 2 + 1, text, { colour: p.text });
		const more =
			w.to - w.from < length.value
				? `${exact(w.from)} – ${exact(w.to)} of ${exact(length.value)}`
				: "the whole run";
		const used = LABELS + d.measure(text, { colour: p.text });
		const left = drawCellKey(d, p, d.width - MARGIN, HEAD / 2 + 1, used + 20);
		if (used + 14 + d.measure(more, { colour: p.muted }) + 20 < left)
			d.text(used + 14, HEAD / 2 + 1, more, { colour: p.muted });
	}

	private drawCells(d: Draw, p: Palette, s: Sheet, a: Answer): void {
		const some = this.some.value;
		const levels = levelNames.value.length;
		const scale = cellScale(sim.value?.levels ?? []);
		const side = s.size >= 5 ? s.size - 1 : s.size;

		const last = this.count(s);

		// By cells of the sheet: until the answer for a new window comes, the old one is
		// drawn, whose cells may be wider or narrower.
		for (let cell = 0; cell < last; cell++) {
			const time = this.span(cell, s).from;
			const i = cellOf(a, time);
			const level = i < 0 ? 0 : a.level[i]!;
			if (!level) continue;
			const colour = cellColour(p, levels, { level, cycles: a.cycles[i]! }, scale);
			const [x, y] = placeOf(s, cell);
			const chosen = !some || this.isChosen(some, time);
			d.splat(
				LABELS + x,
				HEAD + y,
				side,
				side,
				chosen ? colour : mix(p.background, colour, FAINT),
			);
		}
	}

	private isChosen(some: Timeline, time: number): boolean {
		const i = cellOf(some, time);

		if (i < 0) return true;
		for (let l = 0; l < some.levels; l++)
			if (some.selected![i * some.levels + l]! > 0) return true;
		return false;
	}

	/** The time at the beginning of rows, of as many as can be read. */
	private drawTimes(d: Draw, p: Palette, s: Sheet): void {
		const every = Math.max(1, Math.ceil(16 / s.size));
		const step = [1, 2, 5, 10, 20, 50, 100].find((n) => n >= every) ?? every;

		// In a narrow window far from the beginning, short numbers of neighbours would be the
		// same.
		const far = shownWindow.value.to;
		const short = far >= 1e7 && step * s.columns * s.width > far / 100;

		for (let row = 0; row < s.rows; row += step) {
			const { from } = this.span(row * s.columns, s);
			const y = HEAD + row * s.size + s.size / 2;
			d.text(LABELS - 8, y, short ? tick(from) : exact(from), {
				colour: p.muted,
				size: 10,
				align: "right",
			});
		}
	}

	/** A bar where a phase begins or ends. */
	private drawPhases(d: Draw, p: Palette, s: Sheet): void {
		for (const phase of trace.value?.phases ?? [])
			for (const time of [phase.from, phase.to]) {
				const cell = this.cellOfTime(time);
				if (cell < 0 || phase.depth > 0) continue;
				const [x, y] = placeOf(s, cell);
				d.rect(LABELS + x - 2, HEAD + y - 2, 3, s.size + 3, p.background);
				d.rect(LABELS + x - 1, HEAD + y - 1, 1.5, s.size + 1, p.text);
			}
	}

	private drawCursor(d: Draw, p: Palette, s: Sheet): void {
		const cell = this.cellOfTime(cursor.value);

		if (cell < 0) return;
		const [x, y] = placeOf(s, cell);
		const out = s.size < 8 ? 3 : 2;
		const side = s.size - 1 + 2 * out;
		d.frame(LABELS + x - out - 1, HEAD + y - out - 1, side + 2, side + 2, p.text, 1);
		d.frame(LABELS + x - out, HEAD + y - out, side, side, p.cursor, 2);
	}

	private drawRange(d: Draw, p: Palette, s: Sheet, r: Window): void {
		const w = shownWindow.value;
		const [from, to] = [Math.max(r.from, w.from), Math.min(r.to, w.to) - 1];

		if (to >= from)
			this.drawBrush(d, p, s, { from: this.cellOfTime(from), to: this.cellOfTime(to) });
	}

	private drawBrush(
		d: Draw,
		p: Palette,
		s: Sheet,
		brush: { from: number; to: number },
	): void {
		const [a, b] = [Math.min(brush.from, brush.to), Math.max(brush.from, brush.to)];

		for (let row = Math.floor(a / s.columns); row <= Math.floor(b / s.columns); row++) {
			const from = Math.max(a, row * s.columns) % s.columns;
			const to = Math.min(b, row * s.columns + s.columns - 1) % s.columns;
			d.rect(
				LABELS + from * s.size,
				HEAD + row * s.size,
				(to - from + 1) * s.size,
				s.size,
				p.cursor,
				0.45,
			);
		}
	}
}

export const eventMap: ViewKind = {
	id: "eventmap",
	title: "Event map",
	description:
		"Every reference in reading order, in the colour of the level that costs most",
	controls: () => [
		{
			option: "eventmap.columns",
			label: "row",
			choices: [
				["0", "as many as fit"],
				...[8, 16, 32, 48, 64, 96, 100, 128, 256].map((n): [string, string] => [
					String(n),
					`${n} cells`,
				]),
			],
			otherwise: "0",
		},
	],
	plays: true,
	create: (): View => new EventMap(),
};
