// Data in motion: the core in the middle, caches as rings around it, memory outside. The
// picture is a function of the cursor and of how far its movement is: a step back plays the
// movement backwards and ends with what was there before.
import { exact } from "../model/format";
import {
	layMemory,
	layRings,
	parseZoom,
	printZoom,
	zoomAt,
	type Zoom,
} from "../model/rings";
import {
	glyphsOf,
	lowsOf,
	MOVE,
	pathsOf,
	UNKNOWN,
	type Glyph,
	type Place,
} from "../model/ringsGlyphs";
import { datumName, extentOf } from "../model/shape";
import { sizeOf } from "../model/trail";
import { sameSelection, type Selection } from "../model/selection";
import { arrived, CHUNK, refsOf } from "../state/around";
import { current } from "../state/current";
import { select } from "../state/history";
import {
	cursor,
	hover,
	levelNames,
	names,
	option,
	options,
	playing,
	ready,
	regionOf,
	regionRank,
	regions,
	selection,
	setOption,
	sim,
	speed,
} from "../state/store";
import { mix, regionColour, type Palette } from "../draw/colours";
import type { Draw } from "../draw/draw";
import { CanvasView } from "./canvas";
import { shownRegions } from "./regionFrames";
import {
	at,
	drawRings,
	heldOf,
	legend,
	type Access,
	type Marked,
	type Picture,
} from "./ringsPaint";
import { followRings, scene, SEEN, tailLength, type Scene } from "./ringsScene";
import type { ViewKind } from "./view";

const CAPTION = 42;
const NAMES = 22; // room for the names of regions
const DURATION = 520; // ms of every movement, near or far
const PATHS_MAX = 1500;
const RESULTS = 2 * CHUNK; // references whose results stay on the edge of memory

interface Made {
	of: Scene;
	key: string;
	picture: Picture;
}

/** The core that made the reference; -1: it moved nothing. */
function coreOf({ moves: m }: Scene): number {
	for (let i = m.line.length - 1; i >= 0 && m.access[i] === m.count - 1; i--)
		if (m.kind[i] !== MOVE.transfer) return m.other[i]!;
	return -1;
}

class Rings extends CanvasView {
	private of: Scene | null = null; // whose movement is shown
	private then: Scene | null = null; // what is shown when it has been played backwards
	private started = -Infinity;
	private span = DURATION;
	private made: Made | null = null;
	private frames = 0;
	private base = { x: 0, y: 0, r: 1 }; // the whole picture
	private grip: { x: number; y: number; zoom: Zoom } | null = null;
	private dragged = false;

	protected start(): void {
		const stop = followRings();

		this.onDestroy(() => {
			cancelAnimationFrame(this.frames);
			stop();
		});
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
		this.listen("pointerleave", () => (hover.value = {}));
		this.listen("wheel", (e, x, y) => {
			const { base } = this;
			e.preventDefault();
			this.setZoom(
				zoomAt(
					this.zoom(),
					Math.exp(-e.deltaY * 0.0015),
					(x - base.x) / base.r,
					(y - base.y) / base.r,
				),
			);
		});
		this.listen("pointerdown", (e, x, y) => {
			this.dragged = false;
			this.grip = { x, y, zoom: this.zoom() };
			if (this.grip.zoom.k > 1) this.canvas.setPointerCapture(e.pointerId);
		});
		this.listen("pointerup", () => (this.grip = null));
		this.listen("dblclick", () => this.setZoom(parseZoom("")));
		this.listen("click", (_, x, y) => {
			if (this.dragged) return;
			const pick = this.pickAt(x, y);
			if (pick) select(pick, true);
		});
	}

	/** Shows another moment; neighbours by moving there, others at once. */
	private turnTo(s: Scene | null): void {
		const old = this.then ?? this.of;
		const quiet = matchMedia("(prefers-reduced-motion: reduce)").matches;
		const seen = !quiet && (!playing.peek() || speed.peek() <= SEEN);

		if (s === old) return;
		const same = s && old && s.sim === old.sim && seen;
		this.then = null;
		this.started = -Infinity;
		if (same && s.cursor === old.cursor - 1 && old.before) {
			this.of = old;
			this.then = s;
		} else this.of = s;
		if (this.then || (same && s.cursor === old.cursor + 1 && s.before)) {
			this.started = performance.now();
			this.span = playing.peek() ? Math.min(DURATION, 900 / speed.peek()) : DURATION;
			cancelAnimationFrame(this.frames);
			this.frames = requestAnimationFrame(this.tick);
		}
	}

	private tick = (): void => {
		this.redraw();
		if (this.flying()) this.frames = requestAnimationFrame(this.tick);
		else if (this.then) {
			this.of = this.then;
			this.then = null;
		}
	};

	flying(): boolean {
		return performance.now() < this.started + this.span;
	}

	/** How far the movement of the reference is: 1 is where everything has arrived. */
	private phase(): number {
		const t = Math.min(1, (performance.now() - this.started) / this.span);

		return this.then ? 1 - t : t;
	}

	private accessOf(s: Scene): Access | null {
		const c = refsOf(s.cursor, s.cursor + 1)?.[0];
		const i = c ? s.cursor - c.from : -1;

		if (!c || i >= c.count) return null;
		return {
			region: c.region[i]!,
			offset: c.offset[i]!,
			bytes: sizeOf(c.what[i]!),
			addr: c.addr[i]!,
			core: coreOf(s),
		};
	}

	private placeOf(s: Scene, radius: number): Place {
		const shown = shownRegions().map((n) => regionOf(n)!);
		const memory = layMemory(shown);
		const finest = (line: number) =>
			Math.max(1, ...shown.map((r) => (r.elem ? Math.floor(line / r.elem) : 1)));

		return {
			rings: layRings(s.after.levels, radius, finest),
			arcs: new Map(memory.arcs.map((a) => [a.region.region, a])),
			others: memory.others,
			lows: this.lows(s),
			cores: ready.value?.cores ?? 1,
		};
	}

	/** Where regions of one block begin: a line or a reference of each tells. */
	private lows(s: Scene): Map<number, number> {
		const one = new Set(shownRegions().filter((n) => regionOf(n)!.blocks <= 1));
		const out = lowsOf(s.after, one);

		for (const c of refsOf(Math.max(0, s.cursor + 1 - RESULTS), s.cursor + 1) ?? [])
			for (let i = 0; i < c.count && out.size < one.size; i++) {
				const n = c.region[i]!;
				if (one.has(n) && !out.has(n)) out.set(n, c.addr[i]! - c.offset[i]!);
			}
		return out;
	}

	/** Region and offset of a line that moved: by its address, or from the reference. */
	private homes(
		s: Scene,
		lows: Map<number, number>,
	): (line: number, access: number) => [number, number] | null {
		const first = s.cursor + 1 - s.moves.count;
		const chunks = refsOf(first, s.cursor + 1) ?? [];
		const bytes = Math.max(...s.after.levels.map((l) => l.line));
		const fixed = [...lows].map(([region, low]) => ({
			region,
			low,
			size: extentOf(regionOf(region)!),
		}));

		return (line, access) => {
			const r = fixed.find((x) => line + bytes > x.low && line < x.low + x.size);
			if (r) return [r.region, Math.max(0, line - r.low)];
			const c = chunks.find(
				(x) => first + access >= x.from && first + access < x.from + x.count,
			);
			if (!c) return null;
			const i = first + access - c.from;
			const away = c.addr[i]! - line;
			if (away < 0 || away >= bytes || c.offset[i]! >= UNKNOWN) return null;
			return [c.region[i]!, c.offset[i]!];
		};
	}

	/** Centre and radius of the whole picture, between names and caption. */
	private room(d: Draw): { x: number; y: number; r: number } {
		const widest = Math.max(
			NAMES,
			...shownRegions().map((n) =>
				d.measure(names.region(n), { colour: 0, size: 12, bold: true }),
			),
		);
		const beside = Math.min(widest + 14, 0.2 * d.width);
		const r = Math.max(
			60,
			Math.min(d.width / 2 - beside, (d.height - CAPTION) / 2 - NAMES),
		);
		// the words are at the left
		const aside = Math.max(0, Math.min(100, d.width / 2 - r - beside));

		this.base = { x: d.width / 2 + aside, y: NAMES + r, r };
		return this.base;
	}

	private zoom(): Zoom {
		return parseZoom(option("rings.zoom", ""));
	}

	private setZoom(z: Zoom): void {
		setOption("rings.zoom", printZoom(z));
	}

	private make(s: Scene, d: Draw): Picture {
		const key = [
			d.width,
			d.height,
			shownRegions(),
			arrived.value,
			option("rings.zoom", ""),
		].join(":");

		if (this.made?.of === s && this.made.key === key) return this.made.picture;
		const base = this.room(d);
		const zoom = this.zoom();
		const place = this.placeOf(s, base.r * zoom.k);
		const shown = new Set(shownRegions());
		const picture: Picture = {
			x: base.x + zoom.x * base.r,
			y: base.y + zoom.y * base.r,
			place,
			held: s.after,
			glyphs: glyphsOf(place, s.after, s.before),
			paths: pathsOf(
				place,
				s.moves,
				s.after,
				s.moves.count,
				PATHS_MAX,
				this.homes(s, place.lows),
			),
			tail: s.moves.count,
			access: this.accessOf(s),
			levels: levelNames.value.length,
			colour: (p, region) =>
				shown.has(region)
					? regionColour(p, regionRank(region))
					: mix(p.background, p.muted, 0.6),
		};
		this.made = { of: s, key, picture };
		return picture;
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
		const to = s.cursor + 1;
		const chunks = refsOf(Math.max(0, to - RESULTS), to) ?? [];
		drawRings(d, p, q, this.phase(), this.marks(), chunks, to);
		legend(d, p, q, s.moves.count, this.zoom().k > 1);
		this.caption(d, p);
		this.canvas.dataset["shown"] = String((this.then ?? s).cursor);
	}

	private caption(d: Draw, p: Palette): void {
		const c = current.value;
		const slow = !playing.value || speed.value <= SEEN;

		if (!slow || !c || c.time !== (this.then ?? this.of)!.cursor) return;
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

	/** Which glyphs are selected or under the pointer, asked once a frame. */
	private marks(): Marked {
		const [chosen, near] = [selection.value, hover.value];
		const inside = (s: Selection, g: Glyph) =>
			s.region === g.region &&
			(!s.offset ||
				(g.offset < UNKNOWN &&
					g.offset < s.offset[1] &&
					s.offset[0] < g.offset + g.bytes));

		return (g) => (inside(chosen, g) ? 2 : inside(near, g) ? 1 : 0);
	}

	private glyphAt(x: number, y: number): Glyph | null {
		const q = this.made?.picture;
		const phase = this.phase();
		let best: Glyph | null = null;
		let near = 9;

		for (const g of q?.glyphs ?? []) {
			if (g.motion === "leave" && phase >= 1) continue;
			const [gx, gy] = at(g, phase);
			const away = Math.hypot(q!.x + gx - x, q!.y + gy - y);
			if (away < near) [best, near] = [g, away];
		}
		return best;
	}

	/** What a click selects: a datum in a cache, a group's owner, a place in memory. */
	private pickAt(x: number, y: number): Selection | null {
		const q = this.made?.picture;
		const g = this.glyphAt(x, y);

		if (!q) return null;
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

	private drag(x: number, y: number): boolean {
		const g = this.grip;

		if (!g || g.zoom.k === 1) return false;
		this.dragged ||= Math.hypot(x - g.x, y - g.y) > 4;
		if (this.dragged)
			this.setZoom({
				...g.zoom,
				x: g.zoom.x + (x - g.x) / this.base.r,
				y: g.zoom.y + (y - g.y) / this.base.r,
			});
		return this.dragged;
	}

	private point(x: number, y: number): void {
		if (this.drag(x, y)) return this.tip(null);
		const g = this.glyphAt(x, y);
		const pick = this.pickAt(x, y);

		this.canvas.style.cursor = pick ? "pointer" : "";
		if (!sameSelection(hover.value, pick ?? {})) hover.value = pick ?? {};
		if (g) return this.tip(this.words(g), x, y);
		if (!pick) return this.tip(this.ringWords(x, y), x, y);
		const r = regionOf(pick.region!)!;
		this.tip([pick.offset ? datumName(r, pick.offset[0]) : r.name, "in memory"], x, y);
	}

	private words(g: Glyph): string[] {
		const { info } = this.made!.picture.place.rings.rings[g.level]!;
		const r = regionOf(g.region);
		const known = r && g.offset < UNKNOWN;
		const instance = Math.floor(g.arm / info.sets);
		const which = info.instances > 1 ? `${info.name} ${instance}` : info.name;
		const out = [known ? datumName(r, g.offset) : names.region(g.region)];

		out.push(`region ${names.region(g.region)}`);
		out.push(`line 0x${g.line.toString(16)}, ${which} set ${g.arm % info.sets}`);
		out.push(`leaves as number ${info.ways - g.rank} of its set`);
		if (g.ghost) out.push("also nearer to the core");
		if (g.dirty) out.push("dirty: must be written back");
		return out;
	}

	private ringWords(x: number, y: number): string[] | null {
		const q = this.made?.picture;
		const r = q ? Math.hypot(x - q.x, y - q.y) : 0;
		const l = q?.place.rings.rings.find((k) => r >= k.r0 && r < k.r1);

		if (!q || !l?.info.group) return null;
		const angle = (Math.atan2(x - q.x, q.y - y) / (2 * Math.PI) + 1) % 1;
		const arm = Math.floor(angle * l.arms);
		const groups = l.arms / l.info.instances;
		const first = (arm % groups) * l.info.group;
		const slot = l.info.first + arm;
		const out = [
			`${l.info.name} sets ${first}–${Math.min(l.info.sets, first + l.info.group) - 1}`,
			`${exact(q.held.held[slot]!)} lines held, ${exact(q.held.dirty[slot]!)} dirty`,
		];
		if (q.held.held[slot]) out.push(`most of them ${names.region(q.held.owner[slot]!)}`);
		out.push(`${exact(heldOf(q.held, l)[0])} in the whole level`);
		return out;
	}
}

export const ringsView: ViewKind = {
	id: "rings",
	title: "Rings",
	what: "Data in motion: caches as rings around the core, sets as arms, the next victim at the edge",
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
			],
			otherwise: "auto",
		},
	],
	create: () => new Rings(),
};
