// What the global view draws: frames inside frames, as much of them as the zoom has room for.
import { mix, type Palette } from "../../../draw/colours";
import type { Colour, Draw } from "../../../draw/draw";
import {
	HEADER,
	innerPlace,
	short,
	type Frame,
	type Item,
	type Link,
} from "../model/frames";
import { Labels } from "../model/labels";
import type { Metrics } from "../model/program";
import * as s from "../state/store";
import { globalCamera as cam } from "./camera";
import {
	containerColour,
	drawArrow,
	edgeColour,
	heatColour,
	inkOn,
	metricText,
	smooth,
} from "./scene";

export const TINY = 26; // pixels below which a box is only a spot
const LEGIBLE = 6.5; // pixels of a letter

/** Draws frames, as much of them as the zoom has room for. */
export class Painter {
	private readonly map = s.colours.value;
	private readonly picked = s.picked.value;
	private readonly hovered = s.hovered.value;
	private readonly labels = new Labels();

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
		const small = w < TINY || h < TINY / 2;

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
		else this.farName(i, x, y);
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
		const style = { colour: p.text, size: i.folded ? 8.5 : 10 };
		const long = d.measure(text, style);

		if (long + (i.folded ? 2 : 8) > w || h < (i.folded ? 14 : 34)) return;
		if (i.folded) {
			d.text(cam.sx(x) + w / 2, cam.sy(y) + h / 2, text, {
				...style,
				colour: inkOn(this.peakColour(i)),
				align: "center",
			});
			return;
		}
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

		if (Math.max(y0, y1) < 0 || Math.min(y0, y1) > d.height || y1 - y0 < 3) return;
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
		const points = smooth(l.path, cam.k > 0.35 ? 7 : cam.k > 0.15 ? 3 : 1);

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
		const w = this.d.measure(text, style);
		// right or left of the edge, in its middle or nearer to an end
		const places = [0.5, 0.25, 0.75].flatMap((t): [number, number][] => {
			const [x, y] = [x0 + (x1 - x0) * t, y0 + (y1 - y0) * t];
			return [
				[x + 5, y],
				[x - 5 - w, y],
			];
		});
		const at = this.labels.take(places, w + 4, 14);

		if (!at) return;
		this.d.rect(at[0] - 2, at[1] - 7, w + 4, 14, this.p.background, 0.8);
		this.d.text(at[0], at[1], text, style);
	}
}

function edgeOf(m: Metrics, l: Link): number {
	return s.edgeValue(m, l.row, l.write);
}
