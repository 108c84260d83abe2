import { strict as assert } from "node:assert";
import { test } from "node:test";
import {
	arcPoints,
	categories,
	circleRadii,
	momentAt,
	morph,
	nearest,
	placeOf,
	spiralRadii,
	turnsText,
	turnTimes,
	type Angles,
} from "../src/kinds/trace/model/cycles";

const ring = { x: 0, y: 0, inner: 10, outer: 100 };

test("turns that were begun are counted", () => {
	assert.equal(turnsText(63.3), "64 turns");
	assert.equal(turnsText(15.99), "16 turns");
	assert.equal(turnsText(1.05), "1 turn");
	assert.equal(turnsText(0), "0 turns");
	assert.equal(turnsText(12479), "12,479 turns");
});

test("angles go clockwise from the top", () => {
	const near = (a: number[], b: number[]) =>
		a.forEach((v, i) => assert.ok(Math.abs(v - b[i]!) < 1e-6));

	near(placeOf(ring, 50, 0), [0, -50]);
	near(placeOf(ring, 50, 0.25), [50, 0]);
	near(placeOf(ring, 50, 7.5), [0, 50]);
});

test("the radius of a spiral is time, that of a circle stays within the cycle", () => {
	assert.deepEqual([...spiralRadii(4, ring)], [10, 40, 70, 100]);
	const time = Float64Array.from([0, 1, 2, 3, 4, 5]);
	const r = circleRadii(time, 2, 4, ring);

	assert.equal(r[0], 10);
	assert.ok(r[1]! > r[0]! && r[1]! < 55);
	assert.equal(r[2], 55);
	assert.equal(r[3], 55);
	assert.ok(r[4]! > 55);
	assert.equal(r[5], 100);
});

test("an arc goes the way that the lifted angle goes, and ends where it should", () => {
	const out: number[] = [];

	arcPoints(ring, 50, 0.9, 50, 1.1, out);
	assert.ok(out.length >= 2 * 6);
	for (let i = 0; i < out.length; i += 2) {
		assert.ok(out[i + 1]! < 0, "it passes the top, not the bottom");
		assert.ok(Math.abs(Math.hypot(out[i]!, out[i + 1]!) - 50) < 1e-6);
	}
	assert.ok(Math.abs(out.at(-2)! - placeOf(ring, 50, 1.1)[0]) < 1e-6);
});

test("half of a morph is half way", () => {
	const [a, b] = [Float64Array.from([0, 1, 2]), Float64Array.from([0, 3, 6])];

	assert.deepEqual([...morph(a, b, 0.5)], [0, 2, 4]);
	assert.equal(morph(a, b, 0), a);
	assert.equal(morph(a, Float64Array.from([1]), 0.5), a);
});

test("lines of a folded function are one category", () => {
	const places = [
		{ file: "/x/a.c", line: 3, function: "f", moments: 10 },
		{ file: "/x/a.c", line: 4, function: "f", moments: 20 },
		{ file: "/x/b.c", line: 1, function: "g", moments: 25 },
		{ file: null, line: 0, function: "memcpy", moments: 1 },
	];
	const apart = categories(places, () => false);
	const together = categories(places, (f) => f === "f");

	assert.deepEqual(
		apart.list.map((c) => c.title),
		["b.c:1", "a.c:4", "a.c:3", "memcpy"],
	);
	assert.deepEqual(apart.of, [2, 1, 0, 3]);
	assert.deepEqual(
		together.list.map((c) => [c.title, c.moments]),
		[
			["f", 30],
			["b.c:1", 25],
			["memcpy", 1],
		],
	);
	assert.deepEqual(together.of, [0, 0, 1, 2]);
});

test("whole turns end at the moments that reach them", () => {
	const a = {
		exact: true,
		time: Float64Array.from([10, 11, 12, 13, 14]),
		turns: Float64Array.from([0.2, 0.8, 1.1, 1.9, 3.2]),
	} as Angles;

	assert.deepEqual(turnTimes(a, 10), [12, 14, 14]);
	assert.deepEqual(turnTimes(a, 2), []);
	assert.equal(momentAt(a.time, 12), 2);
	assert.equal(momentAt(a.time, 12.5), 3);
	assert.equal(momentAt(a.time, 15), -1);
	assert.equal(nearest([0, 5, 9], [0, 0, 0], 6, 1, 3), 1);
	assert.equal(nearest([0, 5, 9], [0, 0, 0], 60, 1, 3), -1);
});
