// The page's painter of figures: domains become pixels, roles become colours.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as colours from "../src/draw/colours";
import { dashed, drawFigure, drawLegend } from "../src/draw/figure";
import { heatColour, readRoles, roleColour } from "../src/draw/roles";
import { Svg } from "../src/draw/svg";
import { NO_MEMBER, shareOn, type Figure, type FigureAxis } from "../src/model/figure";
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

function lines(): Figure {
	return {
		title: "title",
		note: "note",
		axes: [
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
		marks: [
			{
				type: "line",
				rows: [0, 3],
				colour: { role: "word", index: 1 },
				width: 2,
				dash: [],
			},
			{
				type: "point",
				rows: [0, 3],
				colour: { role: "number", index: 1, of: 3 },
				width: 3,
				dash: [],
			},
		],
		legend: [
			{
				title: "kind",
				keys: [{ text: "solid", colour: { role: "word", index: 1 }, dash: [] }],
			},
		],
		texts: ["10", "5", "–"],
		x: Float64Array.of(1, 4, 16),
		x_end: new Float64Array(3),
		y: Float64Array.of(10, 5, NaN),
		value: new Float64Array(3).fill(NaN),
		member: Uint32Array.of(7, 8, 9),
	};
}

const box = { x: 100, y: 50, w: 200, h: 100 };

test("points stand where domain and scale put them, and gaps are left out", () => {
	const d = new Svg(400, 200);

	assert.deepEqual(drawFigure(d, light, lines(), box, []), [
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
	const f: Figure = {
		...lines(),
		axes: [
			axis("x", "band", -0.5, 1.5, [
				[0, "a"],
				[1, "b"],
			]),
			axis("y", "band", -0.5, 0.5, [[0, ""]]),
			axis("colour", "linear", 0, 10, [[10, "much"]]),
		],
		marks: [
			{ type: "cells", rows: [0, 2], colour: { role: "heat" }, width: 0, dash: [] },
		],
		texts: ["5", "10"],
		x: Float64Array.of(-0.5, 0.5),
		x_end: Float64Array.of(0.5, 1.5),
		y: Float64Array.of(0, 0),
		value: Float64Array.of(5, 10),
		member: Uint32Array.of(3, NO_MEMBER),
	};
	const d = new Svg(500, 200);

	assert.deepEqual(drawFigure(d, light, f, box, []), [
		{ x: 100, y: 50, w: 99, h: 99, member: 3 },
	]);
	assert.equal(heatColour(light, shareOn(f.axes[2]!, 5)), 50);
	const svg = d.finish(0);
	assert.match(svg, /fill="#000032"/);
	assert.match(svg, />much</);
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
