// The working set over time, and the model of threads that share a cache (section 7.4.5).
import type { Palette } from "../../../draw/colours";
import { rgba, type Draw } from "../../../draw/draw";
import { wordColour } from "../../../draw/roles";
import type { Curves, Ensemble, SharedCache, WorkingSet } from "../model/ensemble";
import {
	density,
	padded,
	points,
	rangeOf,
	usualRange,
	xOf,
	type Box,
	type Range,
} from "../model/graph";
import { bytes, exact } from "../../../model/format";
import type { Window } from "../../../model/types";
import { drawOne } from "./curves";
import { drawValues, rowOf, type Plane } from "./scene";

/*
 * Bytes of the working set as steps on a logarithmic scale; the sizes of the members are
 * lines.
 */
export function drawWorkingSet(
	d: Draw,
	p: Palette,
	e: Ensemble,
	ws: WorkingSet,
	size: string,
	window: Window,
	box: Box,
): void {
	const i = e.parameters.findIndex((x) => x.name === size);
	const all = e.members.flatMap((m) => m.numbers[i] ?? []).filter((n) => n > 0);
	const sizes = [...new Set(all)].sort((a, b) => a - b);
	const [low, high] = [Math.log2(sizes[0] ?? 1) - 0.5, Math.log2(sizes.at(-1) ?? 2) + 1];
	const y = (n: number) => box.y + box.h * (1 - (Math.log2(n) - low) / (high - low));
	let last = Infinity;

	for (const n of sizes) {
		d.line(box.x, y(n), box.x + box.w, y(n), p.grid);
		if (last - y(n) < 12) continue;
		last = y(n);
		d.text(box.x - 8, y(n), bytes(n), { colour: p.muted, align: "right" });
	}
	const over = y(2 ** (high - 0.4));
	d.clip(box.x, box.y, box.w, box.h, () => {
		const x = (c: number) =>
			xOf(ws.from + (c / ws.cells) * (ws.to - ws.from), window, box);
		for (let c = 0, to = 1; c < ws.cells; c = to++) {
			const v = ws.bytes[c]!;
			while (to < ws.cells && Object.is(ws.bytes[to], v)) to++;
			const top = Number.isFinite(v) && v > 0 ? y(v) : over;
			d.rect(x(c), top, x(to) - x(c), box.y + box.h - top, p.read, 0.22);
			d.rect(x(c), top - 1, x(to) - x(c), 2, Number.isFinite(v) ? p.read : p.write);
		}
	});
	if (ws.bytes.some((v) => !Number.isFinite(v)))
		d.text(box.x + box.w - 4, over - 8, `larger than ${bytes(sizes.at(-1) ?? 0)}`, {
			colour: p.write,
			align: "right",
		});
	d.text(box.x + 6, box.y + 8, `working set, by ${size}`, { colour: p.muted, size: 11 });
}

/** Ways that starve equally many threads, with their values over the run. */
export interface Cluster {
	starved: number;
	ways: number[]; // their numbers
	low: number;
	high: number;
}

export function clusters(s: SharedCache): Cluster[] {
	const by = new Map<number, Cluster>();

	for (let w = 0; w < s.ways; w++) {
		const n = s.starved[w]!;
		const c = by.get(n) ?? { starved: n, ways: [], low: Infinity, high: -Infinity };
		c.ways.push(w);
		c.low = Math.min(c.low, s.value[w]!);
		c.high = Math.max(c.high, s.value[w]!);
		by.set(n, c);
	}
	return [...by.values()].sort((a, b) => a.starved - b.starved);
}

export function clusterColour(p: Palette, starved: number): number {
	return wordColour(p, [2, 4, 0, 3, 1, 6, 5, 7][starved % 8]!);
}

const LINES = 400; // ways drawn as lines; all ways have envelopes

/** The range of the envelopes: all of it, or without rare peaks. */
export function sharedCacheRange(
	s: SharedCache,
	c: Curves | null,
	real: number | null,
	peaks: boolean,
): Range {
	const every = Array.from({ length: s.ways }, (_, i) => i);
	const whole = rangeOf(s.low, s.cells, every);

	rangeOf(s.high, s.cells, every, whole);
	const r = peaks
		? whole
		: { low: usualRange(s.low, whole).low, high: usualRange(s.high, whole).high };
	if (c && real !== null && rowOf(c, real) >= 0)
		rangeOf(c.mean, c.cells, [rowOf(c, real)], r);
	return padded(r, false);
}

/** Envelopes as gray that darkens where many overlap; curves by the number of starved. */
export function drawSharedCache(
	d: Draw,
	p: Palette,
	s: SharedCache,
	c: Curves | null,
	real: number | null,
	plane: Plane,
	unit: string,
): void {
	const { box, window, range } = plane;
	const rows = Math.max(1, Math.round(box.h / 2));
	const dense = density(s.low, s.high, s.ways, s.cells, range, rows);
	const max = dense.reduce((a, b) => Math.max(a, b), 1);
	const fill = new Uint32Array(dense.length);

	dense.forEach((n, i) => {
		if (n) fill[i] = rgba(p.text, 0.07 + 0.4 * Math.sqrt(n / max));
	});
	drawValues(d, p, box, range, unit);
	d.clip(box.x, box.y, box.w, box.h, () => {
		const x0 = xOf(s.from, window, box);
		const x1 = xOf(s.to, window, box);
		d.cells(x0, box.y, x1 - x0, box.h, s.cells, rows, fill);
		const groups = clusters(s);
		for (const g of groups) {
			const each = Math.max(1, Math.ceil((g.ways.length * groups.length) / LINES));
			g.ways
				.filter((_, i) => i % each === 0)
				.forEach((w) =>
					d.curve(
						points(s.mean, w, s, window, range, box),
						clusterColour(p, g.starved),
						s.ways > 60 ? 1.1 : 1.6,
						s.ways > 60 ? 0.65 : 1,
					),
				);
		}
		if (c && real !== null && rowOf(c, real) >= 0)
			drawOne(d, p, c, rowOf(c, real), plane, p.text);
	});
}

/** One way over all others. */
export function drawWay(
	d: Draw,
	p: Palette,
	s: SharedCache,
	way: number,
	plane: Plane,
): void {
	const { box, window, range } = plane;
	const line = points(s.mean, way, s, window, range, box);

	d.clip(box.x, box.y, box.w, box.h, () => {
		d.curve(line, p.background, 6, 1);
		d.curve(line, clusterColour(p, s.starved[way]!), 3, 1);
	});
}

/** The key of the colours, right-aligned; returns where it begins. */
export function drawClusterKey(
	d: Draw,
	p: Palette,
	s: SharedCache | null,
	real: string | undefined,
	right: number,
	y: number,
): number {
	const parts: [number, string][] = [
		...(s ? clusters(s) : []).map((c): [number, string] => [
			clusterColour(p, c.starved),
			`${c.starved} starved`,
		]),
		...(real ? ([[p.text, `simulated: ${real}`]] as [number, string][]) : []),
	];
	const style = { colour: p.text, size: 11 };
	const widths = parts.map(([, text]) => 14 + d.measure(text, style) + 10);
	const left = right - widths.reduce((a, b) => a + b, 0);
	let x = left;

	parts.forEach(([colour, text], i) => {
		d.rect(x, y - 5, 10, 10, colour);
		d.text(x + 14, y, text, style);
		x += widths[i]!;
	});
	return left;
}

/** A way in words: the sizes of its threads. */
export function wayText(e: Ensemble, s: SharedCache, way: number, size: string): string {
	const i = e.parameters.findIndex((x) => x.name === size);
	const sizes = Array.from(
		s.member.subarray(way * s.threads, (way + 1) * s.threads),
		(n) => {
			const m = e.members.find((x) => x.member === n);
			return m?.values[i] ?? m?.label ?? exact(n);
		},
	);

	return sizes.join(" + ");
}
