// Cycles (chapter 6 of the dissertation): what recurs, as turns of a spiral. The angle of a
// moment comes from its circular coordinate, the radius from time.
import { signal } from "@preact/signals";
import {
	along,
	levelColours,
	mix,
	regionColour,
	type Palette,
} from "../../../draw/colours";
import { rgba, type Colour, type Draw } from "../../../draw/draw";
import { exact } from "../../../model/format";
import { option, setOption } from "../../../state/store";
import { LayeredView } from "../../../views/layeredView";
import type { View, ViewKind } from "../../../views/view";
import {
	arcPoints,
	categories,
	circleRadii,
	momentAt,
	morph,
	nearest,
	OTHER,
	placeOf,
	spiralRadii,
	turnsText,
	type Angles,
	type Ring,
} from "../model/cycles";
import { sameSelection, type Selection } from "../model/selection";
import {
	angles,
	choose,
	chosen,
	chosenCycle,
	cycles,
	list,
	otherAngles,
	plane,
	target,
	wanted,
} from "../state/cycles";
import {
	cursor,
	hover,
	levelNames,
	ready,
	setCursor,
	setWindow,
	showLine,
	trace,
} from "../state/store";
import {
	drawDiagram,
	drawLegend,
	drawList,
	ENTRY,
	ROW,
	type Box,
	type Entry,
} from "./lists";

const WIDE = 860; // pixels from which on the legend has a column of its own
const LEGEND = 210;
const MARGIN = 12;
const SLIDER = 34; // height of the row with the slider
const DIAGRAM = 128;
const NEAR = 9; // pixels
const COLOURS = 12;
const ROUNDING = 1e-6; // of a turn

/** What is drawn of the moments: kept for the pointer. */
interface Drawn {
	x: Float32Array;
	y: Float32Array;
	angles: Angles;
}

class CyclesView extends LayeredView {
	private readonly pointed = signal(-1); // moment under the pointer
	private readonly listed = signal(-1); // cycle under the pointer
	private readonly phase = signal(0); // of the morph, 0 to 1
	private drawn: Drawn | null = null;
	private density: Angles | null = null; // drawn instead, when moments are many
	private brush: { from: number; to: number } | null = null; // moments
	private sliding = false;

	protected start(): void {
		wanted.value = true;
		this.startOver();
		this.watch(() => {
			void [cycles.value.value, angles.value.value, otherAngles.value.value];
			void [plane.value.value, list.value, chosen.value, target.value];
			void [this.listed.value, this.phase.value, levelNames.value];
			void [this.form(), this.colouring(), option("cycles.folded", "")];
		});
		this.watchOver(() => void [cursor.value, this.pointed.value]);
		this.listen("pointerdown", (e, x, y) => this.press(e, x, y));
		this.listen("pointermove", (e, x, y) => this.move(e, x, y));
		this.listen("pointerup", () => this.release());
		this.listen("pointercancel", () => this.release());
		this.listen("pointerleave", () => this.leave());
	}

	private watchOver(reads: () => void): void {
		this.watch(() => {
			reads();
			this.redrawOver();
		});
	}

	private form(): string {
		return option("cycles.form", "spiral");
	}

	private colouring(): string {
		return option("cycles.colour", "line");
	}

	// Where things stand.

	private wide(): boolean {
		return this.width >= WIDE;
	}

	private left(): number {
		return this.wide() ? 250 : 200;
	}

	/** Rows of the list that there is room for; in a narrow view the legend is below. */
	private rows(): number {
		const room = (this.height - DIAGRAM - 12) / ROW;
		const most = this.wide() ? room : Math.max(2, room - 5);

		return Math.max(0, Math.min(list.value.length, Math.floor(most)));
	}

	private listBox(): Box {
		return {
			x: MARGIN,
			y: DIAGRAM + 6,
			w: this.left() - MARGIN,
			h: this.rows() * ROW,
		};
	}

	private legendBox(): Box {
		const l = this.listBox();
		const y = l.y + l.h + 26;

		return this.wide()
			? { x: this.width - LEGEND - MARGIN, y: 34, w: LEGEND, h: this.height - 50 }
			: { x: MARGIN, y, w: l.w, h: this.height - y - 4 };
	}

	private ring(): Ring {
		const x = this.left() + 2 * MARGIN;
		const w = this.width - x - MARGIN - (this.wide() ? LEGEND + 2 * MARGIN : 0);
		const h = this.height - 30 - (target.value >= 0 ? SLIDER : 10);
		const outer = Math.max(40, Math.min(w, h) / 2 - 6);

		return { x: x + w / 2, y: 24 + h / 2, inner: outer * 0.12, outer };
	}

	private slider(): Box {
		const r = this.ring();

		return { x: r.x - 110, y: this.height - SLIDER + 6, w: 220, h: 16 };
	}

	// The pointer.

	private press(e: PointerEvent, x: number, y: number): void {
		if (e.button !== 0) return;
		const s = this.slider();
		if (target.value >= 0 && y >= s.y - 6 && x >= s.x - 10 && x <= s.x + s.w + 10) {
			this.sliding = true;
			this.canvas.setPointerCapture(e.pointerId);
			return this.slide(x);
		}
		const row = this.rowAt(x, y);
		if (row >= 0) {
			if (list.value[row]!.refused) return;
			if (e.shiftKey)
				setOption("cycles.other", row === target.value ? "-1" : String(row));
			else choose(row);
			return;
		}
		const entry = this.entryAt(x, y);
		if (entry >= 0) return this.fold(entry);
		const time = this.timeUnder(x, y);
		if (time !== null) return setCursor(time);
		const i = this.pointed.value;
		if (i < 0 || !this.drawn) return;
		this.canvas.setPointerCapture(e.pointerId);
		this.brush = { from: i, to: i };
	}

	private move(e: PointerEvent, x: number, y: number): void {
		if (this.sliding) return this.slide(x);
		this.listed.value = this.rowAt(x, y);
		const i = this.momentUnder(x, y);
		this.pointed.value = i;
		const active = i >= 0 || this.listed.value >= 0 || this.entryAt(x, y) >= 0;
		this.canvas.style.cursor = active ? "pointer" : "default";
		if (this.brush && i >= 0) {
			this.brush.to = i;
			this.redrawOver();
		}
		this.tell(i, x, y);
		void e;
	}

	private release(): void {
		const [b, d] = [this.brush, this.drawn];

		this.sliding = false;
		this.brush = null;
		if (!b || !d) return;
		if (Math.abs(b.from - b.to) < 2) {
			const place = d.angles.places[d.angles.place[b.from]!];
			setCursor(d.angles.time[b.from]!);
			const file = this.fileOf(place?.file ?? null);
			if (place && file !== null) showLine(file, place.line);
		} else {
			// whole turns
			const [p, q] = [Math.min(b.from, b.to), Math.max(b.from, b.to)];
			const t = d.angles.turns;
			const from = Math.floor(Math.min(t[p]!, t[q]!) + ROUNDING);
			const to = Math.ceil(Math.max(t[p]!, t[q]!) - ROUNDING);
			let [first, last] = [p, q];
			while (first > 0 && t[first - 1]! >= from - ROUNDING) first--;
			while (last + 1 < t.length && t[last + 1]! <= to + ROUNDING) last++;
			setWindow({ from: d.angles.time[first]!, to: d.angles.time[last]! + 1 });
		}
		this.redrawOver();
	}

	private leave(): void {
		this.pointed.value = -1;
		this.listed.value = -1;
		this.tip(null);
		this.preselect({});
	}

	private slide(x: number): void {
		const s = this.slider();

		this.phase.value = Math.max(0, Math.min(1, (x - s.x) / s.w));
	}

	private rowAt(x: number, y: number): number {
		const b = this.listBox();
		const n = Math.floor((y - b.y) / ROW);

		return x >= b.x && x < b.x + b.w && n >= 0 && n < this.rows() ? n : -1;
	}

	private entryAt(x: number, y: number): number {
		const b = this.legendBox();
		const n = Math.floor((y - b.y) / ENTRY);

		return x >= b.x && x < b.x + b.w && n >= 0 && n < this.entries.length ? n : -1;
	}

	private momentUnder(x: number, y: number): number {
		const d = this.drawn;

		return d ? nearest(d.x, d.y, x, y, NEAR) : -1;
	}

	/** Of a density: the row under the pointer, -1: none. */
	private rowUnder(x: number, y: number): number {
		const [a, ring] = [this.density, this.ring()];
		const r = Math.hypot(x - ring.x, y - ring.y);
		const share = (r - ring.inner) / (ring.outer - ring.inner);

		return a && share >= 0 && share < 1 ? Math.floor(share * a.rows) : -1;
	}

	private timeUnder(x: number, y: number): number | null {
		const row = this.rowUnder(x, y);

		return row < 0 ? null : this.density!.time[row]!;
	}

	/** Lines of a function become one colour, or get their own again. */
	private fold(entry: number): void {
		const c = this.entries[entry]?.category;

		if (!c?.func) return;
		const folded = new Set(option("cycles.folded", "").split("|").filter(Boolean));
		if (!folded.delete(c.func)) folded.add(c.func);
		setOption("cycles.folded", [...folded].join("|"));
	}

	private fileOf(path: string | null): number | null {
		return trace.value?.files.find((f) => f.path === path)?.file ?? null;
	}

	private preselect(s: Selection): void {
		if (!sameSelection(s, hover.value)) hover.value = s;
	}

	private tell(i: number, x: number, y: number): void {
		const a = this.drawn?.angles;
		const row = this.rowUnder(x, y);

		if (row >= 0) {
			const d = this.density!;
			return this.tip(
				[
					`references from ${exact(d.time[row]!)}`,
					`turn ${d.turns[row]!.toFixed(1)}`,
					`${exact(Math.round(d.all / d.rows))} moments a ring`,
				],
				x,
				y,
			);
		}
		if (i < 0 || !a) {
			this.tip(null);
			return this.preselect({});
		}
		const place = a.places[a.place[i]!];
		const region = a.regions[a.region[i]!];
		const level = a.level?.[i];
		const file = this.fileOf(place?.file ?? null);
		this.tip(
			[
				`reference ${exact(a.time[i]!)}`,
				`turn ${(a.turns[i]! - Math.min(0, a.turns[0]!)).toFixed(2)}`,
				place
					? `${place.file ? `${place.file.split("/").at(-1)}:${place.line} ` : ""}${place.function ?? ""}`
					: "another line",
				...(region ? [region.name] : []),
				...(level ? [`served by ${levelNames.value[level - 1] ?? "memory"}`] : []),
			],
			x,
			y,
		);
		this.preselect(place && file !== null ? { file, line: place.line } : {});
	}

	// Colours.

	private entries: Entry[] = [];

	/** The colour of each moment, or of each cell, and the entries of the legend. */
	private colours(p: Palette, a: Angles): (i: number) => Colour {
		const other = p.muted;
		const by = this.colouring();
		const own = (n: number) => (n < COLOURS ? regionColour(p, n) : other);

		if (by === "level" && a.level) {
			const colours = levelColours(p, Math.max(1, levelNames.value.length));
			const level = a.level;
			const used = new Map<number, number>();
			for (const l of level) used.set(l, (used.get(l) ?? 0) + 1);
			this.entries = levelNames.value.map((title, i) => ({
				title,
				detail: "",
				colour: colours[i] ?? other,
				share: (used.get(i + 1) ?? 0) / Math.max(1, level.length),
				category: null,
			}));
			return (i) => colours[level[i]! - 1] ?? other;
		}
		if (by === "region") {
			this.entries = a.regions.slice(0, COLOURS).map((r, i) => ({
				title: r.name || "other memory",
				detail: "",
				colour: own(i),
				share: r.moments / a.all,
				category: null,
			}));
			return (i) => own(a.region[i]!);
		}
		const folded = new Set(option("cycles.folded", "").split("|"));
		const { list: found, of } = categories(
			a.places,
			(f) => by === "function" || folded.has(f),
		);
		this.entries = found.slice(0, COLOURS).map((c, i) => ({
			title: c.title,
			detail: c.detail,
			colour: own(i),
			share: c.moments / a.all,
			category: by === "function" ? null : c,
		}));
		if (found.length > COLOURS)
			this.entries.push({
				title: `${found.length - COLOURS} others`,
				detail: "",
				colour: other,
				share: found.slice(COLOURS).reduce((n, c) => n + c.moments, 0) / a.all,
				category: null,
			});
		return (i) => (a.place[i] === OTHER ? other : own(of[a.place[i]!]!));
	}

	// The picture.

	protected drawUnder(d: Draw, p: Palette): void {
		const c = cycles.value.value;
		const a = angles.value.value;

		this.drawn = this.density = null;
		this.entries = [];
		if (!c) {
			d.text(MARGIN, 24, "Looking for what recurs…", { colour: p.muted });
			return;
		}
		drawDiagram(d, p, { x: 0, y: 0, w: this.left(), h: DIAGRAM }, c, chosenCycle.value);
		drawList(
			d,
			p,
			this.listBox(),
			list.value,
			chosen.value,
			target.value,
			this.listed.value,
		);
		d.line(this.left() + MARGIN, 8, this.left() + MARGIN, d.height - 8, p.grid);
		if (chosen.value < 0) {
			this.drawNothing(d, p);
			return;
		}
		if (!a) return;
		this.drawHead(d, p, a);
		if (this.form() === "plane") this.drawPlane(d, p);
		else if (a.exact) this.drawMoments(d, p, a);
		else this.drawDensity(d, p, a);
		drawLegend(d, p, this.legendBox(), this.entries);
		if (target.value >= 0 && this.form() !== "plane") this.drawSlider(d, p);
	}

	private drawNothing(d: Draw, p: Palette): void {
		const r = this.ring();
		const shorts = cycles.value.value?.short ?? [];
		const text = { colour: p.muted, align: "center" as const, size: 12 };

		d.text(r.x, r.y - 20, "Nothing turns around a circle here.", text);
		shorts.slice(0, 5).forEach((s, i) => {
			const l = s.lines[0];
			d.text(
				r.x,
				r.y + 6 + i * 18,
				`${turnsText(s.turns)} of ${s.period} reference${s.period > 1 ? "s" : ""}: ${l?.file?.split("/").at(-1) ?? ""}:${l?.line ?? ""} ${l?.function ?? ""}`,
				text,
			);
		});
	}

	private drawHead(d: Draw, p: Palette, a: Angles): void {
		const c = chosenCycle.value!;
		const x = this.left() + 2 * MARGIN;
		const text = turnsText(c.turns);

		d.text(x, 16, text, { colour: p.text, bold: true, size: 13 });
		d.text(
			x + d.measure(text, { colour: 0, bold: true, size: 13 }) + 10,
			16,
			`${exact(a.all)} moments${a.exact ? "" : ", as density"}${
				this.colouring() === "level" && !a.level ? "; zoom in for levels" : ""
			}`,
			{ colour: p.muted },
		);
		const legend = this.legendBox();
		d.text(legend.x, legend.y - 13, `colour: ${this.colouring()}`, {
			colour: p.muted,
			size: 10,
		});
	}

	private shownTurns(a: Angles): Float64Array {
		const b = otherAngles.value.value;

		return b?.exact && target.value >= 0
			? morph(a.turns, b.turns, this.phase.value)
			: a.turns;
	}

	private drawMoments(d: Draw, p: Palette, a: Angles): void {
		const ring = this.ring();
		const n = a.time.length;
		const turns = this.shownTurns(a);
		const radii =
			this.form() === "circle"
				? circleRadii(a.time, a.begin, a.end, ring)
				: spiralRadii(n, ring);
		const colour = this.colours(p, a);
		const [x, y] = [new Float32Array(n), new Float32Array(n)];
		const thick = n > 6000 ? 0.7 : n > 1500 ? 1 : 1.6;
		const alpha = this.form() === "circle" ? 0.5 : 0.9;

		d.arc(ring.x, ring.y, ring.outer + 2, ring.outer + 2.7, 0, 2 * Math.PI, p.grid);
		for (let i = 0; i < n; i++) [x[i], y[i]] = placeOf(ring, radii[i]!, turns[i]!);
		// arcs of one colour in a row are one line
		let line: number[] = [];
		for (let i = 0; i + 1 < n; i++) {
			if (!line.length) line.push(x[i]!, y[i]!);
			arcPoints(ring, radii[i]!, turns[i]!, radii[i + 1]!, turns[i + 1]!, line);
			if (i + 2 < n && colour(i + 1) === colour(i)) continue;
			d.path(line, colour(i), thick, alpha);
			line = [];
		}
		if (n <= 3000)
			for (let i = 0; i < n; i++) d.splat(x[i]! - 1.5, y[i]! - 1.5, 3, 3, colour(i));
		this.drawn = { x, y, angles: a };
	}

	/** Rows of time from the centre outwards, sectors of a turn; dark where moments are many. */
	private drawDensity(d: Draw, p: Palette, a: Angles): void {
		const ring = this.ring();
		const colour = this.colours(p, a);
		const side = Math.floor(2 * ring.outer);
		const fill = new Uint32Array(side * side);
		this.density = a;
		const max = a.moments!.reduce((m, v) => Math.max(m, v), 1);
		const flat = this.form() === "circle";

		for (let py = 0; py < side; py++)
			for (let px = 0; px < side; px++) {
				const [dx, dy] = [px + 0.5 - side / 2, py + 0.5 - side / 2];
				const r = Math.hypot(dx, dy);
				if (r < ring.inner || r >= ring.outer) continue;
				const turn = Math.atan2(dx, -dy) / (2 * Math.PI);
				const sector = Math.floor((turn < 0 ? turn + 1 : turn) * a.sectors) % a.sectors;
				const row = Math.floor(((r - ring.inner) / (ring.outer - ring.inner)) * a.rows);
				const cell = Math.min(a.rows - 1, row) * a.sectors + sector;
				const n = a.moments![cell]!;
				if (!n) continue;
				const strength = Math.log(1 + n) / Math.log(1 + max);
				fill[py * side + px] = rgba(
					mix(p.background, colour(cell), 0.25 + 0.75 * strength),
					flat ? 0.8 : 1,
				);
			}
		d.arc(ring.x, ring.y, ring.outer + 2, ring.outer + 2.7, 0, 2 * Math.PI, p.grid);
		d.cells(ring.x - side / 2, ring.y - side / 2, side, side, side, side, fill);
		d.text(ring.x, this.height - 8, "narrow the window to see single moments", {
			colour: p.muted,
			align: "center",
			size: 10,
		});
	}

	/** The angle as a colour that comes round. */
	private wheel(p: Palette, turns: number): Colour {
		const t = turns - Math.floor(turns);

		return along(
			[p.read, p.regions[0]!, p.write, p.regions[2]!, p.regions[1]!, p.read],
			t,
		);
	}

	private drawPlane(d: Draw, p: Palette): void {
		const [m, ring] = [plane.value.value, this.ring()];

		if (!m?.x.length) return;
		const reach = m.x.reduce((r, v, i) => Math.max(r, Math.hypot(v, m.y[i]!)), 1e-9);
		const scale = ring.outer / reach;
		const most = Math.log(1 + m.moments.reduce((a, b) => Math.max(a, b), 1));

		for (let i = 0; i < m.x.length; i++)
			d.arc(
				ring.x + m.x[i]! * scale,
				ring.y - m.y[i]! * scale,
				0,
				2 + (4 * Math.log(1 + m.moments[i]!)) / most,
				0,
				2 * Math.PI,
				this.wheel(p, m.turns[i]!),
				0.85,
			);
		d.text(
			this.left() + 2 * MARGIN,
			this.height - 12,
			`${exact(m.x.length)} of ${exact(m.all)} distinct windows; the plane shows ${Math.round(100 * m.shown)} % of their spread; the colour is the angle`,
			{ colour: p.muted, size: 10 },
		);
	}

	private drawSlider(d: Draw, p: Palette): void {
		const s = this.slider();
		const y = s.y + s.h / 2;
		const x = s.x + this.phase.value * s.w;
		const name = (n: number) => (list.value[n] ? turnsText(list.value[n]!.turns) : "");

		d.line(s.x, y, s.x + s.w, y, p.grid, 3);
		d.line(s.x, y, x, y, p.write, 3);
		d.arc(x, y, 0, 7, 0, 2 * Math.PI, p.write);
		d.text(s.x - 14, y, name(chosen.value), {
			colour: p.text,
			align: "right",
		});
		d.text(s.x + s.w + 14, y, name(target.value), { colour: p.text });
	}

	protected drawOver(d: Draw, p: Palette): void {
		const drawn = this.drawn;

		if (!drawn) return;
		const at = momentAt(drawn.angles.time, cursor.value);
		const dot = (i: number, r: number, colour: Colour) => {
			d.arc(drawn.x[i]!, drawn.y[i]!, r, r + 2, 0, 2 * Math.PI, colour);
		};
		if (this.brush) {
			const [from, to] = [this.brush.from, this.brush.to].sort((a, b) => a - b);
			for (let i = from!; i <= to!; i++)
				d.splat(drawn.x[i]! - 2, drawn.y[i]! - 2, 4, 4, p.cursor);
		}
		if (at >= 0) dot(at, 5, p.cursor);
		if (this.pointed.value >= 0 && this.pointed.value < drawn.x.length)
			dot(this.pointed.value, 4, p.text);
	}

	/** The moments of the picture, or the cycles. */
	exportText(kind: "csv" | "json"): string {
		const a = angles.value.value;
		const rows =
			a?.exact && this.form() !== "plane"
				? Array.from(a.time, (time, i) => {
						const place = a.places[a.place[i]!];
						return {
							time,
							turns: a.turns[i]!,
							file: place?.file ?? "",
							line: place?.line ?? 0,
							function: place?.function ?? "",
							region: a.regions[a.region[i]!]?.name ?? "",
						};
					})
				: list.value.map((c) => ({
						birth: c.birth,
						death: c.death ?? "",
						turns: c.refused ? "" : c.turns,
						from: c.refused ? "" : c.from,
						to: c.refused ? "" : c.to,
					}));
		if (kind === "json") return JSON.stringify(rows, null, 1);
		const keys = Object.keys(rows[0] ?? {});
		const cell = (v: unknown) =>
			/[",\n]/.test(String(v)) ? `"${String(v).replaceAll('"', '""')}"` : String(v);
		return [
			keys.join(","),
			...rows.map((r) =>
				keys.map((k) => cell((r as Record<string, unknown>)[k])).join(","),
			),
			"",
		].join("\n");
	}
}

export const cyclesView: ViewKind = {
	id: "cycles",
	title: "Cycles",
	description:
		"What recurs, found by topology: loops and repeated patterns as turns of a spiral",
	tables: true,
	controls: () => [
		{
			option: "cycles.form",
			label: "form",
			choices: [
				["spiral", "spiral"],
				["circle", "circle"],
				["plane", "plane"],
			],
			otherwise: "spiral",
		},
		{
			option: "cycles.colour",
			label: "colour",
			choices: [
				["line", "line"],
				["function", "function"],
				["region", "region"],
				...(ready.value ? [["level", "level"] as [string, string]] : []),
			],
			otherwise: "line",
		},
		{
			option: "cycles.other",
			label: "morph",
			choices: [
				["-1", "nothing"],
				...list.value.flatMap((c, i): [string, string][] =>
					c.refused || i === chosen.value
						? []
						: [[String(i), `${i + 1}: ${turnsText(c.turns)}`]],
				),
			],
			otherwise: "-1",
		},
		{
			option: "cycles.basis",
			label: "basis",
			choices: [
				["reduced", "reduced"],
				["found", "found"],
			],
			otherwise: "reduced",
		},
		{
			option: "cycles.by",
			label: "by",
			choices: [
				["site", "site"],
				["region", "region"],
				["line", "line"],
				["address", "address"],
			],
			otherwise: "site",
		},
		{
			option: "cycles.window",
			label: "width",
			choices: [4, 6, 8, 10, 12, 16, 24, 32].map((n): [string, string] => [
				String(n),
				String(n),
			]),
			otherwise: "10",
		},
		{
			option: "cycles.every",
			label: "every",
			choices: [
				["1", "1"],
				...[2, 5, 10, 100].map((n): [string, string] => [String(n), String(n)]),
			],
			otherwise: "1",
		},
	],
	create: (): View => new CyclesView(),
};
