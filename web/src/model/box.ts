// A place in a picture, in pixels.

export interface Box {
	x: number;
	y: number;
	w: number;
	h: number;
}

/** A place by two of its corners: the upper left one, and the lower right one, excluded. */
export type Corners = [x0: number, y0: number, x1: number, y1: number];

export function contains(b: Box, x: number, y: number): boolean {
	return x >= b.x && x < b.x + b.w && y >= b.y && y < b.y + b.h;
}
