// A picture of parts, each in a box: a view of one part, or an overview of several. A part
// draws through Draw only and hears of the pointer in coordinates of the picture.
import { type Box, contains } from "../../../model/box";
import type { Palette } from "../../../draw/colours";
import type { Draw } from "../../../draw/draw";
import { CanvasView } from "../../../views/canvas";
import * as s from "../state";

/** What is under the pointer. */
export interface Under {
	tip: string[] | null;
	hover: string; // the pre-selection
	cursor?: string;
}

export const NOTHING: Under = { tip: null, hover: "" };

export interface Part {
	/** Signals that the part draws from: it reads them. */
	reads(): void;
	draw(d: Draw, p: Palette, box: Box): void;
	over(x: number, y: number): Under;
	/** True: the part follows the pointer until up(). */
	down?(x: number, y: number, e: PointerEvent): boolean;
	drag?(x: number, y: number): void;
	up?(x: number, y: number, e: PointerEvent): void;
	doubleClick?(x: number, y: number): void;
}

export abstract class PartsView extends CanvasView {
	private placed: [Part, Box][] = [];
	private held: Part | null = null;

	/** The parts and where they stand. Called for each picture. */
	protected abstract place(w: number, h: number): [Part, Box][];
	/** A sentence if there is nothing to draw yet. */
	protected missing(): string {
		return "";
	}

	protected start(): void {
		this.watch(() => {
			void s.info.value;
			for (const [part] of this.place(this.width, this.height)) part.reads();
		});
		this.listen("pointermove", (_, x, y) => this.move(x, y));
		this.listen("pointerleave", () => this.leave());
		this.listen("pointerdown", (e, x, y) => {
			const at = this.at(x, y);

			if (e.button || !at?.down?.(x, y, e)) return;
			this.held = at;
			this.canvas.setPointerCapture(e.pointerId);
			this.redraw();
		});
		this.listen("pointerup", (e, x, y) => {
			const part = this.held;

			this.held = null;
			part?.up?.(x, y, e);
			this.redraw();
		});
		this.listen("dblclick", (_, x, y) => this.at(x, y)?.doubleClick?.(x, y));
		this.onDestroy(() => (s.hover.value = ""));
	}

	private at(x: number, y: number): Part | undefined {
		return this.placed.find(([, box]) => contains(box, x, y))?.[0];
	}

	private move(x: number, y: number): void {
		if (this.held) {
			this.held.drag?.(x, y);
			this.tip(null);
			this.redraw();
			return;
		}
		const under = this.at(x, y)?.over(x, y) ?? NOTHING;

		this.canvas.style.cursor = under.cursor ?? "";
		if (!s.playing.value) s.hover.value = under.hover;
		this.tip(under.tip, x, y);
		this.redraw();
	}

	private leave(): void {
		if (this.held) return;
		if (!s.playing.value) s.hover.value = "";
		for (const [part] of this.placed) part.over(-1, -1);
	}

	draw(d: Draw, p: Palette): void {
		const why = this.missing();

		this.placed = why ? [] : this.place(d.width, d.height);
		if (why)
			d.text(d.width / 2, d.height / 2, why, {
				colour: p.muted,
				size: 13,
				align: "center",
			});
		for (const [part, box] of this.placed) part.draw(d, p, box);
	}
}
