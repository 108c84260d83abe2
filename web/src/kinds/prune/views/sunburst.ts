// The sunburst of section IV of Haugen and Kurzak: all variants at the centre, a ring for
// each visible constraint, what passes first, clockwise from 12 o'clock.
import type { Palette } from "../../../draw/colours";
import type { Draw } from "../../../draw/draw";
import { count, exact, percent } from "../../../model/format";
import { CanvasView } from "../../../views/canvas";
import type { ViewKind } from "../../../views/view";
import { anchor, angles, fit, hit, radii, whereOf, type Circle } from "../model/rings";
import { printWhere, sayWhere, share, wrap, type Where } from "../model/space";
import * as s from "../state";
import { effectLines, pruneColours, resultColour, sectorColour } from "./scene";

const TURN = 2 * Math.PI;
const NAME = { size: 11 };

class SunburstView extends CanvasView {
	private circle: Circle | null = null;
	private over = -1; // the sector under the pointer
	private answer: object | null = null; // that `version` counts
	private version = 0;
	private marked = { key: "", sector: -1 }; // the selected sector, once it is found

	protected start(): void {
		this.watch(() => {
			void s.sunburst.value;
			void s.space.value;
			void s.picked.value;
			void s.hovered.value;
			void s.pointed.value;
			void s.colour.value;
			void s.tuned.value;
			void s.progress.value;
		});
		this.listen("pointermove", (_, x, y) => this.point(x, y));
		this.listen("pointerleave", () => {
			this.over = -1;
			s.hovered.value = null;
			s.pointed.value = null;
		});
		this.listen("click", (_, x, y) => {
			const at = this.at(x, y);

			if (at === "centre") s.zoomOut();
			else s.pick(at === null ? null : this.where(at));
		});
		this.listen("dblclick", (_, x, y) => {
			const at = this.at(x, y);

			if (typeof at === "number") s.zoomInto(this.where(at));
		});
	}

	protected override resized(): void {
		s.cells.value = Math.max(360, Math.round(Math.min(this.width, this.height) * 3));
	}

	private at(x: number, y: number): number | "centre" | null {
		const b = s.sunburst.value;

		return b && this.circle ? hit(this.circle, b, x, y) : null;
	}

	private where(i: number): Where {
		return whereOf(s.sunburst.value!, i, (name) => s.constraint(name)?.bit ?? 0);
	}

	private point(x: number, y: number): void {
		const [b, at] = [s.sunburst.value, this.at(x, y)];
		const space = s.space.value;

		this.canvas.style.cursor = at === null ? "" : "pointer";
		this.over = typeof at === "number" ? at : -1;
		s.hovered.value = typeof at === "number" ? this.where(at) : null;
		s.pointed.value = typeof at === "number" ? (b!.rings[b!.ring[at]!] ?? null) : null;
		if (at === null || !b || !space) {
			this.tip(null);
			return;
		}
		if (at === "centre") {
			const inside = b.inside;

			this.tip(
				inside.length
					? [
							...wrap(`${exact(b.total)} variants: ${sayWhere(inside)}`),
							`${share(b.total, b.all)} of all; click to zoom out`,
						]
					: [`all ${exact(b.total)} variants`, `${exact(b.survivors)} survive`],
				x,
				y,
			);
			return;
		}
		const c = s.constraint(b.rings[b.ring[at]!]!);
		if (!c) return;
		const many = b.joined[at]! > 1;
		const head = many
			? `${b.joined[at]} thin sectors`
			: b.failed[at]! > 0
				? `${c.name} (${c.kind}): fails`
				: `${c.name} (${c.kind}): passes`;
		this.tip(
			[
				head,
				`${exact(b.count[at]!)} variants, ${share(b.count[at]!, b.all)} of all`,
				...(many ? [`${exact(b.failed[at]!)} of them fail ${c.name}`] : []),
				...effectLines(c, space.variants),
				...(c.about ? wrap(c.about) : []),
				...(Number.isFinite(b.best[at]!)
					? [`best simulated variant: ${exact(b.best[at]!)} cycles`]
					: []),
			],
			x,
			y,
		);
	}

	/** Why there is nothing to draw. */
	private waiting(): string {
		const p = s.progress.value[s.number.value ?? 0];

		if (p?.state === "failed") return p.error ?? "the space could not be evaluated";
		if (p?.state === "cancelled") return "the evaluation was cancelled";
		return p && p.total ? `evaluating: ${percent(p.done, p.total)}` : "evaluating…";
	}

	draw(d: Draw, p: Palette): void {
		const [b, space] = [s.sunburst.value, s.space.value];

		if (!b || !space) {
			d.text(d.width / 2, d.height / 2, this.waiting(), {
				colour: p.muted,
				size: 13,
				align: "center",
			});
			return;
		}
		const names = b.rings;
		const widest = Math.max(
			0,
			...names.map((n) => d.measure(n, { colour: p.text, ...NAME })),
		);
		this.circle = fit(d.width, d.height, names.length, widest + 40);
		if (this.answer !== b) {
			this.answer = b;
			this.version++;
			this.over = -1;
		}
		// tens of thousands of sectors stay while the pointer moves over them
		d.layer(
			"sectors",
			[this.version, d.width, d.height, p.background, s.colour.value].join(" "),
			() => this.drawSectors(d, p),
		);
		this.drawCentre(d, p);
		this.drawMarks(d, p);
		this.drawNames(d, p, names);
		this.drawTop(d, p);
		if (s.colour.value === "result") this.drawScale(d, p);
	}

	/** The key of results: from the best to the worst of the sectors. */
	private drawScale(d: Draw, p: Palette): void {
		const finite = [...s.sunburst.value!.best].filter(Number.isFinite);
		const [best, worst] = [Math.min(...finite), Math.max(...finite)];
		const [x, y, w, steps] = [14, d.height - 30, 160, 40];

		if (!finite.length) return;
		d.text(x, y - 9, "cycles of the best simulated variant", {
			colour: p.muted,
			size: 10,
		});
		for (let i = 0; i < steps; i++) {
			const cycles = best * (worst / best) ** (i / (steps - 1));

			d.rect(
				x + (i * w) / steps,
				y,
				w / steps + 0.5,
				8,
				resultColour(p, cycles, best, worst),
			);
		}
		d.text(x, y + 17, count(best), { colour: p.muted, size: 10 });
		d.text(x + w, y + 17, count(worst), { colour: p.muted, size: 10, align: "right" });
	}

	private drawCentre(d: Draw, p: Palette): void {
		const [c, b] = [this.circle!, s.sunburst.value!];
		const light = { colour: 0x173a1c, align: "center" as const };

		d.arc(c.x, c.y, 0, c.inner - 1, 0, TURN, pruneColours(p).all);
		if (c.inner < 26) return;
		d.text(c.x, c.y - 7, exact(b.total), { ...light, size: 12, bold: true });
		d.text(c.x, c.y + 8, b.inside.length ? share(b.total, b.all) : "variants", {
			...light,
			size: 10,
		});
	}

	private drawSectors(d: Draw, p: Palette): void {
		const [c, b] = [this.circle!, s.sunburst.value!];
		const byResult = s.colour.value === "result";
		const finite = [...b.best].filter(Number.isFinite);
		const [best, worst] = [Math.min(...finite), Math.max(...finite)];
		const soft = b.rings.map((n) => s.constraint(n)?.kind === "soft");

		for (let i = 0; i < b.ring.length; i++) {
			const [r0, r1] = radii(c, b.ring[i]!);
			const [a0, a1] = angles(b, i);
			const plain = sectorColour(p, soft[b.ring[i]!]!, b.failed[i]!, b.count[i]!);
			const has = Number.isFinite(b.best[i]!);

			if (!byResult) d.arc(c.x, c.y, r0, r1 - 0.5, a0, a1, plain);
			else if (has)
				d.arc(c.x, c.y, r0, r1 - 0.5, a0, a1, resultColour(p, b.best[i]!, best, worst));
			else d.arc(c.x, c.y, r0, r1 - 0.5, a0, a1, p.empty);
		}
		// the ends of sectors that are wide enough for a line between them
		for (let i = 0; i < b.ring.length; i++) {
			const [r0, r1] = radii(c, b.ring[i]!);
			const [a0, a1] = angles(b, i);

			if ((a1 - a0) * r1 < 3 || a1 - a0 > TURN - 1e-9) continue;
			for (const a of [a0, a1])
				d.line(
					c.x + r0 * Math.sin(a),
					c.y - r0 * Math.cos(a),
					c.x + r1 * Math.sin(a),
					c.y - r1 * Math.cos(a),
					p.background,
					0.8,
				);
		}
	}

	/** The selected sector has an outline, the one under the pointer a shine. */
	private drawMarks(d: Draw, p: Palette): void {
		const [c, b] = [this.circle!, s.sunburst.value!];
		const ring = s.pointed.value === null ? -1 : b.rings.indexOf(s.pointed.value);
		const picked = this.pickedSector();

		if (this.over >= 0) {
			const [r0, r1] = radii(c, b.ring[this.over]!);
			const [a0, a1] = angles(b, this.over);

			d.arc(c.x, c.y, r0, r1, a0, a1, p.background, 0.3);
		} else if (ring >= 0) {
			const [r0, r1] = radii(c, ring);

			d.arc(c.x, c.y, r0, r1, 0, TURN, p.background, 0.25);
		}
		if (picked < 0) return;
		const [r0, r1] = radii(c, b.ring[picked]!);
		const [a0, a1] = angles(b, picked);
		d.arc(c.x, c.y, r0 - 1, r0 + 2, a0, a1, p.cursor);
		d.arc(c.x, c.y, r1 - 2, r1 + 1, a0, a1, p.cursor);
		for (const a of a1 - a0 > TURN - 1e-9 ? [] : [a0, a1])
			d.line(
				c.x + r0 * Math.sin(a),
				c.y - r0 * Math.cos(a),
				c.x + r1 * Math.sin(a),
				c.y - r1 * Math.cos(a),
				p.cursor,
				3,
			);
	}

	/** The sector of the selected variants; -1: they are no sector of this picture. */
	private pickedSector(): number {
		const b = s.sunburst.value!;
		const wanted = s.picked.value ? printWhere(s.picked.value) : "";
		const key = `${this.version} ${wanted}`;

		if (this.marked.key !== key) {
			const sectors = wanted ? [...b.ring.keys()] : [];

			this.marked = {
				key,
				sector: sectors.findIndex((i) => printWhere(this.where(i)) === wanted),
			};
		}
		return this.marked.sector;
	}

	private drawNames(d: Draw, p: Palette, names: string[]): void {
		const c = this.circle!;
		const x = c.x + c.outer + 14;

		if (x + 60 > d.width) return;
		names.forEach((name, ring) => {
			const at = anchor(c, ring);
			const on = s.pointed.value === name;
			const size = (c.outer - c.inner) / names.length < 16 ? 10 : NAME.size;

			d.line(at.x, at.y, x - 4, at.y, p.text, on ? 1.4 : 0.8, on ? 0.9 : 0.45);
			d.arc(at.x, at.y, 0, 2.2, 0, TURN, p.text);
			d.text(x, at.y, name, { colour: on ? p.text : p.muted, size, bold: on });
		});
	}

	/** 12 o'clock, where the survivors are, however thin their sector is. */
	private drawTop(d: Draw, p: Palette): void {
		const [c, b, space] = [this.circle!, s.sunburst.value!, s.space.value!];
		const y = c.y - c.outer - 3;
		const all = b.rings.length + b.inside.length === space.constraints.length;
		const passed = [...b.ring.keys()].find(
			(i) => b.ring[i] === b.rings.length - 1 && b.failed[i] === 0,
		);
		const fails = b.inside.some((z) => z.fails);
		const n = passed === undefined || b.joined[passed]! > 1 ? null : b.count[passed]!;

		if (!b.rings.length || fails) return;
		d.path([c.x, y, c.x - 4, y - 7, c.x + 4, y - 7], pruneColours(p).pass);
		d.text(
			c.x,
			y - 14,
			all
				? `${exact(b.survivors)} survive`
				: n === null
					? "pass first"
					: `${exact(n)} pass these`,
			{ colour: p.muted, size: 10, align: "center" },
		);
	}
}

export const sunburstView: ViewKind = {
	id: "sunburst",
	title: "Sunburst",
	description: "How the constraints of a search space overlap: a ring for each",
	create: () => new SunburstView(),
};
