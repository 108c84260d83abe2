// The graph of a function of x, drawn into an array of pixels column by column: in each
// column of pixels it covers the span from its lowest to its highest y. For 300 curves of
// 1000 points this took a tenth of the time of canvas paths. The loops are plain because
// they run a million times a frame.
import type { Corners } from "../model/box";
import type { Colour } from "./draw";

/** The area below a coverage that rises from 0 to 1 over `fade` pixels, from 0 to u. */
function risen(u: number, fade: number): number {
	if (u <= 0) return 0;
	return u < fade ? (u * u) / (2 * fade) : u - fade / 2;
}

/** A stroke of one curve over pixels that carry their own alpha. */
class Pen {
	x0: number;
	y0: number;
	x1 = 0;
	y1 = 0;
	private readonly red: number;
	private readonly green: number;
	private readonly blue: number;
	private readonly strength: number;

	constructor(
		private readonly words: Uint32Array,
		private readonly width: number,
		private readonly height: number,
		colour: Colour,
		alpha: number,
		private readonly half: number,
	) {
		this.x0 = width;
		this.y0 = height;
		this.red = colour >> 16;
		this.green = (colour >> 8) & 255;
		this.blue = colour & 255;
		this.strength = 255 * alpha;
	}

	/** Covers a column from low to high, and half the thickness beyond. */
	column(x: number, low: number, high: number): void {
		// A steep curve is thicker from top to bottom, and its ends fade in and out.
		const rise = high - low;
		const steep = rise < 2 ? rise : 2;
		const by = this.half * Math.sqrt(1 + steep * steep);
		const top = low - by;
		const bottom = high + by;
		const fade = rise < by ? rise : by;
		const middle = (top + bottom) / 2;
		const whole = bottom - top - fade;
		const first = top > 0 ? Math.floor(top) : 0;
		const last = bottom < this.height ? Math.ceil(bottom) - 1 : this.height - 1;
		let before = first < middle ? risen(first - top, fade) : whole;

		for (let row = first, at = first * this.width + x; row <= last; row++) {
			const y = row + 1;
			const now = y < middle ? risen(y - top, fade) : whole - risen(bottom - y, fade);
			const a = (this.strength * (now - before) + 0.5) | 0;
			before = now;
			if (a > 0) this.mix(at, a);
			at += this.width;
		}
		if (last < first) return;
		if (x < this.x0) this.x0 = x;
		if (x >= this.x1) this.x1 = x + 1;
		if (first < this.y0) this.y0 = first;
		if (last >= this.y1) this.y1 = last + 1;
	}

	private mix(at: number, a: number): void {
		const old = this.words[at]!;

		if (a >= 255 || old === 0) {
			this.words[at] = (a << 24) | (this.blue << 16) | (this.green << 8) | this.red;
			return;
		}
		const under = ((old >>> 24) * (255 - a) * 0.00392157) | 0;
		const all = a + under;
		const r = ((this.red * a + (old & 255) * under) / all) | 0;
		const g = ((this.green * a + ((old >> 8) & 255) * under) / all) | 0;
		const b = ((this.blue * a + ((old >> 16) & 255) * under) / all) | 0;
		this.words[at] = (all << 24) | (b << 16) | (g << 8) | r;
	}
}

/*
 * Points are x, y, x, y, ... with x ascending; a y that is no number leaves a gap.
 * Returns the rectangle that the curve covers, in pixels.
 */
export function trace(
	points: ArrayLike<number>,
	colour: Colour,
	thick: number,
	alpha: number,
	scale: number,
	words: Uint32Array,
	W: number,
	H: number,
): Corners | undefined {
	const pen = new Pen(words, W, H, colour, alpha, Math.max(0.5, (thick * scale) / 2));
	let column = -1; // the column that is being collected: several points may fall into it
	let low = 0;
	let high = 0;

	for (let i = 0; i + 3 < points.length; i += 2) {
		const xa = points[i]! * scale;
		const ya = points[i + 1]! * scale;
		const xb = points[i + 2]! * scale;
		const yb = points[i + 3]! * scale;
		if (ya !== ya || yb !== yb || xb < 0 || xa >= W) continue;
		const slope = xb > xa ? (yb - ya) / (xb - xa) : 0;
		const end = xb < W ? Math.floor(xb) : W - 1;
		for (let c = xa > 0 ? Math.floor(xa) : 0; c <= end; c++) {
			const from = c < xa ? ya : ya + slope * (c - xa);
			const to = c + 1 > xb ? yb : ya + slope * (c + 1 - xa);
			const min = from < to ? from : to;
			const max = from < to ? to : from;
			if (c !== column) {
				if (column >= 0) pen.column(column, low, high);
				column = c;
				low = min;
				high = max;
				continue;
			}
			if (min < low) low = min;
			if (max > high) high = max;
		}
	}
	if (column >= 0) pen.column(column, low, high);
	return pen.x1 > pen.x0 ? [pen.x0, pen.y0, pen.x1, pen.y1] : undefined;
}
