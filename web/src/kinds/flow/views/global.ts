// The global view: what data moves where in the whole program, as a graph of containers,
// loops and computations with heat maps on edges and nodes.
import { effect } from "@preact/signals";
import { mix, type Palette } from "../../../draw/colours";
import type { Colour, Draw } from "../../../draw/draw";
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
import {
	containerColour,
	drawArrow,
	drawScale,
	edgeColour,
	heatColour,
	inkOn,
	metricText,
	shapeText,
	smooth,
} from "./scene";

const TINY = 44; // pixels below which a box is only a spot
const LEGIBLE = 6.5; // pixels of a letter

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

/** Draws frames, as much of them as the zoom has room for. */
class Painter {
	private readonly map = s.colours.value;
	private readonly picked = s.picked.value;
	private readonly hovered = s.hovered.value;

	constructor(
		private readonly d: Draw,
		private readonly p: Palette,
		private readonly m: Metrics,
		private readonly scales: NonNullable<typeof s.scales.value>,
	) {}

	private outside(x: number, y: number, w: number, h: number): boolean {
		return (
			cam.sx(x + w) < 0 ||
			cam.sy(y + h) < 0 ||
			cam.sx(x) > this.d.width ||
			cam.sy(y) > this.d.height
		);
	}

	frame(f: Frame, x: number, y: number): void {
		for (const l of f.links)
			if (l.container >= 0) this.link(l, x, y, f.items[l.to]!.kind !== "port");
		for (const i of f.items) {
			if (i.kind === "port" || this.outside(x + i.x, y + i.y, i.w, i.h)) continue;
			if (i.kind === "data") this.data(i, x + i.x, y + i.y);
			else this.node(i, x + i.x, y + i.y);
		}
	}

	private nodeColour(node: number): Colour {
		return s.nodeMetric.value === "none"
			? this.p.panel
			: heatColour(this.p, this.map, this.scales.node.at(s.nodeValue(this.m, node)));
	}

	private peakColour(i: Item): Colour {
		return s.nodeMetric.value === "none"
			? this.p.panel
			: heatColour(this.p, this.map, s.peaks.value.get(i) ?? NaN);
	}

	/** Whether a selection names the item, a container's link, or the edge. */
	private marks(p: s.Pick | null, node: number, container: number): boolean {
		if (!p) return false;
		if (p.kind === "node") return p.node === node;
		if (p.kind === "container") return p.container === container;
		return node >= 0 && container >= 0 && p.node === node && p.container === container;
	}

	private text(
		text: string,
		wx: number,
		wy: number,
		colour: Colour,
		more: { align?: "left" | "center"; bold?: boolean } = {},
	): void {
		const size = 11 * cam.k;

		if (size < LEGIBLE) return;
		this.d.text(cam.sx(wx), cam.sy(wy), text, {
			colour,
			size: Math.min(26, size),
			align: "center",
			...more,
		});
	}

	private border(i: Item, x: number, y: number, thick: number): void {
		const on = this.marks(this.picked, i.node, i.container);
		const over = this.marks(this.hovered, i.node, i.container);

		if (!on && !over) return;
		this.d.frame(
			cam.sx(x) - thick,
			cam.sy(y) - thick,
			i.w * cam.k + 2 * thick,
			i.h * cam.k + 2 * thick,
			on ? this.p.cursor : this.p.text,
			on ? 2.5 : 1.2,
		);
	}

	private node(i: Item, x: number, y: number): void {
		const { d, p } = this;
		const [sx, sy, w, h] = [cam.sx(x), cam.sy(y), i.w * cam.k, i.h * cam.k];
		const small = w < TINY || h < TINY / 3;

		if (i.kind === "work" || i.folded || (small && i.box)) {
			const fill = i.inner ? this.peakColour(i) : this.nodeColour(i.node);

			d.rect(sx, sy, w, h, fill);
			if (w > 8) d.frame(sx, sy, w, h, p.muted, 1, i.folded ? 1 : 0.7);
			if (i.kind === "work")
				this.text(short(i.title), x + i.w / 2, y + i.h / 2, inkOn(fill));
			else if (!small) {
				this.headers(i, x, y, fill);
				this.text(
					short(i.title),
					x + i.w / 2,
					y + HEADER * i.headers.length + 12,
					inkOn(fill),
				);
			}
		} else {
			d.rect(sx, sy, w, h, mix(p.background, p.text, 0.025 + 0.012 * (i.box!.depth % 4)));
			d.frame(sx, sy, w, h, mix(p.grid, p.muted, 0.5), 1);
			this.headers(i, x, y, null);
			const at = innerPlace(i);
			this.frame(i.inner!, x + at.x, y + at.y);
		}
		this.border(i, x, y, 1);
	}

	/** Header bars: trapezoids for loops, as the paper has them. */
	private headers(i: Item, x: number, y: number, fill: Colour | null): void {
		const { d, p } = this;
		const nodes = s.tree.value!.nodes;
		const loops = i.box!.chain.filter((n) => nodes[n]!.kind !== "scope");

		i.headers.forEach((text, k) => {
			const kind = nodes[loops[k] ?? i.box!.chain.at(-1)!]!.kind;
			const [x0, x1] = [cam.sx(x), cam.sx(x + i.w)];
			const [y0, y1] = [cam.sy(y + HEADER * k), cam.sy(y + HEADER * (k + 1))];
			const cut = kind === "loop" ? Math.min(12, 0.1 * i.w) * cam.k : 0;
			const bar = mix(fill ?? p.background, p.text, kind === "loop" ? 0.16 : 0.08);

			d.path([x0 + cut, y0, x1 - cut, y0, x1, y1, x0, y1], bar);
			this.text(text, x + i.w / 2 + 6, y + HEADER * (k + 0.5), inkOn(bar));
		});
		const size = 11 * cam.k;
		if (size >= LEGIBLE)
			d.text(cam.sx(x + 16), cam.sy(y + HEADER / 2), i.folded ? "⊞" : "⊟", {
				colour: p.muted,
				size: Math.min(24, size * 1.15),
				align: "center",
			});
		else if (!i.folded) this.farName(i, x, y);
	}

	/** From far away a large box keeps a name, as a town on a map does. */
	private farName(i: Item, x: number, y: number): void {
		const { d, p } = this;
		const [w, h] = [i.w * cam.k, i.h * cam.k];
		const nodes = s.tree.value!.nodes;
		const names = i.box!.chain.map((n) => nodes[n]!.variable).filter((v) => v);
		const text = short(
			names.length ? `loop ${names.join(", ")}` : (i.headers[0] ?? ""),
			24,
		);
		const style = { colour: p.text, size: 10 };
		const long = d.measure(text, style);

		if (long + 8 > w || h < 34) return;
		const at = cam.sy(y + (HEADER * i.headers.length) / 2);
		d.rect(cam.sx(x) + w / 2 - long / 2 - 3, at - 7, long + 6, 14, p.background, 0.75);
		d.text(cam.sx(x) + w / 2, at, text, { ...style, align: "center" });
	}

	private data(i: Item, x: number, y: number): void {
		const { d, p } = this;
		const [sx, sy, w, h] = [cam.sx(x), cam.sy(y), i.w * cam.k, i.h * cam.k];
		const c = s.ready.value!.program.containers[i.container]!;
		const mark = containerColour(p, i.container);
		const r = h / 2;

		if (h < 5) {
			d.rect(sx, sy, Math.max(1, w), Math.max(1, h), mark, 0.8);
			return;
		}
		// ends like a pill; containers that exist only inside are lighter
		const line = c.transient || c.scalar ? mix(p.grid, p.muted, 0.6) : p.text;
		const fill = mix(p.background, mark, c.scalar ? 0.06 : 0.16);
		const shape: number[] = [];
		const bow = Math.min(r, w / 3);
		for (let k = 0; k <= 8; k++) {
			const a = (Math.PI * k) / 8;
			shape.push(sx + w - bow + bow * Math.sin(a), sy + r - r * Math.cos(a));
		}
		for (let k = 0; k <= 8; k++) {
			const a = (Math.PI * k) / 8;
			shape.push(sx + bow - bow * Math.sin(a), sy + r + r * Math.cos(a));
		}
		d.path(shape, fill);
		d.path([...shape, shape[0]!, shape[1]!], line, 1);
		d.arc(
			sx + bow * 0.8 + 1,
			sy + r,
			0,
			Math.max(1.5, 3.2 * cam.k),
			0,
			2 * Math.PI,
			mark,
		);
		this.text(short(i.title), x + i.w / 2 + 5, y + i.h / 2, p.text);
		this.border(i, x, y, 2);
	}

	private link(l: Link, x: number, y: number, arrow: boolean): void {
		const { d, p } = this;
		const n = l.path.length;
		const [x0, y0] = [cam.sx(x + l.path[0]!), cam.sy(y + l.path[1]!)];
		const [x1, y1] = [cam.sx(x + l.path[n - 2]!), cam.sy(y + l.path[n - 1]!)];

		if (Math.max(y0, y1) < 0 || Math.min(y0, y1) > d.height || y1 - y0 < 2) return;
		let [left, right] = [Infinity, -Infinity];
		for (let i = 0; i < n; i += 2) {
			left = Math.min(left, l.path[i]!);
			right = Math.max(right, l.path[i]!);
		}
		if (cam.sx(x + right) < 0 || cam.sx(x + left) > d.width) return;
		const t = this.scales.edge.at(edgeOf(this.m, l));
		const row = l.row < 0 ? -1 : this.m.node[l.row]!;
		const on = this.marks(this.picked, row, l.container);
		const over = this.marks(this.hovered, row, l.container);
		const none = s.edgeMetric.value === "none" || Number.isNaN(t);
		const colour =
			on && this.picked!.kind === "edge"
				? p.cursor
				: none
					? p.muted
					: edgeColour(p, this.map, t);
		const thick =
			(on || over ? 1.6 : 0) +
			Math.max(0.7, Math.min(1.6, cam.k) * (none ? 1.1 : 1.2 + 2.2 * t));
		const points = smooth(l.path, cam.k > 0.35 ? 7 : 3);

		for (let i = 0; i < points.length; i += 2) {
			points[i] = cam.sx(x + points[i]!);
			points[i + 1] = cam.sy(y + points[i + 1]!);
		}
		const head = Math.min(9, 7 * cam.k + thick);
		if (arrow && cam.k > 0.3 && y1 - y0 > 10) {
			points[points.length - 1]! -= head * 0.8;
			drawArrow(d, x1, y1, head, colour);
		}
		d.path(points, colour, thick, none && l.row < 0 ? 0.5 : 1);
		this.label(l, x0, y0, x1, y1);
	}

	/** Bytes beside an edge, where there is room. */
	private label(l: Link, x0: number, y0: number, x1: number, y1: number): void {
		const v = edgeOf(this.m, l);

		if (cam.k < 0.85 || !Number.isFinite(v) || y1 - y0 < 20 || l.path.length > 4) return;
		const text = metricText(s.edgeMetric.value, v);
		const style = { colour: this.p.text, size: 10 };
		const [x, y] = [(x0 + x1) / 2 + 5, (y0 + y1) / 2];
		const w = this.d.measure(text, style);

		this.d.rect(x - 2, y - 7, w + 4, 14, this.p.background, 0.8);
		this.d.text(x, y, text, style);
	}
}

function edgeOf(m: Metrics, l: Link): number {
	return s.edgeValue(m, l.row, l.write);
}

export const globalView: ViewKind = {
	id: "flow",
	title: "Data movement",
	description: "What data moves where in the whole program, by formulas of its sizes",
	tables: true,
	create: () => new GlobalView(),
};
