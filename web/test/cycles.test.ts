import { strict as assert } from "node:assert";
import { test } from "node:test";
import {
	arcPoints,
	categories,
	circleRadii,
	foldedAtFirst,
	listOrder,
	momentAt,
	morph,
	nearest,
	placeOf,
	rowAt,
	spiralRadii,
	stretchOf,
	stretchToDraw,
	turnsText,
	turnTimes,
	type Angles,
	type Cycle,
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
	assert.ok(r[1]! > r[0]! && r[1]! < 73);
	assert.equal(r[2], 73); // 10 + 0.7 * 90
	assert.equal(r[3], 73);
	assert.ok(r[4]! > 73);
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

test("the least used functions are folded until there are few enough colours", () => {
	const place = (func: string, line: number, moments: number) => ({
		file: "a.c",
		line,
		function: func,
		moments,
	});
	const places = [
		place("hot", 1, 50),
		place("hot", 2, 40),
		place("warm", 3, 9),
		place("warm", 4, 8),
		place("cold", 5, 2),
		place("cold", 6, 1),
	];

	assert.deepEqual([...foldedAtFirst(places, 6)], []);
	assert.deepEqual([...foldedAtFirst(places, 5)], ["cold"]);
	assert.deepEqual([...foldedAtFirst(places, 4)], ["cold", "warm"]);
	assert.deepEqual([...foldedAtFirst(places, 1)], ["cold", "warm", "hot"]);
});

function dense(): Angles {
	// 4 rows of 25 references, from 100 on, half a turn each
	return {
		...({} as Angles),
		exact: false,
		to: 200,
		rows: 4,
		time: Float64Array.of(100, 125, 150, 175),
		turns: Float64Array.of(0, 0.5, 1, 1.5),
	};
}

test("a time falls into a row of a density", () => {
	assert.deepEqual(
		[99, 100, 124, 125, 199, 200].map((t) => rowAt(dense(), t)),
		[-1, 0, 0, 1, 3, -1],
	);
});

test("a stretch has whole turns, or whole rows of a density", () => {
	assert.deepEqual(stretchOf(dense(), 2, 1), { from: 125, to: 175 });
	assert.deepEqual(stretchOf(dense(), 3, 3), { from: 175, to: 200 });
	const moments = {
		...dense(),
		exact: true,
		time: Float64Array.from({ length: 40 }, (_, i) => 10 + i),
		turns: Float64Array.from({ length: 40 }, (_, i) => i / 8),
	};
	// moments 10 to 20 are turns 1.25 to 2.5: turns 1 to 3, moments 8 to 24
	assert.deepEqual(stretchOf(moments, 20, 10), { from: 18, to: 35 });
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

test("classes that the user's own lines turn are listed first, refused ones last", () => {
	const cycle = (own: number, refused: string | null = null) =>
		({ own, refused }) as Cycle;
	const all = [cycle(0.1), cycle(0.9, "no lift"), cycle(0.6), cycle(1), cycle(0.5)];

	assert.deepEqual(listOrder(all), [2, 3, 0, 4, 1]);
	assert.deepEqual(listOrder([]), []);
});

test("a cycle that turns for a moment only is drawn alone", () => {
	const cycle = (from: number, to: number) => ({ from, to }) as Cycle;
	const all = { from: 0, to: 1000 };

	assert.deepEqual(stretchToDraw(cycle(300, 350), all), { from: 295, to: 355 });
	assert.deepEqual(stretchToDraw(cycle(2, 100), all), { from: 0, to: 110 });
	assert.deepEqual(stretchToDraw(cycle(300, 500), all), all);
});
