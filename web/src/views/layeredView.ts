// A view with two layers: a picture that seldom changes, and over it a cursor that moves
// with every frame. The cursor has a canvas of its own, so that playing does not draw the
// picture again.
import { type Palette } from "../draw/colours";
import type { Draw } from "../draw/draw";
import { Pixels } from "../draw/pixels";
import { CanvasView } from "./canvas";
import { palette } from "./palette";

export abstract class LayeredView extends CanvasView {
	private readonly over = document.createElement("canvas");
	private readonly joined = document.createElement("canvas");
	protected exporting = false;
	private overFrame = 0;

	/** The picture without the cursor. */
	protected abstract drawUnder(d: Draw, p: Palette): void;
	/** The cursor, and everything else that moves. */
	protected abstract drawOver(d: Draw, p: Palette): void;

	/** Call it first in start(). */
	protected startOver(): void {
		this.over.style.pointerEvents = "none";
		this.canvas.after(this.over);
		this.onDestroy(() => cancelAnimationFrame(this.overFrame));
	}

	protected redrawOver = (): void => {
		this.overFrame ||= requestAnimationFrame(() => {
			this.overFrame = 0;
			this.paintOver();
		});
	};

	draw(d: Draw, p: Palette): void {
		this.drawUnder(d, p);
		if (this.exporting) this.drawOver(d, p);
		else this.paintOver();
	}

	override exportSvg(): string {
		return this.whole(() => super.exportSvg());
	}

	override exportPng(): Promise<Blob> {
		return this.whole(() => super.exportPng());
	}

	/** Both layers in one canvas. */
	override still(): { canvas: HTMLCanvasElement; shown: number } | null {
		const s = super.still();
		const { width, height } = this.canvas;

		if (!s) return null;
		[this.joined.width, this.joined.height] = [width, height];
		const c = this.joined.getContext("2d")!;
		c.drawImage(this.canvas, 0, 0);
		c.drawImage(this.over, 0, 0);
		return { canvas: this.joined, shown: s.shown };
	}

	/*
	 * Draws both layers at once. Drawing is over when `make` returns; only packing the
	 * pixels goes on.
	 */
	private whole<T>(make: () => T): T {
		this.exporting = true;
		try {
			return make();
		} finally {
			this.exporting = false;
		}
	}

	private paintOver(): void {
		const { over, canvas } = this;
		const c = over.getContext("2d")!;

		if (over.width !== canvas.width || over.height !== canvas.height) {
			[over.width, over.height] = [canvas.width, canvas.height];
			over.style.width = canvas.style.width;
			over.style.height = canvas.style.height;
		}
		c.setTransform(1, 0, 0, 1, 0, 0);
		c.clearRect(0, 0, over.width, over.height);
		const d = new Pixels(c, canvas.width / Math.max(1, this.width));
		this.drawOver(d, palette.value);
		d.flush();
	}
}
