// Memory as the program's arrays: cells that light up when they are read or written, the
// caches below them, or heat maps of the same picture (Choudhury, chapter 4).
import { type Box, contains } from "../../../model/box";
import { computed, signal } from "@preact/signals";
import { TITLE } from "../model/boxes";
import { layLevels, slotAt, slotBox, type LevelPicture } from "../model/cacheLayout";
import { count, exact } from "../../../model/format";
import {
	bytesOf,
	cellAt,
	cellOf,
	cellWords,
	datumName,
	gridKey,
	placeOf,
} from "../model/shape";
import { cutMiddle } from "../model/regionNames";
import { drawable } from "../model/usualRegions";
import { arrived } from "../state/nearbyRefs";
import { followCaches, moment } from "../state/cacheMoment";
import {
	select,
	cursor,
	hover,
	length,
	levelNames,
	names,
	playing,
	ready,
	regionRank,
	regions,
	selection,
	trace,
} from "../state/store";
import { option, options } from "../../../state/store";
import { levelColours, mix, regionColour, type Palette } from "../../../draw/colours";
import type { Draw } from "../../../draw/draw";
import { drawKeyBefore } from "../../../draw/key";
import { drawLevel, resultsOf, slotWords, UNKNOWN, type CacheScene } from "./cacheParts";
import { CanvasView } from "../../../views/canvas";
import { Flight } from "./flight";
import { paintTrail } from "./paint";
import { atRowsEnd, dragRow, rowWords } from "./rowGrip";
import {
	activeRegion,
	fold,
	isFolded,
	layFrames,
	pictures,
	place,
	resetAll,
	setActive,
	trailLength,
	type Frame,
	type Picture,
} from "./frames";
import { drawLegend, HeatMaps, MODES, type Mode } from "./heatMaps";
import { chosenCells, Light, type Chosen, type Lit } from "./litCells";
import { RegionTools, titleWords } from "./tools";
import type { ViewKind } from "../../../views/view";

const HEAD = 34; // room for the button and the legend
const EDGE = 10;
const NAME = 10; // height of the name of a field
const LINES_MAX = 96; // lines drawn from a region to the cache

type Drag = {
	frame: Frame;
	how: "move" | "size" | "row";
	x: number;
	y: number;
	box: Box;
	moved: boolean;
};

class Regions extends CanvasView {
	private readonly size = signal<[number, number]>([1, 1]);
	private readonly mode = computed(() => option("regions.mode", "trail") as Mode);
	private readonly room = computed<Box>(() => this.layRoom());
	private readonly frames = computed<Frame[]>(() =>
		layFrames(this.room.value, this.mode.value === "trail"),
	);
	private tools!: RegionTools;
	private heat!: HeatMaps;
	private chosen!: { value: Chosen | null };
	private light!: Light;
	private levels: LevelPicture[] = [];
	private scene: CacheScene | null = null;
	private drag: Drag | null = null;
	private flight = new Flight();

	protected start(): void {
		const stop = followCaches(1024, 1024);

		this.tools = new RegionTools(this.host);
		this.onDestroy(stop);
		// Places and shapes are those of the regions of one trace.
		let of = trace.peek()?.trace;
		this.watch(() => {
			const now = trace.value?.trace;
			if (of !== undefined && now !== undefined && now !== of) resetAll();
			of = now ?? of;
		});
		this.heat = new HeatMaps(this.mode, this.frames, (q) => this.ask(q, 80));
		this.chosen = this.ask(chosenCells(this.mode, this.frames), 80);
		this.light = new Light(this.frames, () => this.destroyed || this.redraw());
		this.watch(
			() =>
				void [
					cursor.value,
					arrived.value,
					moment.value,
					this.frames.value,
					this.heat.answers.value,
					selection.value,
					hover.value,
					options.value,
					playing.value,
				],
		);
		this.listen("pointerdown", (e, x, y) => this.press(e, x, y));
		this.listen("pointermove", (_, x, y) => this.point(x, y));
		this.listen("pointerup", (_, x, y) => this.release(x, y));
		this.listen("pointerleave", () => (hover.value = {}));
		this.listen("dblclick", (_, x, y) => {
			const f = this.frameAt(x, y);
			if (f && y < f.box.y + TITLE) fold(f.region.region, !isFolded(f.region.region));
		});
	}

	protected override resized(): void {
		this.size.value = [this.width, this.height];
	}

	/** The room of the regions: the part that the caches leave free. */
	private layRoom(): Box {
		const [w, h] = this.size.value;
		const s = ready.value;
		const n = s ? s.levels.filter((l) => l.kind === "cache").length : 0;
		const below =
			option("regions.cache", "below") === "below" && n
				? Math.min(h * 0.42, n * 84 + 14)
				: 0;

		return {
			x: EDGE,
			y: HEAD,
			w: Math.max(40, w - 2 * EDGE),
			h: Math.max(40, h - HEAD - below - EDGE),
		};
	}

	draw(d: Draw, p: Palette): void {
		const trail = this.mode.value === "trail";
		const lit = this.light.now();

		this.flight.posed = this.posed;
		if (trail) this.trailLegend(d, p);
		else drawLegend(d, p, this.heat, d.width - EDGE, HEAD / 2);
		this.prepareCache(lit);
		for (const f of this.frames.value) this.drawFrame(d, p, f, lit);
		const counted = trace.value?.counted;
		if (!this.frames.value.length && (regions.value.length || counted === false)) {
			const { x, y, h } = this.room.value;
			const text = !counted
				? "Regions are there when all references have been counted …"
				: regions.value.some(drawable)
					? "No region is shown."
					: "No region of this trace has a known layout: name some with --regions FILE.";
			d.text(x, y + h / 2, text, { colour: p.muted, size: 12 });
		}
		this.drawCache(d, p);
		// In heat maps nothing is lit: they are of the window, not of a moment.
		const at = lit?.cursor ?? (trail ? -1 : cursor.value);
		const late = this.scene !== null && this.scene.cursor !== at;
		this.markShown(at, late || this.flight.flying());
		this.markLate(!!ready.value && !playing.value && (late || at !== cursor.value));
		this.word(lit);
	}

	private trailLegend(d: Draw, p: Palette): void {
		const small = { colour: p.muted, size: 10 };
		const colours = levelColours(p, levelNames.value.length);
		const items: [string, number][] = [
			["read", p.read],
			["write", p.write],
			...levelNames.value.map((n, i): [string, number] => [n, colours[i] ?? p.muted]),
		];
		// The bar above shows the length too, which is enough if the room is narrow.
		const tail = d.width > 620 ? `last ${count(this.light.trail())} references` : "";
		let x = d.width - EDGE - d.measure(tail, small);

		if (tail) {
			d.text(x, HEAD / 2, tail, small);
			x -= 12;
		}
		drawKeyBefore(d, p, x, HEAD / 2, items, small.size);
	}

	private drawFrame(d: Draw, p: Palette, f: Frame, lit: Lit | null): void {
		const n = f.region.region;
		const { x, y, w, h } = f.box;
		const colour = regionColour(p, regionRank(n));
		const active = n === activeRegion();

		d.rect(x, y, w, h, mix(p.background, colour, active ? 0.14 : 0.07));
		d.frame(x, y, w, h, colour, active ? 3 : 1.5);
		this.title(d, p, f);
		if (f.folded) return;
		// the corner that resizes it
		for (const by of [4, 8])
			d.line(x + w - by - 2, y + h - 3, x + w - 3, y + h - by - 2, colour, 1.5);
		for (const pic of pictures(f)) {
			const key = gridKey(pic.grid);
			const chosen = this.chosen.value
				? (this.chosen.value.get(key) ?? new Uint8Array(pic.grid.across * pic.grid.down))
				: null;
			if (this.mode.value !== "trail") this.heat.paint(d, p, pic, chosen);
			else if (lit?.last.has(key))
				paintTrail(d, p, pic, lit.last.get(key)!, {
					cursor: lit.cursor,
					length: lit.trail,
					levels: levelNames.value.length,
					chosen,
				});
			else d.rect(pic.x, pic.y, pic.nx * pic.cw, pic.ny * pic.ch, p.empty);
			if (this.mode.value === "trail") this.markNow(d, p, f, pic, lit);
			this.markSelected(d, p, f, pic);
		}
		this.fieldNames(d, p, f);
	}

	private title(d: Draw, p: Palette, f: Frame): void {
		const { x, y, w } = f.box;
		const name = { colour: p.text, size: 12, bold: true, mono: true };
		const small = { colour: p.muted, size: 10 };
		const note = f.matrix ? cellWords(f.matrix.grid, f.shape) : "";

		d.clip(x, y, w - 8, TITLE, () => {
			const label = cutMiddle(names.region(f.region.region), w - 24, (t) =>
				d.measure(t, name),
			);
			d.text(x + 8, y + TITLE / 2 + 1, label, name);
			const left = x + 8 + d.measure(label, name) + 8;
			const words = [titleWords(f.region.region), ...note.split(", ")].filter(Boolean);
			const room = x + w - 8 - left;
			while (words.length && d.measure(words.join(" · "), small) > room) words.pop();
			d.text(left, y + TITLE / 2 + 1, words.join(" · "), small);
		});
	}

	private fieldNames(d: Draw, p: Palette, f: Frame): void {
		const m = f.matrix;

		let free = -Infinity; // names above end here

		if (!m || !f.shape.fields.length) return;
		for (const field of f.shape.fields) {
			const at = field.offset / f.shape.elem / m.grid.elements[0];
			const n = field.size / f.shape.elem / m.grid.elements[0];
			const style = { colour: p.text, size: 10, mono: true };
			const cut = (room: number) =>
				cutMiddle(field.name, room, (t) => d.measure(t, style));
			if (f.shape.order === "columns") {
				const y = m.y + (at + n / 2) * m.ch;
				// Rows lower than a name: as many names as there is room for.
				if (y - NAME / 2 < free) continue;
				free = y + NAME / 2;
				d.text(m.x - 6, y, cut(m.x - f.box.x - 10), { ...style, align: "right" });
			} else if (n * m.cw > 10)
				d.text(m.x + at * m.cw + 1, m.y - 7, cut(n * m.cw - 2), style);
		}
	}

	private cellBox(pic: Picture, cell: number): Box {
		const [cx, cy] = placeOf(pic.grid, cell);

		return { x: pic.x + cx * pic.cw, y: pic.y + cy * pic.ch, w: pic.cw, h: pic.ch };
	}

	/** The reference at the cursor, in the colour of the lamp. */
	private markNow(d: Draw, p: Palette, f: Frame, pic: Picture, lit: Lit | null): void {
		const c = lit?.chunks.at(-1);
		const i = lit && c ? lit.cursor - c.from : -1;

		if (!c || i < 0 || c.region[i] !== f.region.region) return;
		const b = this.cellBox(pic, cellOf(pic.grid, c.offset[i]!));
		d.frame(b.x - 2, b.y - 2, b.w + 3, b.h + 3, p.background, 3);
		d.frame(b.x - 2, b.y - 2, b.w + 3, b.h + 3, p.cursor, 2);
	}

	private markSelected(d: Draw, p: Palette, f: Frame, pic: Picture): void {
		for (const [s, colour] of [
			[hover.value, p.muted],
			[selection.value, p.text],
		] as const) {
			if (s.region !== f.region.region || !s.offset) continue;
			const a = this.cellBox(pic, cellOf(pic.grid, s.offset[0]));
			const b = this.cellBox(
				pic,
				cellOf(pic.grid, Math.max(s.offset[0], s.offset[1] - 1)),
			);
			const same = pic.grid.down === 1 || a.x === b.x || a.y === b.y;
			const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)];
			const [w, h] = same
				? [Math.max(a.x, b.x) + a.w - x, Math.max(a.y, b.y) + a.h - y]
				: [a.w, a.h];
			d.frame(x - 2, y - 2, w + 3, h + 3, colour, 1.5);
		}
	}

	private prepareCache(lit: Lit | null): void {
		const m = moment.value;
		const s = ready.value;
		const room = this.room.value;
		const top = room.y + room.h + EDGE + 6;

		this.levels = [];
		this.scene = null;
		if (!m || !s || m.sim !== s.sim || option("regions.cache", "below") !== "below")
			return;
		this.levels = layLevels(m.held.levels, {
			x: EDGE,
			y: top,
			w: this.width - 2 * EDGE,
			h: this.height - top - 6,
		});
		const line = Math.min(...m.held.levels.map((l) => l.line));
		const trail = lit?.trail ?? 1;
		this.scene = {
			held: m.held,
			line,
			results: resultsOf(lit?.chunks ?? [], m.cursor + 1 - trail, m.cursor + 1, line),
			cursor: m.cursor,
			trail,
			shown: new Set(this.frames.value.map((f) => f.region.region)),
			levels: levelNames.value.length,
			order: false,
			colours: new Map(),
		};
		if (this.flight.begin(m)) this.animate(() => this.flight.flying());
	}

	private drawCache(d: Draw, p: Palette): void {
		if (!this.scene) return;
		for (const l of this.levels) drawLevel(d, p, l, this.scene);
		this.threads(d, p);
		this.flight.draw(d, p, this.levels, this.scene, (region, offset) =>
			this.spot(region, offset),
		);
	}

	/** The place of a byte of a region; null: it is not drawn. */
	private spot(region: number, offset: number): Box | null {
		const f = this.frames.value.find((x) => x.region.region === region);
		const pic = f?.matrix;

		if (!f || offset >= UNKNOWN) return null;
		return pic ? this.cellBox(pic, cellOf(pic.grid, offset)) : { ...f.box, h: TITLE };
	}

	/** From the cells of the active region to its lines in the cache. */
	private threads(d: Draw, p: Palette): void {
		const n = activeRegion();
		const s = this.scene!;
		const colour = regionColour(p, regionRank(n));
		let drawn = 0;

		if (n < 0) return;
		for (const l of this.levels) {
			if (l.info.group) continue;
			for (let i = 0; i < l.units * l.ways && drawn < LINES_MAX; i++) {
				const slot = l.info.first + i;
				if (s.held.region[slot] !== n || s.held.offset[slot]! >= UNKNOWN) continue;
				const from = this.spot(n, s.held.offset[slot]!);
				const to = slotBox(l, i);
				if (!from) continue;
				d.line(
					from.x + from.w / 2,
					from.y + from.h,
					to.x + to.w / 2,
					to.y,
					colour,
					1,
					0.45,
				);
				drawn++;
			}
		}
	}

	/** A note if no shown region was touched. */
	private word(lit: Lit | null): void {
		const frames = this.frames.peek();

		if (!frames.length) return this.tools.say("");
		if (this.mode.peek() !== "trail") return this.tools.say(this.heat.state());
		if (!lit || playing.peek()) return this.tools.say("");
		const any = [...lit.last.values()].some((l) => {
			for (let i = 0; i < l.served.length; i++) if (l.served[i]) return true;
			return false;
		});
		if (any) return this.tools.say("");
		const next = frames
			.map((f) => f.region.first)
			.filter((t) => t > lit.cursor && t < length.peek())
			.sort((a, b) => a - b)[0];
		this.tools.say("not touched lately", next ?? -1);
	}

	private frameAt(x: number, y: number): Frame | undefined {
		return [...this.frames.value].reverse().find((f) => contains(f.box, x, y));
	}

	private cellUnder(f: Frame, x: number, y: number): [Picture, number] | null {
		for (const pic of pictures(f)) {
			const [cx, cy] = [
				Math.floor((x - pic.x) / pic.cw),
				Math.floor((y - pic.y) / pic.ch),
			];
			if (cx < 0 || cy < 0 || cx >= pic.nx || cy >= pic.ny) continue;
			const cell = cellAt(pic.grid, cx, cy);
			if (bytesOf(pic.grid, cell)[0] < pic.grid.bytes) return [pic, cell];
		}
		return null;
	}

	private slotUnder(x: number, y: number): [LevelPicture, number] | null {
		for (const l of this.levels) {
			const slot = slotAt(l, x, y);
			if (slot >= 0) return [l, slot];
		}
		return null;
	}

	private press(e: PointerEvent, x: number, y: number): void {
		const f = this.frameAt(x, y);

		this.tools.close();
		if (!f || e.button) return;
		const corner = x > f.box.x + f.box.w - 12 && y > f.box.y + f.box.h - 12;
		const edge = !corner && atRowsEnd(f, x, y);
		setActive(f.region.region);
		if (!corner && !edge && y >= f.box.y + TITLE) return;
		this.canvas.setPointerCapture(e.pointerId);
		this.drag = {
			frame: f,
			how: edge ? "row" : corner && !f.folded ? "size" : "move",
			x,
			y,
			box: f.box,
			moved: false,
		};
	}

	private release(x: number, y: number): void {
		const was = this.drag;

		this.drag = null;
		if (was?.moved) return;
		const f = this.frameAt(x, y);
		const at = f && this.cellUnder(f, x, y);
		if (at) select({ region: f.region.region, offset: bytesOf(at[0].grid, at[1]) }, true);
		else if (f) select({ region: f.region.region }, true);
		else this.clickSlot(x, y);
	}

	private clickSlot(x: number, y: number): void {
		const at = this.slotUnder(x, y);
		const s = this.scene;

		if (!at || !s) return setActive(-1);
		const [l, slot] = at;
		if (l.info.group) return;
		const offset = s.held.offset[l.info.first + slot]!;
		const region = s.held.region[l.info.first + slot]!;
		if (offset < UNKNOWN)
			select({ region, offset: [offset, offset + l.info.line] }, true);
	}

	private point(x: number, y: number): void {
		const g = this.drag;

		if (g) {
			if (Math.hypot(x - g.x, y - g.y) < 4 && !g.moved) return;
			g.moved = true;
			const by = [x - g.x, y - g.y] as const;
			if (g.how === "row") return this.tip(rowWords(dragRow(g.frame, x)), x, y);
			place(
				g.frame.region.region,
				g.how === "move"
					? { ...g.box, x: g.box.x + by[0], y: g.box.y + by[1] }
					: { ...g.box, w: g.box.w + by[0], h: g.box.h + by[1] },
				this.room.value,
			);
			this.tip(null);
			return;
		}
		const f = this.frameAt(x, y);
		const at = f && this.cellUnder(f, x, y);
		const slot = f ? null : this.slotUnder(x, y);
		const corner = f && x > f.box.x + f.box.w - 12 && y > f.box.y + f.box.h - 12;
		this.tools.at(f ?? null);
		const edge = f && !corner && atRowsEnd(f, x, y);
		if (edge) {
			this.canvas.style.cursor = "ew-resize";
			return this.tip(rowWords(f.shape.row), x, y);
		}
		this.canvas.style.cursor =
			at || slot
				? "pointer"
				: corner
					? "nwse-resize"
					: f && y < f.box.y + TITLE
						? "grab"
						: "";
		if (at) {
			const offset = bytesOf(at[0].grid, at[1]);
			hover.value = { region: f.region.region, offset };
			this.tip(this.cellTip(f, at[0], at[1]), x, y);
		} else if (slot && this.scene) {
			this.tip(slotWords(slot[0], slot[1], this.scene), x, y);
		} else {
			if (hover.value.region !== undefined) hover.value = {};
			this.tip(null);
		}
	}

	private cellTip(f: Frame, pic: Picture, cell: number): string[] {
		const [low, high] = bytesOf(pic.grid, cell);
		const [along, over] = pic.grid.elements;
		const first = datumName(f.region, low);
		const last = datumName(f.region, Math.max(low, high - 1));
		const out = [
			along * over > 1 && first !== last ? `${first} to ${last}` : first,
			...this.addressOf(f, low),
		];

		if (this.mode.value !== "trail") return [...out, ...this.heat.words(pic, cell)];
		const l = this.light.lit?.last.get(gridKey(pic.grid));
		const time = l ? Math.max(l.read[cell]!, l.write[cell]!) - 1 : -1;
		if (!l || time < 0) return [...out, "not touched within the trail"];
		const where = l.place(cell);
		out.push(
			`${l.write[cell]! - 1 === time ? "written" : "read"} by reference ${exact(time)}, ${exact(this.light.lit!.cursor - time)} ago`,
			`served by ${names.level(l.served[cell]!)}`,
		);
		if (where?.line && where.file !== null)
			out.push(`${names.file(where.file)}:${where.line} ${where.func}()`);
		else if (where?.func) out.push(`${where.func}()`);
		return out;
	}

	/** The addresses that references or lines near the cursor have shown. */
	private addressOf(f: Frame, offset: number): string[] {
		if (f.region.blocks > 1) return [];
		for (const c of this.light.lit?.chunks ?? [])
			for (let i = c.count - 1; i >= 0; i--)
				if (c.region[i] === f.region.region)
					return [`0x${(c.addr[i]! - c.offset[i]! + offset).toString(16)}`];
		return [];
	}
}

export const regionsView: ViewKind = {
	id: "regions",
	title: "Regions",
	description:
		"Arrays of the program as cells that light up when they are read and written, with the caches below",
	controls: () => [
		{
			option: "regions.mode",
			label: "show",
			choices: MODES.map(([value, label]) => [value, label]),
			otherwise: "trail",
		},
		option("regions.mode", "trail") === "trail"
			? {
					option: "regions.trail",
					label: "trail",
					choices: [
						["0", `usual (${count(trailLength())})`],
						...[1, 16, 64, 256, 1024, 4096, 16384, 65536].map((n): [string, string] => [
							String(n),
							count(n),
						]),
					],
					otherwise: "0",
				}
			: {
					option: "regions.range",
					label: "of",
					choices: [
						["window", "window"],
						["run", "whole run"],
					],
					otherwise: "window",
				},
		...(option("regions.mode", "trail") === "used" && levelNames.value.length > 2
			? [
					{
						option: "regions.of",
						label: "level",
						choices: levelNames.value
							.slice(0, -1)
							.map((n, i): [string, string] => [String(i + 1), n]),
						otherwise: "1",
					},
				]
			: []),
		{
			option: "regions.cache",
			label: "cache",
			choices: [
				["below", "below"],
				["none", "hidden"],
			],
			otherwise: "below",
		},
	],
	plays: true,
	create: () => new Regions(),
};
