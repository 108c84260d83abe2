// Round dots stamped into an array of pixels. A dot is a mask of coverages, made once for
// each radius and quarter of a pixel that it may stand at; inside it pixels are stored,
// on its edge they are mixed. Without a GPU this is many times as fast as paths.
import type { Corners } from "../model/box";
import type { Dots } from "./draw";

const PARTS = 4; // places within a pixel, in each direction
const SAMPLES = 4; // of a pixel, in each direction
const SQUARE = 1.3; // dots of a smaller radius, in pixels, are squares

interface Mask {
	side: number;
	cover: Uint8Array; // side * side, 0 to 255
}

/** Coverage of a dot whose centre is at (cx, cy) of a square of `side` pixels. */
function maskOf(radius: number, side: number, cx: number, cy: number): Mask {
	const cover = new Uint8Array(side * side);

	for (let y = 0; y < side; y++)
		for (let x = 0; x < side; x++) {
			let inside = 0;
			for (let i = 0; i < SAMPLES * SAMPLES; i++) {
				const sx = x + ((i % SAMPLES) + 0.5) / SAMPLES - cx;
				const sy = y + (Math.floor(i / SAMPLES) + 0.5) / SAMPLES - cy;
				if (sx * sx + sy * sy <= radius * radius) inside++;
			}
			cover[y * side + x] = Math.round((255 * inside) / (SAMPLES * SAMPLES));
		}
	return { side, cover };
}

const masks = new Map<number, Mask[]>(); // by radius in eighths of a pixel

function masksOf(radius: number): Mask[] {
	const key = Math.round(radius * 8);
	let made = masks.get(key);

	if (made) return made;
	const r = key / 8;
	const small = radius < SQUARE;
	const side = small ? Math.max(1, Math.round(2 * radius)) : Math.ceil(2 * r) + 2;
	made = small ? [{ side, cover: new Uint8Array(side * side).fill(255) }] : [];
	for (let i = 0; i < PARTS * PARTS && !small; i++) {
		const part = (n: number) => (n + 0.5) / PARTS - 0.5;
		const [px, py] = [part(i % PARTS), part(Math.floor(i / PARTS))];
		made.push(maskOf(r, side, side / 2 + px, side / 2 + py));
	}
	if (masks.size > 64) masks.clear();
	masks.set(key, made);
	return made;
}

function word(c: number): number {
	return (0xff000000 | ((c & 255) << 16) | (c & 0xff00) | (c >> 16)) >>> 0;
}

/** A colour of coverage `a` over a pixel that carries its own alpha. */
function over(old: number, c: number, a: number): number {
	if (!old) return ((c & 0xffffff) | (a << 24)) >>> 0;
	const under = (((old >>> 24) * (255 - a)) / 255) | 0;
	const all = a + under;
	const red = ((c & 255) * a + (old & 255) * under) / all;
	const green = (((c >> 8) & 255) * a + ((old >> 8) & 255) * under) / all;
	const blue = (((c >> 16) & 255) * a + ((old >> 16) & 255) * under) / all;

	return ((all << 24) | ((blue | 0) << 16) | ((green | 0) << 8) | (red | 0)) >>> 0;
}

/** Dots of one pixel, of which there may be hundreds of thousands. */
function points(
	o: Dots,
	scale: number,
	words: Uint32Array,
	W: number,
	H: number,
): Corners | undefined {
	const { x: xs, y: ys, colour } = o;
	const [dx, dy] = [o.dx * scale, o.dy * scale];
	let [x0, y0, x1, y1] = [W, H, -1, -1];

	for (let i = o.first; i < o.end; i++) {
		const left = xs[i]! * scale + dx;
		const top = ys[i]! * scale + dy;
		if (left < 0 || top < 0 || left >= W || top >= H) continue;
		const x = left | 0;
		const y = top | 0;
		const c = colour[i]!;
		if (x < x0) x0 = x;
		if (y < y0) y0 = y;
		if (x > x1) x1 = x;
		if (y > y1) y1 = y;
		words[y * W + x] = (0xff000000 | ((c & 255) << 16) | (c & 0xff00) | (c >> 16)) >>> 0;
	}
	return x1 >= 0 ? [x0, y0, x1 + 1, y1 + 1] : undefined;
}

/** A dot that reaches over an edge. */
function clipped(
	words: Uint32Array,
	W: number,
	H: number,
	m: Mask,
	at: [number, number],
	c: number,
) {
	for (let k = 0; k < m.cover.length; k++) {
		const x = at[0] + (k % m.side);
		const y = at[1] + Math.floor(k / m.side);
		if (!m.cover[k] || x < 0 || y < 0 || x >= W || y >= H) continue;
		words[y * W + x] = over(words[y * W + x]!, c, m.cover[k]!);
	}
}

/** Draws dots into `words`, W x H pixels; returns what they cover, in pixels. */
export function stamp(
	o: Dots,
	scale: number,
	words: Uint32Array,
	W: number,
	H: number,
): Corners | undefined {
	const made = masksOf(o.radius * scale);
	const { side } = made[0]!;
	let [x0, y0, x1, y1] = [W, H, 0, 0];

	if (side === 1) return points(o, scale, words, W, H);
	for (let i = o.first; i < o.end; i++) {
		const left = (o.dx + o.x[i]!) * scale - side / 2;
		const top = (o.dy + o.y[i]!) * scale - side / 2;
		const x = Math.round(left);
		const y = Math.round(top);
		if (x <= -side || y <= -side || x >= W || y >= H) continue;
		const c = word(o.colour[i]!);
		const px = Math.min(PARTS - 1, ((left - x + 0.5) * PARTS) | 0);
		const py = Math.min(PARTS - 1, ((top - y + 0.5) * PARTS) | 0);
		const mask = made.length > 1 ? made[py * PARTS + px]! : made[0]!;
		if (x < x0) x0 = x;
		if (y < y0) y0 = y;
		if (x + side > x1) x1 = x + side;
		if (y + side > y1) y1 = y + side;
		if (x < 0 || y < 0 || x + side > W || y + side > H) {
			clipped(words, W, H, mask, [x, y], c);
			continue;
		}
		const { cover } = mask;
		let at = y * W + x;
		for (let k = 0; k < side * side; at += W - side)
			for (const end = k + side; k < end; k++, at++) {
				const a = cover[k]!;
				if (a === 255) words[at] = c;
				else if (a) words[at] = over(words[at]!, c, a);
			}
	}
	return x1 > x0
		? [Math.max(0, x0), Math.max(0, y0), Math.min(W, x1), Math.min(H, y1)]
		: undefined;
}
