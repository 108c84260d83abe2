// Data in motion: the core in the middle, caches as rings around it, memory outside. The
// picture is a function of the cursor and of the phase of its movement: a step back plays
// the movement backwards and ends with the picture that was there before.
import type { Box } from "../../../model/box";
import { exact } from "../../../model/format";
import { besideWords, type Around } from "../model/ringsAround";
import { UNKNOWN, type Cloud, type Glyph } from "../model/ringsGlyphs";
import { clickSets } from "../model/ringsSets";
import { sameSelection, selectionText, type Selection } from "../model/selection";
import { datumName } from "../model/shape";
import { arrived } from "../state/nearbyRefs";
import { current } from "../state/currentReference";
import {
	select,
	cursor,
	hover,
	names,
	playing,
	ready,
	regionOf,
	regions,
	selection,
	sim,
	speed,
} from "../state/store";
import { option, options, setOption } from "../../../state/store";
import type { Palette } from "../../../draw/colours";
import type { Draw } from "../../../draw/draw";
import { shownRegions, wishOf } from "../regions/frames";
import { chosenSets, pictureOf } from "./glyphs";
import { layMatrices, Matrices, shaped } from "./matrices";
import { drawRings, type Picture } from "./paint";
import {
	bundleAt,
	bundleWords,
	glyphAt,
	glyphWords,
	glyphsOfData,
	ringAt,
	ringWords,
	setsAt,
	touchedGlyphs,
	glyphsOfSelection,
} from "./pick";
import { LastResults } from "./lastResults";
import { NAMES, RingsView } from "./ringsView";
import { followRings, scene, slots, tailLength, type Scene } from "./scene";
import { SEEN } from "../state/cacheMoment";
import { RingsTools, setsOption } from "./tools";
import { lastAccess, accessWords } from "./lastAccess";
import { CAPTION, labels, legend, wordBoxes } from "./words";
import type { ViewKind } from "../../../views/view";

const SLOTS_MIN = 8192;
const SLOTS_MAX = 262144;
const BAR = { w: 158, h: 32 }; // of the buttons at the right

interface Made {
	of: Scene;
	key: string;
	number: number;
	picture: Picture;
}

let pictures = 0;

class Rings extends RingsView<Scene> {
	protected readonly zoomOption = "rings.zoom";
	private made: Made | null = null;
	private laid: { key: string; around: Around } | null = null;
	private marked = { key: "", cloud: null as Cloud | null, chosen: [0], near: [0] };
	private tools!: RingsTools;
	private readonly matrices = new Matrices(() => this.redraw());
	private readonly results = new LastResults(() => this.redraw());

	protected start(): void {
		const stop = followRings();

		this.tools = new RingsTools(this.host);
		this.startRings();
		this.onDestroy(stop);
		this.watch(() => {
			this.turnTo(scene.value);
			void [
				arrived.value,
				cursor.value,
				options.value,
				selection.value,
				hover.value,
				regions.value,
				current.value,
				playing.value,
				speed.value,
			];
		});
		this.listen("pointermove", (_, x, y) => this.point(x, y));
		this.listen("pointerdown", () => this.tools.close());
		this.listen("click", (e, x, y) => this.click(x, y, e.shiftKey));
	}

	/** Centre and radius of the whole picture, and the matrices around it. */
	private layOut(d: Draw, s: Scene): Around {
		const levels = s.after.levels.length;
		const filtered = chosenSets(s).filter((c) => c).length;
		const on = option("rings.matrices", "on") === "on" && this.zoom().k === 1;
		const shown = shownRegions();
		const wishes = shown.map((n) => JSON.stringify(wishOf(n)));
		const key = [d.width, d.height, levels, filtered, on, shown, ...wishes].join(" ");

		if (this.laid?.key === key) return this.laid.around;
		const names12 = shown
			.filter((n) => !on || !shaped().includes(n))
			.map((n) => d.measure(names.region(n), { colour: 0, size: 12, bold: true }));
		const beside = Math.min(Math.max(NAMES, ...names12) + 14, 0.2 * d.width);
		const r = Math.max(
			60,
			Math.min(d.width / 2 - beside, (d.height - CAPTION) / 2 - NAMES),
		);
		// The words are at the left.
		const aside = Math.max(0, Math.min(100, d.width / 2 - r - beside));
		const words = wordBoxes(d.width, d.height, levels, filtered);
		const bar = { x: d.width - BAR.w, y: 0, ...BAR };
		const middle = Math.max(NAMES + r, (d.height - CAPTION) / 2);
		const usual = besideWords(
			{ x: d.width / 2 + aside, y: middle, r },
			[...words.slice(0, 2), bar],
			d.width - beside,
		);
		let around: Around = { ...usual, boxes: [], left: 0 };
		if (on && shaped().length) {
			const inside: Box = { x: 4, y: 4, w: d.width - 8, h: d.height - CAPTION - 4 };
			const margin = { x: names12.length ? beside : 6, y: NAMES - 4 };
			around = layMatrices(usual, inside, margin, [...words, bar]);
		}
		this.laid = { key, around };
		this.matrices.set(around.boxes);
		return around;
	}

	protected sameRun(a: Scene, b: Scene): boolean {
		return a.sim === b.sim;
	}

	protected circle(): { x: number; y: number; r: number } {
		return this.laid?.around ?? { x: 0, y: 0, r: 1 };
	}

	/** The number of lines with room on a ring depends on its size. */
	private fitSlots(r: number): void {
		// In steps: a window that grows by a few pixels asks nothing.
		const room = Math.round(2 ** (Math.floor(4 * Math.log2(r * r)) / 4));
		const n = Math.max(SLOTS_MIN, Math.min(SLOTS_MAX, room));

		if (slots.peek() !== n) slots.value = n;
	}

	private make(s: Scene, d: Draw): Picture {
		const circle = this.layOut(d, s);
		const zoom = this.zoom();
		const key = [
			...[circle.x, circle.y, circle.r, shownRegions(), arrived.value],
			...[option("rings.zoom", ""), option("rings.bundle", "auto")],
			...s.after.levels.map((_, i) => option(setsOption(i), "")),
		].join(" ");

		this.fitSlots(circle.r * zoom.k);
		if (this.made?.of !== s || this.made.key !== key)
			this.made = { of: s, key, number: ++pictures, picture: pictureOf(s, circle, zoom) };
		const q = this.made.picture;
		q.results = this.results.now(q.place.rings, q.place.arcs.values(), s.cursor);
		q.key = `${this.made.number}/${this.results.version}`;
		return q;
	}

	draw(d: Draw, p: Palette): void {
		const s = this.of;

		if (!s || s.sim !== ready.value?.sim) {
			d.text(14, 24, sim.value ? "The simulation is not ready yet." : "", {
				colour: p.muted,
				size: 12,
			});
			return;
		}
		const q = this.make(s, d);
		const phase = this.phase();
		const { left } = this.circle() as Around;
		drawRings(d, p, q, phase, {
			...this.marks(q, phase),
			touched: touchedGlyphs(q, phase),
		});
		const boxes = this.matrices.boxes();
		const words = wordBoxes(
			d.width,
			d.height,
			q.place.rings.rings.length,
			q.chosen.filter((c) => c).length,
		);
		labels(d, p, q, [...boxes, ...words], this.matrices.named());
		if (boxes.length) this.matrices.draw(d, p, q, [hover.value, selection.value]);
		const notes = ["pale: a copy is nearer"];
		if (q.bundles)
			notes.push(`${exact(q.paths.length)} paths in ${exact(q.bundles.length)} bundles`);
		if (!this.results.exact && !playing.value) notes.push("band: still counting");
		if (option("temperature.scores", "")) notes.push("glow: own scores");
		if (left) notes.push(`no room for ${left} more matrices`);
		legend(d, p, q, this.zoom().k > 1, notes);
		this.caption(d, p);
		this.canvas.dataset["results"] = this.results.exact ? String(s.cursor) : "";
		this.markScene(s, !this.results.exact);
	}

	private caption(d: Draw, p: Palette): void {
		const c = current.value;
		const slow = !playing.value || speed.value <= SEEN;

		this.canvas.dataset["told"] = "";
		if (!slow || !c || c.time !== (this.then ?? this.of)!.cursor) return;
		this.canvas.dataset["told"] = String(c.time);
		const style = { colour: p.text, size: 13, align: "center" } as const;
		const lines = [""];
		for (const word of c.caption.split(" ")) {
			const more = `${lines.at(-1)} ${word}`.trim();
			if (d.measure(more, style) < d.width - 24) lines[lines.length - 1] = more;
			else lines.push(word);
		}
		if (this.zoom().k > 1)
			d.rect(0, d.height - CAPTION, d.width, CAPTION, p.background, 0.85);
		const shown = lines.slice(0, 2);
		const y = d.height - CAPTION / 2 - 2 - 8 * (shown.length - 1);
		shown.forEach((text, i) => d.text(d.width / 2, y + 16 * i, text, style));
	}

	/** Which glyphs at rest are selected or under the pointer. */
	private marks(q: Picture, phase: number): { chosen: number[]; near: number[] } {
		const cloud = phase < 1 ? q.flight : q.settled;
		const key =
			[selection.value, hover.value].map(selectionText).join("|") + arrived.value;

		if (this.marked.key !== key || this.marked.cloud !== cloud)
			this.marked = {
				key,
				cloud,
				chosen: glyphsOfSelection(cloud, selection.value, this.of!.cursor),
				// Data under the pointer carry their line of code, which marks no other data.
				near:
					hover.value.region === undefined
						? glyphsOfSelection(cloud, hover.value, this.of!.cursor)
						: glyphsOfData(cloud, hover.value),
			};
		return this.marked;
	}

	/** The selection that a click makes: a datum in a cache, in a matrix or in memory. */
	private pickAt(x: number, y: number, g: Glyph | null): Selection | null {
		const q = this.made?.picture;
		const cell = this.matrices.at(x, y);

		if (!q) return null;
		if (cell) return cell.selection;
		if (g)
			return g.offset < UNKNOWN
				? { region: g.region, offset: [g.offset, g.offset + g.bytes] }
				: { region: g.region };
		const r = Math.hypot(x - q.x, y - q.y);
		if (r < q.place.rings.memory[0] || r > q.place.rings.radius) return null;
		const angle = Math.atan2(x - q.x, q.y - y);
		for (const a of q.place.arcs.values())
			for (const turn of [angle, angle + 2 * Math.PI])
				if (turn >= a.a0 && turn < a.a1) {
					const elem = a.region.elem || 1;
					const byte = (a.bytes * (turn - a.a0)) / (a.a1 - a.a0);
					const first = Math.floor(byte / elem) * elem;
					return { region: a.region.region, offset: [first, first + elem] };
				}
		return null;
	}

	/*
	 * A click selects a datum, or chooses the sets of an arm alone or, with shift, among
	 * others.
	 */
	private click(x: number, y: number, more: boolean): void {
		const q = this.made?.picture;

		if (this.dragged || !q) return;
		const pick = this.pickAt(x, y, glyphAt(q, this.phase(), x, y));
		if (pick) return select(pick, true);
		const l = ringAt(q, x, y);
		if (!l) return;
		const key = setsOption(l.level);
		setOption(key, clickSets(option(key, ""), l.info.sets, setsAt(q, l, x, y), more));
	}

	private point(x: number, y: number): void {
		const q = this.made?.picture;

		if (this.drag(x, y) || !q) return this.tip(null);
		const g = this.matrices.at(x, y) ? null : glyphAt(q, this.phase(), x, y);
		const pick = this.pickAt(x, y, g);
		const ring = ringAt(q, x, y);
		const bundle = pick ? null : bundleAt(q, x, y);

		this.canvas.style.cursor = pick || ring ? "pointer" : "";
		if (!pick) {
			if (hover.value.region !== undefined) hover.value = {};
			if (bundle) return this.tip(bundleWords(q, bundle), x, y);
			return this.tip(ring && ringWords(q, ring, x, y), x, y);
		}
		const words = this.wordsOf(q, pick, g, x, y);
		this.tip(words, x, y);
		const { file: _file, line: _line, ...near } = hover.value;
		if (!sameSelection(near, pick)) hover.value = pick;
		const now = this.of?.cursor ?? 0;
		if (!pick.offset || playing.peek()) return;
		lastAccess(pick.region!, pick.offset, now, (u) => {
			const still = hover.value.offset;
			if (still?.[0] !== pick.offset![0] || hover.value.region !== pick.region) return;
			this.tip([...words, accessWords(u, now)], x, y);
			if (u.file !== null && hover.value.line !== u.line)
				hover.value = { ...pick, file: u.file, line: u.line };
		});
	}

	private wordsOf(
		q: Picture,
		pick: Selection,
		g: Glyph | null,
		x: number,
		y: number,
	): string[] {
		const cell = this.matrices.at(x, y);

		if (cell) return cell.words;
		if (g) return glyphWords(q, g);
		const r = regionOf(pick.region!)!;
		return [pick.offset ? datumName(r, pick.offset[0]) : r.name, "in memory"];
	}
}

export const ringsView: ViewKind = {
	id: "rings",
	title: "Rings",
	description:
		"Data in motion: caches as rings around the core, sets as arms, the next victim at the edge",
	controls: () => [
		{
			option: "rings.tail",
			label: "paths",
			choices: [
				["auto", `automatic (${tailLength()})`],
				["1", "this reference"],
				["16", "16 references"],
				["64", "64"],
				["256", "256"],
				["1024", "1024"],
				["4096", "4096"],
				["16384", "16384"],
			],
			otherwise: "auto",
		},
		{
			option: "rings.bundle",
			label: "bundled",
			choices: [
				["auto", "when many"],
				["on", "always"],
				["off", "never"],
			],
			otherwise: "auto",
		},
		{
			option: "rings.matrices",
			label: "matrices",
			choices: [
				["on", "outside"],
				["off", "none"],
			],
			otherwise: "on",
		},
	],
	plays: true,
	create: () => new Rings(),
};
