import assert from "node:assert/strict";
import { test } from "node:test";
import { bandAt, bands, chartBase } from "../src/kinds/trace/model/bands";

const ends = new Float64Array(3);
const parts = new Float64Array(3);

test("bands are shares of the cell's references", () => {
	assert.ok(bands([9, 9, 9, 4, 4, 8], null, 3, [1, 1, 1], ends, parts));
	assert.deepEqual([...ends], [0.25, 0.5, 1]);
	assert.deepEqual([...parts], [1, 1, 1]);
});

test("weighted by cycles the far levels grow", () => {
	assert.ok(bands([90, 0, 10], null, 0, [1, 5, 90], ends, parts));
	assert.deepEqual([...ends], [0.09090909090909091, 0.09090909090909091, 1]);
});

test("the selection is a part of each band", () => {
	assert.ok(bands([8, 2, 0], [2, 2, 0], 0, [1, 1, 1], ends, parts));
	assert.deepEqual([...parts], [0.25, 1, 0]);
});

test("a cell without references has no bands", () =>
	assert.equal(bands([0, 0, 0], null, 0, [1, 1, 1], ends, parts), false));

test("a height tells its band", () => {
	const e = Float64Array.of(0.6, 0.6, 1);

	assert.equal(bandAt(e, 0.1), 0);
	assert.equal(bandAt(e, 0.7), 2);
	assert.equal(bandAt(e, 1), 2);
	assert.equal(bandAt(e, 1.1), -1);
});

test("a chart of nearly nothing but hits begins where the misses are", () => {
	assert.equal(chartBase([0.5, 0.6]), 0);
	assert.equal(chartBase([]), 0);
	// one cell of twenty may stick out
	assert.equal(chartBase([...new Array<number>(19).fill(0.03), 1]), 0.95);
	assert.equal(chartBase([0.15]), 0.8);
});
