import assert from "node:assert/strict";
import { test } from "node:test";
import { darkPalette, light } from "../src/draw/colours";
import { arrange, parseBox, parseList, printBox } from "../src/kinds/trace/model/boxes";
import {
	layLevel,
	layLevels,
	slotAt,
	slotBox,
} from "../src/kinds/trace/model/cacheLayout";
import { along, frequent, scaleOf, sumFrom } from "../src/kinds/trace/model/heat";
import { laySegments, xOfAddress } from "../src/kinds/trace/model/segments";
import { REGION_COLOURS, colourNumbers } from "../src/kinds/trace/model/regionColours";
import { cutMiddle, regionLabels } from "../src/kinds/trace/model/regionNames";
import { inBackground, usualRegions } from "../src/kinds/trace/model/usualRegions";
import { region } from "./region";

function overlap(
	a: { x: number; y: number; w: number; h: number },
	b: typeof a,
): boolean {
	return (
		a.x < b.x + b.w - 0.01 &&
		b.x < a.x + a.w - 0.01 &&
		a.y < b.y + b.h - 0.01 &&
		b.y < a.y + a.h - 0.01
	);
}

test("frames stand in the room and not over each other", () => {
	for (let n = 1; n <= 9; n++)
		for (const folded of [[], [0], [1, 2, 3]]) {
			const boxes = arrange(
				Array.from({ length: n }, (_, i) => folded.includes(i)),
				800,
				600,
			);
			boxes.forEach((a, i) => {
				assert.ok(a.x >= 0 && a.x + a.w <= 800.01 && a.y >= 0 && a.y + a.h <= 600.01);
				boxes.slice(i + 1).forEach((b) => assert.ok(!overlap(a, b), `${n} ${i}`));
			});
		}
});

test("a frame's place survives the address", () => {
	const box = parseBox(printBox({ x: 80, y: 60, w: 400, h: 300 }, 800, 600), 800, 600);

	assert.deepEqual(box, { x: 80, y: 60, w: 400, h: 300 });
	assert.equal(parseBox("1,2", 800, 600), null);
	const out = parseBox("5000,5000,100,100", 800, 600)!;
	assert.ok(out.x + out.w <= 800 && out.y + out.h <= 600, "it can be reached");
	assert.deepEqual(parseList("3,x,1"), [3, 1]);
});

const level = (sets: number, ways: number, group = 0, instances = 1) => ({
	name: "L1",
	instances,
	share: 1,
	sets,
	ways,
	line: 64,
	group,
	first: 0,
});

test("every line of a cache has a place of its own, and a point finds it", () => {
	for (const info of [
		level(2, 2),
		level(1, 8),
		level(64, 8),
		level(512, 4),
		level(8192, 16, 8),
		level(64, 8, 0, 4),
	]) {
		const p = layLevel(info, 0, { x: 10, y: 20, w: 600, h: 150 });
		const seen = new Set<string>();
		for (let i = 0; i < p.units * p.ways; i++) {
			const b = slotBox(p, i);
			assert.ok(!seen.has(`${b.x},${b.y}`));
			seen.add(`${b.x},${b.y}`);
			assert.equal(slotAt(p, b.x + b.w / 2, b.y + b.h / 2), i);
			assert.ok(b.x + b.w <= 610 && b.y >= 20, JSON.stringify(b));
		}
		assert.equal(slotAt(p, 0, 0), -1);
	}
});

test("levels stand below each other", () => {
	const l = layLevels([level(2, 2), level(64, 8), level(8192, 16, 8)], {
		x: 0,
		y: 0,
		w: 700,
		h: 250,
	});

	for (let i = 1; i < l.length; i++) assert.ok(l[i]!.y >= l[i - 1]!.y + l[i - 1]!.h);
	assert.ok(l[2]!.y + l[2]!.h <= 251);
});

test("a heat map is logarithmic where values range widely", () => {
	assert.deepEqual(scaleOf([[0, 2, 8]]), { low: 2, high: 8, log: false });
	const s = scaleOf([[1], [10000]]);
	assert.equal(s.log, true);
	assert.equal(along(s, 100), 0.5);
	assert.equal(scaleOf([[0]]).high, 0);
});

test("misses are what further levels served", () => {
	assert.deepEqual(Array.from(sumFrom([5, 2, 1, 7, 0, 0], 3, 1)), [3, 0]);
	assert.deepEqual(frequent([3, 9, 3, 4], 9, 2), [3, 4]);
});

test("segments keep their order, and an address its place in one", () => {
	const laid = laySegments(
		[
			{ low: 4096, high: 8192, name: "global", first: 0, rows: 1 },
			{ low: 1 << 30, high: (1 << 30) + (1 << 28), name: "heap", first: 1, rows: 4 },
		],
		10,
		500,
	);

	assert.ok(laid[0]!.w >= 60 && laid[1]!.w > laid[0]!.w);
	assert.ok(laid[1]!.x > laid[0]!.x + laid[0]!.w);
	assert.equal(xOfAddress(laid[0]!, 4096), laid[0]!.x);
	assert.equal(Math.round(laid[1]!.x + laid[1]!.w), 510);
});

test("what is shown at first is the user's data, not the libraries'", () => {
	const list = [
		region({ region: 1, kind: "mmap", extent: 64, references: 9000, own: 10 }),
		region({ region: 2, kind: "stack", extent: 0, references: 8000, own: 8000 }),
		region({ region: 3, extent: 64, references: 300, own: 300 }),
		region({ region: 4, extent: 64, references: 500, own: 500 }),
		region({ region: 5, extent: 64, references: 700, own: 9 }),
		region({ region: 6, kind: "heap", elem: 0, extent: 64, references: 40, own: 40 }),
	];

	assert.deepEqual(usualRegions(list), [4, 3]);
	assert.deepEqual(usualRegions(list.slice(0, 2)), [1]);
	assert.deepEqual(usualRegions([]), []);
});

test("what the program waits for comes first, and the top finding's region before it", () => {
	const list = [
		region({ region: 1, extent: 64, references: 1000, own: 1000 }),
		region({ region: 2, extent: 64, references: 10, own: 10 }),
		region({ region: 3, kind: "heap", elem: 0, extent: 64, references: 5, own: 5 }),
	];
	const waiting = new Map([
		[1, 100],
		[2, 900],
		[3, 50],
	]);

	assert.deepEqual(usualRegions(list, { waiting, first: -1 }), [2, 1]);
	// A region without a type is shown if the top finding is about it, however small.
	assert.deepEqual(usualRegions(list, { waiting, first: 3 }), [3, 2, 1]);
});

test("loader, libraries and stacks are in the background unless they are waited for", () => {
	const weight = (cycles: number) => ({
		waiting: new Map([
			[1, 1000],
			[2, cycles],
		]),
		first: -1,
	});
	const lib = region({ region: 2, kind: "section", name: ".data of libc.so.6" });

	assert.ok(inBackground(lib, weight(10)));
	assert.ok(!inBackground(lib, weight(1000)));
	assert.ok(!inBackground(lib, { ...weight(10), first: 2 }));
	assert.ok(inBackground(region({ region: 2, kind: "stack", file: "" }), weight(0)));
	assert.ok(inBackground(region({ region: 2, kind: "mmap", own: 0 }), weight(0)));
	assert.ok(!inBackground(region({ region: 2, kind: "heap" }), weight(0)));
	assert.ok(
		!inBackground(region({ region: 2, kind: "section", name: ".bss of xz" }), weight(0)),
	);
});

test("regions of one name are told apart by size, and by order where that is the same", () => {
	const block = (n: number, extent: number, first: number) =>
		region({ region: n, name: "xz+0x5230", extent, first });
	const labels = regionLabels([
		block(1, 4096, 30),
		block(2, 1024, 0),
		block(3, 4096, 10),
		region({ region: 4, name: "A", extent: 4096 }),
	]);

	assert.deepEqual(
		[1, 2, 3, 4].map((n) => labels.get(n)),
		["xz+0x5230 4 KiB #2", "xz+0x5230 1 KiB", "xz+0x5230 4 KiB #1", "A"],
	);
});

test("a long name is cut in the middle and keeps both ends", () => {
	const width = (t: string) => t.length;

	assert.equal(cutMiddle("abcdefgh", 8, width), "abcdefgh");
	assert.equal(cutMiddle("abcdefgh", 5, width), "ab…gh");
	assert.equal(cutMiddle("abcdefgh", 1, width), "…");
});

test("the first regions that matter never share a colour, and others keep theirs", () => {
	const list = [...Array(30).keys()];
	const plain = colourNumbers(list, [], 12);
	const colours = colourNumbers(list, [2, 14, 26, 3, 15], 12);

	for (let i = 0; i < 12; i++) assert.equal(plain.get(i), i);
	// 2, 14 and 26 would all have colour 2, 3 and 15 colour 3
	assert.deepEqual(
		[2, 14, 26, 3, 15].map((r) => colours.get(r)),
		[2, 3, 4, 5, 6],
	);
	assert.equal(colours.get(0), 0);
	assert.equal(colours.size, 30);
	assert.ok([...colours.values()].every((c) => c >= 0 && c < 12));
	assert.equal(colourNumbers(list, [99], 12).has(99), false);
	for (const p of [light, darkPalette]) {
		assert.equal(p.regions.length, REGION_COLOURS);
		assert.equal(new Set(p.regions).size, REGION_COLOURS);
	}
});

test("of a stripped program the regions that its code uses are shown, not the loader's", () => {
	const stripped = { file: "", size: 4096, blocks: 1 };
	const mine = region({ ...stripped, region: 1, kind: "heap", references: 9, own: 9 });
	const loader = region({ ...stripped, region: 2, references: 8, own: 3 });

	assert.deepEqual(usualRegions([loader, mine]), [1]);
	assert.deepEqual(usualRegions([loader]), [2]);
});
