// The models of samples: texts of selections, axes and their lines, the hardware as a tree,
// two sets joined.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
	binAt,
	binText,
	binY,
	moved,
	position,
	strengths,
	strokes,
	thirds,
	usualAxes,
} from "../src/kinds/samples/model/axes";
import { join, loadChange, verdict } from "../src/kinds/samples/model/compare";
import {
	brushed,
	combine,
	conjuncts,
	equals,
	invert,
	rangeText,
	subject,
	tidy,
	without,
} from "../src/kinds/samples/model/selection";
import type { Links, SampleColumn, SamplesInfo } from "../src/kinds/samples/model/table";
import {
	fitRing,
	layOut,
	nodeInRing,
	ringRadii,
	roomInArc,
	scaled,
} from "../src/kinds/samples/model/tree";

const column = (more: Partial<SampleColumn>): SampleColumn => ({
	column: "latency",
	type: "unsigned",
	role: null,
	min: "0",
	max: "99",
	names: null,
	missing: 0,
	bytes: 1,
	...more,
});
const latency = column({});
const names = column({
	column: "variable",
	type: "names",
	min: null,
	max: null,
	names: 3,
});

test("ranges of bins are texts with exact bounds", () => {
	const edges = ["0", "25", "50", "75", "99"];

	assert.equal(rangeText(latency, edges, 1, 2), "latency 25..74");
	assert.equal(rangeText(latency, edges, 3, 3), "latency 75..99");
	assert.equal(rangeText(latency, ["0", "1", "2", "2"], 1, 1), "latency = 1");
	assert.equal(rangeText(latency, edges, 4, 4), "not latency 0..99");
	const high = column({ column: "addr", type: "hexadecimal" });
	assert.equal(
		rangeText(
			high,
			["0xffffffff81000000", "0xffffffff81000010", "0xffffffff81000020"],
			0,
			0,
		),
		"addr 0xffffffff81000000..0xffffffff8100000f",
	);
	const real = column({ type: "real", min: "0", max: "1" });
	assert.equal(rangeText(real, ["0", "0.5", "1"], 0, 0), "latency < 0.5");
	assert.equal(
		rangeText(real, ["0", "0.25", "0.5", "1"], 1, 1),
		"latency >= 0.25 and latency < 0.5",
	);
});

test("names are ranges of numbers, or the name", () => {
	assert.equal(rangeText(names, ["x", "y", "a b", "a b"], 2, 2), 'variable = "a b"');
	assert.equal(rangeText(names, ["x", "y", "z", "z"], 0, 1), "variable #0..#1");
	// 10 names in 5 bins: two a bin
	const many = { ...names, names: 10 };
	assert.equal(rangeText(many, ["a", "c", "e", "g", "i", "i"], 1, 2), "variable #2..#5");
});

test("to narrow replaces a range of the same axis, and takes back what is there", () => {
	assert.equal(combine("", "cpu = 1", "narrow"), "cpu = 1");
	assert.equal(combine("cpu = 1", "latency 1..5", "narrow"), "cpu = 1 and latency 1..5");
	assert.equal(
		combine("cpu = 1 and latency 1..5", "cpu = 2", "narrow"),
		"latency 1..5 and cpu = 2",
	);
	assert.equal(combine("cpu = 1 and latency 1..5", "cpu = 1", "narrow"), "latency 1..5");
	assert.equal(
		combine("file = a.c and line = 3", "file = b.c and line = 7", "narrow"),
		"file = b.c and line = 7",
	);
	assert.equal(
		combine("level = L2 or level = L3", "cpu = 1", "narrow"),
		"(level = L2 or level = L3) and cpu = 1",
	);
});

test("other modes are set operations", () => {
	assert.equal(combine("cpu = 1", "cpu = 2", "new"), "cpu = 2");
	assert.equal(combine("cpu = 1", "cpu = 2", "add"), "(cpu = 1) or (cpu = 2)");
	assert.equal(combine("cpu = 1", "cpu = 2", "xor"), "(cpu = 1) xor (cpu = 2)");
	assert.equal(combine("", "cpu = 2", "xor"), "not (cpu = 2)");
	assert.equal(invert("cpu = 1"), "not (cpu = 1)");
	assert.equal(invert("not (cpu = 1)"), "cpu = 1");
	// the parentheses of this one do not belong together
	assert.equal(invert("not (a = 1) or (b = 2)"), "not (not (a = 1) or (b = 2))");
});

test("texts are taken apart by and, outside of quotes and parentheses", () => {
	assert.deepEqual(conjuncts('a = "x and y" and (b = 1 or c = 2) and not d 1..2'), [
		'a = "x and y"',
		"(b = 1 or c = 2)",
		"not d 1..2",
	]);
	assert.deepEqual(conjuncts("a = 1 or b = 2 and c = 3"), ["a = 1 or b = 2 and c = 3"]);
	assert.equal(subject('"data src" = 3'), "data src");
	assert.equal(subject("not time 1..2"), "time");
	assert.equal(subject("(b = 1 or c = 2)"), "");
	assert.equal(without("a = 1 and b = 2", "a = 1"), "b = 2");
	assert.equal(tidy('"cpu" = 3 and "and" = "L3 #0"'), 'cpu = 3 and "and" = "L3 #0"');
	assert.equal(equals("variable", "m_x"), "variable = m_x");
});

test("the brush of an axis is read back from the text", () => {
	const edges = ["0", "25", "50", "75", "99"];

	assert.deepEqual(brushed("cpu = 1 and latency 25..74", latency, edges), [1, 2]);
	assert.deepEqual(brushed("latency >= 50", latency, edges), [2, 3]);
	assert.equal(brushed("cpu = 1", latency, edges), null);
	assert.deepEqual(brushed("variable #0..#1", names, ["x", "y", "z", "z"]), [0, 1]);
	assert.deepEqual(brushed("variable = y", names, ["x", "y", "z", "z"]), [1, 1]);
});

const links: Links = {
	count: Float64Array.of(1, 2, 8),
	left: Uint16Array.of(0, 1, 1),
	right: Uint16Array.of(0, 0, 1),
};

test("lines are as strong as their mode says", () => {
	assert.deepEqual([...strengths(links, "all")], [1 / 8, 2 / 8, 1]);
	assert.deepEqual([...strengths(links, "left")], [1, 2 / 8, 1]);
	assert.deepEqual([...strengths(links, "right")], [1 / 2, 1, 1]);
	// a pre-selection on the scale of all
	const part = {
		count: Float64Array.of(4),
		left: Uint16Array.of(1),
		right: Uint16Array.of(1),
	};
	assert.deepEqual([...strengths(part, "all", links)], [0.5]);
	assert.deepEqual([...strengths(part, "all")], [1]);
});

test("the strongest lines are drawn last, and the most frequent are widest", () => {
	const f = { left: 0, right: 100, top: 0, bottom: 100 };
	const list = strokes(links, strengths(links, "all"), 11, 10, 90, f, [2, 2]);

	assert.deepEqual([...list.at(-1)!.ends], [10, 25, 90, 25]); // bin 1 of 2 is the upper half
	assert.ok(list.at(-1)!.shade > list[0]!.shade);
	assert.ok(list.at(-1)!.width > list[0]!.width);
	assert.equal(
		list.reduce((n, s) => n + s.ends.length / 4, 0),
		3,
	);
});

test("bins and places belong together", () => {
	const f = { left: 0, right: 100, top: 0, bottom: 100 };

	for (let b = 0; b <= 10; b++) assert.equal(binAt(f, binY(f, b, 10), 10), b);
	assert.deepEqual(moved(["a", "b", "c"], 0, 2), ["b", "c", "a"]);
	assert.equal(binText(latency, ["0", "25", "99"], 0), "0 to 24");
	assert.equal(binText(latency, ["0", "1", "1"], 1), "1");
	assert.equal(binText(latency, ["0", "1", "1"], 2), "no value");
	const time = column({ type: "hexadecimal" });
	// bins of 8 from ...00 and of 9 from ...08 on
	const edges = ["0xffffffffffffff00", "0xffffffffffffff08", "0xffffffffffffff10"];
	assert.equal(position(time, "0xffffffffffffff04", edges), 0.25);
	assert.equal(position(time, "0xffffffffffffff08", edges), 0.5);
	// growing bins are equally wide on the axis
	assert.equal(position(latency, "4", ["0", "1", "3", "7", "7"]), 2.25 / 4);
});

test("thirds of latencies", () => {
	// 3 of 0..9, 3 of 10..19, 3 of 20..29
	assert.deepEqual(thirds([3, 3, 3, 0], ["0", "10", "20", "29"]), [9, 19]);
});

test("axes to begin with have roles first and more than one value", () => {
	const info = {
		columns: [
			column({ column: "flag", max: "1" }),
			column({ column: "latency", role: "latency" }),
			column({ column: "iter" }),
			column({ column: "line", role: "line" }),
			column({ column: "cpu", role: "cpu" }),
		],
		single: [4],
	} as unknown as SamplesInfo;

	assert.deepEqual(usualAxes(info), [3, 1, 2]);
});

const node = (parent: number, tier: number, label: string) => ({
	parent,
	tier,
	label,
	size: 0,
	select: `resource = "${label}"`,
});
// a machine of two packages, the first with two CPUs
const tree = layOut("m", [
	node(0, 0, "machine"),
	node(0, 1, "P0"),
	node(1, 2, "CPU 0"),
	node(1, 2, "CPU 1"),
	node(0, 1, "P1"),
	node(4, 2, "CPU 2"),
]);

test("CPUs share the circle equally, resources cover theirs", () => {
	assert.deepEqual(tree.depth, [0, 1, 2, 2, 1, 2]);
	const third = (x: number) => Math.round(x * 3);
	assert.deepEqual(tree.from.map(third), [0, 0, 0, 1, 2, 2]);
	assert.deepEqual(tree.to.map(third), [3, 2, 1, 2, 3, 3]);
	const ring = fitRing(0, 0, 200, 200, tree.depths);
	const [r0, r1] = ringRadii(ring, 2);
	const angle = (2 * Math.PI) / 2; // half a turn: the second third
	const r = (r0 + r1) / 2;
	assert.equal(
		nodeInRing(tree, ring, 100 + r * Math.sin(angle), 100 - r * Math.cos(angle)),
		3,
	);
	assert.equal(nodeInRing(tree, ring, 100, 100), 0);
	assert.equal(nodeInRing(tree, ring, 0, 0), -1);
});

test("loads are scaled within their tier, and empty resources stand apart", () => {
	const values = [9, 5, 2, 3, 4, 4];

	assert.deepEqual([...scaled(tree, values, [9, 5, 2, 3, 4, 0])], [1, 1, 0, 1, 0, -1]);
});

test("two sets are joined by name, the largest change first", () => {
	const sum = (cycles: number) => ({ samples: 1, timed: 1, cycles });
	const rows = join(
		[
			["a", sum(10)],
			["b", sum(50)],
		],
		[
			["b", sum(20)],
			["c", sum(5)],
		],
		"cycles",
	);

	assert.deepEqual(
		rows.map((r) => [r.name, r.change]),
		[
			["b", -30],
			["a", -10],
			["c", 5],
		],
	);
	// all on CPU 0 before, half on CPU 1 after
	const change = loadChange(tree, [4, 4, 4, 0, 0, 0], tree, [8, 8, 4, 4, 0, 0]);
	assert.deepEqual(change.slice(1), [0, -0.5, 0.5, null, null]);
});

test("what disagrees is said in words", () => {
	const row = {
		name: "x",
		samples: 10,
		cycles: 1,
		mean: 1,
		beyondL1: 0,
		references: 10,
		simCycles: 1,
		simMean: 1,
		simBeyondL1: 0,
	};

	assert.equal(verdict({ ...row, share: 0.5, simShare: 0.49 }), "agree");
	assert.equal(verdict({ ...row, share: 0.5, simShare: 0.2 }), "slower than simulated");
	assert.equal(verdict({ ...row, share: 0.1, simShare: 0.4 }), "faster than simulated");
	assert.equal(
		verdict({ ...row, samples: 0, share: 0, simShare: 0.4 }),
		"simulated only",
	);
	assert.equal(
		verdict({ ...row, references: 0, share: 0.3, simShare: 0 }),
		"sampled only",
	);
});

test("a text in a small ring has only the room of the chord", () => {
	// The ring of a machine's only package: radii 20 and 34, text at the foot.
	const small = roomInArc(20, 34, 0, 2 * Math.PI);

	assert.equal(Math.round(small.w), Math.round(2 * Math.sqrt(34 ** 2 - 32 ** 2))); // 23
	assert.equal(small.h, 14);
	assert.equal(roomInArc(200, 230, 0, 2 * Math.PI).w, 90); // there is room for any
});
