import assert from "node:assert/strict";
import { test } from "node:test";
import { fitting } from "../src/model/fitting";

test("all tabs stand in a row that has room for them and the gaps of 2 pixels", () => {
	assert.equal(fitting([50, 50, 50], 154), 3);
	assert.equal(fitting([], 0), 0);
});

test("a pixel less, and the list of the others takes 92 pixels too", () => {
	// 153 - 92 = 61: one tab
	assert.equal(fitting([50, 50, 50], 153), 1);
	assert.equal(fitting([50, 50, 50], 60), 0);
});
