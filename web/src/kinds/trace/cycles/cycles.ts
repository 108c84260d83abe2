// Cycles (chapter 6 of the dissertation): what recurs, as turns of a spiral. The angle of a
// moment comes from its circular coordinate, the radius from time. The view; its parts are
// drawn by the other files of this folder.
import { contains } from "../../../model/box";
import { signal } from "@preact/signals";
import type { Palette } from "../../../draw/colours";
import type { Colour, Draw } from "../../../draw/draw";
import { exact } from "../../../model/format";
import { option, setOption } from "../../../state/store";
import { LayeredView } from "../../../views/layeredView";
import type { View, ViewKind } from "../../../views/view";
import {
	circleRadii,
	momentAt,
	morph,
	nearest,
	placeOf,
	rowAt,
	spiralRadii,
	stretchOf,
	turnsText,
	type Angles,
} from "../model/cycles";
import { sameSelection, type Selection } from "../model/selection";
import {
	angles,
	choose,
	chosen,
	chosenCycle,
	cycles,
	list,
	order,
	otherAngles,
	plane,
	target,
	wanted,
} from "../state/cycles";
import {
	cursor,
	hover,
	levelNames,
	setCursor,
	setWindow,
	showLine,
	trace,
} from "../state/store";
import { drawArcs, type Places } from "./arcs";
import { colouring, type Colouring } from "./colouring";
import { controls } from "./controls";
import { CONTOUR_WORDS, DensityPicture, ofCells, ofMoments } from "./density";
import { layout, MARGIN, type Layout } from "./layout";
import { drawDiagram, drawLegend, drawList, ENTRY, ROW } from "./lists";
import { asText, cellRows, momentRows, planeRows } from "./numbers";
import { drawPlane, planeWords } from "./plane";

const NEAR = 9; // pixels
const CLICK = 2; // moments, or rows, that a click may stretch over
const MIN_GAP = 2; // pixels between turns of a spiral, below which contours are drawn
const MANY = 1500; // moments on a circle, from which on contours are drawn

class CyclesView extends LayeredView {
	private readonly pointed = signal(-1); // moment, or row of a density, under the pointer
	private readonly listed = signal(-1); // cycle under the pointer
	private readonly phase = signal(0); // of the morph, 0 to 1
	private readonly density = new DensityPicture();
	private drawn: (Places & { angles: Angles }) | null = null; // moments: for the pointer
	private rowed: Angles | null = null; // the density that is drawn, when moments are many
	private brush: { from: number; to: number } | null = null; // moments, or rows
	private sliding = false;
	private look: Colouring | null = null;

	protected start(): void {
		wanted.value = true;
		this.startOver();
		this.greyWhile(() =>
			[cycles, angles, otherAngles, plane].some((q) => !q.fresh.value),
		);
		this.watch(() => {
			void [cycles.value.value, angles.value.value, otherAngles.value.value];
			void [plane.value.value, list.value, chosen.value, target.value];
			void [this.listed.value, this.phase.value, levelNames.value];
			void [this.form(), this.colouredBy(), option("cycles.folded", "")];
		});
		this.watch(() => {
			void [cursor.value, this.pointed.value];
			this.redrawOver();
		});
		this.listen("pointerdown", (e, x, y) => this.press(e, x, y));
		this.listen("pointermove", (_, x, y) => this.move(x, y));
		this.listen("pointerup", () => this.release());
		this.listen("pointercancel", () => this.release());
		this.listen("pointerleave", () => this.leave());
	}

	private form(): string {
		return option("cycles.form", "spiral");
	}

	private colouredBy(): string {
		return option("cycles.colour", "line");
	}

	/** Functions that the person folded, or unfolded. */
	private toggled(): Set<string> {
		return new Set(option("cycles.folded", "").split("|").filter(Boolean));
	}

	private layout(): Layout {
		const morphing = target.value >= 0 && this.form() !== "plane";

		return layout(this.width, this.height, list.value.length, morphing);
	}

	// The pointer.

	private press(e: PointerEvent, x: number, y: number): void {
		if (e.button !== 0) return;
		const l = this.layout();
		const s = l.slider;
		const row = this.listAt(l, x, y);
		const entry = this.entryAt(l, x, y);
		if (target.value >= 0 && Math.abs(y - s.y - s.h / 2) < 14 && x >= s.x - 10) {
			this.sliding = true;
			this.canvas.setPointerCapture(e.pointerId);
			this.slide(l, x);
		} else if (row >= 0) this.pick(row, e.shiftKey);
		else if (entry >= 0) this.fold(entry);
		else if (this.pointed.value >= 0) {
			this.canvas.setPointerCapture(e.pointerId);
			this.brush = { from: this.pointed.value, to: this.pointed.value };
		}
	}

	private move(x: number, y: number): void {
		const l = this.layout();
		if (this.sliding) return this.slide(l, x);
		const i = this.rowed ? this.rowUnder(l, x, y) : this.momentUnder(x, y);

		this.listed.value = this.listAt(l, x, y);
		this.pointed.value = i;
		const active = i >= 0 || this.listed.value >= 0 || this.entryAt(l, x, y) >= 0;
		this.canvas.style.cursor = active ? "pointer" : "default";
		if (this.brush && i >= 0) {
			this.brush.to = i;
			this.redrawOver();
		}
		this.tell(i, x, y);
	}

	/** A click sets the cursor; a stretch sets the window to the turns that it touches. */
	private release(): void {
		const b = this.brush;
		const a = this.rowed ?? this.drawn?.angles;

		this.sliding = false;
		this.brush = null;
		if (!b || !a) return;
		if (Math.abs(b.from - b.to) >= CLICK) setWindow(stretchOf(a, b.from, b.to));
		else {
			setCursor(a.time[b.from]!);
			const place = a.exact ? a.places[a.place[b.from]!] : null;
			const file = this.fileOf(place?.file ?? null);
			if (place && file !== null) showLine(file, place.line);
		}
		this.redrawOver();
	}

	private leave(): void {
		this.pointed.value = -1;
		this.listed.value = -1;
		this.tip(null);
		this.preselect({});
	}

	private slide({ slider }: Layout, x: number): void {
		this.phase.value = Math.max(0, Math.min(1, (x - slider.x) / slider.w));
	}

	/** Chooses a cycle, or the one that it is morphed into. */
	private pick(row: number, other: boolean): void {
		if (list.value[row]!.refused) return;
		if (!other) choose(row);
		else setOption("cycles.other", row === target.value ? "-1" : String(row));
	}

	/** Lines of a function become one colour, or get their own again. */
	private fold(entry: number): void {
		const func = this.look?.entries[entry]?.category?.func;
		const toggled = this.toggled();

		if (!func) return;
		if (!toggled.delete(func)) toggled.add(func);
		setOption("cycles.folded", [...toggled].join("|"));
	}

	private listAt(l: Layout, x: number, y: number): number {
		return contains(l.list, x, y)
			? (order.value[Math.floor((y - l.list.y) / ROW)] ?? -1)
			: -1;
	}

	private entryAt(l: Layout, x: number, y: number): number {
		const n = Math.floor((y - l.legend.y) / ENTRY);

		return contains(l.legend, x, y) && this.look?.entries[n] ? n : -1;
	}

	private momentUnder(x: number, y: number): number {
		const d = this.drawn;

		return d ? nearest(d.x, d.y, x, y, NEAR) : -1;
	}

	/** Of a density on a spiral: the row of time under the pointer, -1: none. */
	private rowUnder({ ring }: Layout, x: number, y: number): number {
		const r = Math.hypot(x - ring.x, y - ring.y);
		const share = (r - ring.inner) / (ring.outer - ring.inner);

		if (this.form() !== "spiral" || share < 0 || share >= 1) return -1;
		return Math.floor(share * this.rowed!.rows);
	}

	private fileOf(path: string | null): number | null {
		return trace.value?.files.find((f) => f.path === path)?.file ?? null;
	}

	private preselect(s: Selection): void {
		if (!sameSelection(s, hover.value)) hover.value = s;
	}

	private tell(i: number, x: number, y: number): void {
		const a = this.rowed ?? this.drawn?.angles;
		const place = a?.exact ? a.places[a.place[i]!] : undefined;
		const file = this.fileOf(place?.file ?? null);

		this.preselect(place && file !== null ? { file, line: place.line } : {});
		if (i < 0 || !a) return this.tip(null);
		this.tip(a.exact ? this.momentWords(a, i) : this.rowWords(a, i), x, y);
	}

	private momentWords(a: Angles, i: number): string[] {
		const place = a.places[a.place[i]!];
		const region = a.regions[a.region[i]!];
		const level = a.level?.[i];
		const name = place?.file ? `${place.file.split("/").at(-1)}:${place.line} ` : "";

		return [
			`reference ${exact(a.time[i]!)}`,
			`turn ${(a.turns[i]! - Math.min(0, a.turns[0]!)).toFixed(2)}`,
			place ? name + (place.function ?? "") : "another line",
			...(region?.name ? [region.name] : []),
			...(level ? [`served by ${levelNames.value[level - 1] ?? "memory"}`] : []),
		];
	}

	private rowWords(a: Angles, row: number): string[] {
		const end = a.time[row + 1] ?? a.to;
		const turn = (n: number) => a.turns[n]!.toFixed(1);

		return [
			`references ${exact(a.time[row]!)} to ${exact(end - 1)}`,
			row + 1 < a.rows ? `turns ${turn(row)} to ${turn(row + 1)}` : `turn ${turn(row)}`,
			`${exact(Math.round(a.all / a.rows))} moments`,
		];
	}

	// The picture.

	protected drawUnder(d: Draw, p: Palette): void {
		const c = cycles.value.value;
		const a = angles.value.value;
		const l = this.layout();

		this.drawn = this.rowed = this.look = null;
		if (!c) {
			d.text(MARGIN, 24, "Looking for what recurs…", { colour: p.muted });
			return;
		}
		drawDiagram(d, p, l.diagram, c, chosenCycle.value);
		drawList(d, p, l.list, list.value, order.value, {
			chosen: chosen.value,
			other: target.value,
			hovered: this.listed.value,
		});
		d.line(l.left + MARGIN, 8, l.left + MARGIN, d.height - 8, p.grid);
		if (chosen.value < 0) return this.drawNothing(d, p, l);
		if (!a) return;
		this.look = colouring(p, a, this.colouredBy(), this.toggled(), levelNames.value);
		this.drawHead(d, p, l, a);
		if (this.form() === "plane") return this.drawMap(d, p, l);
		if (a.exact) this.drawMoments(d, p, l, a);
		else this.drawCells(d, p, l, a);
		this.drawColours(d, p, l, a);
		if (target.value >= 0) this.drawSlider(d, p, l);
	}

	private foot(d: Draw, p: Palette, l: Layout, text: string): void {
		d.text(l.ring.x, l.foot, text, { colour: p.muted, align: "center", size: 10 });
	}

	private drawNothing(d: Draw, p: Palette, { ring }: Layout): void {
		const shorts = cycles.value.value?.short ?? [];
		const text = { colour: p.muted, align: "center" as const, size: 12 };

		d.text(ring.x, ring.y - 20, "Nothing turns around a circle here.", text);
		shorts.slice(0, 5).forEach((s, i) => {
			const l = s.lines[0];
			const place = l?.file ? `${l.file.split("/").at(-1)}:${l.line} ` : "";
			d.text(
				ring.x,
				ring.y + 6 + i * 18,
				`${turnsText(s.turns)} of ${s.period} reference${s.period > 1 ? "s" : ""}: ${place}${l?.function ?? ""}`,
				text,
			);
		});
	}

	private drawHead(d: Draw, p: Palette, l: Layout, a: Angles): void {
		const text = turnsText(chosenCycle.value!.turns);
		const bold = { colour: p.text, bold: true, size: 13 };

		d.text(l.plane.x, 16, text, bold);
		d.text(
			l.plane.x + d.measure(text, bold) + 10,
			16,
			`${exact(a.all)} moments${this.contoured(l, a) ? ", as contours" : ""}`,
			{ colour: p.muted },
		);
	}

	private drawColours(d: Draw, p: Palette, l: Layout, a: Angles): void {
		const by = this.colouredBy();
		const none = by === "level" && !a.level ? " (levels are not known here)" : "";

		d.text(l.legend.x, l.legend.y - 13, `colour: ${by}${none}`, {
			colour: p.muted,
			size: 10,
		});
		drawLegend(d, p, l.legend, this.look!.entries);
	}

	private drawMap(d: Draw, p: Palette, l: Layout): void {
		const m = plane.value.value;

		if (!m?.x.length) return;
		// there is no legend beside it
		drawPlane(d, p, { ...l.plane, w: this.width - l.plane.x - MARGIN }, m);
		this.foot(d, p, l, planeWords(m));
	}

	private shownTurns(a: Angles): Float64Array {
		const b = otherAngles.value.value;

		return b?.exact && target.value >= 0
			? morph(a.turns, b.turns, this.phase.value)
			: a.turns;
	}

	/** Whether arcs would run into each other, so that contours show more. */
	private contoured({ ring }: Layout, a: Angles): boolean {
		if (this.form() === "plane") return false;
		if (!a.exact) return true;
		if (this.form() === "circle") return a.all > MANY;
		const turns = Math.abs(a.turns.at(-1)! - a.turns[0]!);
		return turns * MIN_GAP > ring.outer - ring.inner;
	}

	private drawMoments(d: Draw, p: Palette, l: Layout, a: Angles): void {
		const { ring } = l;
		const n = a.time.length;
		const turns = this.shownTurns(a);
		const circle = this.form() === "circle";
		const radii = circle
			? circleRadii(a.time, a.begin, a.end, ring)
			: spiralRadii(n, ring);
		const at = { x: new Float32Array(n), y: new Float32Array(n) };

		for (let i = 0; i < n; i++) [at.x[i], at.y[i]] = placeOf(ring, radii[i]!, turns[i]!);
		this.drawEdge(d, p, l);
		if (this.contoured(l, a)) {
			this.drawDensity(d, p, l, () => ofMoments(ring, radii, turns), a);
			this.foot(d, p, l, CONTOUR_WORDS);
		} else drawArcs(d, ring, radii, turns, this.look!, at, circle ? 0.5 : 0.9);
		this.drawn = { ...at, angles: a };
	}

	private drawCells(d: Draw, p: Palette, l: Layout, a: Angles): void {
		this.rowed = a;
		this.drawEdge(d, p, l);
		this.drawDensity(d, p, l, () => ofCells(a, this.form() === "circle"), a);
		this.foot(d, p, l, CONTOUR_WORDS);
	}

	private drawDensity(
		d: Draw,
		p: Palette,
		l: Layout,
		of: () => ReturnType<typeof ofCells>,
		a: Angles,
	): void {
		const by = [this.form(), this.colouredBy(), option("cycles.folded", "")];
		const shown = [target.value, this.phase.value, otherAngles.value.value];

		this.density.draw(d, p, l.ring, of, this.look!, this.form() === "circle", [
			a,
			p,
			...by,
			...shown,
		]);
	}

	private drawEdge(d: Draw, p: Palette, { ring: r }: Layout): void {
		d.arc(r.x, r.y, r.outer + 2, r.outer + 2.7, 0, 2 * Math.PI, p.grid);
	}

	private drawSlider(d: Draw, p: Palette, { slider: s }: Layout): void {
		const y = s.y + s.h / 2;
		const x = s.x + this.phase.value * s.w;
		const name = (n: number) => (list.value[n] ? turnsText(list.value[n]!.turns) : "");

		d.line(s.x, y, s.x + s.w, y, p.grid, 3);
		d.line(s.x, y, x, y, p.write, 3);
		d.arc(x, y, 0, 7, 0, 2 * Math.PI, p.write);
		d.text(s.x - 14, y, name(chosen.value), { colour: p.text, align: "right" });
		d.text(s.x + s.w + 14, y, name(target.value), { colour: p.text });
	}

	protected drawOver(d: Draw, p: Palette): void {
		if (this.rowed) this.drawRows(d, p, this.rowed);
		else if (this.drawn) this.drawMarks(d, p, this.drawn);
	}

	/** Marks on single moments. */
	private drawMarks(d: Draw, p: Palette, at: Places & { angles: Angles }): void {
		const now = momentAt(at.angles.time, cursor.value);
		const dot = (i: number, r: number, colour: Colour) =>
			d.arc(at.x[i]!, at.y[i]!, r, r + 2, 0, 2 * Math.PI, colour);

		if (this.brush) {
			const [from, to] = [this.brush.from, this.brush.to].sort((a, b) => a - b);
			for (let i = from!; i <= to!; i++)
				d.splat(at.x[i]! - 2, at.y[i]! - 2, 4, 4, p.cursor);
		}
		if (now >= 0) dot(now, 5, p.cursor);
		if (this.pointed.value >= 0 && this.pointed.value < at.x.length)
			dot(this.pointed.value, 4, p.text);
	}

	/** Marks on the rows of a density: rings around the centre. */
	private drawRows(d: Draw, p: Palette, a: Angles): void {
		const { ring } = this.layout();
		const step = (ring.outer - ring.inner) / a.rows;
		const band = (from: number, to: number, colour: Colour, alpha: number) =>
			d.arc(
				ring.x,
				ring.y,
				ring.inner + from * step,
				Math.max(ring.inner + to * step, ring.inner + from * step + 1.5),
				0,
				2 * Math.PI,
				colour,
				alpha,
			);

		if (this.form() !== "spiral") return;
		const now = rowAt(a, cursor.value);
		if (now >= 0) band(now, now, p.cursor, 1);
		if (this.pointed.value >= 0)
			band(this.pointed.value, this.pointed.value + 1, p.text, 0.35);
		if (!this.brush) return;
		const [from, to] = [this.brush.from, this.brush.to].sort((x, y) => x - y);
		band(from!, to! + 1, p.cursor, 0.35);
	}

	/** The numbers of the picture. */
	exportText(kind: "csv" | "json"): string {
		const [a, m] = [angles.value.value, plane.value.value];

		if (this.form() === "plane") return asText(m ? planeRows(m) : [], kind);
		return asText(a ? (a.exact ? momentRows(a) : cellRows(a)) : [], kind);
	}
}

export const cyclesView: ViewKind = {
	id: "cycles",
	title: "Cycles",
	description:
		"What recurs, found by topology: loops and repeated patterns as turns of a spiral",
	tables: true,
	controls,
	create: (): View => new CyclesView(),
};
