// What views draw with. There are two back ends, pixels (pixels.ts) and SVG (svg.ts), so
// that the screen and an exported picture come from the same calls. Coordinates are CSS
// pixels from the top left; colours are 0xRRGGBB; alpha is 0 to 1.

export type Colour = number;

export interface TextStyle {
	colour: Colour;
	size?: number; // 11
	align?: "left" | "center" | "right";
	baseline?: "top" | "middle" | "bottom"; // middle
	bold?: boolean;
	mono?: boolean;
	alpha?: number;
}

/** Dots `first` to `end`, `end` not included, moved by dx and dy; each has a colour. */
export interface Dots {
	x: Float32Array;
	y: Float32Array;
	colour: Uint32Array; // 0xRRGGBB
	first: number;
	end: number;
	dx: number;
	dy: number;
	radius: number;
}

/*
 * A part of a ring around (x, y), cut into pieces of `step` each, the last one at a1; angles
 * as those of arc(). Colours are those of rgba(), 0 is clear.
 */
export interface Band {
	x: number;
	y: number;
	r0: number;
	r1: number;
	a0: number;
	a1: number;
	step: number;
	colour: Uint32Array;
}

/** Lines of one colour and thickness, x1, y1, x2, y2 each. */
export interface Segments {
	ends: ArrayLike<number>;
	colour: Colour;
	thick: number;
}

export interface Draw {
	readonly width: number;
	readonly height: number;
	rect(x: number, y: number, w: number, h: number, fill: Colour, alpha?: number): void;
	/** An outline of 1 pixel (or `thick`), within the rectangle. */
	frame(
		x: number,
		y: number,
		w: number,
		h: number,
		colour: Colour,
		thick?: number,
		alpha?: number,
	): void;
	line(
		x1: number,
		y1: number,
		x2: number,
		y2: number,
		colour: Colour,
		thick?: number,
		alpha?: number,
	): void;
	/** x, y, x, y, ...; closed and filled, or a line of `thick`. */
	path(points: ArrayLike<number>, colour: Colour, thick?: number, alpha?: number): void;
	/*
	 * Lines that do not hang together, in any number; the last ones lie over the first. They
	 * are written into memory like splats, so calls for narrow parts of a picture are faster
	 * than one for all of it.
	 */
	segments(list: readonly Segments[]): void;
	/** A ring from radius r0 to r1, angles clockwise from the top; r0 = 0 is a slice. */
	arc(
		x: number,
		y: number,
		r0: number,
		r1: number,
		a0: number,
		a1: number,
		fill: Colour,
		alpha?: number,
	): void;
	text(x: number, y: number, text: string, style: TextStyle): void;
	/*
	 * A rectangle for pictures that have tens of thousands: it is written into memory, not
	 * to the canvas.
	 */
	splat(x: number, y: number, w: number, h: number, fill: Colour, alpha?: number): void;
	/** Round dots of one radius, in any number: see Dots. */
	dots(dots: Dots): void;
	/*
	 * The graph of a function of x (x ascending, NaN: a gap), for pictures that have
	 * hundreds.
	 */
	curve(points: ArrayLike<number>, colour: Colour, thick?: number, alpha?: number): void;
	/** A ring of thousands of pieces, written into memory like splats. */
	band(band: Band): void;
	/*
	 * Draws a part of the frame that stays while something flies over it. The back end may
	 * keep the result of `paint` and use it again until `key` changes. Each part has a name
	 * of its own. `alpha` is that of the whole part, and is not in its key.
	 */
	layer(name: string, key: string, paint: () => void, alpha?: number): void;
	/** A picture of columns x rows cells, row by row, scaled without blur. */
	cells(
		x: number,
		y: number,
		w: number,
		h: number,
		columns: number,
		rows: number,
		fill: Uint32Array,
	): void;
	/** Draws within a rectangle. */
	clip(x: number, y: number, w: number, h: number, inside: () => void): void;
	/** Width of a text of this style, for layout. */
	measure(text: string, style: TextStyle): number;
}

export const SANS = 'system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif';
export const MONO =
	'ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", Menlo, monospace';

export function font(s: TextStyle): string {
	return `${s.bold ? "600 " : ""}${s.size ?? 11}px ${s.mono ? MONO : SANS}`;
}

export function css(c: Colour): string {
	return `#${c.toString(16).padStart(6, "0")}`;
}

/** cells() takes colours with their alpha: 0 is clear. */
export function rgba(c: Colour, alpha = 1): number {
	return (
		((Math.round(alpha * 255) << 24) | ((c & 255) << 16) | (c & 0xff00) | (c >> 16)) >>> 0
	);
}
