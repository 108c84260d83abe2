import assert from "node:assert/strict";
import { test } from "node:test";
import { FOLDED, fitPanes } from "../src/model/panes";

const wanted = { left: 430, right: 290 };

test("in a wide window panes are as wide as the person wants them", () =>
	assert.deepEqual(fitPanes(1280, wanted), wanted));

test("in a small window panes are narrower, so that the view has its room", () => {
	const p = fitPanes(1024, wanted);

	assert.deepEqual(p, { left: 300, right: 244 });
	assert.equal(1024 - p.left - p.right, 480);
});

test("in a smaller one they fold, the left one first", () => {
	assert.deepEqual(fitPanes(853, wanted), { left: FOLDED, right: 290 });
	assert.deepEqual(fitPanes(640, wanted), { left: FOLDED, right: FOLDED });
	assert.deepEqual(fitPanes(640, { left: 0, right: 290 }), { left: 0, right: FOLDED });
});

test("what the person opens stays open", () =>
	assert.equal(fitPanes(853, wanted, { left: true, right: false }).left, 300));
