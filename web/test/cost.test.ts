import assert from "node:assert/strict";
import { test } from "node:test";
import {
	costParts,
	cyclesOf,
	levelRows,
	metrics,
	missesOf,
} from "../src/kinds/trace/model/cost";
import type { Level } from "../src/kinds/trace/model/types";

const level = { size: 0, ways: 1, sets: 1, line: 64, policy: "lru", instances: 1 };
const levels: Level[] = [
	{ ...level, name: "L1", cycles: 4, kind: "cache" },
	{ ...level, name: "L2", cycles: 14, kind: "cache" },
	{ ...level, name: "memory", cycles: 200, kind: "memory" },
];

test("what a level missed was served further out", () => {
	assert.equal(missesOf([70, 20, 10], 0), 30);
	assert.equal(missesOf([70, 20, 10], 1), 10);
});

test("a level is asked for what the levels within missed", () => {
	const rows = levelRows([70, 20, 10], levels);

	assert.deepEqual(
		rows.map((r) => [r.name, r.asked, r.missed]),
		[
			["L1", 100, 30],
			["L2", 30, 10],
			["memory", 10, 0],
		],
	);
	assert.equal(rows[1]!.ratio, 10 / 30);
	assert.equal(rows[2]!.cycles, 2000);
});

test("cycles are those of the serving levels", () => {
	assert.equal(cyclesOf([70, 20, 10], levels), 70 * 4 + 20 * 14 + 10 * 200);
	assert.deepEqual(costParts([70, 20, 10], levels, "cycles"), [280, 280, 2000]);
});

test("misses of a level leave out what it served", () => {
	assert.deepEqual(costParts([70, 20, 10], levels, "miss1"), [0, 0, 10]);
	assert.deepEqual(
		metrics(levels).map(([m]) => m),
		["cycles", "references", "miss0", "miss1"],
	);
});
