// Colours of data. Serving levels go from blue to red and also differ in lightness, so
// they can be told apart without seeing red and green; reads are cyan and writes orange;
// regions have colours of their own that stay clear of these.
import type { Colour } from "./draw";

export interface Palette {
	background: Colour;
	panel: Colour;
	grid: Colour;
	text: Colour;
	muted: Colour;
	cursor: Colour; // the lamp
	empty: Colour; // a cell without data
	read: Colour;
	write: Colour;
	fetch: Colour;
	levels: Colour[]; // from the first level to memory; levelColours() picks
	onTop: Colour; // cycles on top of those of the levels: pages, lines from other cores
	regions: Colour[];
	heat: Colour[]; // from little to much
	roles?: Roles; // of figures and series; the server sends them
}

/** Whether a palette is light on dark. */
export function isDark(p: Palette): boolean {
	return (p.background & 255) < 128;
}

/** Colours of roles (roles.ts). */
export interface Roles {
	word: Colour[];
	number: Colour[];
	heat: Colour[];
}

export const light: Palette = {
	background: 0xffffff,
	panel: 0xf7f7f5,
	grid: 0xe3e3df,
	text: 0x1c1e21,
	muted: 0x5f646b,
	cursor: 0xe0a100,
	empty: 0xefefec,
	read: 0x0a9bb8,
	write: 0xe8750c,
	fetch: 0x8a8f98,
	levels: [0x2166ac, 0x67a9cf, 0xa98cc0, 0xef8a62, 0xb2182b],
	onTop: 0x5f5b00,
	regions: [
		0x5b8c2a, 0x7d5bbe, 0xb04a86, 0x2f7f73, 0x8a6d1f, 0x4c6a9c, 0x9a4f3b, 0x5f7a5a,
		0x7a4fa0, 0x3f7f9f, 0xa8577a, 0x6b7030,
	],
	heat: [0xeaf3ea, 0xb9dcc4, 0x72bba9, 0x3a8f9a, 0x2b6282, 0x2a3462],
};

export const darkPalette: Palette = {
	background: 0x15171b,
	panel: 0x1b1e23,
	grid: 0x2c3038,
	text: 0xe6e8eb,
	muted: 0x9ba1ab,
	cursor: 0xffcf3f,
	empty: 0x22262c,
	read: 0x2fc6e0,
	write: 0xff9438,
	fetch: 0x8a8f98,
	levels: [0x3b82d0, 0x82c0ea, 0xc6add2, 0xf7a27c, 0xe23b4e],
	onTop: 0xd9d27a,
	regions: [
		0x93c755, 0xa98be6, 0xde7fb6, 0x57b8a8, 0xc8a848, 0x86a5da, 0xd68a72, 0x9ab894,
		0xb38ad6, 0x77b6d6, 0xe091ae, 0xa9ad5f,
	],
	heat: [0x20303a, 0x27506a, 0x2f7c8c, 0x52ab96, 0x9bd39a, 0xf3f2b0],
};

function mix(a: Colour, b: Colour, t: number): Colour {
	const part = (shift: number) => {
		const x = (a >> shift) & 255;
		return Math.round(x + (((b >> shift) & 255) - x) * t) << shift;
	};

	return part(16) | part(8) | part(0);
}

/** A colour of a map at t from 0 to 1. */
export function along(map: Colour[], t: number): Colour {
	const at = Math.max(0, Math.min(1, t)) * (map.length - 1);
	const i = Math.min(map.length - 2, Math.floor(at));

	return mix(map[i]!, map[i + 1]!, at - i);
}

/** Colours of n serving levels, memory last. */
export function levelColours(p: Palette, n: number): Colour[] {
	const [first, second, third, fourth, memory] = p.levels as [
		number,
		number,
		number,
		number,
		number,
	];

	if (n <= 1) return [memory];
	if (n === 2) return [first, memory];
	// the middle one must not look like a write
	if (n === 3) return [first, third, memory];
	if (n === 4) return [first, second, fourth, memory];
	return [first, second, third, fourth, memory];
}

/** The same, and behind memory the colour of what comes on top. */
export function costColours(p: Palette, n: number): Colour[] {
	return [...levelColours(p, n), p.onTop];
}

const PALE = 0.58; // strength of a cell whose references cost what the first level does

/*
 * The colour of a cell, a rectangle of pixels that stands for a set of references: the
 * hue is the level that costs most (from 1; behind memory what comes on top), the strength
 * the cycles of a reference, on a logarithmic scale from the first level to memory.
 */
export function cellColour(
	p: Palette,
	levels: number,
	cell: { level: number; cycles: number },
	[first, memory]: readonly [number, number],
): Colour {
	const t = Math.log(cell.cycles / first) / Math.log(memory / first);
	const hue = costColours(p, levels)[cell.level - 1] ?? p.muted;

	return mix(p.empty, hue, PALE + (1 - PALE) * Math.max(0, Math.min(1, t || 0)));
}

/** The colour of the region with this rank; -1 is "other". */
export function regionColour(p: Palette, rank: number): Colour {
	return rank < 0 ? p.muted : p.regions[rank % p.regions.length]!;
}

export { mix };

/** Two things that are compared: blue and orange, which every colour vision tells apart. */
export function sideColours(p: Palette): [a: Colour, b: Colour] {
	return p.background > 0x808080 ? [0x0b5fb4, 0xc8500a] : [0x62b0ff, 0xff9b4a];
}
