// How dense moments lie around a circle: a grid of rows from the centre outwards and sectors of
// a turn, and its contours (marching squares).

/** `value[row * sectors + sector]`; rows go outwards, sectors clockwise from the top. */
export interface PolarGrid {
	rows: number;
	sectors: number;
	value: Float32Array;
}

export function polarGrid(rows: number, sectors: number): PolarGrid {
	return { rows, sectors, value: new Float32Array(rows * sectors) };
}

/** Weights of a normal distribution, `deviation` in cells; they add up to 1. */
export function kernel(deviation: number): number[] {
	const reach = Math.ceil(2.5 * deviation);
	const at = Array.from({ length: 2 * reach + 1 }, (_, i) =>
		deviation > 0 ? Math.exp(-0.5 * ((i - reach) / deviation) ** 2) : 1,
	);
	const sum = at.reduce((a, b) => a + b, 0);

	return at.map((v) => v / sum);
}

/*
 * The grid blurred by so many rows and sectors. Sectors come round; what would leave the
 * first or last row stays in it, so that the sum is kept.
 */
export function smooth(g: PolarGrid, rows: number, sectors: number): PolarGrid {
	const along = polarGrid(g.rows, g.sectors);
	const out = polarGrid(g.rows, g.sectors);
	const [kr, ks] = [kernel(rows), kernel(sectors)];
	const [hr, hs] = [(kr.length - 1) / 2, (ks.length - 1) / 2];
	const wrap = (s: number) => ((s % g.sectors) + g.sectors) % g.sectors;
	const clamp = (r: number) => Math.max(0, Math.min(g.rows - 1, r));

	for (let i = 0; i < g.value.length; i++) {
		const v = g.value[i]!;
		if (!v) continue;
		const s = i % g.sectors;
		for (let k = -hs; k <= hs; k++) along.value[i - s + wrap(s + k)]! += v * ks[k + hs]!;
	}
	for (let r = 0; r < g.rows; r++)
		for (let k = -hr; k <= hr; k++) {
			const [from, to] = [r * g.sectors, clamp(r + k) * g.sectors];
			for (let s = 0; s < g.sectors; s++)
				out.value[to + s]! += along.value[from + s]! * kr[k + hr]!;
		}
	return out;
}

/** The value between cells, by rows and sectors (cell i lies at i + 0.5). */
export function valueAt(g: PolarGrid, row: number, sector: number): number {
	const r = Math.max(0, Math.min(g.rows - 1, row - 0.5));
	const s = sector - 0.5 + g.sectors;
	const [r0, s0] = [Math.floor(r), Math.floor(s)];
	const [a, b] = [r0 * g.sectors, Math.min(g.rows - 1, r0 + 1) * g.sectors];
	const [i, k] = [s0 % g.sectors, (s0 + 1) % g.sectors];
	const [u, v] = [r - r0, s - s0];

	return (
		(1 - u) * ((1 - v) * g.value[a + i]! + v * g.value[a + k]!) +
		u * ((1 - v) * g.value[b + i]! + v * g.value[b + k]!)
	);
}

/*
 * The values at which contours enclose these shares of the grid's sum, in the densest places:
 * the larger the share, the lower the value. Equal ones are one; ascending.
 */
export function contourLevels(g: PolarGrid, shares: readonly number[]): number[] {
	const values = g.value.filter((v) => v > 0).sort();
	const sum = values.reduce((a, b) => a + b, 0);
	const levels = shares.map((share) => {
		let [within, i] = [0, values.length];
		while (i > 0 && within < share * sum) within += values[--i]!;
		// a little below, so that a plateau lies within as a whole
		return 0.999 * (values[i] ?? 0);
	});

	return [...new Set(levels)].filter((v) => v > 0).sort((a, b) => a - b);
}

/*
 * The closed lines on which the grid has a value, as row, sector, row, sector, ... with cell i
 * at i + 0.5; the last point is the first again. Outside the first and last row all is 0.
 */
export function contours(g: PolarGrid, level: number): number[][] {
	const { rows, sectors } = g;
	const at = (r: number, s: number) =>
		r < 0 || r >= rows ? 0 : g.value[r * sectors + (s === sectors ? 0 : s)]!;
	// Edges of the squares between cells: along a row (even) or to the next row (odd).
	const edge = (r: number, s: number, down: number) =>
		2 * ((r + 1) * sectors + (s === sectors ? 0 : s)) + down;
	const next = new Map<number, number>(); // from edge to edge, with the higher side at the left

	for (let r = -1; r < rows; r++)
		for (let s = 0; s < sectors; s++) {
			const [a, b, c, d] = [at(r, s), at(r, s + 1), at(r + 1, s + 1), at(r + 1, s)];
			const bits =
				Number(a >= level) |
				(Number(b >= level) << 1) |
				(Number(c >= level) << 2) |
				(Number(d >= level) << 3);
			if (bits === 0 || bits === 15) continue;
			// around the square: inner, right, outer and left edge
			const e = [edge(r, s, 0), edge(r, s + 1, 1), edge(r + 1, s, 0), edge(r, s, 1)];
			for (const [from, to] of joins(bits, (a + b + c + d) / 4 >= level))
				next.set(e[from]!, e[to]!);
		}
	const point = (e: number, out: number[]) => {
		const n = e >> 1;
		const [r, s] = [Math.floor(n / sectors) - 1, n % sectors];
		const [a, b] = [at(r, s), e & 1 ? at(r + 1, s) : at(r, s + 1)];
		const t = (level - a) / (b - a);
		out.push(r + 0.5 + (e & 1 ? t : 0), s + 0.5 + (e & 1 ? 0 : t));
	};
	const out: number[][] = [];

	for (const start of [...next.keys()]) {
		if (!next.has(start)) continue;
		const line: number[] = [];
		let e = start;
		do {
			point(e, line);
			const to = next.get(e)!;
			next.delete(e);
			e = to;
		} while (e !== start);
		line.push(line[0]!, line[1]!);
		out.push(line);
	}
	return out;
}

/*
 * Which edges a contour joins in a square whose corners a, b, c, d are high or low (bits);
 * `high`: its middle is high. Each edge is entered once and left once, so that following
 * them gives closed lines.
 */
function joins(bits: number, high: boolean): [number, number][] {
	if (bits === 5)
		return high
			? [
					[0, 1],
					[2, 3],
				]
			: [
					[0, 3],
					[2, 1],
				];
	if (bits === 10)
		return high
			? [
					[3, 0],
					[1, 2],
				]
			: [
					[1, 0],
					[3, 2],
				];
	// The corner before edge k is k, the one behind it k + 1: the contour comes in where it
	// goes from high to low, and leaves where it goes from low to high.
	const is = (k: number) => (bits >> (k & 3)) & 1;
	const from = [0, 1, 2, 3].find((k) => is(k) && !is(k + 1))!;
	const to = [0, 1, 2, 3].find((k) => !is(k) && is(k + 1))!;

	return [[from, to]];
}
