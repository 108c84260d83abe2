import { rowOfStrides } from "../src/kinds/trace/model/rowLength";
import assert from "node:assert/strict";
import { test } from "node:test";
import {
	bytesOf,
	cellAt,
	cellOf,
	cellWords,
	CELLS_MAX,
	datumName,
	fieldStep,
	fit,
	placeOf,
	shapeOf,
	strip,
} from "../src/kinds/trace/model/shape";
import { region } from "./region";

const none = { elem: 0, row: 0, order: "" } as const;
const matrix = region({ dims: [32, 4], extent: 512 });
const particles = region({
	name: "p",
	elem: 24,
	dims: [100],
	extent: 2400,
	fields: [
		{ name: "x", type: "double", offset: 0, size: 8 },
		{ name: "n", type: "int", offset: 8, size: 4 },
		{ name: "v", type: "double", offset: 16, size: 8 },
	],
});

test("a matrix has the rows that its type has", () => {
	const s = shapeOf(matrix, none);

	assert.deepEqual([s.row, s.lines, s.elem], [4, 32, 4]);
	assert.equal(s.wrapped, false);
});

test("each byte of a matrix is in the cell of its row and column", () => {
	const { grid, nx, ny } = fit(matrix, shapeOf(matrix, none), 400, 400);

	assert.deepEqual([nx, ny], [4, 32]);
	for (let i = 0; i < 32; i++)
		for (let j = 0; j < 4; j++) {
			const cell = cellOf(grid, (i * 4 + j) * 4 + 3);
			assert.deepEqual(placeOf(grid, cell), [j, i]);
			assert.equal(cellAt(grid, j, i), cell);
			assert.deepEqual(bytesOf(grid, cell), [(i * 4 + j) * 4, (i * 4 + j + 1) * 4]);
		}
});

test("when columns lie in memory, neighbours stand below each other", () => {
	const s = shapeOf(matrix, { ...none, order: "columns" });
	const { grid, nx, ny } = fit(matrix, s, 400, 400);

	assert.deepEqual([nx, ny], [32, 4]);
	assert.deepEqual(placeOf(grid, cellOf(grid, 4)), [0, 1]);
	assert.deepEqual(placeOf(grid, cellOf(grid, 16)), [1, 0]);
});

test("the person's row length and element size win", () => {
	const s = shapeOf(matrix, { elem: 8, row: 16, order: "" });

	assert.deepEqual([s.elem, s.row, s.lines], [8, 16, 4]);
});

test("an array of structures has a lane for every step that its fields need", () => {
	const s = shapeOf(particles, none);
	const { grid, nx, ny } = fit(particles, s, 800, 200);

	assert.equal(fieldStep(24, particles.fields), 4);
	assert.deepEqual([s.row, s.lines, s.order], [6, 100, "columns"]);
	assert.deepEqual([nx, ny], [100, 6]);
	assert.deepEqual(placeOf(grid, cellOf(grid, 24 * 7 + 16)), [7, 4]);
});

test("cells are never smaller than asked and never more than an answer may hold", () => {
	for (const [rows, columns] of [
		[1000, 1000],
		[1, 1e6],
		[1e6, 3],
		[7, 13],
	] as const) {
		const r = region({ dims: [rows, columns], extent: rows * columns * 4 });
		for (const [w, h] of [
			[300, 200],
			[3000, 2000],
		] as const) {
			const f = fit(r, shapeOf(r, none), w, h);
			assert.ok(f.cw >= 4 && f.ch >= 4, `${f.cw} ${f.ch}`);
			assert.ok(f.nx * f.cw <= w && f.ny * f.ch <= h);
			assert.ok(f.grid.across * f.grid.down <= CELLS_MAX);
			assert.ok(cellOf(f.grid, r.extent - 1) < f.grid.across * f.grid.down);
		}
	}
});

test("a cell that stands for several elements says so", () => {
	const r = region({ dims: [1000, 1000], extent: 4e6 });
	const s = shapeOf(r, none);

	assert.equal(cellWords(fit(r, s, 400, 400).grid, s), "a cell is 10 × 10 elements");
	const m = shapeOf(matrix, none);
	assert.equal(cellWords(fit(matrix, m, 400, 400).grid, m), "");
});

test("the cells of a strip cover the region once", () => {
	const r = region({ extent: 4000 });
	const { grid } = strip(r, 4, 300);
	let at = 0;

	for (let cell = 0; cell < grid.across; cell++) {
		const [low, high] = bytesOf(grid, cell);
		assert.equal(low, at);
		at = high;
	}
	assert.equal(at, 4000);
});

test("a datum has the name that the program gives it", () => {
	assert.equal(datumName(matrix, 4 * (3 * 4 + 2)), "A[3][2]");
	assert.equal(datumName(particles, 24 * 5 + 8), "p[5].n");
	assert.equal(datumName(region({ elem: 0, extent: 64 }), 12), "A+12");
});

test("a row is the step of a walk down a column, or a step back to its beginning", () => {
	// b[k * 96 + j] of doubles in the order of k, and a[i * 96 + k] again for each j
	assert.equal(
		rowOfStrides(
			[
				{ bytes: 768, count: 95 },
				{ bytes: -72952, count: 1 },
			],
			8,
			73728,
		),
		768,
	);
	assert.equal(
		rowOfStrides(
			[
				{ bytes: 8, count: 95 },
				{ bytes: -760, count: 1 },
			],
			8,
			73728,
		),
		768,
	);
	assert.equal(rowOfStrides([{ bytes: 8, count: 95 }], 8, 73728), 0);
	assert.equal(rowOfStrides([], 8, 73728), 0);
	// once in a thousand is chance
	assert.equal(
		rowOfStrides(
			[
				{ bytes: 8, count: 999 },
				{ bytes: 768, count: 1 },
			],
			8,
			73728,
		),
		0,
	);
});

test("rows follow strides, and do not depend on the room", () => {
	const r = region({ elem: 8, extent: 73728 });

	assert.equal(shapeOf(r, none, 768).row, 96);
	assert.equal(shapeOf(r, { ...none, row: 10 }, 768).row, 10);
	assert.equal(shapeOf(r, none).row, 128);
});
