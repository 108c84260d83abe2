// A figure as the server sends it (docs/api.md, Figures): what a chart shows, without
// pixels. Ranges, marks of the axes, texts, legend and colours are the server's; a painter
// maps domains to pixels and roles to colours.

/** A colour by its meaning; /api/open has the colours of roles. */
export interface Role {
	role: "text" | "muted" | "word" | "number" | "heat";
	index?: number; // of a word, or of a number
	of?: number; // numbers
}

/** The colours of roles on one ground, as "#rrggbb". */
export interface RoleTable {
	text: string;
	muted: string;
	word: string[];
	number: string[];
	heat: string[];
}

export interface FigureAxis {
	id: "x" | "y" | "colour";
	label: string;
	unit: string;
	scale: "linear" | "log" | "band"; // the i-th value of a band axis stands at i
	domain: [low: number, high: number];
	ticks: { at: number; text: string }[];
}

export interface FigureMark {
	type: "line" | "point" | "cells";
	rows: [first: number, count: number];
	colour: Role;
	width: number; // pixels: of a line, or the radius of a point
	dash: number[]; // pixels of strokes and gaps by turns; empty: solid
}

export interface FigureKey {
	text: string;
	colour: Role;
	dash: number[];
}

export interface Figure {
	title: string;
	note: string;
	axes: FigureAxis[];
	marks: FigureMark[];
	legend: { title: string; keys: FigureKey[] }[];
	texts: string[]; // by row: its value
	x: Float64Array; // by row
	x_end: Float64Array; // where a cell ends
	y: Float64Array;
	value: Float64Array; // on the colour axis
	member: Uint32Array; // NO_MEMBER: a mean of several
}

export const NO_MEMBER = 0xffffffff;

export function axisOf(f: Figure, id: FigureAxis["id"]): FigureAxis | undefined {
	return f.axes.find((a) => a.id === id);
}

/** Where a value stands on an axis: 0 at the low end of its domain, 1 at the high end. */
export function shareOn(axis: FigureAxis, v: number): number {
	const [low, high] = axis.domain;

	return axis.scale === "log"
		? Math.log(v / low) / Math.log(high / low)
		: (v - low) / (high - low);
}
