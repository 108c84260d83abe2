import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { timeToRead } from "../src/state/captions";
import {
	hasPlan,
	introOf,
	missWords,
	outroOf,
	planOf,
	stretchWords,
	type Miss,
} from "../src/kinds/trace/model/lesson";
import { rangeSums } from "../src/kinds/trace/model/range";
import { stepBetween } from "../src/kinds/trace/regions/flight";
import type { Level } from "../src/kinds/trace/model/types";

const miss: Miss = {
	time: 100,
	kind: "read",
	datum: "B[2][0]",
	level: "L2",
	thread: 3,
	line: 64,
	before: { datum: "B[1][0]", distance: 512 },
	again: { time: 97, datum: "B[2][1]", thread: 2, kind: "write" },
	set: 5,
	evicted: "B[10][0]",
};

test("each kind of finding is played in the view that shows it", () => {
	assert.equal(planOf("stride", true).view, "regions");
	assert.equal(planOf("padding", true).view, "rings");
	assert.equal(planOf("padding", true).cause, "conflict");
	assert.equal(planOf("false sharing", true).view, "rings");
	assert.equal(planOf("tile", true).view, "plane");
	assert.equal(planOf("nodes", true).view, "space");
	assert.equal(planOf("same lines", true).view, "rings");
	assert.equal(planOf("holes", true).view, "regions");
	assert.equal(planOf("a kind of tomorrow", true).view, "eventmap");
});

test("every kind of finding that there is has a plan of its own", async () => {
	const folder = new URL("../lib/analyse/finders/", `file://${process.cwd()}/`);
	const kinds = readdirSync(folder).flatMap((f) =>
		f.endsWith(".c")
			? [...readFileSync(new URL(f, folder), "utf8").matchAll(/\.kind = "([^"]+)"/g)].map(
					(m) => m[1]!,
				)
			: [],
	);

	assert.ok(kinds.length > 15);
	for (const k of kinds) assert.ok(hasPlan(k), k);
});

test("what has no known layout is shown by address", () => {
	assert.equal(planOf("stride", false).view, "space");
	assert.equal(planOf("padding", false).view, "rings");
});

test("a caption says what is special about a miss of its kind", () => {
	const say = (kind: string, m = miss, facts = {}) => missWords({ kind, facts }, m, 1, 4);

	assert.match(
		say("stride"),
		/^Miss 1 of 4: read B\[2\]\[0\], which comes from L2\. It is 512 bytes behind B\[1\]\[0\]/,
	);
	assert.match(
		say("padding"),
		/set 5, which is full: the line of B\[10\]\[0\] has to leave/,
	);
	assert.match(
		say("false sharing"),
		/thread 3 reads B\[2\]\[0\].*Thread 2 wrote B\[2\]\[1\] 3 references ago. That is other data/,
	);
	assert.match(
		say("same lines"),
		/thread 3 reads.*Thread 2 used the same line 3 references ago: both cores keep a copy/,
	);
	assert.match(say("first touch"), /Thread 2 touched it before.*not where thread 3 runs/);
	assert.match(say("never read"), /nothing reads later/);
	assert.match(say("tile"), /used this line 3 references ago/);
	assert.match(say("fields", miss, { used: "x and y" }), /uses only x and y/);
	assert.match(
		say("stride", { ...miss, before: { datum: "B[3][0]", distance: -512 } }),
		/512 bytes before B\[3\]\[0\]/,
	);
});

test("what is not known is not said", () => {
	const bare = { ...miss, before: null, again: null, set: null, evicted: "" };

	for (const kind of ["stride", "padding", "tile", "probes", "copies"])
		assert.doesNotMatch(missWords({ kind }, bare, 1, 1), /null|undefined|NaN/);
	assert.equal(introOf("regions", "", "").includes("at ."), false);
	assert.equal(outroOf({}), "");
});

test("the last caption has evidence, advice and gain", () => {
	assert.equal(
		outroOf({ evidence: ["12 misses"], advice: "turn the loops", gain: 0.25 }),
		"12 misses. What helps: turn the loops. It could save 25.0 % of all cycles.",
	);
	assert.match(
		stretchWords({ from: 10, to: 266, references: 128, missed: 128 }, "L1"),
		/next 256 references\. All 128 references .* miss L1/,
	);
});

test("longer captions have more time", () => {
	assert.ok(timeToRead("a".repeat(200)) > timeToRead("a".repeat(20)) + 5000);
});

test("a step moves, near or far, forth or back; a jump does not", () => {
	const at = (cursor: number) => ({ cursor });

	assert.equal(stepBetween(at(10), at(11), -1), "forth");
	assert.equal(stepBetween(at(10), at(9), -1), "back");
	assert.equal(stepBetween(at(10), at(500), 500), "forth");
	assert.equal(stepBetween(at(500), at(10), 10), "back");
	assert.equal(stepBetween(at(10), at(500), 11), "jump");
});

test("a range adds up misses, cycles and lines", () => {
	const level = (name: string, cycles: number, kind: "cache" | "memory"): Level => ({
		name,
		cycles,
		kind,
		size: 0,
		ways: 0,
		sets: 0,
		line: 64,
		policy: "lru",
		instances: 1,
	});
	const levels = [
		level("L1", 4, "cache"),
		level("L2", 14, "cache"),
		level("memory", 200, "memory"),
	];

	// 10 references: 7 by L1, 2 by L2, 1 by memory
	assert.deepEqual(rangeSums({ references: 10, served: [7, 2, 1] }, levels), {
		references: 10,
		cycles: 7 * 4 + 2 * 14 + 200,
		levels: [
			{ name: "L1", missed: 3, bytes: 192 },
			{ name: "L2", missed: 1, bytes: 64 },
		],
	});
});
