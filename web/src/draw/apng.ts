// Animated PNG (the APNG chunks of the PNG specification, third edition). The first frame
// is stored whole. Of every other frame the rectangle that changed is stored; pixels in
// it that did not change are clear and pack to almost nothing. Pictures are opaque. The
// same frames give the same bytes wherever deflate does: nothing depends on the time of
// day.

import type { Box } from "../model/box";

export interface Frame {
	width: number;
	height: number;
	data: Uint8ClampedArray; // RGBA, row by row
}

const SIGNATURE = [137, 80, 78, 71, 13, 10, 26, 10];

const table = Uint32Array.from({ length: 256 }, (_, n) => {
	for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
	return n >>> 0;
});

export function crc32(bytes: Uint8Array): number {
	let c = 0xffffffff;

	for (let i = 0; i < bytes.length; i++) c = table[(c ^ bytes[i]!) & 255]! ^ (c >>> 8);
	return (c ^ 0xffffffff) >>> 0;
}

/** A chunk: length, type, data, and the check sum of the last two. */
function chunk(type: string, data: Uint8Array): Uint8Array<ArrayBuffer> {
	const out = new Uint8Array(12 + data.length);
	const view = new DataView(out.buffer);

	view.setUint32(0, data.length);
	for (let i = 0; i < 4; i++) out[4 + i] = type.charCodeAt(i);
	out.set(data, 8);
	view.setUint32(8 + data.length, crc32(out.subarray(4, 8 + data.length)));
	return out;
}

function numbers(...list: [value: number, bytes: 1 | 2 | 4][]): Uint8Array {
	const out: number[] = [];

	for (const [value, bytes] of list)
		for (let k = bytes - 1; k >= 0; k--) out.push((value >>> (8 * k)) & 255);
	return Uint8Array.from(out);
}

async function deflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
	const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate"));

	return new Uint8Array(await new Response(packed).arrayBuffer());
}

function words(f: Frame): Uint32Array {
	return new Uint32Array(f.data.buffer, f.data.byteOffset, f.width * f.height);
}

/** The smallest rectangle outside of which two pictures are the same; at least a pixel. */
export function changed(a: Frame, b: Frame): Box {
	const [x, y] = [words(a), words(b)];
	let [left, top, right, bottom] = [b.width, b.height, -1, -1];

	for (let row = 0, i = 0; row < b.height; row++)
		for (let col = 0; col < b.width; col++, i++) {
			if (x[i] === y[i]) continue;
			if (col < left) left = col;
			if (col > right) right = col;
			if (row < top) top = row;
			bottom = row;
		}
	return right < 0
		? { x: 0, y: 0, w: 1, h: 1 }
		: { x: left, y: top, w: right - left + 1, h: bottom - top + 1 };
}

/*
 * Rows of a part of a picture, each behind its filter byte (none); unchanged pixels are
 * clear.
 */
function scanlines(f: Frame, before: Frame | null, b: Box): Uint8Array<ArrayBuffer> {
	const out = new Uint8Array(b.h * (1 + 4 * b.w));
	const [now, was] = [words(f), before && words(before)];
	let to = 0;

	for (let row = b.y; row < b.y + b.h; row++) {
		out[to++] = 0;
		for (let i = row * f.width + b.x, end = i + b.w; i < end; i++, to += 4)
			if (!was || now[i] !== was[i]) {
				out[to] = f.data[4 * i]!;
				out[to + 1] = f.data[4 * i + 1]!;
				out[to + 2] = f.data[4 * i + 2]!;
				out[to + 3] = 255;
			}
	}
	return out;
}

/** Takes pictures of one size, one by one, and keeps them in packed form only. */
export class Apng {
	private readonly chunks: Uint8Array<ArrayBuffer>[] = [];
	private last: Frame | null = null;
	private sequence = 0;
	frames = 0;

	/** `delay` is how long each picture stays, in milliseconds. */
	constructor(private readonly delay: number) {}

	async add(f: Frame): Promise<void> {
		const { last } = this;

		if (last && (last.width !== f.width || last.height !== f.height))
			throw new Error("the pictures of a movie have different sizes");
		const b = last ? changed(last, f) : { x: 0, y: 0, w: f.width, h: f.height };
		const control = numbers(
			[this.sequence++, 4],
			[b.w, 4],
			[b.h, 4],
			[b.x, 4],
			[b.y, 4],
			[Math.round(this.delay), 2], // delay, in units of:
			[1000, 2],
			[0, 1], // the picture stays for the next one
			[1, 1], // which is laid over it
		);
		const packed = await deflate(scanlines(f, last, b));
		this.chunks.push(chunk("fcTL", control));
		if (!last) this.chunks.push(chunk("IDAT", packed));
		else {
			const data = new Uint8Array(4 + packed.length);
			data.set(numbers([this.sequence++, 4]));
			data.set(packed, 4);
			this.chunks.push(chunk("fdAT", data));
		}
		this.last = { width: f.width, height: f.height, data: f.data.slice() };
		this.frames++;
	}

	finish(): Blob {
		const f = this.last;

		if (!f) throw new Error("a movie without pictures");
		const header = numbers([f.width, 4], [f.height, 4], [8, 1], [6, 1], [0, 2], [0, 1]);
		return new Blob(
			[
				Uint8Array.from(SIGNATURE),
				chunk("IHDR", header),
				chunk("acTL", numbers([this.frames, 4], [0, 4])), // for ever
				...this.chunks,
				chunk("IEND", new Uint8Array(0)),
			],
			{ type: "image/png" },
		);
	}
}
