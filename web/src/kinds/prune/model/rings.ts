// Where the rings of the sunburst are: sectors in polar coordinates, and back from a point.
import type { Where } from "./space";

/** The columns of /api/prunes/P/sunburst. */
export interface Sunburst {
	rings: string[]; // the constraints that were asked for, from the centre outwards
	inside: Where; // what the whole circle is
	total: number; // variants of the whole circle
	all: number; // of the space
	survivors: number;
	ring: Uint8Array;
	want: Uint32Array;
	joined: Uint32Array;
	from: Float64Array; // position, in variants
	count: Float64Array;
	failed: Float64Array;
	best: Float64Array; // least cycles; NaN: nothing was simulated
}

export interface Circle {
	x: number;
	y: number;
	inner: number; // radius of the centre
	outer: number;
	rings: number;
}

const TURN = 2 * Math.PI;

/** The circle in a box with room at the right for names of so many pixels. */
export function fit(width: number, height: number, rings: number, names: number): Circle {
	const room = names > 0 && width - names > 0.6 * height ? names : 0;
	const outer = Math.max(20, Math.min((width - room) / 2 - 16, height / 2 - 26));

	return {
		x: Math.max(outer + 12, (width - room) / 2),
		y: height / 2 + 4,
		inner: outer * (rings > 12 ? 0.12 : 0.2),
		outer,
		rings,
	};
}

export function radii(c: Circle, ring: number): [from: number, to: number] {
	const width = (c.outer - c.inner) / Math.max(1, c.rings);

	return [c.inner + ring * width, c.inner + (ring + 1) * width];
}

export function angles(s: Sunburst, i: number): [from: number, to: number] {
	const total = s.total || 1;

	return [(TURN * s.from[i]!) / total, (TURN * (s.from[i]! + s.count[i]!)) / total];
}

/** The sector at a point: its number, "centre", or null. */
export function hit(
	c: Circle,
	s: Sunburst,
	x: number,
	y: number,
): number | "centre" | null {
	const r = Math.hypot(x - c.x, y - c.y);
	const turn = (Math.atan2(x - c.x, c.y - y) + TURN) % TURN;
	const ring = Math.floor(((r - c.inner) / (c.outer - c.inner)) * c.rings);
	const at = (turn / TURN) * s.total;

	if (r <= c.inner) return "centre";
	if (r > c.outer) return null;
	for (let i = 0; i < s.ring.length; i++)
		if (s.ring[i] === ring && at >= s.from[i]! && at < s.from[i]! + s.count[i]!) return i;
	return null;
}

/** What selects the variants of a sector. */
export function whereOf(s: Sunburst, i: number, bit: (name: string) => number): Where {
	const own = s.rings.slice(0, s.ring[i]! + 1).map((name) => ({
		name,
		fails: ((s.want[i]! >>> bit(name)) & 1) === 1,
	}));

	return [...s.inside, ...own];
}

/*
 * The point of a ring to which its name leads: a line to the right at the height of 0.82 of
 * its radius, so that the names of all rings stand below each other, the outermost first.
 */
export function anchor(c: Circle, ring: number): { x: number; y: number } {
	const [a, b] = radii(c, ring);
	const r = (a + b) / 2;
	const up = 0.82 * r;

	return { x: c.x + Math.sqrt(r * r - up * up), y: c.y - up };
}
