// Many moments as contours of their density (section 6.3.1 of the dissertation: isocontours form
// a summary structure). Each colour has a density of its own; the densest one shows.
import { mix, type Palette } from "../../../draw/colours";
import { rgba, type Draw } from "../../../draw/draw";
import { CIRCLE, placeOf, type Angles, type Ring } from "../model/cycles";
import {
	contourLevels,
	contours,
	polarGrid,
	smooth,
	valueAt,
	type PolarGrid,
} from "../model/polar";
import type { Colouring } from "./colouring";

const ROWS = 128;
const SECTORS = 256;
const SHARES = [0.97, 0.75, 0.5, 0.25]; // of the moments, that contours enclose
const BLUR = { rows: 1, sectors: 1.6 }; // of a spiral
const CIRCLE_ROWS = 3.5; // blur of a circle, whose moments all lie on one radius

/** Moments at a radius from 0 (inner) to 1 (outer) and an angle in turns. */
export interface Deposit {
	count: number;
	radius: (i: number) => number;
	turns: (i: number) => number;
	weight: (i: number) => number;
}

interface Density {
	all: PolarGrid;
	densest: Uint8Array; // colour of each cell
	levels: number[]; // ascending
}

/** Each moment of an exact answer, at its drawn radius and angle. */
export function ofMoments(ring: Ring, radii: Float32Array, turns: Float64Array): Deposit {
	const room = ring.outer - ring.inner;

	return {
		count: radii.length,
		radius: (i) => (radii[i]! - ring.inner) / room,
		turns: (i) => turns[i]!,
		weight: () => 1,
	};
}

/** Cells of an answer that has rows of time and sectors of a turn. */
export function ofCells(a: Angles, circle: boolean): Deposit {
	const first = a.time.findIndex((t) => t >= a.begin);
	const last = a.time.findLastIndex((t) => t < a.end);
	const [b, e] = [first < 0 ? a.rows : first, last];
	// as circleRadii(): the cycle lies on one radius, the rest leads to it and away
	const onCircle = (r: number) =>
		r < b
			? (CIRCLE * r) / Math.max(1, b)
			: r > e
				? CIRCLE + ((1 - CIRCLE) * (r - e)) / Math.max(1, a.rows - e)
				: CIRCLE;

	return {
		count: a.moments!.length,
		radius: (i) => {
			const row = Math.floor(i / a.sectors);
			return circle ? onCircle(row) : (row + 0.5) / a.rows;
		},
		turns: (i) => ((i % a.sectors) + 0.5) / a.sectors,
		weight: (i) => a.moments![i]!,
	};
}

function measure(m: Deposit, c: Colouring, circle: boolean): Density {
	const layers = c.colours.map(() => polarGrid(ROWS, SECTORS));
	const used = new Set<number>();

	for (let i = 0; i < m.count; i++) {
		const w = m.weight(i);
		if (!w) continue;
		const t = m.turns(i);
		const row = Math.max(0, Math.min(ROWS - 1, Math.floor(m.radius(i) * ROWS)));
		const sector = Math.floor((t - Math.floor(t)) * SECTORS) % SECTORS;
		layers[c.of(i)]!.value[row * SECTORS + sector]! += w;
		used.add(c.of(i));
	}
	const all = polarGrid(ROWS, SECTORS);
	const top = new Float32Array(ROWS * SECTORS);
	const densest = new Uint8Array(ROWS * SECTORS);
	for (const n of used) {
		const s = smooth(layers[n]!, circle ? CIRCLE_ROWS : BLUR.rows, BLUR.sectors);
		s.value.forEach((v, i) => {
			all.value[i]! += v;
			if (v > top[i]!) [top[i], densest[i]] = [v, n];
		});
	}
	return { all, densest, levels: contourLevels(all, SHARES) };
}

/** How many contours a value lies within. */
function bandOf(levels: number[], value: number): number {
	let n = 0;

	while (n < levels.length && value >= levels[n]!) n++;
	return n;
}

function shade(d: Draw, p: Palette, ring: Ring, c: Colouring, m: Density): void {
	const side = Math.floor(2 * ring.outer);
	const fill = new Uint32Array(side * side);
	const shades = c.colours.map((colour) =>
		Array.from({ length: m.levels.length + 1 }, (_, band) =>
			band ? rgba(mix(p.background, colour, 0.12 + (0.78 * band) / m.levels.length)) : 0,
		),
	);

	for (let py = 0; py < side; py++)
		for (let px = 0; px < side; px++) {
			const [dx, dy] = [px + 0.5 - side / 2, py + 0.5 - side / 2];
			const r = Math.hypot(dx, dy);
			if (r < ring.inner || r >= ring.outer) continue;
			const turn = Math.atan2(dx, -dy) / (2 * Math.PI);
			const sector = (turn < 0 ? turn + 1 : turn) * SECTORS;
			const row = ((r - ring.inner) / (ring.outer - ring.inner)) * ROWS;
			const band = bandOf(m.levels, valueAt(m.all, row, sector));
			if (!band) continue;
			const cell = Math.floor(row) * SECTORS + (Math.floor(sector) % SECTORS);
			fill[py * side + px] = shades[m.densest[cell]!]![band]!;
		}
	d.cells(ring.x - side / 2, ring.y - side / 2, side, side, side, side, fill);
}

function outline(d: Draw, p: Palette, ring: Ring, m: Density): void {
	const step = (ring.outer - ring.inner) / ROWS;

	m.levels.forEach((level, n) => {
		for (const line of contours(m.all, level)) {
			const points: number[] = [];
			for (let i = 0; i < line.length; i += 2) {
				const r = ring.inner + Math.max(0, Math.min(ROWS, line[i]!)) * step;
				points.push(...placeOf(ring, r, line[i + 1]! / SECTORS));
			}
			d.path(points, p.text, 0.7, 0.25 + (0.4 * n) / m.levels.length);
		}
	});
}

/** Contours of the density of moments. */
export class DensityPicture {
	private last: { key: unknown[]; density: Density } | null = null;

	/** `key` tells whether the density is that of the last time. */
	draw(
		d: Draw,
		p: Palette,
		ring: Ring,
		of: () => Deposit,
		c: Colouring,
		circle: boolean,
		key: unknown[],
	): void {
		if (
			this.last?.key.length !== key.length ||
			key.some((k, i) => k !== this.last!.key[i])
		)
			this.last = { key, density: measure(of(), c, circle) };
		shade(d, p, ring, c, this.last.density);
		outline(d, p, ring, this.last.density);
	}
}

/** What the contours are. */
export const CONTOUR_WORDS = `contours around ${SHARES.map((s) => 100 * s).join(", ")} % of the moments`;
