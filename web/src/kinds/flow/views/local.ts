// The local view: a part of the program at small sizes. Containers show every element, with
// its accesses, distances or misses as heat; the elements of the current step, of chosen
// elements and of their cache lines are marked.
import { mix, type Palette } from "../../../draw/colours";
import type { Colour, Draw } from "../../../draw/draw";
import { bytes, count, exact } from "../../../model/format";
import { CanvasView } from "../../../views/canvas";
import type { ViewKind } from "../../../views/view";
import { wheelFactor } from "../../../views/wheel";
import { eachIndex, indexAt, linesOf, placeOf, type Placed } from "../model/grid";
import { scaleOf, type Scale } from "../model/heat";
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
import {
	LOOP,
	TILE,
	TITLE,
	WORK,
	buildLocalScene,
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
	drawScale,
	edgeColour,
	heatColour,
	inkOn,
	metricText,
	smooth,
} from "./scene";

/** One simulation as it is drawn; with experiments there are two, side by side. */
interface Side {
	name: string;
	x: number; // in the picture
	scene: LocalScene;
	local: Local;
	elements: Elements;
	moves: Metrics | null;
	step: Step | null;
	changed: boolean; // it has the experiments
}

const BESIDE = 90; // units between two sides

export class LocalView extends CanvasView {
	private sides: Side[] = [];
	private made = new Map<
		boolean,
		{ of: Local; tree: object; loops: string; scene: LocalScene }
	>();
	private fitted = "";
	private drag: { x: number; y: number; moved: boolean } | null = null;

	protected start(): void {
		cam.resize(this.width, this.height);
		this.watch(() => {
			void l.local.value;
			void l.elements.value;
			void l.moves.value;
			void l.before.value;
			void l.elementsBefore.value;
			void l.movesBefore.value;
			void l.stepBefore.value;
			void l.step.value;
			void l.related.value;
			void l.heat.value;
			void l.showLines.value;
			void l.stored.value;
			void l.chosen.value;
			void l.hoverElement.value;
			void l.failure.value;
			void s.scaling.value;
			void s.colours.value;
			void s.ready.value;
			void cam.version.value;
		});
		this.listen("pointerdown", (e, x, y) => {
			this.canvas.setPointerCapture(e.pointerId);
			this.drag = { x, y, moved: false };
		});
		this.listen("pointermove", (e, x, y) => this.move(e, x, y));
		this.listen("pointerup", (e, x, y) => this.release(e, x, y));
		this.listen("pointerleave", () => (l.hoverElement.value = null));
		this.listen("wheel", (e, x, y) => {
			e.preventDefault();
			cam.zoomAt(x, y, 1 / wheelFactor(e));
		});
	}

	protected override resized(): void {
		cam.resize(this.width, this.height);
	}

	private sceneOf(local: Local, changed: boolean): LocalScene | null {
		const r = s.ready.value;
		const kept = this.made.get(changed);
		const root = r?.tree.byId.get(r.tree.boxOf[l.root.value]!);

		if (!r || !root) return null;
		const step = changed && l.moving.value ? l.step.value : null;
		const moved = step && { work: step.node, loops: step.loops };
		const loops = [
			l.stored.value,
			...(moved ? moved.loops.map((x) => x.name) : []),
		].join();
		if (kept?.of === local && kept.tree === r.tree && kept.loops === loops)
			return kept.scene;
		const scene = buildLocalScene(
			r.tree,
			r.program.containers,
			r.metrics,
			r.rows,
			l.root.value ? root : r.tree.root,
			local.placed,
			(c) => titleOf(c, local.placed),
			moved,
			l.stored.value,
		);
		this.made.set(changed, { of: local, tree: r.tree, loops, scene });
		return scene;
	}

	/** What is drawn, from the last answers that belong together. */
	private gather(): Side[] {
		const out: Side[] = [];
		const add = (
			name: string,
			local: Local | null,
			elements: Elements | null,
			moves: Metrics | null,
			step: Step | null,
			changed: boolean,
		) => {
			const scene = local && elements && this.sceneOf(local, changed);
			const x = out.length ? out[0]!.scene.w + BESIDE : 0;

			if (scene && fits(local, elements))
				out.push({ name, x, scene, local, elements, moves, step, changed });
		};

		if (l.experimenting.value)
			add(
				"original",
				l.before.value,
				l.elementsBefore.value,
				l.movesBefore.value,
				l.stepBefore.value,
				false,
			);
		add(
			l.experimenting.value ? "with the changes" : "",
			l.local.value,
			l.elements.value,
			l.moves.value,
			l.step.value,
			true,
		);
		return out;
	}

	draw(d: Draw, p: Palette): void {
		const sides = this.gather();

		if (sides.length) this.sides = sides;
		if (!this.sides.length || !l.local.value) {
			this.drawNothing(d, p);
			return;
		}
		this.fitOnce();
		const values: number[] = [];
		for (const side of this.sides)
			eachValue(side, (v) => {
				if (Number.isFinite(v)) values.push(v);
			});
		const scale = scaleOf(values, s.scaling.value);
		const moved = this.sides.flatMap((side) =>
			side.scene.edges.map((e) => movedBy(side, e)),
		);
		const edges = scaleOf(moved, s.scaling.value);
		for (const side of this.sides) new Painter(d, p, side, scale, edges).paint();
		this.drawKey(d, p, scale);
	}

	/** Looks at the whole picture again when another program part or other sizes come. */
	private fitOnce(): void {
		const key = [
			s.number.value,
			s.program.value?.function,
			l.root.value,
			this.sides.length,
			l.stored.value,
			JSON.stringify(l.local.value?.values),
		].join();

		if (this.fitted === key) return;
		this.fitted = key;
		if (lastFit === key) return;
		lastFit = key;
		this.showAll();
	}

	/** A point of the picture on the screen, for tests. */
	screenOf(x: number, y: number): [number, number] {
		return [cam.sx(x), cam.sy(y)];
	}

	/** Indices of the elements of a container that share a line with marked ones. */
	lineMates(container: number): string[] {
		const side = this.sides.at(-1);
		const out: string[] = [];

		for (const item of side?.scene.items ?? [])
			if (item.kind === "container" && item.container === container)
				eachIndex(item.grid.shape, (index) => {
					if (onMarkedLine(side!, item, placeOf(item.placed, index)))
						out.push(writtenIndex(item, index).join());
				});
		return out;
	}

	/** Shows the whole picture again. */
	showAll(): void {
		cam.fit(this.whole(), 2.2, 24, 70);
	}

	private whole(): { x: number; y: number; w: number; h: number } {
		return {
			x: 0,
			y: -30,
			w: this.sides.reduce((n, x) => Math.max(n, x.x + x.scene.w), 1),
			h: this.sides.reduce((n, x) => Math.max(n, x.scene.h), 1) + 35,
		};
	}

	private drawNothing(d: Draw, p: Palette): void {
		const why = l.failure.value;
		const lines = why
			? [why, "Choose smaller sizes, or select a loop in Data movement and press L."]
			: ["simulating…"];

		lines.forEach((text, i) =>
			d.text(d.width / 2, d.height / 2 + 20 * i, text, {
				colour: p.muted,
				size: 13,
				align: "center",
			}),
		);
	}

	private drawKey(d: Draw, p: Palette, scale: Scale): void {
		const title = l.heats.find(([id]) => id === l.heat.value)![1];
		const known = l.heat.value !== "none" && Number.isFinite(scale.ends[2]);
		const marks: [string, Colour][] = [
			["read now", p.read],
			["written now", p.write],
			...(l.showLines.value
				? ([["same cache line", lineColour(p)]] as [string, Colour][])
				: []),
		];
		const high = (known ? 40 : 0) + 26;

		d.rect(10, d.height - high - 8, 250, high, p.background, 0.88);
		if (known)
			drawScale(d, p, 22, d.height - high + 4, title, scale, s.colours.value, (v) =>
				count(Math.round(v * 10) / 10),
			);
		let x = 22;
		for (const [text, colour] of marks) {
			d.frame(x, d.height - 26, 10, 10, colour, 2);
			d.text(x + 15, d.height - 21, text, { colour: p.muted, size: 10 });
			x += 24 + d.measure(text, { colour: p.muted, size: 10 });
		}
	}

	/* The pointer. */

	private at(
		x: number,
		y: number,
	): { side: Side; item: ContainerItem; e: Element; index: number[] } | null {
		for (const side of this.sides)
			for (const item of side.scene.items) {
				if (item.kind !== "container") continue;
				const index = indexAt(
					item.grid,
					(cam.wx(x) - side.x - item.x) / TILE,
					(cam.wy(y) - item.y - TITLE) / TILE,
				);
				if (!index) continue;
				const place = placeOf(item.placed, index);
				return { side, item, index, e: { container: item.container, place } };
			}
		return null;
	}

	private move(e: PointerEvent, x: number, y: number): void {
		const drag = this.drag;

		if (drag && e.buttons) {
			if (Math.abs(x - drag.x) + Math.abs(y - drag.y) > 3) drag.moved = true;
			if (drag.moved) {
				cam.pan(x - drag.x, y - drag.y);
				[drag.x, drag.y] = [x, y];
			}
			return;
		}
		const hit = this.at(x, y);
		this.canvas.style.cursor = hit ? "pointer" : "";
		// elements of the original have other places: they are not chosen
		const now = hit?.side.changed ? hit.e : null;
		const old = l.hoverElement.peek();
		if (now?.container !== old?.container || now?.place !== old?.place)
			l.hoverElement.value = now;
		const edge = hit ? null : this.edgeAt(x, y);
		this.tip(hit ? words(hit.side, hit.item, hit.index, hit.e) : edge, x, y);
	}

	private edgeAt(x: number, y: number): string[] | null {
		for (const side of this.sides)
			for (const e of side.scene.edges) {
				const path = edgePath(side, e);
				for (let i = 0; i + 1 < path.length; i += 2)
					if (Math.hypot(cam.sx(path[i]!) - x, cam.sy(path[i + 1]!) - y) < 7)
						return edgeWords(side, e);
			}
		return null;
	}

	private release(e: PointerEvent, x: number, y: number): void {
		const drag = this.drag;

		this.drag = null;
		if (!drag || drag.moved) return;
		const hit = this.at(x, y);
		if (hit && !hit.side.changed) return;
		l.chooseElement(hit?.e ?? null, e.shiftKey || e.ctrlKey || e.metaKey);
	}

	exportText(kind: "csv" | "json"): string {
		const side = this.sides.at(-1);
		const rows = (side?.scene.items ?? []).flatMap((i) =>
			i.kind !== "container"
				? []
				: [...i.place].map((place) => {
						const at = cellOf(side!.elements.cells, i.container, place);
						const e = side!.elements;
						const far = (v: number | undefined) =>
							v === undefined || v === NEVER ? null : v;
						return {
							container: s.program.value!.containers[i.container]!.name,
							element: place,
							accesses: e.count[at] ?? 0,
							cold: e.cold[at] ?? 0,
							misses: e.misses[at] ?? 0,
							min: far(e.min[at]),
							median: far(e.median[at]),
							max: far(e.max[at]),
						};
					}),
		);

		if (kind === "json") return JSON.stringify(rows);
		return [
			"container,element,accesses,cold,misses,min,median,max",
			...rows.map((r) => Object.values(r).join()),
			"",
		].join("\n");
	}
}

let lastFit = "";

/** Answers about the same sizes: every container that is placed has its cells. */
function fits(local: Local, elements: Elements): boolean {
	return local.placed.every((p) => {
		const c = elements.cells.get(p.container);
		return c ? c.low === p.low && c.elements === p.high - p.low + 1 : false;
	});
}

function lineColour(p: Palette): Colour {
	return p.background > 0x808080 ? 0x2e8b3d : 0x6fd07f;
}

/** "B[10][15] of 4 bytes, column major". */
function titleOf(container: number, placed: Placed[]): string {
	const c = s.program.value!.containers[container]!;
	const p = placed.find((x) => x.container === container);
	const shape = p?.shape.length
		? p.shape.map((n) => `[${n}]`).join("")
		: `[${p ? p.high - p.low + 1 : ""}]`;
	const order = p && p.shape.length > 1 ? `  ${orderName(storedOrder(p.strides))}` : "";

	return `${c.name}${shape}${order}`;
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

function eachValue(
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
function movedBy(side: Side, e: LocalEdge): number {
	const m = side.moves;

	return m ? (m.edgeCold[e.row]! + m.edgeMisses[e.row]!) * side.local.line : NaN;
}

function edgeWords(side: Side, e: LocalEdge): string[] {
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

function edgePath(side: Side, e: LocalEdge): number[] {
	const nest = side.scene.items[e.nest]!;
	const c = side.scene.items[e.container]!;
	const same = side.scene.edges.filter((x) => x.nest === e.nest && x.down === e.down);
	const share = (same.indexOf(e) + 0.5) / same.length;
	const nx = side.x + nest.x + nest.w * (0.15 + 0.7 * share);
	const cx = side.x + c.x + c.w / 2;
	const below = c.y > nest.y;

	return below
		? smooth([nx, nest.y + nest.h, cx, c.y - 2], 12)
		: smooth([cx, c.y + c.h + 2, nx, nest.y], 12);
}

function words(side: Side, item: ContainerItem, index: number[], e: Element): string[] {
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

function onMarkedLine(side: Side, item: ContainerItem, place: number): boolean {
	const size = s.program.value!.containers[item.container]!.element;
	const [a, b] = linesOf(item.placed, place, size, side.local.line);

	return markedLines(side, item).some(([first, last]) => a <= last && b >= first);
}

class Painter {
	private readonly map = s.colours.value;

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

		d.rect(x, y - 4, 8, 8, containerColour(p, i.container));
		d.text(
			x + 13,
			y,
			titleOf(i.container, side.local.placed) + (i.cut ? "  (a part)" : ""),
			{
				colour: p.text,
				size,
				bold: true,
			},
		);
	}

	private nest(i: NestItem): void {
		const { d, p, side } = this;
		const k = cam.k * i.scale;
		const [x, y] = [cam.sx(side.x + i.x), cam.sy(i.y)];
		const [w, h] = [i.w * cam.k, i.h * cam.k];
		const size = Math.max(8, Math.min(14, 11 * k));
		const legible = 11 * k > 5.5;
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
		if (down) drawArrow(d, ex, ey + 1, 8, colour);
		if (up) d.path([sx, sy - 1, sx - 5, sy + 7, sx + 5, sy + 7], colour);
		if (!Number.isFinite(moved) || ey - sy < 16) return;
		const text = `${metricText("bytes", moved)} move`;
		const style = { colour: p.text, size: 10.5 };
		const [x, y] = [(sx + ex) / 2 + 7, (sy + ey) / 2];
		d.rect(x - 3, y - 7, d.measure(text, style) + 6, 14, p.background, 0.85);
		d.text(x, y, text, style);
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

export const localView: ViewKind = {
	id: "local",
	title: "Elements",
	description: "A part of the program at small sizes, element by element",
	tables: true,
	create: () => new LocalView(),
};
