// Room around the rings. Matrices of regions stand outside the circle, each beside its
// arc, without touching the circle, the words, each other or the edge. The layout weighs
// large matrices against rings that shrink for them.

import type { Box } from "../../../model/box";

/** A matrix that needs a place: its size in a square of so many pixels, and its arc. */
export interface Wanted {
	region: number;
	arc: [number, number]; // clockwise from the top
	size(room: number): { w: number; h: number };
}

export interface Placed extends Box {
	region: number;
	room: number; // side of the square that it was fitted into
}

export interface Around {
	x: number; // of the circle
	y: number;
	r: number;
	boxes: Placed[];
	left: number; // matrices without a place
}

export const TITLE_ROOM = 15; // above a matrix, for its name
const TURN = 2 * Math.PI;
const APART = 7; // pixels between things
const ROOMS = [220, 180, 150, 128, 108, 92, 78, 66, 56, 46];
const SHRINK = [1, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7];
const STEP = (5 * Math.PI) / 180;
const FAR = 36; // steps that a matrix may stand away from the middle of its arc

function touch(a: Box, b: Box): boolean {
	return (
		a.x < b.x + b.w + APART &&
		b.x < a.x + a.w + APART &&
		a.y < b.y + b.h + APART &&
		b.y < a.y + a.h + APART
	);
}

/** The distance from the centre of a circle to the nearest point of a rectangle. */
export function distance(x: number, y: number, b: Box): number {
	const dx = Math.max(b.x - x, 0, x - b.x - b.w);
	const dy = Math.max(b.y - y, 0, y - b.y - b.h);

	return Math.hypot(dx, dy);
}

/** The angle of an arc that is nearest to the middle of a rectangle. */
export function nearest(x: number, y: number, arc: [number, number], b: Box): number {
	const mid = (arc[0] + arc[1]) / 2;
	const there = Math.atan2(b.x + b.w / 2 - x, y - b.y - b.h / 2);
	const away = ((((there - mid) % TURN) + 1.5 * TURN) % TURN) - TURN / 2;
	const half = (arc[1] - arc[0]) / 2;

	return mid + Math.max(-half, Math.min(half, away));
}

/** A rectangle in a direction, as near to the circle as allowed. */
function beside(
	x: number,
	y: number,
	r: number,
	angle: number,
	w: number,
	h: number,
): Box {
	const at = (far: number): Box => ({
		x: x + far * Math.sin(angle) - w / 2,
		y: y - far * Math.cos(angle) - h / 2,
		w,
		h,
	});
	let [low, high] = [r, r + w + h];

	for (let i = 0; i < 12; i++) {
		const mid = (low + high) / 2;
		if (distance(x, y, at(mid)) >= r + APART) high = mid;
		else low = mid;
	}
	return at(high);
}

function place(
	list: Wanted[],
	circle: { x: number; y: number; r: number },
	room: number,
	inside: Box,
	taken: Box[],
): { boxes: Placed[]; moved: number } | null {
	const boxes: Placed[] = [];
	let moved = 0;

	for (const m of list) {
		const { w, h } = m.size(room);
		let found: Box | null = null;
		for (let i = 0; i <= 2 * FAR && !found; i++) {
			const away = Math.ceil(i / 2) * (i % 2 ? 1 : -1);
			const angle = (m.arc[0] + m.arc[1]) / 2 + away * STEP;
			const b = beside(circle.x, circle.y, circle.r, angle, w, h + TITLE_ROOM);
			const out =
				b.x < inside.x ||
				b.y < inside.y ||
				b.x + b.w > inside.x + inside.w ||
				b.y + b.h > inside.y + inside.h;
			if (out || [...taken, ...boxes].some((t) => touch(b, t))) continue;
			found = b;
			// All places beside its arc are equally good; places away from the arc are worse.
			const beyond = Math.max(0, Math.abs(away * STEP) - (m.arc[1] - m.arc[0]) / 2);
			moved += (beyond + 0.05 * Math.abs(away * STEP)) / Math.PI;
		}
		if (!found) return null;
		boxes.push({ ...found, region: m.region, room });
	}
	return { boxes, moved: moved / list.length };
}

/** A circle that does not touch the words: moved to the right, or else smaller. */
export function besideWords(
	circle: { x: number; y: number; r: number },
	words: Box[],
	right: number, // x of its right end, at most
): { x: number; y: number; r: number } {
	for (let r = circle.r; r > 0.6 * circle.r; r *= 0.98)
		for (let x = circle.x; x + r <= right; x += 6)
			if (words.every((b) => distance(x, circle.y, b) >= r + 4))
				return { x, y: circle.y, r };
	return circle;
}

/*
 * Places the circle and the matrices. `usual` is the circle without matrices; everything
 * stands inside `inside` and outside the rectangles `taken`; the circle keeps `margin`
 * from the edges. The list is in order of importance: if not all matrices have room, the
 * last ones are left out.
 */
export function layAround(
	list: Wanted[],
	usual: { x: number; y: number; r: number },
	inside: Box,
	margin: { x: number; y: number },
	taken: Box[],
): Around {
	for (let n = list.length; n > 0; n--) {
		const some = list.slice(0, n);
		let best: Around | null = null;
		let value = -Infinity;
		for (const shrink of SHRINK) {
			const r = usual.r * shrink;
			const free = Math.max(0, inside.w - 2 * r);
			const xs = [
				usual.x,
				...[0.5, 0.4, 0.6, 0.3, 0.7].map((k) => inside.x + r + free * k),
			];
			const ys = [usual.y, usual.y - (usual.r - r), usual.y + (usual.r - r)];
			for (const room of ROOMS) {
				// Large rings count more than matrices, and matrices beside their arcs count more
				// than others.
				const max = 2.2 * shrink + Math.sqrt(Math.min(room, 150) / 150);
				if (max <= value) continue;
				for (const x of xs)
					for (const y of ys) {
						const circle = { x, y, r };
						const out =
							x - r < inside.x + margin.x ||
							y - r < inside.y + margin.y ||
							x + r > inside.x + inside.w - margin.x ||
							y + r > inside.y + inside.h - margin.y;
						if (out || taken.some((t) => distance(x, y, t) < r + 2)) continue;
						const found = place(some, circle, room, inside, taken);
						if (!found || max - 1.5 * found.moved <= value) continue;
						value = max - 1.5 * found.moved;
						best = { ...circle, boxes: found.boxes, left: list.length - n };
					}
			}
		}
		if (best) return best;
	}
	return { ...usual, boxes: [], left: list.length };
}
