import assert from "node:assert/strict";
import { test } from "node:test";
import { inflateSync } from "node:zlib";
import { Apng, changed, crc32, type Frame } from "../src/draw/apng";

function frame(
	width: number,
	height: number,
	at: (x: number, y: number) => number,
): Frame {
	const data = new Uint8ClampedArray(4 * width * height);

	for (let y = 0; y < height; y++)
		for (let x = 0; x < width; x++) {
			const c = at(x, y);
			data.set([c >> 16, (c >> 8) & 255, c & 255, 255], 4 * (y * width + x));
		}
	return { width, height, data };
}

interface Chunk {
	type: string;
	data: Buffer;
}

/** Chunks of a PNG, whose check sums are checked. */
async function chunksOf(png: Blob): Promise<Chunk[]> {
	const bytes = Buffer.from(await png.arrayBuffer());
	const out: Chunk[] = [];

	assert.deepEqual([...bytes.subarray(0, 8)], [137, 80, 78, 71, 13, 10, 26, 10]);
	for (let at = 8; at < bytes.length; ) {
		const size = bytes.readUInt32BE(at);
		const body = bytes.subarray(at + 4, at + 8 + size);
		assert.equal(bytes.readUInt32BE(at + 8 + size), crc32(body));
		out.push({ type: body.toString("latin1", 0, 4), data: body.subarray(4) });
		at += 12 + size;
	}
	return out;
}

test("the check sum is that of the specification", () => {
	// of an empty IEND, as every PNG ends
	assert.equal(crc32(Buffer.from("IEND")), 0xae426082);
});

test("only the rectangle that changed is kept of a frame", () => {
	const a = frame(8, 6, () => 0);
	const b = frame(8, 6, (x, y) => (x >= 2 && x < 5 && y === 3 ? 0xff : 0));

	assert.deepEqual(changed(a, b), { x: 2, y: 3, w: 3, h: 1 });
	assert.deepEqual(changed(a, a), { x: 0, y: 0, w: 1, h: 1 });
});

test("a movie plays back to its frames", async () => {
	const frames = [0, 1, 2, 2].map((i) =>
		frame(5, 4, (x, y) => (x === i ? 0x102030 * (i + 1) : 0xff0000 + y)),
	);
	const png = new Apng(40);

	for (const f of frames) await png.add(f);
	const chunks = await chunksOf(png.finish());
	const of = (type: string) => chunks.filter((c) => c.type === type).map((c) => c.data);
	assert.deepEqual(
		chunks.map((c) => c.type),
		[
			"IHDR",
			"acTL",
			"fcTL",
			"IDAT",
			"fcTL",
			"fdAT",
			"fcTL",
			"fdAT",
			"fcTL",
			"fdAT",
			"IEND",
		],
	);
	assert.deepEqual([...of("IHDR")[0]!], [0, 0, 0, 5, 0, 0, 0, 4, 8, 6, 0, 0, 0]);
	assert.equal(of("acTL")[0]!.readUInt32BE(0), 4);
	assert.equal(of("acTL")[0]!.readUInt32BE(4), 0);
	// numbers of fcTL and fdAT go on without a gap
	const numbered = chunks.filter((c) => /fcTL|fdAT/.test(c.type));
	numbered.forEach((c, i) => assert.equal(c.data.readUInt32BE(0), i));
	const packed = [of("IDAT")[0]!, ...of("fdAT").map((d) => d.subarray(4))];
	const shown = Buffer.alloc(5 * 4 * 4);
	of("fcTL").forEach((c, i) => {
		const [w, h, x, y] = [4, 8, 12, 16].map((at) => c.readUInt32BE(at)) as [
			number,
			number,
			number,
			number,
		];
		assert.deepEqual([c.readUInt16BE(20), c.readUInt16BE(22)], [40, 1000]);
		assert.deepEqual([c[24], c[25]], [0, 1]);
		const rows = inflateSync(packed[i]!);
		assert.equal(rows.length, h * (1 + 4 * w));
		for (let row = 0; row < h; row++) {
			const from = row * (1 + 4 * w);
			assert.equal(rows[from], 0);
			for (let k = 0; k < w; k++) {
				const pixel = rows.subarray(from + 1 + 4 * k, from + 5 + 4 * k);
				// clear ones leave what is below
				if (pixel[3]) pixel.copy(shown, 4 * ((y + row) * 5 + x + k));
			}
		}
		assert.deepEqual(shown, Buffer.from(frames[i]!.data), `frame ${i}`);
	});
});

test("the same frames give the same bytes", async () => {
	const make = async () => {
		const png = new Apng(100);
		for (let i = 0; i < 3; i++) await png.add(frame(9, 9, (x, y) => x * y * i));
		return Buffer.from(await png.finish().arrayBuffer());
	};

	assert.deepEqual(await make(), await make());
});

test("frames of another size are refused", async () => {
	const png = new Apng(100);

	await png.add(frame(2, 2, () => 0));
	await assert.rejects(() => png.add(frame(3, 2, () => 0)), /different sizes/);
});
