// The local view: a part of the program at small sizes. Containers show every element, with
// its accesses, distances or misses as heat; the elements of the current step, of chosen
// elements and of their cache lines are marked.
import type { Palette } from "../../../draw/colours";
import type { Colour, Draw } from "../../../draw/draw";
import { count } from "../../../model/format";
import { CanvasView } from "../../../views/canvas";
import type { ViewKind } from "../../../views/view";
import { wheelFactor } from "../../../views/wheel";
import { eachIndex, indexAt, placeOf } from "../model/grid";
import { scaleOf, type Scale } from "../model/heat";
import {
	NEVER,
	cellOf,
	type Element,
	type Elements,
	type Local,
	type Step,
} from "../model/local";
import {
	TILE,
	TITLE,
	buildLocalScene,
	writtenIndex,
	type ContainerItem,
	type LocalScene,
} from "../model/localScene";
import type { Metrics } from "../model/program";
import * as l from "../state/local";
import * as s from "../state/store";
import { localCamera as cam } from "./camera";
import {
	Painter,
	eachValue,
	edgePath,
	edgeWords,
	fits,
	lineColour,
	movedBy,
	onMarkedLine,
	titleOf,
	words,
	type Side,
} from "./localPaint";
import { drawScale } from "./scene";

const BESIDE = 90; // units between two sides
const SEEN = 0.6; // pixels a unit: elements are 8 pixels, letters can be read
const APART = 0.35; // elements are 5 pixels

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
		// a long program begins at its top, with elements that can be seen; a wide one is
		// shown in its whole width as long as its elements can be told apart
		const all = this.whole();
		const wide = Math.max(APART, (cam.width - 24) / all.w);
		const k = Math.min(SEEN, wide);
		if (cam.k < k) {
			cam.k = k;
			const first = this.sides[0]!.scene.items[0];
			const fits = all.w * k <= cam.width || !first;
			cam.hold(fits ? all.w / 2 : first.x + first.w / 2, all.y, cam.width / 2, 10);
		}
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
		const title = l.heats.value.find(([id]) => id === l.heat.value)![1];
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

export const localView: ViewKind = {
	id: "local",
	title: "Elements",
	description: "A part of the program at small sizes, element by element",
	tables: true,
	create: () => new LocalView(),
};
