// A figure as the server sends it (docs/api.md, Figures): what a chart shows, without
// pixels. Ranges, marks of the axes, texts, legend, colours, widths and opacities are the
// server's; a painter maps domains to pixels and roles to colours.

/** A colour by its meaning; /api/open has the colours of roles. */
export interface Role {
	role: "text" | "muted" | "background" | "word" | "number" | "heat";
	index?: number; // of a word, or of a number
	of?: number; // numbers
}

/** The colours of roles on one ground, as "#rrggbb". */
export interface RoleTable {
	text: string;
	muted: string;
	background: string;
	word: string[];
	number: string[];
	heat: string[];
}

export interface FigureAxis {
	id: "x" | "y" | "colour" | "area";
	label: string;
	unit: string;
	scale: "linear" | "log" | "band"; // the i-th value of a band axis stands at i
	domain: [low: number, high: number];
	ticks: { at: number; text: string }[];
}

export interface FigureMark {
	type: "line" | "point" | "cells" | "circles" | "curve" | "steps" | "bands";
	rows: [first: number, count: number]; // of the figure, or of its matrices
	of?: string[]; // names of matrices: one of values, or low and high
	colour: Role;
	width: number; // pixels: of a line, or the radius of a point
	opacity: number;
	dash: number[]; // pixels of strokes and gaps by turns; empty: solid
	member?: number;
	title?: string;
}

export interface FigurePanel {
	title?: string; // of a small chart
	share: number; // of the height that is left by rows of circles
	rows: number; // of circles
	axes: FigureAxis[]; // in a grid, those of the first panel are for all
	marks: FigureMark[];
	moments: { at: number; text: string | null }[];
	above?: string; // how far curves go on beyond the panel
	below?: string;
}

export interface FigureKey {
	text: string;
	colour: Role;
	dash: number[];
}

export interface Figure {
	title: string;
	note: string;
	from: number; // time of the matrices
	to: number;
	cells?: number; // of matrices
	members: number[];
	across: number; // panels side by side in a grid; 0: one below the other
	panels: FigurePanel[];
	legend: { title: string; keys: FigureKey[] }[];
	texts: string[]; // by row: its value
	column: Record<string, Float32Array | Float64Array | Uint32Array>;
}

export const NO_MEMBER = 0xffffffff;

export function axesOf(f: Figure, panel: number): FigureAxis[] {
	return f.panels[f.across ? 0 : panel]!.axes;
}

export function axisOf(
	f: Figure,
	id: FigureAxis["id"],
	panel = 0,
): FigureAxis | undefined {
	return axesOf(f, panel).find((a) => a.id === id);
}

/** A column of the rows: x, x_end, y, value (on the axis of colours or areas), member. */
export function column(f: Figure, name: string): ArrayLike<number> {
	return f.column[name] ?? [];
}

/** A matrix [rows][cells] of values. */
export function matrix(f: Figure, name: string): Float32Array {
	return f.column[name] as Float32Array;
}

/** Where a value stands on an axis: 0 at the low end of its domain, 1 at the high end. */
export function shareOn(axis: FigureAxis, v: number): number {
	const [low, high] = axis.domain;

	return axis.scale === "log"
		? Math.log(v / low) / Math.log(high / low)
		: (v - low) / (high - low);
}
