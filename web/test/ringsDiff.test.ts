import assert from "node:assert/strict";
import { test } from "node:test";
import {
	matchedTime,
	matchOf,
	printMatch,
	type Run,
} from "../src/kinds/trace/model/matchedTime";
import { layMemory, spot } from "../src/kinds/trace/model/rings";
import { EMPTY, homeOf, MOVE, type Place } from "../src/kinds/trace/model/ringsGlyphs";
import type { HeldLines } from "../src/kinds/trace/model/ringsLines";
import {
	countServed,
	layBoth,
	nearerOf,
	differencesOf,
	requestsOf,
	sameGeometry,
	sideOf,
	totalsOf,
	unitOf,
	type Side,
} from "../src/kinds/trace/model/ringsDiff";
import type { StateLevel } from "../src/kinds/trace/model/types";
import { region } from "./region";

const A = region({ elem: 8, dims: [32], extent: 256 });
const L1: StateLevel = {
	name: "L1",
	instances: 1,
	share: 1,
	sets: 2,
	ways: 2,
	line: 16,
	group: 0,
	first: 0,
};
const L2: StateLevel = { ...L1, name: "L2", sets: 1, ways: 4, first: 4 };

const run = (length: number, ...phases: [string, number, number][]): Run => ({
	length,
	phases: phases.map(([name, from, to]) => ({ name, depth: 0, from, to })),
});

test("runs without common phases are matched by their shares", () => {
	const m = matchOf(run(1000, ["a", 100, 200]), run(500, ["b", 0, 50]));

	assert.deepEqual(m, [
		[0, 0],
		[1000, 500],
	]);
	assert.equal(matchedTime(m, 0), 0);
	assert.equal(matchedTime(m, 501), 250);
	assert.equal(matchedTime(m, 1000), 500);
	assert.equal(matchedTime(m, 5000), 500);
});

test("a run is matched with itself exactly", () => {
	// 46263 / 74617 * 74617 is less than 46263
	const m = matchOf(run(74617), run(74617));

	assert.equal(matchedTime(m, 46263), 46263);
});

test("phases of one name are matched, in order, and in proportion within", () => {
	const m = matchOf(
		run(1000, ["fill", 100, 200], ["only here", 200, 300], ["multiply", 300, 900]),
		run(5000, ["fill", 0, 1000], ["multiply", 1000, 4000]),
	);

	assert.equal(printMatch(m), "0:0,100:0,200:1000,300:1000,900:4000,1000:5000");
	assert.equal(matchedTime(m, 50), 0);
	assert.equal(matchedTime(m, 150), 500);
	assert.equal(matchedTime(m, 250), 1000);
	assert.equal(matchedTime(m, 600), 2500);
	assert.equal(matchedTime(m, 950), 4500);
});

test("phases in another order leave the longest common sequence", () => {
	const m = matchOf(
		run(100, ["x", 0, 10], ["a", 10, 20], ["b", 20, 30]),
		run(100, ["a", 0, 40], ["b", 40, 60], ["x", 60, 100]),
	);

	assert.equal(matchedTime(m, 15), 20);
	assert.equal(matchedTime(m, 25), 50);
	// times of the other run never go back
	for (let t = 1; t <= 100; t++)
		assert.ok(matchedTime(m, t) >= matchedTime(m, t - 1), `at ${t}`);
});

test("phases that come again are matched one by one", () => {
	const m = matchOf(
		run(40, ["s", 0, 10], ["s", 10, 20]),
		run(80, ["s", 0, 30], ["s", 30, 60]),
	);

	assert.equal(matchedTime(m, 5), 15);
	assert.equal(matchedTime(m, 15), 45);
});

test("bytes are counted by who has them nearer", () => {
	// rows: A has it in L1, in L2, in memory
	assert.deepEqual(totalsOf([16, 32, 0, 64, 128, 256, 512, 1024, 0], 2), [
		16 + 128,
		32 + 256,
		64 + 512 + 1024,
	]);
	assert.deepEqual(countServed([1, 2, 3, 1], [1, 1, 3, 2]), [2, 1, 1]);
	assert.equal(nearerOf(1, 3), 1);
	assert.equal(nearerOf(3, 1), 2);
});

test("geometry is the same when all shapes are", () => {
	assert.ok(sameGeometry([L1, L2], [L1, { ...L2, first: 8 }]));
	assert.ok(!sameGeometry([L1, L2], [L1]));
	assert.ok(!sameGeometry([L1], [{ ...L1, ways: 4 }]));
	assert.equal(unitOf([L1], [{ ...L1, line: 64 }]), 16);
});

test("rings are those of A; a level that only B has lies behind them", () => {
	const lay = layBoth([L1], [{ ...L1, sets: 4 }, L2], 300, () => 1);

	assert.equal(lay.all.rings.length, 2);
	assert.equal(lay.a.rings.length, 1);
	assert.equal(lay.b.rings.length, 2);
	assert.equal(lay.b.rings[0]!.r1, lay.a.rings[0]!.r1);
	assert.equal(lay.b.rings[1]!.r1, lay.all.rings[1]!.r1);
	assert.equal(lay.b.rings[0]!.arms, 4);
	// and each line of it between the edges of A's ring
	for (let set = 0; set < 4; set++)
		for (let way = 0; way < 2; way++) {
			const far = Math.hypot(...spot(lay.b.rings[0]!, set, way));
			assert.ok(far > lay.a.rings[0]!.r0 && far < lay.a.rings[0]!.r1);
		}
});

/** A side from the lines in its slots, in order of rank; -1 is empty. */
function side(lines: number[], levels = [L1, L2]): Side {
	const memory = layMemory([A]);
	const lay = layBoth(levels, levels, 300, (line) => line / 8);
	const place: Place = {
		rings: lay.a,
		arcs: new Map(memory.arcs.map((a) => [a.region.region, a])),
		others: memory.others,
		lows: new Map([[A.region, 0x1000]]),
		cores: 1,
	};
	const held: HeldLines = {
		levels,
		line: BigUint64Array.from(lines, (n) => (n < 0 ? EMPTY : BigInt(0x1000 + 16 * n))),
		rank: lines.map((_, i) => (i < 4 ? i % 2 : i - 4)),
		region: lines.map(() => A.region),
		offset: lines.map((n) => 16 * n),
		flags: lines.map(() => 0),
	};

	return sideOf(place, held, null);
}

test("what differs stands where each of the two has it", () => {
	const a = side([0, -1, -1, -1, 4, -1, -1, -1]);
	const b = side([-1, -1, 4, -1, 0, -1, -1, -1]);
	const [one, two, three] = differencesOf(
		{
			bytes: [16, 16, 16],
			region: [A.region, A.region, A.region],
			offset: [0, 64, 128],
			levelA: [1, 2, 3],
			levelB: [2, 1, 1],
			setA: [0, 0, 0],
			wayA: [0, 0, 0xffffffff],
			setB: [0, 1, 0],
			wayB: [0, 0, 1],
		},
		a,
		b,
	);

	assert.equal(one!.nearer, 1);
	// a line of two elements, each a glyph, in L1 of A and in L2 of B
	assert.deepEqual(
		one!.spots.map((s) => s.glyphs.map((g) => [g.level, g.slot, g.offset])),
		[
			[
				[0, 0, 0],
				[0, 0, 8],
			],
			[
				[1, 4, 0],
				[1, 4, 8],
			],
		],
	);
	assert.equal(two!.nearer, 2);
	assert.deepEqual(
		two!.spots.map((s) => s.glyphs[0]!.slot),
		[4, 2],
	);
	assert.equal(three!.nearer, 2);
	assert.deepEqual(three!.spots[0].at, homeOf(a.place, A.region, 136));
});

test("a request goes from where the farther one has it to where the nearer one has", () => {
	const s = side([0, -1, -1, -1, -1, -1, -1, -1]);
	const moves = (
		list: [access: number, kind: number, target: number, set: number][],
	) => ({
		line: BigUint64Array.from(list, () => 0x1000n),
		access: list.map((m) => m[0]),
		kind: list.map((m) => m[1]),
		source: list.map(() => 3),
		target: list.map((m) => m[2]),
		set: list.map((m) => m[3]),
		core: list.map(() => 0),
	});
	const home: [number, number] = [7, 9];
	const got = requestsOf(
		s,
		s,
		moves([
			[0, MOVE.hit, 1, 1],
			[1, MOVE.fill, 1, 0],
			[2, MOVE.hit, 1, 0],
		]),
		moves([
			[0, MOVE.fill, 1, 1],
			[1, MOVE.fill, 1, 0],
			[2, MOVE.hit, 1, 0],
		]),
		[1, 3, 1],
		[3, 3, 1],
		() => home,
	);
	const head = (set: number) => spot(s.place.rings.rings[0]!, set, 0);

	assert.deepEqual(got, [
		{ age: 2, nearer: 1, from: home, to: head(1) },
		{ age: 1, nearer: 0, from: home, to: head(0) },
	]);
});
