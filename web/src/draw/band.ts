// Parts of a ring in colours of their own, written into an array of pixels. Which part a
// pixel belongs to depends on the geometry only and is kept; a frame then stores colours.
import type { Band } from "./draw";

const TURN = 2 * Math.PI;
const KEPT = 64;

interface Laid {
	at: Int32Array; // pixels
	part: Uint32Array;
	cover: Uint8Array; // 255: within the ring
	box: [x0: number, y0: number, x1: number, y1: number];
}

const kept = new Map<string, Laid>();

function lay(o: Band, scale: number, W: number, H: number): Laid {
	const [cx, cy] = [o.x * scale, o.y * scale];
	const [r0, r1] = [o.r0 * scale, o.r1 * scale];
	const x0 = Math.max(0, Math.floor(cx - r1 - 1));
	const y0 = Math.max(0, Math.floor(cy - r1 - 1));
	const x1 = Math.min(W, Math.ceil(cx + r1 + 1));
	const y1 = Math.min(H, Math.ceil(cy + r1 + 1));
	const at: number[] = [];
	const part: number[] = [];
	const cover: number[] = [];
	const box: Laid["box"] = [W, H, 0, 0];

	for (let y = y0; y < y1; y++)
		for (let x = x0; x < x1; x++) {
			const [dx, dy] = [x + 0.5 - cx, y + 0.5 - cy];
			const rr = dx * dx + dy * dy;
			if (rr < (r0 - 1) * (r0 - 1) || rr > (r1 + 1) * (r1 + 1)) continue;
			const r = Math.sqrt(rr);
			const inside = Math.min(1, r1 - r + 0.5) * Math.min(1, r - r0 + 0.5);
			if (r1 - r + 0.5 <= 0 || r - r0 + 0.5 <= 0) continue;
			const angle = Math.atan2(dx, -dy) - o.a0;
			const turned = angle - TURN * Math.floor(angle / TURN);
			const n = Math.floor(turned / o.step);
			if (turned >= o.a1 - o.a0 || n >= o.colour.length) continue;
			at.push(y * W + x);
			part.push(n);
			cover.push(Math.round(255 * inside));
			box[0] = Math.min(box[0], x);
			box[1] = Math.min(box[1], y);
			box[2] = Math.max(box[2], x + 1);
			box[3] = Math.max(box[3], y + 1);
		}
	return {
		at: Int32Array.from(at),
		part: Uint32Array.from(part),
		cover: Uint8Array.from(cover),
		box,
	};
}

/** Draws a band into `words`, W x H pixels; returns what it covers, in pixels. */
export function putBand(
	o: Band,
	scale: number,
	words: Uint32Array,
	W: number,
	H: number,
): Laid["box"] | undefined {
	const key = [
		o.x,
		o.y,
		o.r0,
		o.r1,
		o.a0,
		o.a1,
		o.step,
		o.colour.length,
		scale,
		W,
		H,
	].join();
	let l = kept.get(key);

	if (!l) {
		if (kept.size >= KEPT) kept.delete(kept.keys().next().value!);
		kept.set(key, (l = lay(o, scale, W, H)));
	}
	const { at, part, cover } = l;
	for (let i = 0; i < at.length; i++) {
		const c = o.colour[part[i]!]!;
		if (!c) continue;
		const a = cover[i]!;
		words[at[i]!] =
			a === 255 ? c : ((c & 0xffffff) | (((((c >>> 24) * a) / 255) | 0) << 24)) >>> 0;
	}
	return l.box[2] > l.box[0] ? l.box : undefined;
}
