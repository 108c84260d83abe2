// What the local view draws: elements with their heat, nests, what moves between them, and
// the marks of the current step, of chosen elements and of their cache lines.
import { mix, type Palette } from "../../../draw/colours";
import type { Colour, Draw } from "../../../draw/draw";
import { bytes, count, exact } from "../../../model/format";
import { linesOf, type Placed } from "../model/grid";
import type { Scale } from "../model/heat";
import {
	NEVER,
	cellOf,
	orderName,
	storedOrder,
	type Cells,
	type Element,
	type Elements,
	type Local,
	type Step,
} from "../model/local";
import { Labels } from "../model/labels";
import {
	LOOP,
	TILE,
	TITLE,
	WORK,
	writtenIndex,
	type ContainerItem,
	type LocalEdge,
	type LocalScene,
	type NestItem,
} from "../model/localScene";
import type { Metrics } from "../model/program";
import * as l from "../state/local";
import * as s from "../state/store";
import { localCamera as cam } from "./camera";
import {
	containerColour,
	drawArrow,
	edgeColour,
	heatColour,
	inkOn,
	metricText,
	smooth,
} from "./scene";

/** One simulation as it is drawn; with experiments there are two, side by side. */
export interface Side {
	name: string;
	x: number; // in the picture
	scene: LocalScene;
	local: Local;
	elements: Elements;
	moves: Metrics | null;
	step: Step | null;
	changed: boolean; // it has the experiments
}

/** Answers about the same sizes: every container that is placed has its cells. */
export function fits(local: Local, elements: Elements): boolean {
	return local.placed.every((p) => {
		const c = elements.cells.get(p.container);
		return c ? c.low === p.low && c.elements === p.high - p.low + 1 : false;
	});
}

export function lineColour(p: Palette): Colour {
	return p.background > 0x808080 ? 0x2e8b3d : 0x6fd07f;
}

/** "B[10][15] of 4 bytes, column major". */
export function titleOf(container: number, placed: Placed[]): string {
	const c = s.program.value!.containers[container]!;
	const p = placed.find((x) => x.container === container);
	const shape = p?.shape.length
		? p.shape.map((n) => `[${n}]`).join("")
		: `[${p ? p.high - p.low + 1 : ""}]`;
	const order = p && p.shape.length > 1 ? `  ${orderName(storedOrder(p.strides))}` : "";

	const last = p?.shape.reduce((at, n, d) => at + (n - 1) * p.strides[d]!, p.offset);
	const beyond = p && p.shape.length > 0 && (p.high > last! || p.low < p.offset);

	return `${c.name}${shape}${order}${beyond ? "  (accessed beyond its shape)" : ""}`;
}

/** The value of an element that the heat map shows. */
function valueOf(elements: Elements, cell: number, related: Related | null): number {
	const far = (v: number) => (v === NEVER ? NaN : v);

	if (cell < 0) return NaN;
	switch (l.heat.value) {
		case "count":
			return elements.count[cell]!;
		case "related":
			return related ? related.count[cell]! : NaN;
		case "min":
			return far(elements.min[cell]!);
		case "median":
			return far(elements.median[cell]!);
		case "max":
			return far(elements.max[cell]!);
		case "cold":
			return elements.cold[cell]!;
		case "misses":
			return elements.misses[cell]!;
		case "all":
			return elements.cold[cell]! + elements.misses[cell]!;
		case "missed":
			return elements.missed?.[cell] ?? NaN;
		case "memory":
			return elements.memory?.[cell] ?? NaN;
	}
	return NaN;
}

interface Related {
	cells: Cells;
	count: Uint32Array;
}

/** Related counts belong to the changed side only. */
function relatedOf(side: Side): Related | null {
	const r = side.changed ? l.related.value : null;

	return r && r.count.length === side.elements.count.length ? r : null;
}

export function eachValue(
	side: Side,
	each: (v: number, item: ContainerItem, k: number, cell: number) => void,
): void {
	const related = relatedOf(side);

	for (const item of side.scene.items) {
		if (item.kind !== "container") continue;
		const cells = side.elements.cells.get(item.container);
		for (let k = 0; k < item.place.length; k++) {
			const at = cells ? item.place[k]! - cells.low : -1;
			const cell = cells && at >= 0 && at < cells.cells ? cells.first + at : -1;

			each(valueOf(side.elements, cell, related), item, k, cell);
		}
	}
}

/** Bytes that move physically between a nest and a container. */
export function movedBy(side: Side, e: LocalEdge): number {
	const m = side.moves;

	return m ? (m.edgeCold[e.row]! + m.edgeMisses[e.row]!) * side.local.line : NaN;
}

export function edgeWords(side: Side, e: LocalEdge): string[] {
	const m = side.moves;
	const item = side.scene.items[e.container] as ContainerItem;
	const c = s.program.value!.containers[item.container]!;

	if (!m) return [c.name];
	return [
		`${c.name}: ${bytes(movedBy(side, e))} move`,
		...(e.how & 1 ? [`${bytes(m.read[e.row]!)} read by the program`] : []),
		...(e.how & 2 ? [`${bytes(m.written[e.row]!)} written by the program`] : []),
		`${exact(m.edgeCold[e.row]!)} cold, ${exact(m.edgeMisses[e.row]!)} capacity misses × ${side.local.line} bytes`,
	];
}

export function edgePath(side: Side, e: LocalEdge): number[] {
	const nest = side.scene.items[e.nest]!;
	const c = side.scene.items[e.container]!;
	const same = side.scene.edges.filter((x) => x.nest === e.nest && x.down === e.down);
	const share = (same.indexOf(e) + 0.5) / same.length;
	const nx = side.x + nest.x + nest.w * (0.15 + 0.7 * share);
	const cx = side.x + c.x + c.w / 2;
	const below = c.y > nest.y;

	const via = e.path
		? Array.from(e.path.slice(2, -2), (v, i) => (i % 2 ? v : v + side.x))
		: [];

	return below
		? smooth([nx, nest.y + nest.h, ...via, cx, c.y - 2], 12)
		: smooth([cx, c.y + c.h + 2, ...via, nx, nest.y], 12);
}

export function words(
	side: Side,
	item: ContainerItem,
	index: number[],
	e: Element,
): string[] {
	const c = s.program.value!.containers[item.container]!;
	const at = cellOf(side.elements.cells, e.container, e.place);
	const el = side.elements;
	const [first, last] = linesOf(item.placed, e.place, c.element, side.local.line);
	const base = Math.floor(item.placed.base / side.local.line);
	const related = relatedOf(side)?.count[at];
	const far = (v: number) => (v === NEVER ? "–" : exact(v));

	return [
		`${c.name}[${writtenIndex(item, index).join(", ")}]`,
		...(at < 0
			? ["no answer for this element"]
			: [
					`${exact(el.count[at]!)} accesses: ${exact(el.cold[at]!)} cold, ${exact(el.misses[at]!)} capacity misses`,
					`stack distance ${far(el.min[at]!)} to ${far(el.max[at]!)} lines, median ${far(el.median[at]!)}`,
					...(related && l.chosen.value.length
						? [`${exact(related)} accesses with the chosen elements`]
						: []),
				]),
		`line ${first - base}${last > first ? ` and ${last - base}` : ""} of ${c.name}, element ${exact(e.place)} of its storage`,
		side.changed ? "click chooses, shift click adds" : "without the changes",
	];
}

/** Lines of the element under the pointer and of chosen ones, in a container. */
function markedLines(side: Side, item: ContainerItem): [number, number][] {
	const over = l.hoverElement.value;
	const list = side.changed ? [...l.chosen.value, ...(over ? [over] : [])] : [];
	const size = s.program.value!.containers[item.container]!.element;

	return l.showLines.value
		? list
				.filter((e) => e.container === item.container)
				.map((e) => linesOf(item.placed, e.place, size, side.local.line))
		: [];
}

export function onMarkedLine(side: Side, item: ContainerItem, place: number): boolean {
	const size = s.program.value!.containers[item.container]!.element;
	const [a, b] = linesOf(item.placed, place, size, side.local.line);

	return markedLines(side, item).some(([first, last]) => a <= last && b >= first);
}

/** Where a path that goes down is at a height. */
function xAt(points: number[], y: number): number {
	for (let i = 0; i + 3 < points.length; i += 2) {
		const [x0, y0, x1, y1] = points.slice(i, i + 4) as [number, number, number, number];

		if (y <= y1) return x0 + (x1 - x0) * Math.max(0, (y - y0) / (y1 - y0 || 1));
	}
	return points[points.length - 2]!;
}

export class Painter {
	private readonly map = s.colours.value;
	private readonly labels = new Labels();

	constructor(
		private readonly d: Draw,
		private readonly p: Palette,
		private readonly side: Side,
		private readonly scale: Scale,
		private readonly edges: Scale,
	) {}

	paint(): void {
		const { side } = this;

		if (side.name)
			this.d.text(cam.sx(side.x), cam.sy(0) - 18, side.name, {
				colour: this.p.muted,
				size: 12,
				bold: true,
			});
		for (const e of side.scene.edges) this.edge(e);
		this.tiles();
		for (const i of side.scene.items)
			if (i.kind === "nest") this.nest(i);
			else this.title(i);
		this.related();
		this.lines();
		this.trail();
		this.now();
		this.chosen();
	}

	/** The corner and size of a tile on the screen. */
	private tile(i: ContainerItem, k: number): [number, number, number] {
		const size = TILE * cam.k;

		return [
			cam.sx(this.side.x + i.x) + i.tx[k]! * size,
			cam.sy(i.y + TITLE) + i.ty[k]! * size,
			size,
		];
	}

	private tiles(): void {
		const { d, p, side } = this;
		const size = TILE * cam.k;
		const gap = size > 5 ? 1 : size > 2.5 ? 0.5 : 0;
		const letters: [number, number, string, Colour][] = [];

		eachValue(side, (v, i, k, cell) => {
			const [x, y] = this.tile(i, k);

			if (x + size < 0 || y + size < 0 || x > d.width || y > d.height) return;
			const untouched = cell >= 0 && side.elements.count[cell] === 0;
			const fill =
				l.heat.value === "none"
					? mix(p.background, containerColour(p, i.container), untouched ? 0.08 : 0.3)
					: untouched
						? mix(p.background, p.muted, 0.14)
						: heatColour(p, this.map, this.scale.at(v));
			d.splat(x, y, size - gap, size - gap, fill);
			if (size >= 19 && Number.isFinite(v) && !untouched && letters.length < 2500)
				letters.push([x + (size - gap) / 2, y + (size - gap) / 2, count(v), inkOn(fill)]);
		});
		const high = Math.min(12, size * 0.42);
		for (const [x, y, text, colour] of letters)
			d.text(x, y, text, { colour, size: high, align: "center" });
	}

	private title(i: ContainerItem): void {
		const { d, p, side } = this;
		const x = cam.sx(side.x + i.x);
		const y = cam.sy(i.y + TITLE) - 10;
		const size = Math.max(9, Math.min(13, 11 * cam.k));

		const style = { colour: p.text, size, bold: true };
		const whole = titleOf(i.container, side.local.placed) + (i.cut ? "  (a part)" : "");
		const room = i.w * cam.k; // up to the next container
		// the name and shape stay where the rest has no room
		const text = [whole, whole.replace(" major", ""), whole.split("  ")[0]!].find(
			(t) => cam.k >= 0.4 && 13 + d.measure(t, style) <= room + 14 * cam.k,
		);
		d.rect(x, y - 4, 8, 8, containerColour(p, i.container));
		d.text(x + 13, y, text ?? s.program.value!.containers[i.container]!.name, style);
	}

	private nest(i: NestItem): void {
		const { d, p, side } = this;
		const k = cam.k * i.scale;
		const [x, y] = [cam.sx(side.x + i.x), cam.sy(i.y)];
		const [w, h] = [i.w * cam.k, i.h * cam.k];
		const size = Math.min(14, 11 * k);
		const legible = size >= 6;
		const current =
			side.step && i.box.id <= side.step.node && side.step.node <= i.box.last;

		d.rect(x, y, w, h, mix(p.background, p.text, 0.04));
		i.loops.forEach((loop, n) => {
			const [y0, y1] = [y + LOOP * n * k, y + LOOP * (n + 1) * k];
			const cut = Math.min(12 * k, 0.1 * w);
			const loops = current ? side.step!.loops : [];
			const at = loop.node < 0 ? loops[n] : loops.find((q) => q.node === loop.node);

			d.path(
				[x + cut, y0, x + w - cut, y0, x + w, y1, x, y1],
				mix(p.background, p.text, 0.15),
			);
			if (legible)
				d.text(
					x + w / 2,
					(y0 + y1) / 2,
					at ? `${loop.text}:  ${at.name} = ${at.value}` : loop.text,
					{
						colour: p.text,
						size,
						align: "center",
					},
				);
		});
		const top = y + LOOP * i.loops.length * k;
		i.works.forEach((work, n) => {
			const middle = top + (WORK * (n + 0.5) + 4) * k;
			const on = side.step?.node === work.node;

			if (on) d.rect(x + 3, middle - 8 * k, w - 6, 16 * k, p.cursor, 0.3);
			if (legible)
				d.text(x + w / 2, middle, work.text, {
					colour: p.text,
					size,
					align: "center",
					mono: true,
				});
		});
		if (i.more && legible)
			d.text(
				x + w / 2,
				top + (WORK * (i.works.length + 0.5) + 4) * k,
				`and ${i.more} more`,
				{
					colour: p.muted,
					size,
					align: "center",
				},
			);
		d.frame(x, y, w, h, p.muted, 1);
	}

	private edge(e: LocalEdge): void {
		const { d, p, side } = this;
		const moved = movedBy(side, e);
		const t = this.edges.at(moved);
		const colour = edgeColour(p, this.map, t);
		const points = edgePath(side, e);

		for (let i = 0; i < points.length; i += 2) {
			points[i] = cam.sx(points[i]!);
			points[i + 1] = cam.sy(points[i + 1]!);
		}
		const n = points.length;
		const [sx, sy, ex, ey] = [points[0]!, points[1]!, points[n - 2]!, points[n - 1]!];
		d.path(points, colour, 1.2 + 2 * (Number.isNaN(t) ? 0 : t));
		// the path goes down: reads arrive at the nest, writes at the container
		const nestBelow = side.scene.items[e.nest]!.y > side.scene.items[e.container]!.y;
		const down = nestBelow ? e.how & 1 : e.how & 2;
		const up = nestBelow ? e.how & 2 : e.how & 1;
		const head = Math.max(4, Math.min(8, 12 * cam.k));
		if (down) drawArrow(d, ex, ey + 1, head, colour);
		if (up)
			d.path(
				[sx, sy - 1, sx - 0.6 * head, sy + head, sx + 0.6 * head, sy + head],
				colour,
			);
		if (!(moved > 0) || ey - sy < 14 || cam.k < 0.4) return;
		const text = `${metricText("bytes", moved)} move`;
		const style = { colour: p.text, size: 10.5 };
		// nearer to the nest: several edges may share their way from a container
		const away = Math.min(18, 0.4 * (ey - sy));
		const y = nestBelow ? ey - away - 2 : sy + away;
		const w = d.measure(text, style);
		const places = [y, y - 14, y + 14].flatMap((at): [number, number][] => [
			[xAt(points, at) + 7, at],
			[xAt(points, at) - 7 - w, at],
		]);
		const at = this.labels.take(places, w + 6, 14);
		if (!at) return;
		d.rect(at[0] - 3, at[1] - 7, w + 6, 14, p.background, 0.85);
		d.text(at[0], at[1], text, style);
	}

	/** Calls `each` for the tiles of elements that `wanted` names. */
	private eachTile(
		container: number,
		wanted: (place: number) => boolean,
		each: (x: number, y: number, size: number) => void,
	): void {
		for (const i of this.side.scene.items) {
			if (i.kind !== "container" || i.container !== container) continue;
			for (let k = 0; k < i.place.length; k++)
				if (wanted(i.place[k]!)) each(...this.tile(i, k));
		}
	}

	private related(): void {
		const r = relatedOf(this.side);

		if (!r || l.heat.value === "related") return;
		for (const i of this.side.scene.items) {
			if (i.kind !== "container") continue;
			for (let k = 0; k < i.place.length; k++) {
				const at = cellOf(r.cells, i.container, i.place[k]!);
				if (at < 0 || !r.count[at]) continue;
				const [x, y, size] = this.tile(i, k);
				const dot = Math.max(2, size * 0.28);
				const mid = (size - 1 - dot) / 2;
				this.d.rect(x + mid - 1, y + mid - 1, dot + 2, dot + 2, this.p.background);
				this.d.rect(x + mid, y + mid, dot, dot, this.p.text);
			}
		}
	}

	/** Elements that share a cache line with the one under the pointer or a chosen one. */
	private lines(): void {
		const { d, p, side } = this;

		for (const i of side.scene.items) {
			if (i.kind !== "container") continue;
			for (const [first, last] of markedLines(side, i)) {
				const size = s.program.value!.containers[i.container]!.element;
				this.eachTile(
					i.container,
					(place) => {
						const [a, b] = linesOf(i.placed, place, size, side.local.line);
						return a <= last && b >= first;
					},
					(x, y, w) => {
						d.rect(x, y, w - 1, w - 1, lineColour(p), 0.35);
						d.frame(x, y, w - 1, w - 1, lineColour(p), Math.max(1, w * 0.12));
					},
				);
			}
		}
	}

	private trail(): void {
		for (const [container, place, ago] of this.side.step?.trail ?? [])
			this.eachTile(
				container,
				(at) => at === place,
				(x, y, w) =>
					this.d.frame(
						x,
						y,
						w - 1,
						w - 1,
						this.p.cursor,
						Math.max(1, w * 0.1),
						0.75 * (1 - ago / (l.TRAIL + 1)),
					),
			);
	}

	private now(): void {
		for (const a of this.side.step?.accesses ?? [])
			this.eachTile(
				a.container,
				(at) => at === a.place,
				(x, y, w) => {
					const c = a.write ? this.p.write : this.p.read;

					this.d.rect(x, y, w - 1, w - 1, c, 0.3);
					this.d.frame(x - 1, y - 1, w + 1, w + 1, c, Math.max(2, w * 0.16));
				},
			);
	}

	private chosen(): void {
		if (!this.side.changed) return;
		for (const e of l.chosen.value)
			this.eachTile(
				e.container,
				(at) => at === e.place,
				(x, y, w) => this.d.frame(x - 2, y - 2, w + 3, w + 3, this.p.text, 2),
			);
	}
}
