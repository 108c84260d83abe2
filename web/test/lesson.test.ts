import assert from "node:assert/strict";
import { test } from "node:test";
import { timeToRead } from "../src/state/captions";
import {
	introOf,
	missWords,
	outroOf,
	planOf,
	stretchWords,
	type LessonPlan,
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
	steady: false,
	again: { time: 97, datum: "B[2][1]", thread: 2, kind: "write" },
	set: 5,
	evicted: "B[10][0]",
};

/** A finding as the server sends it. */
function finding(name: LessonPlan["name"], miss: string | null, more = {}) {
	return {
		kind: "a kind of tomorrow",
		view: { name, cause: null, again: false, threads: false, miss },
		...more,
	};
}

test("a finding is played in the view that its finder names", () => {
	assert.equal(planOf(finding("regions", null), true).name, "regions");
	assert.equal(planOf(finding("rings", null), true).name, "rings");
	assert.equal(planOf(finding("plane", null), true).name, "plane");
});

test("what has no known layout is shown by address", () => {
	assert.equal(planOf(finding("regions", null), false).name, "space");
	assert.equal(planOf(finding("rings", null), false).name, "rings");
});

test("a caption says what is special about a miss of its kind", () => {
	const say = (words: string, m = miss, more = {}) =>
		missWords(finding("regions", words, more), m, 1, 4);

	assert.match(
		say("{step}"),
		/^Miss 1 of 4: read B\[2\]\[0\], which comes from L2\. It is 512 bytes behind B\[1\]\[0\]/,
	);
	assert.match(
		say("{set}"),
		/set 5, which is full: the line of B\[10\]\[0\] has to leave/,
	);
	assert.match(
		say("{sharer}"),
		/Thread 2 wrote B\[2\]\[1\] 3 references ago. That is other data/,
	);
	assert.match(
		say("{copy}"),
		/Thread 2 used the same line 3 references ago: both cores keep a copy/,
	);
	assert.match(say("{toucher}"), /Thread 2 touched it before.*not where thread 3 runs/);
	assert.match(say("{back}"), /used this line 3 references ago/);
	assert.match(
		say("Lines of {line} bytes for {thread}."),
		/L2\. Lines of 64 bytes for 3\.$/,
	);
	assert.match(
		say("It uses only {used}.", miss, { facts: { used: "x and y" } }),
		/It uses only x and y\.$/,
	);
	assert.match(
		say("{step}", { ...miss, before: { datum: "B[3][0]", distance: -512 } }),
		/512 bytes before B\[3\]\[0\]/,
	);
	const threads = { ...finding("rings", "{sharer}").view, threads: true };
	assert.match(say("", miss, { view: threads }), /^Miss 1 of 4: thread 3 reads B/);
});

test("what is not known is not said", () => {
	const bare = { ...miss, before: null, again: null, set: null, evicted: "" };

	for (const words of ["{step}", "{set}", "{back}", "{far}", "{none}", null])
		assert.doesNotMatch(
			missWords(finding("regions", words), bare, 1, 1),
			/null|undefined|NaN|[{}]/,
		);
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

test("a range adds up misses, waiting and lines", () => {
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
	const of = { references: 10, served: [7, 2, 1], waiting: [0, 20, 196, 30] };
	assert.deepEqual(rangeSums(of, levels), {
		references: 10,
		waiting: 246,
		levels: [
			{ name: "L1", missed: 3, bytes: 192 },
			{ name: "L2", missed: 1, bytes: 64 },
		],
	});
});
