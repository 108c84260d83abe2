import type { Box } from "../src/model/box";
import assert from "node:assert/strict";
import { test } from "node:test";
import {
	armAt,
	cellsOf,
	elementsOf,
	homeAngle,
	layMemory,
	layRings,
	parseZoom,
	printZoom,
	spot,
	straightWay,
	whole,
	wideWay,
	zoomAt,
	type Point,
} from "../src/kinds/trace/model/rings";
import {
	EMPTY,
	glyphsOf,
	homeOf,
	lowsOf,
	MOVE,
	originsOf,
	cloudOf,
	cachedBytes,
	glyphIn,
	type Place,
} from "../src/kinds/trace/model/ringsGlyphs";
import type { HeldLines } from "../src/kinds/trace/model/ringsLines";
import { layAround, distance, nearest } from "../src/kinds/trace/model/ringsAround";
import { join, within, type Stretch } from "../src/kinds/trace/model/ringsMoves";
import { bundlesOf, bundleWay, pathsOf } from "../src/kinds/trace/model/ringsPaths";
import {
	clickSets,
	parseSets,
	printSets,
	wrongSets,
} from "../src/kinds/trace/model/ringsSets";
import {
	parseScores,
	printScores,
	scoreParams,
} from "../src/kinds/trace/model/temperature";
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
const near = (a: Point, b: Point) =>
	assert.ok(Math.hypot(a[0] - b[0], a[1] - b[1]) < 1e-6, `${a} is not ${b}`);
const far = ([x, y]: Point) => Math.hypot(x, y);

function place(levels = [L1, L2], cores = 1): Place {
	const memory = layMemory([A]);

	return {
		rings: layRings(levels, 300, (line) => line / 8),
		arcs: new Map(memory.arcs.map((a) => [a.region.region, a])),
		others: memory.others,
		lows: new Map([[A.region, 0x1000]]),
		cores,
	};
}

/** A state from "line:rank" for each slot, lines counted from the beginning of A. */
function held(text: string, levels = [L1, L2]): HeldLines {
	const slots = text.split(" ").map((w) => w.split(":").map(Number));

	return {
		levels,
		line: BigUint64Array.from(slots, ([n, rank]) =>
			rank === undefined ? EMPTY : BigInt(0x1000 + 16 * n!),
		),
		rank: slots.map(([, rank]) => rank ?? 9),
		region: slots.map(() => A.region),
		offset: slots.map(([n]) => 16 * n!),
		flags: slots.map(() => 0),
	};
}

test("the next victim stands at the outer edge, within its ring", () => {
	const { rings } = place().rings;

	for (const l of rings)
		for (let arm = 0; arm < l.arms; arm++) {
			let last = l.r0;
			for (let rank = 0; rank < l.info.ways; rank++) {
				const r = far(spot(l, arm, rank));
				assert.ok(r > last && r < l.r1);
				last = r;
			}
		}
	assert.ok(rings[0]!.r1 < rings[1]!.r0);
});

test("lines of thousands of sets stand apart, in order along each arm", () => {
	const { rings } = layRings([{ ...L1, sets: 16384, ways: 12, line: 64 }], 480, () => 1);
	const l = rings[0]!;
	const taken = new Set<string>();

	assert.equal(l.grain, "line");
	assert.ok(l.rows > 1);
	for (let arm = 0; arm < l.arms; arm++) {
		let last = l.r0;
		for (let rank = 0; rank < 12; rank++) {
			const at = spot(l, arm, rank);
			assert.ok(far(at) > last && far(at) < l.r1);
			last = far(at);
			taken.add(at.map(Math.round).join());
		}
	}
	// most of the pixels of the ring are some line's own
	assert.ok(taken.size > 0.7 * 12 * 16384, `${taken.size}`);
});

test("every element of a cache is a glyph, or every line where elements are too many", () => {
	const p = place();

	assert.equal(p.rings.rings[0]!.grain, "element");
	assert.equal(glyphsOf(p, held("0:0 - 1:0 - 0:0 1:1 2:2 -"), null).length, 10);
	const big = layRings([{ ...L1, sets: 512, ways: 8, line: 64 }], 300, () => 8);
	assert.equal(big.rings[0]!.grain, "line");
	const huge = layRings([{ ...L1, sets: 8192, ways: 16, group: 16 }], 300, () => 8);
	assert.equal(huge.rings[0]!.grain, "sets");
	assert.equal(huge.rings[0]!.arms, 512);
});

test("a copy farther out is a ghost of the one that is nearer", () => {
	const glyphs = glyphsOf(place(), held("0:0 - - - 0:0 5:1 - -"), null);
	const ghosts = glyphs.filter((g) => g.ghost);

	assert.equal(glyphs.length, 6);
	assert.deepEqual([...new Set(ghosts.map((g) => `${g.level}:${g.line}`))], ["1:4096"]);
});

test("what comes starts at home, what leaves goes where it still is", () => {
	const p = place();
	const before = held("0:0 2:1 - - 0:0 2:1 - -");
	const after = held("0:1 4:0 - - 0:1 2:2 4:0 -");
	const glyphs = glyphsOf(p, after, before);
	const one = (level: number, line: number) =>
		glyphs.find((g) => g.level === level && g.offset === 16 * line)!;

	assert.equal(one(0, 4).motion, "enter");
	near(one(0, 4).from, homeOf(p, A.region, 64 + 4));
	near(one(0, 4).to, spot(p.rings.rings[0]!, 0, 0, 0, 2));
	assert.equal(one(0, 0).motion, "shift");
	near(one(0, 0).from, spot(p.rings.rings[0]!, 0, 0, 0, 2));
	near(one(0, 0).to, spot(p.rings.rings[0]!, 0, 1, 0, 2));
	assert.equal(one(0, 2).motion, "leave");
	near(one(0, 2).to, spot(p.rings.rings[1]!, 0, 2, 0, 2));
});

test("where everything has arrived does not depend on where it came from", () => {
	const p = place();
	const after = held("0:1 4:0 - - 0:1 2:2 4:0 -");
	const still = glyphsOf(p, after, null);
	const moved = glyphsOf(p, after, held("0:0 2:1 - - 0:0 2:1 - -")).filter(
		(g) => g.motion !== "leave",
	);

	assert.deepEqual(
		moved.map((g) => g.to),
		still.map((g) => g.to),
	);
});

test("a line that another core took flies to that core", () => {
	const two = { ...L1, instances: 2, sets: 1 };
	const p = place([two], 2);
	const glyphs = glyphsOf(p, held("- - 0:0 -", [two]), held("0:0 - - -", [two]));
	const [enter] = glyphs.filter((g) => g.motion === "enter");
	const [leave] = glyphs.filter((g) => g.motion === "leave");

	near(enter!.from, spot(p.rings.rings[0]!, 0, 0, 0, 2));
	near(leave!.to, spot(p.rings.rings[0]!, 1, 0, 0, 2));
});

test("paths lead from memory through the levels, the newest first", () => {
	const p = place();
	const m = {
		line: BigUint64Array.from([0x1000n, 0x1000n, 0x1020n]),
		access: [0, 0, 3],
		set: [0, 0, 1],
		kind: [MOVE.fill, MOVE.fill, MOVE.evict],
		source: [3, 2, 1],
		target: [2, 1, 2],
		core: [0, 0, 0],
	};
	const paths = pathsOf(p, m, held("0:0 - - - 0:0 - - -"), 4, (line) => [
		A.region,
		line - 0x1000,
	]);

	assert.deepEqual(
		paths.map((w) => [w.age, w.leaves, w.source]),
		[
			[0, true, 1],
			[3, false, 2],
			[3, false, 3],
		],
	);
	near(paths[0]!.to, homeOf(p, A.region, 0x20));
	near(paths[1]!.from, paths[2]!.to);
	near(paths[2]!.from, homeOf(p, A.region, 0));
	assert.deepEqual(
		paths.map((w) => w.target),
		[3, 1, 2],
	);
	// set 1 of L1 only
	const some = pathsOf(
		p,
		m,
		held("- - - - - - - -"),
		4,
		() => null,
		(level, set) => level > 0 || set === 1,
	);
	assert.deepEqual(
		some.map((w) => [w.source, w.target]),
		[
			[1, 3],
			[3, 2],
		],
	);
});

test("ways begin and end where they should, and those of what leaves are longer", () => {
	const [a, b]: [Point, Point] = [
		[0, -50],
		[140, 20],
	];
	let [straight, wide] = [0, 0];

	for (let i = 1; i <= 50; i++)
		for (const way of [straightWay, wideWay]) {
			const [p, q] = [way(a, b, (i - 1) / 50), way(a, b, i / 50)];
			const step = Math.hypot(p[0] - q[0], p[1] - q[1]);
			if (way === straightWay) straight += step;
			else wide += step;
		}
	for (const way of [straightWay, wideWay]) {
		near(way(a, b, 0), a);
		near(way(a, b, 1), b);
	}
	assert.ok(wide > straight * 1.05);
});

test("regions lie around memory in order and do not touch", () => {
	const { arcs, others } = layMemory([A, { ...A, region: 2, extent: 4096 }]);
	let last = others[1] - 2 * Math.PI;

	for (const a of arcs) {
		assert.ok(a.a0 > last);
		assert.ok(homeAngle(a, 8) > homeAngle(a, 0));
		last = a.a1;
	}
	assert.ok(last < others[0]);
	assert.deepEqual(cellsOf(arcs[0]!, 1000), { cells: 32, size: 8 });
	assert.deepEqual(cellsOf({ ...arcs[0]!, a0: 0, a1: 0.02 }, 1000), {
		cells: 8,
		size: 32,
	});
});

test("a line has the elements of its region only", () => {
	assert.deepEqual(elementsOf(A, 0x1000, 64, 0x1000, 0), { first: 0, size: 8, count: 8 });
	assert.deepEqual(elementsOf(A, 0x1000, 64, 0xff0, 0), { first: 0, size: 8, count: 6 });
	assert.deepEqual(elementsOf(A, 0x1000, 64, 0x10f0, 240), {
		first: 240,
		size: 8,
		count: 2,
	});
});

test("a line in a cache tells where its region begins", () => {
	const h = held("0:0 - 3:0 - - - - -");

	assert.deepEqual([...lowsOf(h, new Set([A.region]))], [[A.region, 0x1000]]);
	assert.equal(lowsOf(h, new Set()).size, 0);
});

test("zooming keeps what is under the pointer, and ends with the whole picture", () => {
	const z = zoomAt(zoomAt(whole, 4, 0.5, -0.25), 2, 0.1, 0.1);
	const radii = (x: number, o: number, k: number) => (x - o) / k;
	const once = zoomAt(whole, 4, 0.5, -0.25);

	assert.equal(radii(0.5, once.x, once.k), 0.5);
	assert.equal(z.k, 8);
	assert.deepEqual(parseZoom(printZoom(once)), once);
	assert.deepEqual(zoomAt(once, 0.01, 0, 0), whole);
	assert.deepEqual(parseZoom("x"), whole);
	assert.equal(printZoom(whole), "");
});

test("what comes knows the level that it comes from", () => {
	const p = place();
	const before = held("- - - - 0:0 - - -");
	const [fromL2] = glyphsOf(p, held("0:0 - - - 0:0 - - -"), before).filter(
		(g) => g.motion === "enter",
	);
	const [fromMemory] = glyphsOf(p, held("- - 1:0 - 0:1 1:0 - -"), before).filter(
		(g) => g.motion === "enter",
	);

	assert.equal(fromL2!.source, 1);
	near(fromL2!.from, spot(p.rings.rings[1]!, 0, 0, 0, 2));
	assert.equal(fromMemory!.source, 2);
});

test("what comes from a level that is told by sets comes from its set", () => {
	const outer = { ...L2, sets: 64, ways: 4, group: 16, first: 0 };
	const p = place([L1, outer]);
	const moves = {
		line: BigUint64Array.from([0x1000n, 0x1000n]),
		access: [7, 7],
		set: [32, 0],
		kind: [MOVE.hit, MOVE.fill],
		source: [2, 2],
		target: [2, 1],
		core: [0, 0],
	};
	const h = (text: string) => held(text, [L1, outer]);
	const c = cloudOf(p, h("0:0 - - -"), h("- - - -"), null, originsOf(p, moves, 8));
	const ring = p.rings.rings[1]!;

	assert.equal(ring.arms, 4);
	assert.equal(c.moving[0]!.source, 1);
	// the third of four wedges, from 180 to 270 degrees
	const [x, y] = c.moving[0]!.from;
	assert.ok(x < 0 && y > 0 && far([x, y]) > ring.r0 && far([x, y]) < ring.r1);
});

test("sets that are not looked at have no glyphs", () => {
	const h = held("0:0 2:1 1:0 3:1 - - - -");
	const c = cloudOf(place(), h, null, (level, set) => level > 0 || set === 1);

	assert.deepEqual(
		[...new Set(Array.from({ length: c.count }, (_, i) => glyphIn(c, i).line))],
		[0x1010, 0x1030],
	);
});

test("bytes in caches count once, however many caches hold them", () => {
	const p = place();
	const cut = new Map([[A.region, { cells: 32, size: 8 }]]);
	const bytes = cachedBytes(p, held("0:0 - - - 0:1 3:0 - -"), cut).get(A.region)!;

	assert.deepEqual(
		[...bytes].flatMap((v, i) => (v ? [[i, v]] : [])),
		[
			[0, 8],
			[1, 8],
			[6, 8],
			[7, 8],
		],
	);
});

test("bundles leave nothing out, and join what goes the same way", () => {
	const p = place();
	const way = (x: number, age: number) => ({
		age,
		kind: MOVE.fill,
		source: 3,
		target: 2,
		region: A.region,
		from: [x, -290] as Point,
		to: [0, -100] as Point,
		leaves: false,
	});
	const back = { ...way(1, 9), kind: MOVE.writeBack, source: 2, target: 3, leaves: true };
	const bundles = bundlesOf(p, [way(1, 0), way(3, 5), way(290, 6), back]);

	assert.deepEqual(
		bundles.map((b) => [b.count, b.newest, b.oldest, b.leaves]),
		[
			[1, 9, 9, true],
			[1, 6, 6, false],
			[2, 0, 5, false],
		],
	);
	near(bundles[2]!.from, [2, -290]);
	near(bundleWay(bundles[2]!, 0), [2, -290]);
	near(bundleWay(bundles[2]!, 1), [0, -100]);
});

test("stretches of movements are joined and cut", () => {
	const s = (from: number, access: number[]): Stretch => ({
		from,
		count: 10,
		line: BigUint64Array.from(access, BigInt),
		access: Uint32Array.from(access),
		set: Uint32Array.from(access),
		way: Uint32Array.from(access),
		kind: Uint8Array.from(access),
		source: Uint8Array.from(access),
		target: Uint8Array.from(access),
		core: Uint8Array.from(access),
		other: Uint8Array.from(access),
	});
	const all = join(s(100, [1, 4, 4]), s(110, [0, 9]));

	assert.deepEqual([...all.access], [1, 4, 4, 10, 19]);
	assert.equal(all.count, 20);
	const some = within(all, 104, 111);
	assert.deepEqual([...some.access], [0, 0, 6]);
	assert.deepEqual([...some.line], [4n, 4n, 0n]);
	assert.deepEqual([some.from, some.count], [104, 7]);
});

test("sets are chosen by a text or by clicks", () => {
	assert.deepEqual([...parseSets("0-2, 5", 8)!], [1, 1, 1, 0, 0, 1, 0, 0]);
	assert.equal(printSets(parseSets("5,0-2", 8)), "0-2,5");
	assert.equal(parseSets("", 8), null);
	assert.equal(parseSets("0-7", 8), null);
	assert.equal(wrongSets("0-7", 8), "");
	assert.ok(wrongSets("0-8", 8));
	assert.ok(wrongSets("x", 8));
	assert.equal(clickSets("", 8, [3, 4], false), "3");
	assert.equal(clickSets("3", 8, [3, 4], false), "");
	assert.equal(clickSets("3", 8, [5, 6], false), "5");
	assert.equal(clickSets("3", 8, [5, 6], true), "3,5");
	assert.equal(clickSets("3,5", 8, [5, 6], true), "3");
	assert.equal(clickSets("", 8, [5, 6], true), "5");
});

test("an arm is found where its lines stand", () => {
	for (const l of place().rings.rings)
		for (let arm = 0; arm < l.arms; arm++)
			for (let rank = 0; rank < l.info.ways; rank++)
				assert.equal(armAt(l, ...spot(l, arm, rank)), arm);
});

test("matrices stand beside the circle and touch nothing", () => {
	const inside: Box = { x: 0, y: 0, w: 560, h: 480 };
	const words = [
		{ x: 0, y: 0, w: 150, h: 70 },
		{ x: 0, y: 360, w: 130, h: 120 },
	];
	const list = [-2, 0, 1, 2].map((a, i) => ({
		region: i,
		arc: [a, a + 0.8] as [number, number],
		size: (room: number) => ({ w: room, h: room / 2 }),
	}));
	const usual = { x: 280, y: 240, r: 215 };
	const { x, y, r, boxes, left } = layAround(list, usual, inside, { x: 6, y: 6 }, words);
	const apart = (a: Box, b: Box) =>
		a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y;

	assert.equal(left, 0);
	assert.equal(boxes.length, 4);
	boxes.forEach((b, i) => {
		assert.ok(distance(x, y, b) > r);
		assert.ok(b.x >= 0 && b.y >= 0 && b.x + b.w <= 560 && b.y + b.h <= 480);
		for (const o of [...boxes.slice(i + 1), ...words]) assert.ok(apart(b, o));
		const angle = nearest(x, y, list[b.region]!.arc, b);
		assert.ok(angle >= list[b.region]!.arc[0] && angle <= list[b.region]!.arc[1]);
	});
});

test("scores of the temperature survive the address", () => {
	assert.equal(printScores(parseScores("", 3)), "");
	const s = parseScores("500;1,2;-3", 3);

	assert.deepEqual(s, { window: 500, hit: [1, 2, 1], miss: [-3, -3, -1] });
	assert.deepEqual(parseScores(printScores(s), 3), s);
	assert.deepEqual(scoreParams("500;1,2;-3", 2), {
		window: 500,
		hit: "1,2",
		miss: "-3,-3",
	});
	assert.deepEqual(scoreParams("", 2), {});
});
