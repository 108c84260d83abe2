// The global view: what data moves where in the whole program, as a graph of containers,
// loops and computations with heat maps on edges and nodes.
import { effect } from "@preact/signals";
import type { Palette } from "../../../draw/colours";
import type { Draw } from "../../../draw/draw";
import { bytes, count, exact } from "../../../model/format";
import { CanvasView } from "../../../views/canvas";
import type { ViewKind } from "../../../views/view";
import { wheelFactor } from "../../../views/wheel";
import {
	HEADER,
	eachItem,
	innerPlace,
	short,
	type Frame,
	type Item,
	type Link,
	type Spot,
} from "../model/frames";
import type { Metrics } from "../model/program";
import * as s from "../state/store";
import { globalCamera as cam } from "./camera";
import { drawMinimap, minimapSpot } from "./minimap";
import { Painter, TINY } from "./globalPaint";
import { drawScale, metricText, shapeText, smooth } from "./scene";

/** What is under the pointer. */
interface Hit {
	item?: Item;
	link?: Link;
	x: number; // of the item, in the picture
	y: number;
	sign: boolean; // the sign that folds a box
}

export class GlobalView extends CanvasView {
	private shown: Frame | null = null; // that the camera was fitted to
	private fitted = "";
	private version = 0;
	private hit: Hit | null = null;
	private drag: { x: number; y: number; moved: boolean; map: boolean } | null = null;
	private anchor: { node: number; sx: number; sy: number } | null = null;
	private deferred: { pick: s.Pick } | null = null;

	protected start(): void {
		cam.resize(this.width, this.height);
		this.watch(() => {
			void s.frame.value;
			void s.metrics.value;
			void s.scales.value;
			void s.picked.value;
			void s.hovered.value;
			void s.colours.value;
			void cam.version.value;
		});
		this.onDestroy(
			effect(() => {
				const g = s.goal.value;
				if (g) this.deferred = g;
				this.redraw();
			}),
		);
		this.listen("pointerdown", (e, x, y) => this.press(e, x, y));
		this.listen("pointermove", (e, x, y) => this.move(e, x, y));
		this.listen("pointerup", (_, x, y) => this.release(x, y));
		this.listen("pointerleave", () => {
			this.hit = null;
			s.hovered.value = null;
		});
		this.listen("dblclick", (_, x, y) => {
			const h = this.at(x, y);
			if (h?.item?.box && !h.sign) this.fold(h);
		});
		this.listen("wheel", (e, x, y) => {
			e.preventDefault();
			cam.zoomAt(x, y, 1 / wheelFactor(e));
		});
	}

	protected override resized(): void {
		cam.resize(this.width, this.height);
	}

	/** A point of the picture on the screen, for tests. */
	screenOf(x: number, y: number): [number, number] {
		return [cam.sx(x), cam.sy(y)];
	}

	/** From the whole picture (0) to one computation in its middle (1), for measurements. */
	zoomTo(share: number): void {
		const f = s.frame.value;
		const spots: Spot[] = [];

		if (!f) return;
		eachItem(
			f,
			0,
			0,
			(i, x, y) => i.kind === "work" && spots.push({ x, y, w: i.w, h: i.h }),
		);
		const to = spots[spots.length >> 1] ?? { x: 0, y: 0, w: f.w, h: f.h };
		const mix = (a: number, b: number) => a * (b / a) ** share;
		const [w, h] = [mix(f.w, to.w * 4), mix(f.h, to.h * 8)];

		cam.fit({ x: to.x + (to.w - w) / 2, y: to.y + (to.h - h) / 2, w, h }, 8, 0);
	}

	/** Shows the whole picture. */
	showAll(): void {
		const f = s.frame.value;

		cam.fly({ x: 0, y: 0, w: f?.w ?? 1, h: f?.h ?? 1 }, 1.4, 40);
	}

	/** The place of a node or container in the picture, by its drawn item. */
	private spotOf(p: s.Pick): Spot | null {
		const t = s.tree.value;
		const f = s.frame.value;
		let found: Spot | null = null;
		let smallest = Infinity;

		if (!t || !f) return null;
		eachItem(f, 0, 0, (i, x, y) => {
			const fits =
				p.kind === "container"
					? i.container === p.container && i.kind === "data" && !found
					: i.node >= 0 &&
						i.node <= p.node &&
						(i.box ? i.box.last : i.node) >= p.node &&
						(i.box?.chain.includes(p.node) || i.w * i.h < smallest);
			if (!fits) return;
			smallest = i.w * i.h;
			found = { x, y, w: i.w, h: i.h };
		});
		return found;
	}

	private settle(f: Frame): void {
		if (this.shown === f) return;
		const key = `${s.number.value} ${s.program.value?.function}`;

		this.shown = f;
		this.version++;
		this.hit = null;
		if (this.fitted !== key) {
			this.fitted = key;
			if (fittedBefore !== key) cam.fit({ x: 0, y: 0, w: f.w, h: f.h }, 1.4, 36);
			fittedBefore = key;
		} else if (this.anchor) {
			const at = this.spotOf({ kind: "node", node: this.anchor.node });
			if (at) cam.hold(at.x, at.y, this.anchor.sx, this.anchor.sy);
		}
		this.anchor = null;
	}

	draw(d: Draw, p: Palette): void {
		const [f, m, scales] = [s.frame.value, s.metrics.value, s.scales.value];

		if (!f || !m || !scales) {
			d.text(d.width / 2, d.height / 2, "reading the program…", {
				colour: p.muted,
				size: 13,
				align: "center",
			});
			return;
		}
		this.settle(f);
		if (this.deferred) {
			const at = this.spotOf(this.deferred.pick);
			this.deferred = null;
			if (at) queueMicrotask(() => cam.fly(at));
		}
		new Painter(d, p, m, scales).frame(f, 0, 0);
		this.drawKeys(d, p, scales);
		drawMinimap(d, p, f, cam, `${this.version}`);
	}

	private drawKeys(
		d: Draw,
		p: Palette,
		scales: NonNullable<typeof s.scales.value>,
	): void {
		const keys = [
			{ on: s.nodeMetric.value, list: s.nodeMetrics, scale: scales.node, what: "nodes" },
			{ on: s.edgeMetric.value, list: s.edgeMetrics, scale: scales.edge, what: "edges" },
		].filter((k) => k.on !== "none" && Number.isFinite(k.scale.ends[2]));
		const high = 40 * keys.length + 12;

		if (!keys.length) return;
		d.rect(10, d.height - high - 8, 206, high, p.background, 0.88);
		keys.forEach((k, i) => {
			const title = k.list.find(([id]) => id === k.on)![1];

			drawScale(
				d,
				p,
				22,
				d.height - high + 4 + 40 * i,
				`${k.what}: ${title}`,
				k.scale,
				s.colours.value,
				(v) => metricText(k.on, v),
			);
		});
	}

	/* The pointer. */

	private at(x: number, y: number): Hit | null {
		const f = s.frame.value;

		return f ? hitIn(f, 0, 0, cam.wx(x), cam.wy(y)) : null;
	}

	private press(e: PointerEvent, x: number, y: number): void {
		const f = s.frame.value;
		const map = f ? minimapSpot(this.width, f, x, y) : null;

		this.canvas.setPointerCapture(e.pointerId);
		this.drag = { x, y, moved: false, map: !!map };
		if (map) this.toMap(x, y, true);
	}

	private toMap(x: number, y: number, fly: boolean): void {
		const f = s.frame.value;
		const at = f && minimapSpot(this.width, f, x, y, true);

		if (!at) return;
		const [w, h] = [cam.width / cam.k, cam.height / cam.k];
		const spot = { x: at.x - w / 2, y: at.y - h / 2, w, h };
		if (fly) cam.fly(spot, cam.k, 0);
		else cam.hold(at.x, at.y, cam.width / 2, cam.height / 2);
	}

	private move(e: PointerEvent, x: number, y: number): void {
		const drag = this.drag;

		if (drag && e.buttons) {
			if (Math.abs(x - drag.x) + Math.abs(y - drag.y) > 3) drag.moved = true;
			if (drag.map) {
				if (drag.moved) this.toMap(x, y, false);
			} else if (drag.moved) {
				cam.pan(x - drag.x, y - drag.y);
				[drag.x, drag.y] = [x, y];
			}
			this.tip(null);
			return;
		}
		const f = s.frame.value;
		this.hit = f && minimapSpot(this.width, f, x, y) ? null : this.at(x, y);
		const h = this.hit;
		this.canvas.style.cursor = h?.sign ? "pointer" : h?.link || h?.item ? "pointer" : "";
		s.hovered.value = h ? pickOf(h) : null;
		this.tip(h ? this.words(h) : null, x, y);
	}

	private release(x: number, y: number): void {
		const drag = this.drag;

		this.drag = null;
		if (!drag || drag.moved || drag.map) return;
		const h = this.at(x, y);
		if (h?.sign) this.fold(h);
		else s.pick(h ? pickOf(h) : null);
	}

	private fold(h: Hit): void {
		this.anchor = { node: h.item!.node, sx: cam.sx(h.x), sy: cam.sy(h.y) };
		s.toggleFold(h.item!.box!);
	}

	private words(h: Hit): string[] {
		const [m, r] = [s.metrics.value, s.ready.value];

		if (!m || !r) return [];
		if (h.link) return linkWords(h.link, m);
		const i = h.item!;
		if (i.container >= 0) {
			const c = r.program.containers[i.container]!;
			return [
				`${c.name}${shapeText(c)}`,
				`${c.type}, ${c.element} bytes an element${c.transient ? ", exists only inside" : ""}`,
				...(c.read ? [`read: ${short(c.read, 60)} bytes`] : []),
				...(c.written ? [`written: ${short(c.written, 60)} bytes`] : []),
			];
		}
		const n = i.node;
		return [
			...(i.headers.length ? i.headers : [i.title]),
			`${count(m.runs[n]!)} executions, ${count(m.operations[n]!)} operations`,
			`moves ${metricText("bytes", m.bytes[n]!)}, footprint ${metricText("footprint", m.footprint[n]!)}`,
			`intensity ${metricText("intensity", s.nodeValue(m, n, "intensity"))} operations a byte`,
			...(Number.isFinite(m.misses[n]!)
				? [`${exact(m.cold[n]!)} cold, ${exact(m.misses[n]!)} capacity misses`]
				: []),
			...(i.box ? [i.folded ? "double click unfolds" : "double click folds"] : []),
		];
	}

	exportText(kind: "csv" | "json"): string {
		const [t, m] = [s.tree.value, s.metrics.value];
		const rows = (t?.nodes ?? []).map((n) => ({
			node: n.number,
			parent: n.parent ?? null,
			kind: n.kind,
			label: n.label,
			line: n.line,
			executions: m?.runs[n.number] ?? null,
			operations: m?.operations[n.number] ?? null,
			bytes: m?.bytes[n.number] ?? null,
			footprint: m?.footprint[n.number] ?? null,
		}));

		if (kind === "json") return JSON.stringify(rows);
		const names = Object.keys(rows[0] ?? {}) as (keyof (typeof rows)[0])[];
		return [
			names.join(),
			...rows.map((r) =>
				names
					.map((k) =>
						typeof r[k] === "string" ? `"${r[k].replaceAll('"', '""')}"` : r[k],
					)
					.join(),
			),
			"",
		].join("\n");
	}
}

let fittedBefore = "";

function linkWords(l: Link, m: Metrics): string[] {
	const c = s.ready.value!.program.containers[l.container]!;

	return [
		l.write ? `writes ${c.name}` : `reads ${c.name}`,
		...(l.row < 0
			? ["passes it on"]
			: [
					metricText("bytes", l.write ? m.written[l.row]! : m.read[l.row]!),
					`footprint ${metricText("footprint", m.edgeFootprint[l.row]!)}`,
					...(Number.isFinite(m.edgeMisses[l.row]!)
						? [
								`${exact(m.edgeCold[l.row]!)} cold, ${exact(m.edgeMisses[l.row]!)} capacity misses: ${bytes((m.edgeCold[l.row]! + m.edgeMisses[l.row]!) * s.line.value)} move`,
							]
						: []),
				]),
	];
}

function pickOf(h: Hit): s.Pick | null {
	const m = s.ready.value?.metrics;

	if (h.link)
		return h.link.row < 0 || !m
			? { kind: "container", container: h.link.container }
			: { kind: "edge", node: m.node[h.link.row]!, container: h.link.container };
	if (!h.item) return null;
	return h.item.container >= 0
		? { kind: "container", container: h.item.container }
		: { kind: "node", node: h.item.node };
}

/** The distance of a point to a line through points. */
function distance(points: ArrayLike<number>, x: number, y: number): number {
	let least = Infinity;

	for (let i = 0; i + 3 < points.length; i += 2) {
		const [x0, y0] = [points[i]!, points[i + 1]!];
		const [dx, dy] = [points[i + 2]! - x0, points[i + 3]! - y0];
		const t = Math.max(
			0,
			Math.min(1, ((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy || 1)),
		);
		least = Math.min(least, Math.hypot(x - x0 - t * dx, y - y0 - t * dy));
	}
	return least;
}

function hitIn(f: Frame, fx: number, fy: number, x: number, y: number): Hit | null {
	for (const item of f.items) {
		const [ix, iy] = [fx + item.x, fy + item.y];

		if (item.kind === "port" || x < ix || y < iy || x > ix + item.w || y > iy + item.h)
			continue;
		const small = item.w * cam.k < TINY;
		if (item.inner && !small) {
			const at = innerPlace(item);
			const inside = hitIn(item.inner, ix + at.x, iy + at.y, x, y);
			if (inside) return inside;
		}
		const sign = !!item.box && !small && x < ix + 22 && y < iy + HEADER;
		return { item, x: ix, y: iy, sign };
	}
	const near = 5 / cam.k;
	let best: Link | undefined;
	let least = near;
	for (const l of f.links) {
		if (l.container < 0) continue;
		const away = distance(smooth(l.path, 6), x - fx, y - fy);
		if (away < least) [best, least] = [l, away];
	}
	return best ? { link: best, x: 0, y: 0, sign: false } : null;
}

export const globalView: ViewKind = {
	id: "flow",
	title: "Data movement",
	description: "What data moves where in the whole program, by formulas of its sizes",
	tables: true,
	create: () => new GlobalView(),
};
