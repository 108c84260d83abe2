// The page's painter of figures: domains become pixels, roles become colours.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as colours from "../src/draw/colours";
import { drawFigure, drawLegend } from "../src/draw/figure";
import { dashed } from "../src/draw/figureMarks";
import { heatColour, readRoles, roleColour } from "../src/draw/roles";
import { Svg } from "../src/draw/svg";
import {
	NO_MEMBER,
	shareOn,
	type Figure,
	type FigureAxis,
	type FigureMark,
	type FigurePanel,
} from "../src/model/figure";
import { roleTables } from "./roleTables";

const light = { ...colours.light, roles: readRoles(roleTables.light) };
const darkPalette = { ...colours.darkPalette, roles: readRoles(roleTables.dark) };

const axis = (
	id: FigureAxis["id"],
	scale: FigureAxis["scale"],
	low: number,
	high: number,
	ticks: [number, string][],
): FigureAxis => ({
	id,
	label: `label of ${id}`,
	unit: "",
	scale,
	domain: [low, high],
	ticks: ticks.map(([at, text]) => ({ at, text })),
});

const mark = (m: Partial<FigureMark>): FigureMark => ({
	type: "line",
	rows: [0, 1],
	colour: { role: "word", index: 1 },
	width: 2,
	opacity: 1,
	dash: [],
	...m,
});

function panel(axes: FigureAxis[], marks: FigureMark[]): FigurePanel {
	return { share: 1, rows: 0, axes, marks, moments: [] };
}

function figure(panels: FigurePanel[], more: Partial<Figure> = {}): Figure {
	return {
		title: "title",
		note: "note",
		from: 0,
		to: 8,
		cells: 4,
		members: [],
		across: 0,
		panels,
		legend: [],
		texts: [],
		column: {},
		...more,
	};
}

function lines(): Figure {
	return figure(
		[
			panel(
				[
					axis("x", "log", 1, 16, [
						[1, "one"],
						[4, "four"],
						[16, "sixteen"],
					]),
					axis("y", "linear", 0, 10, [
						[0, "zero"],
						[5, "five"],
					]),
				],
				[
					mark({ rows: [0, 3] }),
					mark({
						type: "point",
						rows: [0, 3],
						colour: { role: "number", index: 1, of: 3 },
						width: 3,
					}),
				],
			),
		],
		{
			legend: [
				{
					title: "kind",
					keys: [{ text: "solid", colour: { role: "word", index: 1 }, dash: [] }],
				},
			],
			texts: ["10", "5", "–"],
			column: {
				x: Float64Array.of(1, 4, 16),
				x_end: new Float64Array(3),
				y: Float64Array.of(10, 5, NaN),
				value: new Float64Array(3).fill(NaN),
				member: Uint32Array.of(7, 8, 9),
			},
		},
	);
}

// The label of y takes 22 pixels above the frame, marks and label of x take 36 below it.
const box = { x: 100, y: 28, w: 200, h: 158 };
const nobody = { pinned: [] };

test("points stand where domain and scale put them, and gaps are left out", () => {
	const d = new Svg(400, 200);
	const { frames, spots } = drawFigure(d, light, lines(), box, nobody);

	assert.deepEqual(
		[frames[0]!.x, frames[0]!.y, frames[0]!.w, frames[0]!.h],
		[100, 50, 200, 100],
	);
	assert.deepEqual(spots, [
		{ x: 100, y: 50, w: 0, h: 0, member: 7 },
		{ x: 200, y: 100, w: 0, h: 0, member: 8 }, // 4 is half of the way from 1 to 16
	]);
	const svg = d.finish(0);
	for (const text of [
		"one",
		"four",
		"sixteen",
		"zero",
		"five",
		"label of x",
		"label of y",
	])
		assert.match(svg, new RegExp(`>${text}<`));
	assert.match(svg, /d="M100 50L200 100"[^>]*stroke="#0b0000" stroke-width="2"/);
	assert.match(svg, /fill="#640000"/);
});

test("cells have the colours of their values, and means belong to no member", () => {
	const axes = [
		axis("x", "band", -0.5, 1.5, [
			[0, "a"],
			[1, "b"],
		]),
		axis("y", "band", -0.5, 0.5, [[0, ""]]),
		axis("colour", "linear", 0, 10, [[10, "much"]]),
	];
	const marks = [mark({ type: "cells", rows: [0, 2], colour: { role: "heat" } })];
	const f = figure([panel(axes, marks)], {
		texts: ["5", "10"],
		column: {
			x: Float64Array.of(-0.5, 0.5),
			x_end: Float64Array.of(0.5, 1.5),
			y: Float64Array.of(0, 0),
			value: Float64Array.of(5, 10),
			member: Uint32Array.of(3, NO_MEMBER),
		},
	});
	const d = new Svg(500, 200);

	assert.deepEqual(drawFigure(d, light, f, box, nobody).spots, [
		{ x: 100, y: 50, w: 99, h: 99, member: 3 },
	]);
	assert.equal(heatColour(light, shareOn(axes[2]!, 5)), 50);
	const svg = d.finish(0);
	assert.match(svg, /fill="#000032"/);
	assert.match(svg, />much</);
});

const time = axis("x", "linear", 0, 8, [[0, "0"]]);
const values = axis("y", "linear", 0, 10, [[0, "zero"]]);

function curves(): Figure {
	const one = mark({ type: "curve", of: ["mean"], member: 5, title: "five" });

	return figure(
		[
			panel(
				[time, values],
				[
					mark({ type: "bands", of: ["low", "high"], member: 5, opacity: 0.2 }),
					one,
					{ ...one, rows: [1, 1], member: 6, colour: { role: "word", index: 0 } },
				],
			),
		],
		{
			column: {
				mean: Float32Array.of(0, 10, NaN, 5, 5, 5, 5, 5),
				low: Float32Array.of(0, 5, NaN, 5),
				high: Float32Array.of(10, 10, NaN, 5),
			},
		},
	);
}

test("a curve has a point in the middle of each cell; selected ones stand out", () => {
	// Cells of 50 pixels; 0 to 10 are the 100 pixels from 150 up to 50.
	const d = new Svg(400, 200);
	const bold = new Svg(400, 200);

	drawFigure(d, light, curves(), box, nobody);
	assert.match(d.finish(0), /d="M125 150L175 50M275 100"[^>]*stroke="#0b0000"/);
	assert.match(d.finish(0), /d="M125 50L175 50L275 100[^"]*"[^>]*fill="#0b0000"/);
	drawFigure(bold, light, curves(), box, { pinned: [6] });
	const svg = bold.finish(0);
	assert.match(svg, /stroke="#0b0000" stroke-width="2"[^>]*opacity="0.22"/);
	assert.match(svg, /stroke="#0a0000" stroke-width="2.8"/);
	assert.doesNotMatch(svg, /fill="#0b0000"/, "envelopes of others step back");
});

test("another window shows the same curve elsewhere", () => {
	const d = new Svg(400, 200);

	// Half of the time in the same width: the first cell is 100 pixels wide.
	drawFigure(d, light, curves(), box, nobody, { from: 0, to: 4 });
	assert.match(d.finish(0), /d="M150 150L250 50/);
});

test("panels share the height; rows of circles and axes have theirs", () => {
	const bare = (a: FigureAxis): FigureAxis => ({ ...a, label: "", ticks: [] });
	const traces = axis("y", "band", -0.5, 1.5, [
		[0, "b"],
		[1, "a"],
	]);
	const area = axis("area", "linear", 0, 16, []);
	const rows = [bare(time), { ...traces, label: "" }, area];
	const f = figure(
		[
			{ ...curves().panels[0]!, moments: [{ at: 4, text: "half" }] },
			{
				...panel(rows, [mark({ type: "circles", rows: [0, 2] })]),
				share: 0,
				rows: 2,
			},
		],
		{
			texts: ["16 references", "4 references"],
			column: {
				...curves().column,
				x: Float64Array.of(0, 4),
				x_end: Float64Array.of(4, 8),
				y: Float64Array.of(1, 0),
				value: Float64Array.of(16, 4),
				member: new Uint32Array(2),
			},
		},
	);
	const d = new Svg(400, 300);
	const { frames, discs } = drawFigure(d, light, f, { ...box, h: 216 }, nobody);

	// 216 less 22 for the label, 14 for names, 36 for the axis and 2 rows of 22.
	assert.deepEqual(
		frames.map((x) => [x.y, x.h]),
		[
			[64, 100],
			[200, 44],
		],
	);
	// A quarter of the area has half of the radius, 22 / 2 - 1.
	assert.deepEqual(
		discs.map((x) => [x.x, x.y, x.r, x.axis]),
		[
			[150, 211, 10, "a"],
			[250, 233, 5, "b"],
		],
	);
	const svg = d.finish(0);
	assert.match(svg, /d="M200.5 64L200.5 164"/);
	assert.match(svg, />half</);
});

test("small charts share the axes of the first; numbers stand at the edges", () => {
	const one = curves().panels[0]!;
	const f = {
		...curves(),
		across: 2,
		panels: [
			{ ...one, title: "first" },
			{ ...one, axes: [], title: "second" },
			{ ...one, axes: [], title: "third" },
		],
	};
	const d = new Svg(400, 300);
	const { frames } = drawFigure(d, light, f, { ...box, h: 258 }, nobody);
	const svg = d.finish(0);

	assert.deepEqual(
		frames.map((x) => [x.x, x.y]),
		[
			[100, 66],
			[200, 66],
			[100, 166],
		],
	);
	assert.equal(svg.match(/>zero</g)?.length, 2, "two rows");
	assert.equal(svg.match(/>0</g)?.length, 2, "two columns");
	assert.match(svg, />third</);
});

test("steps leave out cells without a value", () => {
	const axes = [time, axis("y", "log", 1, 100, [[10, "ten"]])];
	const f = figure([panel(axes, [mark({ type: "steps", of: ["v"], opacity: 0.5 })])], {
		column: { v: Float32Array.of(10, 10, NaN, 100) },
	});
	const d = new Svg(400, 200);

	drawFigure(d, light, f, box, nobody);
	const svg = d.finish(0);
	assert.match(svg, /x="100" y="100" width="100" height="50"[^>]*opacity="0.5"/);
	assert.match(svg, /x="250" y="50" width="50" height="100"[^>]*opacity="0.5"/);
});

test("many bands cover each pixel as often as they overlap", () => {
	const f = curves();
	f.panels[0]!.marks = [
		mark({ type: "bands", rows: [0, 2], of: ["low", "high"], opacity: 0.5 }),
	];
	f.column["low"] = Float32Array.of(0, 0, 0, 0, 0, 0, 0, 0);
	f.column["high"] = Float32Array.of(10, 10, 10, 10, 5, 5, 5, 5);
	const d = new Svg(400, 200);

	drawFigure(d, light, f, box, nobody);
	// One band is half clear, two bands let a quarter through.
	assert.match(d.finish(0), /opacity="0.5"[^]*opacity="0.75"/);
});

test("a role has the colour that was sent for the ground", () => {
	assert.equal(roleColour(light, { role: "word", index: 3 }), 0x0b0000);
	assert.equal(roleColour(darkPalette, { role: "word", index: 3 }), 0x1b0000);
	assert.equal(roleColour(light, { role: "number", index: 3, of: 5 }), 0x960000);
	assert.equal(roleColour(light, { role: "muted" }), light.muted);
});

test("a legend without room is left out", () => {
	const d = new Svg(400, 200);

	assert.equal(drawLegend(d, light, lines(), 300, 10, 5), 300);
	assert.ok(drawLegend(d, light, lines(), 300, 10, 250) < 250);
	assert.match(d.finish(0), />solid</);
});

test("dashes go on around corners", () => {
	assert.deepEqual(dashed([0, 0, 10, 0], []), [[0, 0, 10, 0]]);
	assert.deepEqual(dashed([0, 0, 10, 0], [4, 2]), [
		[0, 0, 4, 0],
		[6, 0, 10, 0],
	]);
	assert.deepEqual(dashed([0, 0, 3, 0, 3, 3], [4, 1]), [
		[0, 0, 3, 0, 3, 1],
		[3, 2, 3, 3],
	]);
});
