import assert from "node:assert/strict";
import { test } from "node:test";
import { putBand } from "../src/draw/band";
import { stamp } from "../src/draw/dots";
import { rgba } from "../src/draw/draw";

const [W, H] = [40, 30];

function dots(points: [number, number][], radius: number, scale = 1): Uint32Array {
	const words = new Uint32Array(W * H);

	stamp(
		{
			x: Float32Array.from(points, (p) => p[0]),
			y: Float32Array.from(points, (p) => p[1]),
			colour: Uint32Array.from(points, () => 0x102030),
			first: 0,
			end: points.length,
			dx: 0,
			dy: 0,
			radius,
		},
		scale,
		words,
		W,
		H,
	);
	return words;
}

const area = (words: Uint32Array) => words.reduce((n, w) => n + (w >>> 24) / 255, 0);

test("a dot covers the area of its circle, wherever it stands", () => {
	for (const r of [1.5, 2.25, 4, 7])
		for (const at of [
			[20, 15],
			[20.3, 14.6],
		] as [number, number][])
			assert.ok(Math.abs(area(dots([at], r)) / (Math.PI * r * r) - 1) < 0.06, `${r}`);
});

test("dots of a pixel are where they should be, in their colour", () => {
	const words = dots([[7.5, 9.5]], 0.5);

	assert.equal(area(words), 1);
	assert.equal(words[9 * W + 7], 0xff302010);
	assert.equal(area(dots([[3, 4]], 0.5, 2)), 4);
});

test("what reaches over an edge is cut there", () => {
	const half = area(dots([[0, 15]], 4)) / (Math.PI * 16);

	assert.ok(Math.abs(half - 0.5) < 0.07, `${half}`);
	assert.equal(area(dots([[-9, 15]], 4)), 0);
});

test("pixels of a band have the colour of their part", () => {
	const words = new Uint32Array(W * H);
	const colour = Uint32Array.from([rgba(0xff0000), 0, rgba(0x0000ff)]);
	const quarter = Math.PI / 2;
	const band = { x: 20, y: 15, r0: 5, r1: 12, a0: 0, a1: 3 * quarter, step: quarter };
	const box = putBand({ ...band, colour }, 1, words, W, H);
	const at = (x: number, y: number) => words[y * W + x];

	assert.equal(at(25, 9), rgba(0xff0000)); // between twelve and three
	assert.equal(at(25, 21), 0); // three to six: clear
	assert.equal(at(13, 20), rgba(0x0000ff)); // six to nine
	assert.equal(at(13, 9), 0); // behind the end
	assert.equal(at(20, 15), 0);
	// the circle of radius 12, but for what is left and above of its middle
	assert.deepEqual(box, [8, 3, 32, 27]);
});
