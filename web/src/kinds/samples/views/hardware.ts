// The hardware with its loads, as a sunburst or an icicle. The same function draws the view,
// the overview and the small pictures of clusters.
import type { Box } from "../../../model/box";
import type { Palette } from "../../../draw/colours";
import type { Colour, Draw } from "../../../draw/draw";
import { readableOn } from "../../../draw/roles";
import { bytes, count, exact, percent } from "../../../model/format";
import type { NodeLoads } from "../api";
import { conjuncts, tidy } from "../model/selection";
import {
	fitRing,
	gapBetween,
	nodeInRing,
	ringRadii,
	roomInArc,
	scaled,
	type Ring,
	type Tree,
} from "../model/tree";
import * as s from "../state";
import { loadColour, sampleColours } from "./colours";
import { NOTHING, type Part, type Under } from "./parts";

const TURN = 2 * Math.PI;

export interface Scene {
	tree: Tree;
	loads: NodeLoads;
	by: "cycles" | "samples";
	also?: NodeLoads | null;
	over?: number; // the node under the pointer
	marked?: Set<number>; // selected nodes
	labels?: boolean;
	colours?: Colour[]; // of the nodes, in place of their loads
}

interface Look {
	colour: Colour;
	link: number; // width of the link to its parent, from 0 to 1
	part: number; // share of its samples that are pre-selected
}

function looks(p: Palette, x: Scene): Look[] {
	const value = x.by === "cycles" ? x.loads.cycles : x.loads.samples;
	const shares = scaled(x.tree, value, x.loads.samples);
	const links = scaled(x.tree, x.loads.transactions, x.loads.transactions);

	return x.tree.nodes.map((_, i) => ({
		colour: x.colours?.[i] ?? loadColour(p, shares[i]!),
		link: x.loads.transactions[i] ? 0.15 + 0.85 * Math.max(0, links[i]!) : 0,
		part: x.also && x.loads.samples[i] ? x.also.samples[i]! / x.loads.samples[i]! : 0,
	}));
}

/** The last word of a label, or all of it where there is room. */
function labelThatFits(d: Draw, label: string, room: number, size: number): string {
	const style = { colour: 0, size };
	const short = label.replace(/^.* #?/, "");

	return [label, short].find((t) => d.measure(t, style) + 1.5 < room) ?? "";
}

function labelOutside(
	d: Draw,
	p: Palette,
	ring: Ring,
	r: number,
	angle: number,
	label: string,
): void {
	const sin = Math.sin(angle);

	d.text(ring.x + (r + 5) * sin, ring.y - (r + 5) * Math.cos(angle), label, {
		colour: p.text,
		size: 10,
		align: sin < 0 ? "right" : "left",
	});
}

export function drawSunburst(d: Draw, p: Palette, box: Box, x: Scene): Ring {
	const t = x.tree;
	const ring = fitRing(box.x, box.y, box.w, box.h, t.depths);
	const look = looks(p, x);
	const c = sampleColours(p);

	t.nodes.forEach((n, i) => {
		const [r0, r1] = ringRadii(ring, t.depth[i]!);
		const [a0, a1] = [t.from[i]! * TURN, t.to[i]! * TURN];
		const whole = a1 - a0 > TURN - 1e-6;
		const half = whole ? 0 : gapBetween((a1 - a0) * r1) / 2 / Math.max(1, r1);
		const { colour, link, part } = look[i]!;

		d.arc(ring.x, ring.y, r0, r1, a0 + half, a1 - half, colour);
		if (part > 0)
			d.arc(
				ring.x,
				ring.y,
				r0,
				r0 + (r1 - r0) * Math.max(0.12, part),
				a0 + half,
				a1 - half,
				c.hover,
				0.92,
			);
		if (link && i) {
			const a = (a0 + a1) / 2;
			const most = Math.max(0.8, Math.min(12, (a1 - a0) * r0 * 0.6));

			d.line(
				ring.x + (r0 - ring.gap) * Math.sin(a),
				ring.y - (r0 - ring.gap) * Math.cos(a),
				ring.x + r0 * Math.sin(a),
				ring.y - r0 * Math.cos(a),
				c.link,
				Math.max(0.6, link * most),
			);
		}
		if (x.over === i || x.marked?.has(i))
			outlineArc(d, ring, r0, r1, a0, a1, x.over === i ? p.text : p.cursor);
		if (!x.labels || !i) return;
		const middle = (a0 + a1) / 2;
		const mid = (r0 + r1) / 2;
		const room = roomInArc(r0, r1, a0, a1);
		const text = labelThatFits(d, n.label, room.w, 10);
		if (room.h < 11) return;
		if (!text) {
			// a CPU with samples has its name outside where the ring is too thin for it
			if (t.depth[i] === t.depths - 1 && x.loads.samples[i])
				labelOutside(d, p, ring, r1, middle, n.label);
			return;
		}
		d.text(ring.x + mid * Math.sin(middle), ring.y - mid * Math.cos(middle), text, {
			colour: readableOn(part > 0.5 ? c.hover : colour),
			size: 10,
			align: "center",
		});
	});
	return ring;
}

function outlineArc(
	d: Draw,
	ring: Ring,
	r0: number,
	r1: number,
	a0: number,
	a1: number,
	colour: Colour,
): void {
	d.arc(ring.x, ring.y, Math.max(0, r0 - 1), r0 + 1, a0, a1, colour);
	d.arc(ring.x, ring.y, r1 - 1, r1 + 1, a0, a1, colour);
	if (a1 - a0 > TURN - 1e-6) return;
	for (const a of [a0, a1])
		d.line(
			ring.x + r0 * Math.sin(a),
			ring.y - r0 * Math.cos(a),
			ring.x + r1 * Math.sin(a),
			ring.y - r1 * Math.cos(a),
			colour,
			2,
		);
}

interface Rows {
	box: Box;
	step: number;
	gap: number;
}

function fitRows(box: Box, depths: number): Rows {
	const step = Math.min(74, box.h / Math.max(1, depths));

	return { box, step, gap: Math.min(10, step * 0.28) };
}

function nodeInRows(t: Tree, r: Rows, x: number, y: number): number {
	const share = (x - r.box.x) / r.box.w;
	const row = Math.floor((y - r.box.y) / r.step);

	return t.nodes.findIndex(
		(_, i) => t.depth[i] === row && share >= t.from[i]! && share < t.to[i]!,
	);
}

export function drawIcicle(d: Draw, p: Palette, box: Box, x: Scene): Rows {
	const t = x.tree;
	const rows = fitRows(box, t.depths);
	const look = looks(p, x);
	const c = sampleColours(p);
	const tall = rows.step - rows.gap;

	t.nodes.forEach((n, i) => {
		const x0 = box.x + t.from[i]! * box.w;
		const wide = (t.to[i]! - t.from[i]!) * box.w;
		const gap = gapBetween(wide);
		const y = box.y + t.depth[i]! * rows.step + rows.gap;
		const { colour, link, part } = look[i]!;

		d.rect(x0 + gap / 2, y, wide - gap, tall, colour);
		if (part > 0) {
			const h = tall * Math.max(0.12, part);
			d.rect(x0 + gap / 2, y + tall - h, wide - gap, h, c.hover, 0.92);
		}
		if (link && i)
			d.line(
				x0 + wide / 2,
				y - rows.gap,
				x0 + wide / 2,
				y,
				c.link,
				Math.max(0.6, link * Math.min(16, wide * 0.5)),
			);
		if (x.over === i || x.marked?.has(i))
			d.frame(x0 + gap / 2, y, wide - gap, tall, x.over === i ? p.text : p.cursor, 2);
		const text = x.labels ? labelThatFits(d, n.label, wide, 10) : "";
		if (text && tall > 11)
			d.text(x0 + wide / 2, y + tall / 2, text, {
				colour: readableOn(part > 0.5 ? c.hover : colour),
				size: 10,
				align: "center",
			});
	});
	return rows;
}

export class HardwarePart implements Part {
	private over_ = -1;
	private ring: Ring | null = null;
	private rows: Rows | null = null;
	private pressed = -1;

	reads(): void {
		void s.tree.value;
		void s.loads.value;
		void s.measureBy.value;
		void s.shape.value;
		void s.selected.value;
	}

	private scene(): Scene | null {
		const [tree, loads] = [s.tree.value, s.loads.value];
		const parts = new Set(conjuncts(s.selected.value));

		if (!tree || !loads) return null;
		return {
			tree,
			loads,
			also: loads.also,
			by: s.measureBy.value,
			over: this.over_,
			marked: new Set(
				tree.nodes.flatMap((n, i) => (parts.has(tidy(n.select)) ? [i] : [])),
			),
			labels: true,
		};
	}

	draw(d: Draw, p: Palette, box: Box): void {
		const x = this.scene();
		const key = 26;

		if (!x) {
			d.text(
				box.x + box.w / 2,
				box.y + box.h / 2,
				s.info.value?.tables.includes("hardware")
					? "counting…"
					: "the hardware of these samples is unknown (hardware.xml)",
				{ colour: p.muted, size: 12, align: "center" },
			);
			return;
		}
		const inner = { x: box.x + 10, y: box.y + 8, w: box.w - 20, h: box.h - key - 12 };
		this.ring = this.rows = null;
		if (s.shape.value === "sunburst") {
			const names = Math.max(
				0,
				...s.info.value!.tiers.map((t) => d.measure(t.name, { colour: 0, size: 10 })),
			);
			const side = Math.min(inner.h, inner.w - 2 * (names + 20));
			const square =
				side > 120 ? { ...inner, x: inner.x + (inner.w - side) / 2, w: side } : inner;

			this.ring = drawSunburst(d, p, square, x);
			if (side > 120) this.drawTiers(d, p, x.tree);
		} else this.rows = drawIcicle(d, p, inner, x);
		this.drawKey(d, p, { x: box.x + 10, y: box.y + box.h - key, w: box.w - 20, h: key });
	}

	/** The names of the rings. */
	private drawTiers(d: Draw, p: Palette, t: Tree): void {
		const r = this.ring!;
		const outer = r.inner + (t.depths - 1) * r.step;
		const x = r.x + outer + 10;
		const a = 0.16 * TURN;
		let y = -Infinity; // of the last name; names keep their distance

		for (let depth = t.depths - 1; depth > 0; depth--) {
			const n = t.nodes[t.depth.indexOf(depth)]!;
			const [r0, r1] = ringRadii(r, depth);
			const [px, py] = [
				r.x + ((r0 + r1) / 2) * Math.sin(a),
				r.y - ((r0 + r1) / 2) * Math.cos(a),
			];

			y = Math.max(py, y + 11);
			d.path([px, py, x - 12, y, x - 3, y], p.text, 0.7, 0.45);
			d.arc(px, py, 0, 2, 0, TURN, p.text);
			d.text(x, y, s.info.value!.tiers[n.tier]?.name ?? "", {
				colour: p.muted,
				size: 10,
			});
		}
	}

	private drawKey(d: Draw, p: Palette, box: Box): void {
		const style = { colour: p.muted, size: 10 };
		const y = box.y + box.h / 2;
		let x = box.x;
		const word = (text: string) => {
			d.text(x, y, text, style);
			x += d.measure(text, style) + 6;
		};

		word(
			s.measureBy.value === "cycles"
				? "cycles of its tier: fewest"
				: "samples of its tier: fewest",
		);
		for (let i = 0; i < 30; i++) d.rect(x + i * 2, y - 4, 2.5, 8, loadColour(p, i / 29));
		x += 66;
		word("most");
		x += 8;
		d.rect(x, y - 4, 9, 8, sampleColours(p).none);
		x += 14;
		word("no samples");
		if (x + 150 < box.x + box.w) {
			x += 8;
			d.line(x, y, x + 12, y, sampleColours(p).link, 4);
			x += 18;
			word("width: transactions");
		}
	}

	private at(x: number, y: number): number {
		const t = s.tree.value;

		if (!t || x < 0) return -1;
		if (this.ring) return nodeInRing(t, this.ring, x, y);
		return this.rows ? nodeInRows(t, this.rows, x, y) : -1;
	}

	over(x: number, y: number): Under {
		const [t, l] = [s.tree.value, s.loads.value];
		const i = (this.over_ = this.at(x, y));

		if (i < 0 || !t || !l) return NOTHING;
		const n = t.nodes[i]!;
		const all = l.samples[0] || 1;
		return {
			cursor: "pointer",
			hover: tidy(n.select),
			tip: [
				n.size ? `${n.label} (${bytes(n.size)})` : n.label,
				l.samples[i]
					? `${exact(l.samples[i]!)} samples, ${percent(l.samples[i]!, all)}`
					: "no samples",
				...(l.timed[i]
					? [
							`${exact(l.cycles[i]!)} cycles, ${count(Math.round(l.cycles[i]! / l.timed[i]!))} each`,
						]
					: []),
				...(i
					? [`${exact(l.transactions[i]!)} transactions with ${t.nodes[n.parent]!.label}`]
					: []),
			],
		};
	}

	down(x: number, y: number): boolean {
		this.pressed = this.at(x, y);
		return this.pressed >= 0;
	}

	up(x: number, y: number, e: PointerEvent): void {
		const i = this.at(x, y);

		if (i >= 0 && i === this.pressed)
			s.select(i ? s.tree.value!.nodes[i]!.select : "", i ? s.modeOf(e) : "new");
		this.pressed = -1;
	}
}
