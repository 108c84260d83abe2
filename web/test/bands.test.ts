import assert from "node:assert/strict";
import { test } from "node:test";
import {
	bandAt,
	bands,
	chartBase,
	sharesOf,
	type Shares,
} from "../src/kinds/trace/model/bands";

const ends = new Float64Array(3);
const parts = new Float64Array(3);

const shares = (all: number[], some: number[] | null = null): Shares => ({
	all: Float64Array.from(all),
	some: some && Float64Array.from(some),
	parts: 3,
});

test("bands are shares of the cell's references", () => {
	assert.ok(bands(shares([9, 9, 9, 4, 4, 8]), 1, ends, parts));
	assert.deepEqual([...ends], [0.25, 0.5, 1]);
	assert.deepEqual([...parts], [1, 1, 1]);
});

test("of the cycles, those that the first level would take are the ground, waiting above", () => {
	// ten references; one from memory, which takes 90 cycles more, and a page of 60
	const t = {
		from: 0,
		to: 10,
		first: 0,
		width: 16,
		cells: 1,
		levels: 2,
		until: 10,
		served: Float64Array.of(9, 1),
		waiting: Float64Array.of(0, 90, 60),
		selected: Float64Array.of(5, 1),
		selectedWaiting: Float64Array.of(0, 90, 0),
	};
	const of = sharesOf(t, 5);

	assert.deepEqual([...of.all], [50, 90, 60]);
	assert.deepEqual([...of.some!], [30, 90, 0]);
	assert.equal(sharesOf(t, 5), of, "it is computed once");
	assert.deepEqual([...sharesOf(t, null).all], [9, 1]);
	assert.ok(bands(of, 0, ends, parts));
	assert.deepEqual([...ends], [0.25, 0.7, 1]);
	assert.deepEqual([...parts], [0.6, 1, 0]);
});

test("the selection is a part of each band", () => {
	assert.ok(bands(shares([8, 2, 0], [2, 2, 0]), 0, ends, parts));
	assert.deepEqual([...parts], [0.25, 1, 0]);
});

test("a cell without references has no bands", () =>
	assert.equal(bands(shares([0, 0, 0]), 0, ends, parts), false));

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
