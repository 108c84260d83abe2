import { strict as assert } from "node:assert";
import { test } from "node:test";
import {
	contourLevels,
	contours,
	kernel,
	polarGrid,
	smooth,
	valueAt,
	type PolarGrid,
} from "../src/kinds/trace/model/polar";

const near = (a: number, b: number, by = 1e-5) =>
	assert.ok(Math.abs(a - b) <= by, `${a} is not ${b}`);

/** A generator of numbers, the same ones each time. */
function random(seed: number): () => number {
	let x = seed;

	return () => {
		x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
		return x / 2 ** 32;
	};
}

function noise(rows: number, sectors: number, seed: number): PolarGrid {
	const [g, r] = [polarGrid(rows, sectors), random(seed)];

	g.value.forEach((_, i) => (g.value[i] = r()));
	return g;
}

test("a kernel adds up to 1, and one of no width is a point", () => {
	near(
		kernel(1.7).reduce((a, b) => a + b),
		1,
	);
	assert.deepEqual(kernel(0), [1]);
});

test("smoothing keeps the sum, and comes round", () => {
	const g = polarGrid(5, 8);
	g.value[2 * 8] = 3; // row 2, sector 0
	const s = smooth(g, 1, 1);

	near(
		s.value.reduce((a, b) => a + b),
		3,
	);
	near(s.value[2 * 8 + 1]!, s.value[2 * 8 + 7]!);
	near(s.value[1 * 8]!, s.value[3 * 8]!);
	assert.ok(s.value[2 * 8]! > s.value[2 * 8 + 1]!);
});

test("between two cells lies their mean, also over the seam", () => {
	const g = polarGrid(2, 4);
	g.value.set([4, 0, 0, 8, 2, 0, 0, 0]);

	near(valueAt(g, 0.5, 0.5), 4);
	near(valueAt(g, 0.5, 0), 6);
	near(valueAt(g, 1, 0.5), 3);
});

test("contours enclose shares of all, the densest places first", () => {
	const g = polarGrid(2, 5);
	g.value.set([50, 20, 10, 10, 0, 5, 5, 0, 0, 0]);

	// 50 of 100 are in one cell; 70 in two; 90 in four; 100 in six
	contourLevels(g, [1, 0.9, 0.6, 0.5]).forEach((v, i) =>
		near(v, 0.999 * [5, 10, 20, 50][i]!),
	);
	assert.deepEqual(contourLevels(polarGrid(2, 5), [0.5]), []);
	assert.equal(contourLevels(g, [0.4, 0.5]).length, 1);
});

test("a row that is full all around has two contours, each once around", () => {
	const g = polarGrid(3, 6);
	for (let s = 0; s < 6; s++) g.value[6 + s] = 4;
	const lines = contours(g, 1);

	assert.equal(lines.length, 2);
	// a quarter of the way from the rows at 0.5 and 2.5 to the one at 1.5
	const rows = lines.map((l) => new Set(l.filter((_, i) => i % 2 === 0)));
	assert.deepEqual(
		rows.map((r) => [...r]).sort((a, b) => a[0]! - b[0]!),
		[[0.75], [2.25]],
	);
	for (const l of lines) assert.equal(l.length, 2 * 7);
});

test("a single full cell has one small contour, also in the first row and at the seam", () => {
	for (const cell of [0, 5, 8, 23]) {
		const g = polarGrid(4, 6);
		g.value[cell] = 2;
		const lines = contours(g, 1);

		assert.equal(lines.length, 1);
		assert.equal(lines[0]!.length, 2 * 5);
	}
});

test("contours of any grid are closed, lie on the level and cross every edge that they must", () => {
	for (let seed = 1; seed <= 20; seed++) {
		const g = noise(7, 9, seed);
		const lines = contours(g, 0.5);
		let crossings = 0;
		const high = (r: number, s: number) =>
			r >= 0 && r < 7 && g.value[r * 9 + (s % 9)]! >= 0.5;

		for (let r = -1; r < 7; r++)
			for (let s = 0; s < 9; s++) {
				if (r >= 0 && high(r, s) !== high(r, s + 1)) crossings++;
				if (high(r, s) !== high(r + 1, s)) crossings++;
			}
		assert.equal(
			lines.reduce((n, l) => n + l.length / 2 - 1, 0),
			crossings,
		);
		for (const l of lines) {
			assert.deepEqual(l.slice(0, 2), l.slice(-2));
			for (let i = 0; i < l.length; i += 2)
				if (l[i]! >= 0.5 && l[i]! <= 6.5) near(valueAt(g, l[i]!, l[i + 1]!), 0.5, 1e-4);
		}
	}
});
