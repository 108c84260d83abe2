import assert from "node:assert/strict";
import { test } from "node:test";
import { costParts, levelRows, metrics, missesOf } from "../src/kinds/trace/model/cost";
import { cyclesOf, waitingOf } from "../src/kinds/trace/model/waiting";
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

const all = { references: 100, served: [70, 20, 10], waiting: [0, 200, 1960, 40] };

test("a level is asked for what the levels within missed", () => {
	const rows = levelRows(all, levels);

	assert.deepEqual(
		rows.map((r) => [r.name, r.asked, r.missed]),
		[
			["L1", 100, 30],
			["L2", 30, 10],
			["memory", 10, 0],
		],
	);
	assert.equal(rows[1]!.ratio, 10 / 30);
	assert.equal(rows[2]!.waiting, 1960);
});

test("all cycles are those of the first level and the waiting", () => {
	assert.equal(waitingOf(all.waiting), 2200);
	assert.equal(cyclesOf(all, levels), 70 * 4 + 20 * 14 + 10 * 200 + 40);
	assert.deepEqual(costParts(all, "waiting"), all.waiting);
	assert.equal(waitingOf([0, -3, 1]), 0);
});

test("misses of a level leave out what it served", () => {
	assert.deepEqual(costParts(all, "miss1"), [0, 0, 10]);
	assert.deepEqual(
		metrics(levels).map(([m]) => m),
		["waiting", "references", "miss0", "miss1"],
	);
});
