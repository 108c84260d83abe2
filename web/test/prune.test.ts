// The model of search spaces: what selects variants, the order of rings, their geometry.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
	combination,
	moveRing,
	parseWhere,
	printWhere,
	sayWhere,
	share,
	usualRings,
	wrap,
	type Space,
} from "../src/kinds/prune/model/space";
import { anchor, fit, hit, radii, whereOf } from "../src/kinds/prune/model/rings";

const constraint = (name: string, kind: "hard" | "soft", bit: number) => ({
	name,
	kind,
	bit,
	text: null,
	about: null,
	eliminated: 0,
	alone: 0,
	reached: 0,
	relative: 0,
	implied_by: [],
});

const space: Space = {
	name: "nested",
	variants: 100,
	survivors: 10,
	combinations: 4,
	engine: "none",
	described: false,
	constraints: [
		constraint("c", "hard", 2),
		constraint("b", "soft", 1),
		constraint("a", "hard", 0),
	],
	smallest_set: ["a"],
	nearest_miss_fails: 1,
	pairs: [],
};

test("a selection is printed and parsed", () => {
	const w = parseWhere("a,!b,nothing,a", ["a", "b", "c"]);

	assert.deepEqual(w, [
		{ name: "a", fails: true },
		{ name: "b", fails: false },
	]);
	assert.equal(printWhere(w), "a,!b");
	assert.equal(sayWhere(w), "fails a; passes b");
	assert.equal(sayWhere(combination(space, 0)), "passes c, b and a");
	assert.deepEqual(parseWhere("", ["a"]), []);
});

test("the rings to begin with are the hard constraints in the order of the file", () => {
	assert.deepEqual(usualRings(space), ["a", "c"]);
});

test("a ring is moved, shown and hidden", () => {
	assert.deepEqual(moveRing(["a", "b", "c"], "a", 3), ["b", "c", "a"]);
	assert.deepEqual(moveRing(["a", "b", "c"], "c", 0), ["c", "a", "b"]);
	assert.deepEqual(moveRing(["a", "b", "c"], "b", 1), ["a", "b", "c"]);
	assert.deepEqual(moveRing(["a", "b", "c"], "b", 2), ["a", "b", "c"]);
	assert.deepEqual(moveRing(["a", "b"], "d", 1), ["a", "d", "b"]);
	assert.deepEqual(moveRing(["a", "b"], "a", null), ["b"]);
});

test("shares have the digits of the paper", () => {
	assert.equal(share(51226914, 86731224), "59.06 %");
	assert.equal(share(1223, 86731224), "0.0014 %");
	assert.equal(share(0, 5), "0 %");
	assert.equal(share(5, 0), "0 %");
});

test("sentences are cut between words", () => {
	assert.deepEqual(wrap("one two three four", 9), ["one two", "three", "four"]);
});

// Ring 0: b passes 30, fails 70; ring 1: a passes 10, fails 20, fails 70.
const sunburst = {
	rings: ["b", "a"],
	inside: [],
	total: 100,
	all: 100,
	survivors: 10,
	ring: Uint8Array.from([0, 0, 1, 1, 1]),
	want: Uint32Array.from([0, 2, 0, 1, 3]),
	joined: Uint32Array.from([1, 1, 1, 1, 1]),
	from: Float64Array.from([0, 30, 0, 10, 30]),
	count: Float64Array.from([30, 70, 10, 20, 70]),
	failed: Float64Array.from([0, 70, 0, 20, 70]),
	best: Float64Array.from([NaN, NaN, NaN, NaN, NaN]),
};

test("sectors are found clockwise from 12 o'clock", () => {
	const c = fit(400, 400, 2, 0);
	const at = (share: number, ring: number) => {
		const [r0, r1] = radii(c, ring);
		const [r, a] = [(r0 + r1) / 2, 2 * Math.PI * share];

		return hit(c, sunburst, c.x + r * Math.sin(a), c.y - r * Math.cos(a));
	};

	assert.equal(at(0.01, 0), 0);
	assert.equal(at(0.29, 0), 0);
	assert.equal(at(0.31, 0), 1);
	assert.equal(at(0.05, 1), 2);
	assert.equal(at(0.2, 1), 3);
	assert.equal(at(0.99, 1), 4);
	assert.equal(hit(c, sunburst, c.x, c.y), "centre");
	assert.equal(hit(c, sunburst, c.x + c.outer + 2, c.y), null);
});

test("a sector selects by its ring and all inside it", () => {
	const bit = (n: string) => ["a", "b", "c"].indexOf(n);

	assert.equal(printWhere(whereOf(sunburst, 3, bit)), "!b,a");
	assert.equal(
		printWhere(whereOf({ ...sunburst, inside: [{ name: "c", fails: true }] }, 1, bit)),
		"c,b",
	);
});

test("names lead to a point inside their ring, the outermost highest", () => {
	const c = fit(900, 700, 20, 150);

	for (let ring = 0; ring < 20; ring++) {
		const [r0, r1] = radii(c, ring);
		const p = anchor(c, ring);
		const r = Math.hypot(p.x - c.x, p.y - c.y);

		assert.ok(r > r0 && r < r1);
		if (ring) assert.ok(anchor(c, ring - 1).y - p.y >= 10); // room for a line of text
	}
});
