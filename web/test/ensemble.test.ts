import assert from "node:assert/strict";
import { test } from "node:test";
import { trace } from "../src/draw/curve";
import { Svg } from "../src/draw/svg";
import {
	alone,
	curveParams,
	endOf,
	isShown,
	parseFocus,
	parseHidden,
	parseWeights,
	placeOfWindow,
	positionOf,
	printFocus,
	toggled,
	windowAt,
	within,
	type Curves,
	type CurveQuery,
	type Ensemble,
	type Matching,
	type Member,
} from "../src/kinds/ensemble/model/ensemble";
import {
	curvesCsv,
	plotJson,
	rankingCsv,
	sharedCacheCsv,
} from "../src/kinds/ensemble/model/files";
import { spreadLabels, valueAt } from "../src/kinds/ensemble/model/graph";
import { cellAt, cellTime, density, nearest, points } from "../src/model/cells";

/** Sizes 4K, 8K and policies lru, fifo; cycles go by the size alone. */
function small(): Ensemble {
	const member = (n: number, size: string, policy: string, cycles: number): Member => ({
		member: n,
		label: `${size} ${policy}`,
		trace: 0,
		machine: `L1 ${size} ${policy}`,
		values: [size, policy],
		numbers: [Number.parseInt(size) * 1024, null],
		levels: [
			{ name: "L1", cycles: 4 },
			{ name: "memory", cycles: 100 },
		],
		done: true,
		served: [1, 1],
		cycles,
	});

	return {
		ensemble: 0,
		path: "/x.mle",
		name: "x.mle",
		levels: 1,
		traces: [
			{
				trace: 0,
				label: "a",
				path: "a",
				references: 1000,
				width: 10,
				bins: 100,
				open: 0,
				milestones: [],
			},
			{
				trace: 1,
				label: "b",
				path: "b",
				references: 400,
				width: 4,
				bins: 100,
				open: null,
				milestones: [],
			},
		],
		plots: [],
		measures: [],
		times: ["raw", "normalised", "matched"],
		parameters: [
			{
				name: "L1 size",
				numeric: true,
				size: true,
				effect: 0,
				colours: [],
				values: ["4K", "8K"],
			},
			{
				name: "policy",
				numeric: false,
				size: false,
				effect: 0,
				colours: [],
				values: ["lru", "fifo"],
			},
		],
		usual: { x: "L1 size", y: null, colour: "L1 size", facet: null },
		members: [
			member(0, "4K", "lru", 10),
			member(1, "4K", "fifo", 10),
			member(2, "8K", "lru", 6),
			member(3, "8K", "fifo", 6),
		],
	};
}

const answer = (mean: number[][]): Curves => {
	const cells = mean[0]!.length;
	const all = new Float32Array(mean.flat());

	return {
		from: 0,
		to: 100,
		end: 100,
		cells,
		unit: "cycles",
		members: mean.map((_, i) => i),
		mean: all,
		deviation: new Float32Array(all.length),
		average: new Float32Array(cells),
		spread: new Float32Array(cells),
	};
};

const query: CurveQuery = {
	measure: "time",
	level: null,
	weights: [4, 100],
	window: 16,
	time: "raw",
	match: "",
	base: 0,
	volume: true,
	against: null,
};

test("a flat line covers its thickness and nothing else; a gap is left clear", () => {
	const words = new Uint32Array(10 * 10);
	const alpha = (x: number, y: number) => words[y * 10 + x]! >>> 24;

	trace([0, 5, 4, 5, 5, NaN, 6, 5, 10, 5], 0xff0000, 2, 1, 1, words, 10, 10);
	assert.deepEqual(
		[alpha(1, 3), alpha(1, 4), alpha(1, 5), alpha(1, 6)],
		[0, 255, 255, 0],
	);
	assert.equal(words[4 * 10 + 1]! & 0xffffff, 0x0000ff, "red, as words have it");
	assert.equal(alpha(5, 5), 0);
	assert.equal(alpha(8, 5), 255);
});

test("a steep line is connected from one column to the next", () => {
	const words = new Uint32Array(20 * 20);

	trace([0, 2, 10, 2, 10.5, 17, 20, 17], 0, 1, 1, 1, words, 20, 20);
	for (let y = 3; y < 17; y++) assert.ok(words[y * 20 + 10]! >>> 24 > 100, `row ${y}`);
});

test("half a line over half a line is darker than one", () => {
	const words = new Uint32Array(4 * 4);

	trace([0, 2, 4, 2], 0, 2, 0.5, 1, words, 4, 4);
	const once = words[1 * 4 + 1]! >>> 24;
	trace([0, 2, 4, 2], 0, 2, 0.5, 1, words, 4, 4);
	assert.equal(once, 128);
	assert.ok(words[1 * 4 + 1]! >>> 24 > 185);
});

test("a gap of a curve begins a new line in SVG", () => {
	const d = new Svg(10, 10);

	d.curve([0, 1, 1, 2, 2, NaN, 3, 4, 4, 5], 0x00ff00, 2);
	assert.match(d.finish(0), /d="M0 1L1 2M3 4L4 5" fill="none" stroke="#00ff00"/);
});

test("values are hidden and shown again; what hides all shows all", () => {
	const e = small();
	const no4 = toggled(e, {}, "L1 size", "4K");
	const shown = (h: ReturnType<typeof toggled>) =>
		e.members.filter((m) => isShown(e, m, h)).map((m) => m.member);

	assert.deepEqual(shown(no4), [2, 3]);
	assert.deepEqual(toggled(e, no4, "L1 size", "4K"), {});
	assert.deepEqual(shown(toggled(e, no4, "L1 size", "8K")), [0, 1, 2, 3]);
	assert.deepEqual(shown(alone(e, no4, "policy", "fifo")), [3]);
	assert.deepEqual(alone(e, alone(e, {}, "policy", "fifo"), "policy", "fifo"), {});
	assert.deepEqual(parseHidden("nonsense"), {});
	assert.deepEqual(parseHidden(JSON.stringify(no4)), no4);
});

test("matched time goes evenly from milestone to milestone", () => {
	const e = small();
	const m: Matching = {
		how: "matched",
		base: 0,
		end: 1000,
		knots: [
			[0, 0],
			[500, 100],
			[1000, 400],
		],
		names: ["start", "mark x", "end"],
		shown: 3,
		count: 3,
		unequal: [],
	};

	assert.equal(endOf(e, "matched", 1), 400);
	assert.equal(endOf(e, "raw", 0), 1000);
	assert.equal(positionOf(e, "matched", m, 1, 250), 50);
	assert.equal(positionOf(e, "matched", m, 1, 750), 250);
	assert.equal(positionOf(e, "matched", m, 0, 750), 750);
	assert.equal(positionOf(e, "normalised", null, 1, 0.5), 200);
	assert.equal(positionOf(e, "raw", null, 1, 700), 400, "it has ended");
});

test("the nearest curve is found, also on a steep part of it", () => {
	const c = answer([
		[10, 10, 10, 10],
		[0, 0, 20, 20],
	]);
	const w = { from: 0, to: 100 };
	const r = { low: 0, high: 20 };
	const box = { x: 0, y: 0, w: 100, h: 100 };
	const at = (x: number, y: number) => nearest(c.mean, [0, 1], c, w, r, box, x, y)!.row;

	assert.equal(at(12, 52), 0);
	assert.equal(at(12, 98), 1);
	assert.equal(at(50, 80), 1, "half way up");
	assert.equal(at(88, 3), 1);
	assert.equal(valueAt(c, c.mean, 1, 60), 20);
	assert.ok(Number.isNaN(valueAt(c, c.mean, 7, 60)));
	assert.equal(cellAt(c, cellTime(c, 2)), 2);
	assert.deepEqual(
		[...points(c.mean, 0, c, w, r, box)].slice(0, 4),
		[12.5, 50, 37.5, 50],
	);
});

test("labels stand apart, in order, within their room", () => {
	assert.deepEqual(spreadLabels([10, 12, 50], 10, 0, 100), [10, 20, 50]);
	assert.deepEqual(spreadLabels([98, 99], 10, 0, 100), [90, 100]);
});

test("envelopes are counted where they overlap", () => {
	// Two ways, one cell: [0, 2] and [1, 3], in four rows of one.
	const n = density(
		new Float32Array([0, 1]),
		new Float32Array([2, 3]),
		0,
		2,
		1,
		{ low: 0, high: 4 },
		4,
	);

	assert.deepEqual([...n], [0, 1, 2, 1], "from the top");
});

test("windows survive the address and stay within the run", () => {
	const w = { from: 12.5, to: 800 };

	assert.deepEqual(parseFocus(printFocus(w, 1000), 1000), w);
	assert.deepEqual(parseFocus(printFocus({ from: 0.25, to: 0.5 }, 1), 1), {
		from: 0.25,
		to: 0.5,
	});
	assert.equal(parseFocus("9~3", 10), null);
	assert.equal(within({ from: -5, to: 2000 }, 1000, 1), null);
	assert.deepEqual(within({ from: 990, to: 1010 }, 1000, 1), { from: 980, to: 1000 });
});

test("the slider of the moving average is one of logarithms", () => {
	assert.equal(windowAt(0, 32, 32768), 0);
	assert.equal(windowAt(0.5, 32, 32768), 1024);
	assert.equal(placeOfWindow(1024, 32, 32768), 0.5);
});

test("questions carry what they depend on and nothing else", () => {
	assert.deepEqual(
		Object.entries(curveParams(query)).filter(([, v]) => v !== undefined),
		[
			["measure", "time"],
			["weights", "4,100"],
			["window", 16],
			["time", "raw"],
		],
	);
	const miss = curveParams({
		...query,
		measure: "miss",
		level: 2,
		time: "matched",
		against: 3,
	});
	assert.deepEqual(
		[miss["level"], miss["weights"], miss["base"], miss["volume"], miss["against"]],
		[2, undefined, 0, 1, 3],
	);
	// One bin is asked for as a width of 1; without a width the server chooses.
	assert.equal(curveParams({ ...query, window: 0 })["window"], 1);
	assert.equal(curveParams({ ...query, window: null })["window"], undefined);
	assert.deepEqual(parseWeights("4, 14,200"), [4, 14, 200]);
	assert.equal(parseWeights("4,x"), null);
	assert.equal(parseWeights(""), null);
});

test("files have the numbers of the picture", () => {
	const e = small();
	const c = answer([
		[1.5, 2],
		[NaN, 3],
	]);

	e.members[1]!.label = 'a "b", c';
	assert.equal(
		curvesCsv(e, c),
		'time,4K lru,"a ""b"", c",average,spread\n25,1.5,,0,0\n75,2,3,0,0\n',
	);
	const rows = [{ member: 2, value: 6, references: 1000 }];
	assert.equal(
		rankingCsv(e, { unit: "cycles", from: 0, to: 1, rows }, null),
		"member,label,L1 size,policy,value,run,references\n2,8K lru,8K,lru,6,,1000\n",
	);
	const shared = {
		from: 0,
		to: 100,
		end: 100,
		cells: 1,
		unit: "cycles",
		ways: 1,
		threads: 2,
		total: 12288,
		shift: 0,
		mean: new Float32Array([8]),
		member: new Uint32Array([0, 2]),
		starved: new Uint32Array([1]),
		value: new Float32Array([8]),
	};
	assert.equal(
		sharedCacheCsv(e, shared),
		"thread 1,thread 2,starved,value\n4K lru,8K lru,1,8\n",
	);
	const j = JSON.parse(
		plotJson(e, "curves", query, {
			curves: c,
			window: null,
			run: null,
			workingSet: null,
			shared,
		}),
	);
	assert.deepEqual(j.curves.members[1].mean, [null, 3]);
	assert.deepEqual(j.shared.ways[0].members, ["4K lru", "8K lru"]);
});
