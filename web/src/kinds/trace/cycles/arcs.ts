// Moments as dots that arcs join, on a spiral or on a circle.
import type { Draw } from "../../../draw/draw";
import { arcPoints, type Ring } from "../model/cycles";
import type { Colouring } from "./colouring";

/** Where the moments are drawn. */
export interface Places {
	x: Float32Array;
	y: Float32Array;
}

const MAX_DOTS = 3000; // of which each has a dot

export function drawArcs(
	d: Draw,
	ring: Ring,
	radii: Float32Array,
	turns: Float64Array,
	{ colours, of }: Colouring,
	at: Places,
	alpha: number,
): void {
	const n = radii.length;
	const thick = n > 6000 ? 0.7 : n > 1500 ? 1 : 1.6;

	// arcs of one colour in a row are one line
	let line: number[] = [];
	for (let i = 0; i + 1 < n; i++) {
		if (!line.length) line.push(at.x[i]!, at.y[i]!);
		arcPoints(ring, radii[i]!, turns[i]!, radii[i + 1]!, turns[i + 1]!, line);
		if (i + 2 < n && of(i + 1) === of(i)) continue;
		d.path(line, colours[of(i)]!, thick, alpha);
		line = [];
	}
	for (let i = 0; i < n && n <= MAX_DOTS; i++)
		d.splat(at.x[i]! - 1.5, at.y[i]! - 1.5, 3, 3, colours[of(i)]!);
}
