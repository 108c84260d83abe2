// Draws a region's cells: the trail of recent accesses, or a heat map.
import { along as scaled, type Scale } from "../model/heat";
import { placeOf } from "../model/shape";
import { brightness, type Last } from "../model/trail";
import {
	along,
	levelColours,
	mix,
	regionColour,
	type Palette,
} from "../../../draw/colours";
import { rgba, type Colour, type Draw } from "../../../draw/draw";
import type { Picture } from "./frames";

const SHADES = 48; // steps of a fading colour

function shades(p: Palette, colour: Colour): Uint32Array {
	return Uint32Array.from({ length: SHADES + 1 }, (_, i) =>
		rgba(mix(p.empty, colour, i / SHADES)),
	);
}

export interface Trail {
	cursor: number; // its last reference
	length: number;
	levels: number;
	chosen: ArrayLike<number> | null; // cells above 0 are selected; null: all
}

/*
 * The upper half of a cell shows the access: read or write. The lower half shows the
 * level that served it. The picture has two rows of pixels for each row of cells, and is
 * scaled up at once.
 */
export function paintTrail(
	d: Draw,
	p: Palette,
	pic: Picture,
	last: Last,
	t: Trail,
): void {
	const { nx, ny, grid } = pic;
	const words = new Uint32Array(nx * ny * 2);
	const read = shades(p, p.read);
	const write = shades(p, p.write);
	const served = levelColours(p, t.levels).map((c) => shades(p, c));
	const empty = rgba(p.empty);
	const faint = rgba(mix(p.background, p.empty, 0.5));
	const n = grid.across * grid.down;

	for (let cell = 0; cell < n; cell++) {
		const [r, w] = [last.read[cell]!, last.write[cell]!];
		const time = r > w ? r : w;
		const column = grid.turned ? Math.floor(cell / grid.across) : cell % grid.across;
		const row = grid.turned ? cell % grid.across : Math.floor(cell / grid.across);
		const at = row * 2 * nx + column;
		const out = t.chosen !== null && !t.chosen[cell];

		if (time <= 0) {
			words[at] = words[at + nx] = out ? faint : empty;
			continue;
		}
		const light = brightness(t.cursor - (time - 1), t.length);
		const shade = Math.round((out ? 0.3 * light : light) * SHADES);
		words[at] = (w >= r ? write : read)[shade]!;
		words[at + nx] = (served[last.served[cell]! - 1] ?? read)[shade]!;
	}
	d.cells(pic.x, pic.y, nx * pic.cw, ny * pic.ch, nx, ny * 2, words);
	lattice(d, p, pic);
}

/** Values above 0 along a scale; 0 is no data. */
export function paintHeat(
	d: Draw,
	p: Palette,
	pic: Picture,
	values: ArrayLike<number>,
	scale: Scale,
	chosen: ArrayLike<number> | null,
): void {
	const map = Uint32Array.from({ length: 256 }, (_, i) => rgba(along(p.heat, i / 255)));

	paintCells(
		d,
		p,
		pic,
		(cell) => {
			const v = values[cell] ?? 0;
			if (v <= 0) return 0;
			return map[Math.round(Math.max(0, Math.min(1, scaled(scale, v))) * 255)]!;
		},
		chosen,
	);
}

/** One colour for each kind of value: ranks from 0; -1 is any other kind, -2 no value. */
export function paintKinds(
	d: Draw,
	p: Palette,
	pic: Picture,
	rank: (cell: number) => number,
	chosen: ArrayLike<number> | null,
): void {
	paintCells(
		d,
		p,
		pic,
		(cell) => {
			const r = rank(cell);
			return r === -2 ? 0 : rgba(regionColour(p, r));
		},
		chosen,
	);
}

function paintCells(
	d: Draw,
	p: Palette,
	pic: Picture,
	colour: (cell: number) => number,
	chosen: ArrayLike<number> | null,
): void {
	const { nx, ny, grid } = pic;
	const words = new Uint32Array(nx * ny);
	const empty = rgba(p.empty);

	for (let cell = 0; cell < grid.across * grid.down; cell++) {
		const [x, y] = placeOf(grid, cell);
		words[y * nx + x] = (chosen && !chosen[cell] ? 0 : colour(cell)) || empty;
	}
	d.cells(pic.x, pic.y, nx * pic.cw, ny * pic.ch, nx, ny, words);
	lattice(d, p, pic);
}

const APART = 6; // pixels from which on cells stand apart

/*
 * Lines between cells that are large enough to be told apart. They are few and long: as
 * splats they would touch, and copy, every pixel of the picture.
 */
function lattice(d: Draw, p: Palette, pic: Picture): void {
	const [w, h] = [pic.nx * pic.cw, pic.ny * pic.ch];

	// In both directions or in none: stripes would say that columns differ from rows.
	const room = Math.min(pic.nx > 1 ? pic.cw : Infinity, pic.ny > 1 ? pic.ch : Infinity);
	if (room >= APART) {
		for (let i = 1; i < pic.nx; i++)
			d.rect(Math.round(pic.x + i * pic.cw) - 1, pic.y, 1, h, p.background);
		for (let i = 1; i < pic.ny; i++)
			d.rect(pic.x, Math.round(pic.y + i * pic.ch) - 1, w, 1, p.background);
	}
	// Cells behind the end of the region have no lines.
	const { grid } = pic;
	if (!grid.pitch) return;
	const inLast = Math.ceil((grid.bytes % (grid.pitch * grid.rows)) / grid.size);
	if (!inLast || inLast >= grid.across) return;
	for (let i = inLast; i < grid.across; i++) {
		const [x, y] = placeOf(grid, (grid.down - 1) * grid.across + i);
		d.rect(pic.x + x * pic.cw, pic.y + y * pic.ch, pic.cw, pic.ch, p.background);
	}
}
