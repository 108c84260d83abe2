// Straight lines drawn into an array of pixels, for pictures that have tens of thousands.
// A line of at most one pixel covers two pixels of each column, or of each row if it is
// steep, as hairlines of browsers do. A thicker one is a rectangle that lies askew.
//
// Pixels are kept column by column, because a steep line covers a run of each column that it
// crosses, and as whole numbers with their colours multiplied by alpha, because then a line
// is mixed over a pixel by two multiplications. The loops are plain because they run
// millions of times a frame.
import type { Corners } from "../model/box";
import type { Segments } from "./draw";

const ONE = 65536; // fixed point: 16 bits behind the point
const HALF = ONE / 2;
const STEEPEST = 1024; // rows a column: more would leave the range of fixed point, 2^15

/** Whole numbers in fixed point; engines keep them in registers, which they do not for -0. */
function fixed(x: number): number {
	return (x * ONE) | 0;
}

/** A sheet that lines are drawn on before they are put on the picture. */
export class SegmentSheet {
	private left = 0; // of the sheet on the picture
	private top = 0;
	private columns = 0;
	private rows = 0;
	private pixels = new Int32Array(0);
	private inkRedBlue = 0;
	private inkAlphaGreen = 0;

	/*
	 * Draws into `words`, W x H pixels, which carry their own alpha; returns what the lines
	 * cover, in pixels.
	 */
	draw(
		list: readonly Segments[],
		scale: number,
		words: Uint32Array,
		W: number,
		H: number,
	): Corners | undefined {
		const box = bounds(list, scale, W, H);

		if (!box) return undefined;
		this.clear(box);
		for (const { ends, colour, thick } of list) {
			this.inkRedBlue = ((colour & 255) << 16) | (colour >> 16);
			this.inkAlphaGreen = 0xff0000 | ((colour >> 8) & 255);
			for (let i = 0; i + 3 < ends.length; i += 4) {
				const x1 = ends[i]! * scale - this.left;
				const y1 = ends[i + 1]! * scale - this.top;
				const x2 = ends[i + 2]! * scale - this.left;
				const y2 = ends[i + 3]! * scale - this.top;

				if (x1 <= x2) this.line(thick * scale, x1, y1, x2, y2);
				else this.line(thick * scale, x2, y2, x1, y1);
			}
		}
		this.put(words, W);
		return box;
	}

	private clear(box: Corners): void {
		[this.left, this.top] = box;
		this.columns = box[2] - box[0];
		this.rows = box[3] - box[1];
		const size = this.columns * this.rows;
		if (this.pixels.length < size) this.pixels = new Int32Array(size);
		else this.pixels.fill(0, 0, size);
	}

	/*
	 * From left to right, or upright. The coverage of a pixel falls with the distance of its
	 * middle from the line, over the width that the pixel has in that direction.
	 */
	private line(thick: number, xa: number, y1: number, xb: number, y2: number): void {
		// an upright line leans by less than a pixel
		const lean = Math.max(0, Math.abs(y2 - y1) / STEEPEST - (xb - xa)) / 2;
		const [x1, x2] = [xa - lean, xb + lean];
		const slope = x2 > x1 ? (y2 - y1) / (x2 - x1) : 0;
		const steep = slope > 1 || slope < -1;
		const thin = thick <= 1;
		// the distance of a pixel that is a row away: along y or x, or at right angles
		const near = !thin
			? 1 / Math.sqrt(1 + slope * slope)
			: steep
				? 1 / Math.abs(slope)
				: 1;
		const pixel = thin ? 1 : near * (1 + Math.abs(slope));
		const reach = thin ? 1 : (thick + pixel) / 2;
		const strength = thin ? thick : 1;
		// by so much a line may pass its ends along x: square ends lean, and steep lines fade
		const beyond = (thin ? steep : slope) ? reach : 0;
		const first = Math.max(0, Math.ceil(x1 - beyond - 0.5)) | 0;
		const last = Math.min(this.columns - 1, Math.floor(x2 + beyond - 0.5)) | 0;
		// thin and steep ones end at a row
		const ends = thin && steep;
		const top = ends ? Math.max(0, Math.ceil(Math.min(y1, y2) - 0.5)) | 0 : 0;
		const bottom = ends
			? Math.min(this.rows - 1, Math.floor(Math.max(y1, y2) - 0.5)) | 0
			: this.rows - 1;
		// in fixed point; coverages are times the strength
		const tall = fixed(reach / near);
		const rise = fixed(slope);
		const fade = (near / pixel) * strength;
		const step = fixed(fade);
		const full = fixed((reach / pixel) * strength);
		const most = fixed(strength);
		let middle = fixed(y1 + slope * (first + 0.5 - x1));

		for (let c = first, at = first * this.rows; c <= last; c++, at += this.rows) {
			// rows whose middle is near enough
			let from = (middle - tall + HALF - 1) >> 16;
			let to = (middle + tall - HALF) >> 16;

			if (from < top) from = top;
			if (to > bottom) to = bottom;
			if (!thin && slope) {
				const one = y1 - (c + 0.5 - x1) / slope;
				const other = y2 - (c + 0.5 - x2) / slope;
				from = Math.max(from, Math.ceil(Math.min(one, other) - 0.5)) | 0;
				to = Math.min(to, Math.floor(Math.max(one, other) - 0.5)) | 0;
			}
			this.run(
				at + from,
				at + to,
				(fade * ((from << 16) + HALF - middle)) | 0,
				step,
				full,
				most,
			);
			middle = (middle + rise) | 0;
		}
	}

	/*
	 * Pixels of a column, from `first` to `last`. Their coverage is min(most, full - |off|);
	 * `off` is that of the first, and grows by `step`.
	 */
	private run(
		first: number,
		last: number,
		off: number,
		step: number,
		full: number,
		most: number,
	): void {
		const { pixels, inkRedBlue, inkAlphaGreen } = this;
		let d = off;

		for (let i = first; i <= last; i++) {
			const cover = full - (d < 0 ? -d : d);
			const a = (cover < most ? cover : most) >> 8; // 0 to 256
			const old = pixels[i]!;
			const rb = old & 0xff00ff;
			const ag = (old >>> 8) & 0xff00ff;
			// two bytes in one multiplication: what runs over into the gap is masked out
			pixels[i] =
				((rb + ((Math.imul(inkRedBlue - rb, a) + 0x800080) >> 8)) & 0xff00ff) |
				(((ag + ((Math.imul(inkAlphaGreen - ag, a) + 0x800080) >> 8)) & 0xff00ff) << 8);
			d = (d + step) | 0;
		}
	}

	/** Puts the sheet over what is on the picture. */
	private put(words: Uint32Array, W: number): void {
		const { pixels, rows, columns } = this;
		// signed, as pixels of the sheet: engines compute those without fractions
		const picture = new Int32Array(words.buffer, words.byteOffset, words.length);
		const corner = this.top * W + this.left;

		for (let r = 0; r < rows; r++)
			for (let c = 0, i = r, at = corner + r * W; c < columns; c++, i += rows, at++) {
				const p = pixels[i]!;

				if (!p) continue;
				const old = picture[at]!;
				picture[at] = p >>> 24 === 255 ? p : old ? over(p, old) : plain(p);
			}
	}
}

/** 255 / alpha in fixed point: a division for each pixel would take longer than its lines. */
const INVERSE = Int32Array.from({ length: 256 }, (_, a) =>
	a ? (255 * ONE) / a + 0.5 : 0,
);

/** A pixel of the sheet as pictures have it: its colours are not times its alpha. */
function plain(p: number): number {
	const by = INVERSE[p >>> 24]!;
	const r = (Math.imul(p & 255, by) + HALF) >>> 16;
	const g = (Math.imul((p >>> 8) & 255, by) + HALF) >>> 16;
	const b = (Math.imul((p >>> 16) & 255, by) + HALF) >>> 16;

	// colours are rounded, so that one may be a little above alpha
	return (
		(p & 0xff000000) |
		((b < 255 ? b : 255) << 16) |
		((g < 255 ? g : 255) << 8) |
		(r < 255 ? r : 255)
	);
}

/** A pixel of the sheet over one of the picture. */
function over(p: number, old: number): number {
	const a = p >>> 24;
	const under = ((old >>> 24) * (255 - a)) / 255;
	const all = a + under;
	const mix = (mine: number, below: number) =>
		Math.min(255, ((mine * 255 + below * under) / all + 0.5) | 0);

	if (!a) return old;
	return (
		((all + 0.5) << 24) |
		(mix((p >>> 16) & 255, (old >>> 16) & 255) << 16) |
		(mix((p >>> 8) & 255, (old >>> 8) & 255) << 8) |
		mix(p & 255, old & 255)
	);
}

/** The rectangle of the picture that lines may touch. */
function bounds(
	list: readonly Segments[],
	scale: number,
	W: number,
	H: number,
): Corners | undefined {
	let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];

	for (const { ends, thick } of list) {
		const by = thick / 2 + 1 / scale;
		for (let i = 0; i + 1 < ends.length; i += 2) {
			const x = ends[i]!;
			const y = ends[i + 1]!;
			if (x - by < x0) x0 = x - by;
			if (x + by > x1) x1 = x + by;
			if (y - by < y0) y0 = y - by;
			if (y + by > y1) y1 = y + by;
		}
	}
	const box: Corners = [
		Math.max(0, Math.floor(x0 * scale)),
		Math.max(0, Math.floor(y0 * scale)),
		Math.min(W, Math.ceil(x1 * scale)),
		Math.min(H, Math.ceil(y1 * scale)),
	];
	return box[2] > box[0] && box[3] > box[1] ? box : undefined;
}
