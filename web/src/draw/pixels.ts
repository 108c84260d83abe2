// The pixel back end: canvas 2D, and for splats a plain array of pixels.
import { trace } from "./curve";
import { putBand } from "./band";
import { stamp } from "./dots";
import { SegmentSheet } from "./segments";
import {
	css,
	font,
	type Band,
	type Colour,
	type Dots,
	type Draw,
	type Segments,
	type TextStyle,
} from "./draw";

/*
 * Splats go into an ImageData as large as the canvas, and from there to the canvas as
 * soon as anything else is drawn: in one frame of 20,000 cells that is once. On a
 * machine without a GPU this is about ten times as fast as fillRect.
 */
export class Pixels implements Draw {
	readonly width: number;
	readonly height: number;
	private sheet: CanvasRenderingContext2D | undefined; // for splats and dots
	private image: ImageData | undefined;
	private words = new Uint32Array(0);
	private readonly lines = new SegmentSheet();
	private dirty: [number, number, number, number] | undefined; // device pixels x0 y0 x1 y1
	private readonly layers = new Map<
		string,
		{ key: string; c: CanvasRenderingContext2D }
	>();

	constructor(
		private c: CanvasRenderingContext2D,
		private readonly scale: number,
	) {
		this.width = c.canvas.width / scale;
		this.height = c.canvas.height / scale;
		c.setTransform(scale, 0, 0, scale, 0, 0);
	}

	clear(background: Colour): void {
		this.dirty = undefined;
		this.c.globalAlpha = 1;
		this.c.fillStyle = css(background);
		this.c.fillRect(0, 0, this.width, this.height);
	}

	rect(x: number, y: number, w: number, h: number, fill: Colour, alpha = 1): void {
		this.flush();
		this.c.globalAlpha = alpha;
		this.c.fillStyle = css(fill);
		this.c.fillRect(x, y, w, h);
	}

	frame(
		x: number,
		y: number,
		w: number,
		h: number,
		colour: Colour,
		thick = 1,
		alpha = 1,
	): void {
		this.flush();
		this.c.globalAlpha = alpha;
		this.c.strokeStyle = css(colour);
		this.c.lineWidth = thick;
		this.c.strokeRect(x + thick / 2, y + thick / 2, w - thick, h - thick);
	}

	line(
		x1: number,
		y1: number,
		x2: number,
		y2: number,
		colour: Colour,
		thick = 1,
		alpha = 1,
	): void {
		this.path([x1, y1, x2, y2], colour, thick, alpha);
	}

	path(points: ArrayLike<number>, colour: Colour, thick?: number, alpha = 1): void {
		this.flush();
		this.c.globalAlpha = alpha;
		this.c.beginPath();
		for (let i = 0; i + 1 < points.length; i += 2)
			this.c.lineTo(points[i]!, points[i + 1]!);
		if (thick === undefined) {
			this.c.fillStyle = css(colour);
			this.c.fill();
		} else {
			this.c.strokeStyle = css(colour);
			this.c.lineWidth = thick;
			this.c.stroke();
		}
	}

	segments(list: readonly Segments[]): void {
		this.begin();
		const { width, height } = this.c.canvas;

		this.touched(this.lines.draw(list, this.scale, this.words, width, height));
	}

	arc(
		x: number,
		y: number,
		r0: number,
		r1: number,
		a0: number,
		a1: number,
		fill: Colour,
		alpha = 1,
	): void {
		const top = -Math.PI / 2;

		this.flush();
		this.c.globalAlpha = alpha;
		this.c.fillStyle = css(fill);
		this.c.beginPath();
		this.c.arc(x, y, r1, a0 + top, a1 + top);
		this.c.arc(x, y, r0, a1 + top, a0 + top, true);
		this.c.fill();
	}

	text(x: number, y: number, text: string, style: TextStyle): void {
		this.flush();
		this.c.globalAlpha = style.alpha ?? 1;
		this.c.font = font(style);
		this.c.fillStyle = css(style.colour);
		this.c.textAlign = style.align ?? "left";
		this.c.textBaseline = style.baseline ?? "middle";
		this.c.fillText(text, x, y);
	}

	splat(x: number, y: number, w: number, h: number, fill: Colour, alpha = 1): void {
		const s = this.scale;
		const W = this.c.canvas.width;
		const x0 = Math.max(0, Math.round(x * s));
		const y0 = Math.max(0, Math.round(y * s));
		const x1 = Math.min(W, Math.max(x0 + 1, Math.round((x + w) * s)));
		const y1 = Math.min(this.c.canvas.height, Math.max(y0 + 1, Math.round((y + h) * s)));

		if (x0 >= x1 || y0 >= y1 || alpha <= 0) return;
		this.begin();
		const words = this.words;
		const d = (this.dirty ??= [x0, y0, x1, y1]);
		if (x0 < d[0]) d[0] = x0;
		if (y0 < d[1]) d[1] = y0;
		if (x1 > d[2]) d[2] = x1;
		if (y1 > d[3]) d[3] = y1;
		if (alpha >= 1) {
			const word =
				(0xff000000 | ((fill & 255) << 16) | (fill & 0xff00) | (fill >> 16)) >>> 0;
			// A call of fill() costs more than a few stores.
			for (let row = y0; row < y1; row++)
				for (let i = row * W + x0, end = row * W + x1; i < end; i++) words[i] = word;
			return;
		}
		this.blend(x0, y0, x1, y1, fill, alpha);
	}

	dots(o: Dots): void {
		this.begin();
		const { width, height } = this.c.canvas;

		this.touched(stamp(o, this.scale, this.words, width, height));
	}

	curve(points: ArrayLike<number>, colour: Colour, thick = 1, alpha = 1): void {
		this.begin();
		const { width, height } = this.c.canvas;

		this.touched(
			trace(points, colour, thick, alpha, this.scale, this.words, width, height),
		);
	}

	/** Marks pixels of the sheet that flush() has to put onto the canvas. */
	private touched(box: [number, number, number, number] | undefined): void {
		const d = this.dirty;

		if (!box) return;
		this.dirty = d
			? [
					Math.min(d[0], box[0]),
					Math.min(d[1], box[1]),
					Math.max(d[2], box[2]),
					Math.max(d[3], box[3]),
				]
			: box;
	}

	band(o: Band): void {
		this.begin();
		const { width, height } = this.c.canvas;

		this.touched(putBand(o, this.scale, this.words, width, height));
	}

	layer(name: string, key: string, paint: () => void, alpha = 1): void {
		const screen = this.c;
		let l = this.layers.get(name);

		this.flush();
		if (l?.key !== key) {
			if (!l) {
				const canvas = document.createElement("canvas");
				canvas.width = screen.canvas.width;
				canvas.height = screen.canvas.height;
				l = { key, c: canvas.getContext("2d")! };
				this.layers.set(name, l);
			}
			l.key = key;
			l.c.setTransform(1, 0, 0, 1, 0, 0);
			l.c.clearRect(0, 0, screen.canvas.width, screen.canvas.height);
			l.c.setTransform(this.scale, 0, 0, this.scale, 0, 0);
			this.c = l.c;
			try {
				paint();
				this.flush();
			} finally {
				this.c = screen;
			}
		}
		this.c.save();
		this.c.setTransform(1, 0, 0, 1, 0, 0);
		this.c.globalAlpha = alpha;
		this.c.drawImage(l.c.canvas, 0, 0);
		this.c.restore();
	}

	/*
	 * Blends a colour over a pixel of the sheet, which carries its own alpha; in whole
	 * numbers.
	 */
	private blend(
		x0: number,
		y0: number,
		x1: number,
		y1: number,
		fill: Colour,
		alpha: number,
	): void {
		const W = this.c.canvas.width;
		const words = this.words;
		const a = Math.round(alpha * 255);
		const [r, g, b] = [(fill >> 16) * a, ((fill >> 8) & 255) * a, (fill & 255) * a];
		const clear =
			((a << 24) | ((fill & 255) << 16) | (fill & 0xff00) | (fill >> 16)) >>> 0;

		for (let row = y0; row < y1; row++)
			for (let i = row * W + x0, end = row * W + x1; i < end; i++) {
				const old = words[i]!;
				if (old === 0) {
					words[i] = clear;
					continue;
				}
				const under = (((old >>> 24) * (255 - a)) / 255) | 0;
				const all = a + under;
				const red = ((r + (old & 255) * under) / all) | 0;
				const green = ((g + ((old >> 8) & 255) * under) / all) | 0;
				const blue = ((b + ((old >> 16) & 255) * under) / all) | 0;
				words[i] = ((all << 24) | (blue << 16) | (green << 8) | red) >>> 0;
			}
	}

	cells(
		x: number,
		y: number,
		w: number,
		h: number,
		columns: number,
		rows: number,
		fill: Uint32Array,
	): void {
		if (!columns || !rows) return;
		this.flush();
		const small = document.createElement("canvas");
		small.width = columns;
		small.height = rows;
		const pixels = new Uint8ClampedArray(fill.slice(0, columns * rows).buffer);
		small.getContext("2d")!.putImageData(new ImageData(pixels, columns, rows), 0, 0);
		this.c.globalAlpha = 1;
		this.c.imageSmoothingEnabled = false;
		this.c.drawImage(small, x, y, w, h);
	}

	clip(x: number, y: number, w: number, h: number, inside: () => void): void {
		this.flush();
		this.c.save();
		this.c.beginPath();
		this.c.rect(x, y, w, h);
		this.c.clip();
		inside();
		this.flush();
		this.c.restore();
	}

	measure(text: string, style: TextStyle): number {
		this.c.font = font(style);
		return this.c.measureText(text).width;
	}

	private begin(): void {
		if (this.image) return;
		const canvas = document.createElement("canvas");
		canvas.width = this.c.canvas.width;
		canvas.height = this.c.canvas.height;
		this.sheet = canvas.getContext("2d")!;
		this.image = new ImageData(canvas.width, canvas.height);
		this.words = new Uint32Array(this.image.data.buffer);
	}

	/** Puts splats onto the canvas; call it at the end of a frame. */
	flush(): void {
		if (!this.dirty || !this.image || !this.sheet) return;
		const [x0, y0, x1, y1] = this.dirty;
		const [w, h] = [x1 - x0, y1 - y0];
		const W = this.image.width;

		this.dirty = undefined;
		this.sheet.putImageData(this.image, 0, 0, x0, y0, w, h);
		this.c.save();
		this.c.setTransform(1, 0, 0, 1, 0, 0);
		this.c.globalAlpha = 1;
		this.c.drawImage(this.sheet.canvas, x0, y0, w, h, x0, y0, w, h);
		this.c.restore();
		for (let row = y0; row < y1; row++) this.words.fill(0, row * W + x0, row * W + x1);
	}
}
