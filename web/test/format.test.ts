import assert from "node:assert/strict";
import { test } from "node:test";
import { bytes, count, exact, parseCount, percent, tick } from "../src/model/format";
import { ticks } from "../src/model/ticks";

test("counts have three digits from ten thousand on", () => {
	assert.equal(count(9999), "9,999");
	assert.equal(count(12345), "12.3k");
	assert.equal(count(1234567), "1.23M");
	assert.equal(count(987654321), "988M");
});

test("exact numbers are grouped", () => assert.equal(exact(1234567), "1,234,567"));

test("a share that is not nothing is never shown as nothing", () => {
	assert.equal(percent(0), "0 %");
	assert.equal(percent(1, 1e6), "<0.1 %");
	assert.equal(percent(1, 3), "33.3 %");
	assert.equal(percent(1), "100 %");
	assert.equal(percent(1, 0), "–");
});

test("sizes are binary", () => {
	assert.equal(bytes(32768), "32 KiB");
	assert.equal(bytes(1536), "1.5 KiB");
});

test("an axis has round positions within its ends", () => {
	assert.deepEqual(ticks(0, 100, 5), [0, 20, 40, 60, 80, 100]);
	assert.deepEqual(ticks(3, 9, 10, 1), [3, 4, 5, 6, 7, 8, 9]);
	assert.deepEqual(ticks(5, 5, 10), []);
	assert.equal(tick(10000), "10k");
	assert.equal(tick(2500000), "2.5M");
});

test("counts are understood as people type them, and nothing else is", () => {
	assert.equal(parseCount("61k"), 61000);
	assert.equal(parseCount("2.5M"), 2500000);
	assert.equal(parseCount(" 1,234 "), 1234);
	assert.equal(parseCount("@12_000"), 12000);
	assert.equal(parseCount("0"), 0);
	for (const nonsense of ["", "abc", "12x", "1.5", "-3", "k", "1e6"])
		assert.ok(Number.isNaN(parseCount(nonsense)), nonsense);
});
