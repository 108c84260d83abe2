import assert from "node:assert/strict";
import { test } from "node:test";
import { rgba, type Segments } from "../src/draw/draw";
import { SegmentSheet } from "../src/draw/segments";

const [W, H] = [60, 50];

function drawn(list: Segments[], scale = 1, words = new Uint32Array(W * H)) {
	const box = new SegmentSheet().draw(list, scale, words, W, H);

	return { words, box };
}

function line(ends: number[], thick: number, colour = 0x102030): Segments {
	return { ends, colour, thick };
}

const alpha = (words: Uint32Array, x: number, y: number) => words[y * W + x]! >>> 24;
const area = (words: Uint32Array) => words.reduce((n, w) => n + (w >>> 24) / 255, 0);

/** The share of a pixel within a rectangle along a line, by 16 x 16 points. */
function share(ends: number[], thick: number, x: number, y: number): number {
	const [x1, y1, x2, y2] = ends as [number, number, number, number];
	const long = Math.hypot(x2 - x1, y2 - y1);
	const [cx, cy] = [(x2 - x1) / long, (y2 - y1) / long];
	let inside = 0;

	for (let i = 0; i < 256; i++) {
		const dx = x + ((i % 16) + 0.5) / 16 - x1;
		const dy = y + (Math.floor(i / 16) + 0.5) / 16 - y1;
		const along = dx * cx + dy * cy;

		if (along >= 0 && along <= long && Math.abs(dy * cx - dx * cy) <= thick / 2) inside++;
	}
	return inside / 256;
}

const DIRECTIONS = [
	[5, 25, 55, 25],
	[5, 10, 55, 40],
	[55, 12, 5, 30],
	[20, 45, 33, 4],
	[30.3, 5, 30.3, 45],
	[12, 5, 42, 35],
];

test("a thick line covers pixels as far as they lie in its rectangle", () => {
	for (const ends of DIRECTIONS)
		for (const thick of [1.4, 2.2, 5]) {
			const { words } = drawn([line(ends, thick)]);
			let wrong = 0;

			for (let y = 0; y < H; y++)
				for (let x = 0; x < W; x++)
					wrong += Math.abs(alpha(words, x, y) / 255 - share(ends, thick, x, y));
			const long = Math.hypot(ends[2]! - ends[0]!, ends[3]! - ends[1]!);
			assert.ok(wrong < long / 4 + 3 * thick, `${ends} by ${thick}: ${wrong}`);
			assert.ok(Math.abs(area(words) / (long * thick) - 1) < 0.06, `${ends} by ${thick}`);
		}
});

test("a thin line has its thickness in each column, or in each row if it is steep", () => {
	for (const [x1, y1, x2, y2] of DIRECTIONS as [number, number, number, number][]) {
		const { words } = drawn([line([x1, y1, x2, y2], 0.8)]);
		const steep = Math.abs(y2 - y1) > Math.abs(x2 - x1);
		const [from, to] = steep
			? [Math.min(y1, y2), Math.max(y1, y2)]
			: [Math.min(x1, x2), Math.max(x1, x2)];

		for (let u = 0; u < (steep ? H : W); u++) {
			let sum = 0;

			for (let v = 0; v < (steep ? W : H); v++)
				sum += (steep ? alpha(words, v, u) : alpha(words, u, v)) / 255;
			const wanted = u + 0.5 > from && u + 0.5 < to ? 0.8 : 0;
			assert.ok(Math.abs(sum - wanted) < 0.03, `${[x1, y1, x2, y2]} at ${u}: ${sum}`);
		}
	}
});

test("the last lines lie over the first, in their own colours", () => {
	const [red, blue] = [
		line([0, 25, 60, 25], 4, 0xff0000),
		line([30, 0, 30, 50], 4, 0xff),
	];

	assert.equal(drawn([red, blue]).words[25 * W + 30], rgba(0xff));
	assert.equal(drawn([blue, red]).words[25 * W + 30], rgba(0xff0000));
	assert.equal(drawn([blue, red]).words[5 * W + 30], rgba(0xff));
});

test("many thin lines over each other take the colour of the line and become opaque", () => {
	const ends = Array.from({ length: 400 }, () => [5, 10, 55, 37]).flat();
	const { words } = drawn([line(ends, 0.8, 0x80c0e0)]);
	const most = words.reduce((a, b) => (b >>> 24 > a >>> 24 ? b : a));

	assert.equal(most >>> 24, 255);
	for (const [shift, wanted] of [
		[0, 0x80],
		[8, 0xc0],
		[16, 0xe0],
	] as const)
		assert.ok(Math.abs(((most >>> shift) & 255) - wanted) <= 2);
});

test("lines mix with what is there, and leave alone what they do not cover", () => {
	const words = new Uint32Array(W * H).fill(rgba(0xffffff));

	drawn([line([0, 25.5, 60, 25.5], 0.5, 0x000000)], 1, words);
	assert.ok(Math.abs((words[25 * W + 30]! & 255) - 127) <= 2);
	assert.equal(words[25 * W + 30]! >>> 24, 255);
	assert.equal(words[27 * W + 30], rgba(0xffffff));
	// over a pixel that is half clear: its colour stays visible in its share
	const half = new Uint32Array(W * H).fill(rgba(0xff0000, 0.5));
	drawn([line([0, 25.5, 60, 25.5], 0.5, 0x0000ff)], 1, half);
	const p = half[25 * W + 30]!;
	assert.ok(Math.abs((p >>> 24) - 191) <= 2); // 1/2 + 1/2 * 1/2
	assert.ok(Math.abs((p & 255) - 85) <= 3); // a third of it is red
	assert.ok(Math.abs(((p >>> 16) & 255) - 170) <= 3);
});

test("lines beyond the edges are cut off, and those outside draw nothing", () => {
	const { words, box } = drawn([line([-500, -300, 700, 400], 3)]);

	assert.deepEqual(box, [0, 0, W, H]);
	assert.ok(area(words) > 100);
	assert.equal(drawn([line([-50, -50, -10, 900], 3)]).box, undefined);
	assert.equal(drawn([line([10, 10, 10, 10], 0.8)]).words.some(Boolean), false);
	assert.equal(drawn([]).box, undefined);
});

test("what is drawn lies in the box, at any scale", () => {
	for (const ends of DIRECTIONS)
		for (const scale of [1, 0.5]) {
			const { words, box } = drawn([line(ends, 2.2)], scale);
			const [x0, y0, x1, y1] = box!;

			words.forEach((w, i) => {
				const [x, y] = [i % W, Math.floor(i / W)];
				if (w) assert.ok(x >= x0 && x < x1 && y >= y0 && y < y1, `${x} ${y}`);
			});
			const long = Math.hypot(ends[2]! - ends[0]!, ends[3]! - ends[1]!);
			const wanted = long * 2.2 * scale * scale;
			// an end may be off by half a pixel
			assert.ok(
				Math.abs(area(words) - wanted) < 0.06 * wanted + 2.2 * scale,
				`${ends} at ${scale}: ${area(words)}, not ${wanted}`,
			);
		}
});
