// The visual difference of two simulations: one picture of rings, in which what both agree
// on is pale and what they have in different levels stands out, with where the one has it,
// where the other has it, and the way between.
import { bytes as bytesText, exact } from "../../../model/format";
import { shortMachine } from "../model/machine";
import {
	countServed,
	layBoth,
	partingsOf,
	requestsOf,
	sameGeometry,
	sideOf,
	totalsOf,
	unitOf,
	type Parting,
} from "../model/ringsDiff";
import { layMemory, parseZoom, printZoom, zoomAt, type Zoom } from "../model/rings";
import { homeOf, lowsOf, UNKNOWN, type Place } from "../model/ringsGlyphs";
import type { HeldLines } from "../model/ringsLines";
import { sameSelection, type Selection } from "../model/selection";
import { datumName } from "../model/shape";
import type { Sim } from "../model/types";
import { arrived, refsOf } from "../state/around";
import { match, other, otherTrace, paired } from "../state/disagreements";
import {
	KIND,
	select,
	hover,
	names,
	playing,
	ready,
	regionOf,
	regionRank,
	regions,
	compared,
	selection,
	speed,
} from "../state/store";
import { option, options, setOption } from "../../../state/store";
import { documentsOf } from "../../documents";
import { mix, regionColour, type Palette } from "../../../draw/colours";
import type { Draw } from "../../../draw/draw";
import { CanvasView } from "../../../views/canvas";
import { shownRegions } from "../regions/frames";
import {
	diffLegend,
	diffRoom,
	drawDiff,
	type DiffPicture,
	type DiffWords,
} from "./diffPaint";
import { diffScene, followDiff, SEEN, tailLength, type DiffScene } from "./diffScene";
import type { ViewKind } from "../../../views/view";

const NAMES = 22; // room for the names of regions
const DURATION = 520; // ms of every movement
const NEAR = 9; // pixels

interface Made {
	of: DiffScene;
	key: string;
	picture: DiffPicture;
}

/** Words of a machine's levels that another machine's text does not have. */
function onlyIn(a: string, b: string): string {
	const other = new Set(b.split(" | "));

	return a
		.split(" | ")
		.filter((level) => !other.has(level))
		.map((level) => {
			const [name, ...words] = level.split(" ");
			const there = b.split(" | ").find((l) => l.startsWith(`${name} `));
			const known = new Set(there?.split(" "));
			return [name, ...words.filter((w) => !known.has(w))].join(" ");
		})
		.join(", ");
}

/** What to call both: what they are, and how they differ where that does not tell. */
function namesOf(a: Sim, b: Sim): [string, string] {
	// one machine has one name, however it was asked for
	const known = a.machine === b.machine ? a.name || b.name : "";
	const name = (s: Sim) => known || s.name || shortMachine(s.levels) || s.machine;
	const file = (s: Sim) =>
		documentsOf(KIND).find((t) => t.number === s.trace)?.name ?? "";
	const like = name(a) === name(b) && a.machine !== b.machine;
	const both = [a, b].map((s, i) =>
		like ? `${name(s)}: ${onlyIn(s.machine, (i ? a : b).machine)}` : name(s),
	);

	return a.trace === b.trace
		? [both[0]!, both[1]!]
		: [`${file(a)}, ${both[0]!}`, `${file(b)}, ${both[1]!}`];
}

class RingsDiff extends CanvasView {
	private of: DiffScene | null = null; // whose movement is shown
	private then: DiffScene | null = null; // what is shown when it was played backwards
	private started = -Infinity;
	private made: Made | null = null;
	private frames = 0;
	private base = { x: 0, y: 0, r: 1 };
	private grip: { x: number; y: number; zoom: Zoom } | null = null;
	private dragged = false;

	protected start(): void {
		const stop = followDiff();

		this.onDestroy(() => {
			cancelAnimationFrame(this.frames);
			stop();
		});
		this.watch(() => {
			this.turnTo(diffScene.value);
			void [arrived.value, options.value, selection.value, hover.value, regions.value];
			void [compared.value, match.value, otherTrace.value, playing.value];
		});
		this.listen("pointermove", (_, x, y) => this.point(x, y));
		this.listen("pointerleave", () => (hover.value = {}));
		this.listen("wheel", (e, x, y) => {
			const { base } = this;
			e.preventDefault();
			const by = Math.exp(-e.deltaY * 0.0015);
			this.setZoom(zoomAt(this.zoom(), by, (x - base.x) / base.r, (y - base.y) / base.r));
		});
		this.listen("pointerdown", (e, x, y) => {
			this.dragged = false;
			this.grip = { x, y, zoom: this.zoom() };
			if (this.grip.zoom.k > 1) this.canvas.setPointerCapture(e.pointerId);
		});
		this.listen("pointerup", () => (this.grip = null));
		this.listen("dblclick", () => this.setZoom(parseZoom("")));
		this.listen("click", (_, x, y) => {
			const found = this.dragged ? null : this.partingAt(x, y);
			if (found) select(this.pick(found), true);
		});
	}

	/** Shows another moment; neighbours by moving there, others at once. */
	private turnTo(s: DiffScene | null): void {
		const old = this.then ?? this.of;
		const quiet = matchMedia("(prefers-reduced-motion: reduce)").matches;
		const seen = !quiet && (!playing.peek() || speed.peek() <= SEEN);

		if (s === old) return;
		const same = s && old && s.sims === old.sims && seen;
		this.then = null;
		this.started = -Infinity;
		if (same && s.cursor === old.cursor - 1 && old.before) {
			this.of = old;
			this.then = s;
		} else this.of = s;
		if (this.then || (same && s.cursor === old.cursor + 1 && s.before)) {
			this.started = performance.now();
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

	private span(): number {
		return playing.peek() ? Math.min(DURATION, 900 / speed.peek()) : DURATION;
	}

	flying(): boolean {
		return this.posed === null && performance.now() < this.started + this.span();
	}

	private phase(): number {
		const clock = Math.min(1, (performance.now() - this.started) / this.span());
		const t = this.started > 0 ? (this.posed ?? clock) : 1;

		return this.then ? 1 - t : t;
	}

	private zoom(): Zoom {
		return parseZoom(option("ringsDiff.zoom", ""));
	}

	private setZoom(z: Zoom): void {
		setOption("ringsDiff.zoom", printZoom(z));
	}

	/** Centre and radius of the whole picture, beside the words. */
	private room(d: Draw, s: DiffScene): { x: number; y: number; r: number } {
		const widest = Math.max(
			NAMES,
			...shownRegions().map((n) =>
				d.measure(names.region(n), { colour: 0, size: 12, bold: true }),
			),
		);

		this.base = diffRoom(d, this.words(s), Math.min(widest + 14, 0.2 * d.width), NAMES);
		return this.base;
	}

	/** Regions of the second trace as the first one numbers those of the same name. */
	private translate(held: HeldLines): HeldLines {
		const there = otherTrace.value?.regions ?? [];

		if (!there.length || ready.value?.trace === other.value?.trace) return held;
		const byName = new Map(regions.value.map((r) => [r.name, r.region]));
		const to = new Map(there.map((r) => [r.region, byName.get(r.name) ?? -1]));
		return {
			...held,
			region: Array.from(held.region, (r) => to.get(r) ?? -1),
		};
	}

	private make(s: DiffScene, d: Draw): DiffPicture {
		const zoomed = option("ringsDiff.zoom", "");
		const key = [d.width, d.height, shownRegions(), arrived.value, zoomed].join(":");

		if (this.made?.of === s && this.made.key === key) return this.made.picture;
		const base = this.room(d, s);
		const zoom = this.zoom();
		const shown = shownRegions().map((n) => regionOf(n)!);
		const finest = (line: number) =>
			Math.max(1, ...shown.map((r) => (r.elem ? Math.floor(line / r.elem) : 1)));
		const lay = layBoth(s.held[0].levels, s.held[1].levels, base.r * zoom.k, finest);
		const memory = layMemory(shown);
		const one = new Set(shown.filter((r) => r.blocks <= 1).map((r) => r.region));
		const held: [HeldLines, HeldLines] = [s.held[0], this.translate(s.held[1])];
		const was: [HeldLines, HeldLines] | null = s.before && [
			s.before[0],
			this.translate(s.before[1]),
		];
		const place = (i: 0 | 1): Place => ({
			rings: i ? lay.b : lay.a,
			arcs: new Map(memory.arcs.map((a) => [a.region.region, a])),
			others: memory.others,
			lows: lowsOf(held[i], one),
			cores: (i ? other.value : ready.value)?.cores ?? 1,
		});
		const sides = [0, 1].map((i) =>
			sideOf(place(i as 0 | 1), held[i]!, was ? was[i]! : null),
		) as DiffPicture["sides"];
		const inShown = new Set(shown.map((r) => r.region));
		const picture: DiffPicture = {
			x: base.x + zoom.x * base.r,
			y: base.y + zoom.y * base.r,
			rings: lay.all,
			arcs: memory.arcs,
			others: memory.others,
			sides,
			partings: partingsOf(s.moment, sides[0], sides[1]),
			requests: this.requests(s, sides),
			moment: s.moment,
			region: (p, region) =>
				inShown.has(region)
					? regionColour(p, regionRank(region))
					: mix(p.background, p.muted, 0.6),
		};
		this.made = { of: s, key, picture };
		return picture;
	}

	private requests(s: DiffScene, sides: DiffPicture["sides"]): DiffPicture["requests"] {
		const n = s.moment.servedA.length;
		const first = s.cursor + 1 - n;
		const chunks = n && s.moves ? (refsOf(first, s.cursor + 1) ?? []) : [];

		if (!s.moves || !chunks.length) return [];
		return requestsOf(
			sides[0],
			sides[1],
			s.moves[0],
			s.moves[1],
			s.moment.servedA,
			s.moment.servedB,
			(i) => {
				const c = chunks.find((k) => first + i >= k.from && first + i < k.from + k.count);
				const at = c ? first + i - c.from : 0;
				return homeOf(
					sides[0].place,
					c ? c.region[at]! : -1,
					c ? c.offset[at]! : UNKNOWN,
				);
			},
		);
	}

	private words(s: DiffScene): DiffWords {
		const m = s.moment;
		const same = ready.value?.trace === other.value?.trace;
		const [a, b] = [s.held[0].levels, s.held[1].levels];
		const unit = same ? unitOf(a, b) : 1;
		const totals = totalsOf(m.resident, m.levels).map((n) => n / unit);
		const side = m.levels + 1;
		const notes: string[] = [];

		if (!sameGeometry(a, b))
			notes.push(
				"The caches differ in shape: compared is the level. Arms are those of A; lines of B stand by its own sets and ways.",
			);
		if (!same) {
			const phases = (match.value?.length ?? 2) > 2;
			notes.push(
				`Two runs: reference ${exact(s.cursor)} of A and ${exact(s.other)} of B, the same share of ${phases ? "each phase of the same name" : "the run"}.`,
			);
			if (m.elsewhere[0] || m.elsewhere[1])
				notes.push(
					`Compared is what both have by name; left out are ${bytesText(m.elsewhere[0])} in caches of A and ${bytesText(m.elsewhere[1])} of B.`,
				);
		} else if (!paired.value)
			notes.push("The two take references of the threads in different orders.");
		if (m.pairs > m.bytes.length)
			notes.push(`Drawn are ${exact(m.bytes.length)} of ${exact(m.pairs)} places.`);
		return {
			names: namesOf(ready.value!, other.value!),
			unit: same ? `lines of ${unit} B in caches` : "bytes in caches",
			totals: totals as DiffWords["totals"],
			served: m.servedA.length ? countServed(m.servedA, m.servedB) : null,
			levels: [...(a.length >= b.length ? a : b).map((l) => l.name), "memory"],
			table: Array.from({ length: side }, (_, i) =>
				Array.from({ length: side }, (_, k) => m.resident[i * side + k]! / unit),
			),
			notes,
		};
	}

	draw(d: Draw, p: Palette): void {
		const s = this.of;

		if (!s || !other.value || s.sims !== `${ready.value?.sim}:${other.value.sim}`) {
			d.text(14, 24, "The simulations are not ready yet.", {
				colour: p.muted,
				size: 12,
			});
			return;
		}
		const q = this.make(s, d);
		drawDiff(d, p, q, this.phase(), tailLength());
		this.outline(d, p, q);
		diffLegend(d, p, this.words(s), this.zoom().k > 1);
		this.canvas.dataset["shown"] = String((this.then ?? s).cursor);
		// movies take pictures when nothing moves any more
		const waits = s.moves && !refsOf(s.cursor + 1 - s.moves[0].count, s.cursor + 1);
		if (this.flying() || this.then || waits) this.canvas.dataset["moving"] = "yes";
		else delete this.canvas.dataset["moving"];
	}

	/** What is selected or under the pointer, here or elsewhere. */
	private outline(d: Draw, p: Palette, q: DiffPicture): void {
		const inside = (s: Selection, x: Parting) =>
			s.region === x.region &&
			!!s.offset &&
			x.offset < UNKNOWN &&
			x.offset < s.offset[1] &&
			s.offset[0] < x.offset + x.bytes;

		for (const [s, thick] of [
			[hover.value, 1.6],
			[selection.value, 2.2],
		] as const)
			for (const x of q.partings)
				if (inside(s, x)) {
					const [[ax, ay], [bx, by]] = [x.spots[0].at, x.spots[1].at];
					d.line(q.x + ax, q.y + ay, q.x + bx, q.y + by, p.text, thick);
				}
	}

	private partingAt(x: number, y: number): Parting | null {
		const q = this.made?.picture;
		let best: Parting | null = null;
		let near = NEAR;

		for (const c of q?.partings ?? [])
			for (const s of c.spots)
				for (const [gx, gy] of [s.at, ...s.glyphs.map((g) => g.to)]) {
					const away = Math.hypot(q!.x + gx - x, q!.y + gy - y);
					if (away < near) [best, near] = [c, away];
				}
		return best;
	}

	private pick(c: Parting): Selection {
		return c.offset < UNKNOWN
			? { region: c.region, offset: [c.offset, c.offset + c.bytes] }
			: { region: c.region };
	}

	private point(x: number, y: number): void {
		const g = this.grip;

		if (g && g.zoom.k > 1) {
			this.dragged ||= Math.hypot(x - g.x, y - g.y) > 4;
			if (this.dragged) {
				const by = { x: (x - g.x) / this.base.r, y: (y - g.y) / this.base.r };
				this.setZoom({ ...g.zoom, x: g.zoom.x + by.x, y: g.zoom.y + by.y });
				return this.tip(null);
			}
		}
		const found = this.partingAt(x, y);
		const pick = found ? this.pick(found) : {};
		this.canvas.style.cursor = found ? "pointer" : "";
		if (!sameSelection(hover.value, pick)) hover.value = pick;
		if (!found) return this.tip(null);
		const r = regionOf(found.region);
		const where = (level: number, s: Sim) =>
			s.levels[level]?.kind === "cache" ? s.levels[level]!.name : "memory";
		this.tip(
			[
				r && found.offset < UNKNOWN
					? datumName(r, found.offset)
					: names.region(found.region),
				`A has it in ${where(found.levels[0], ready.value!)}`,
				`B has it in ${where(found.levels[1], other.value!)}`,
				bytesText(found.bytes),
			],
			x,
			y,
		);
	}
}

export const ringsDiffView: ViewKind = {
	id: "ringsDiff",
	title: "Diff",
	what: "Two machines or traces on one set of rings: what they have in different levels",
	when: () => compared.value !== null,
	plays: true,
	controls: () => [
		{
			option: "ringsDiff.tail",
			label: "requests",
			choices: [
				["0", "none"],
				["1", "this reference"],
				["16", "16 references"],
				["64", "64"],
				["256", "256"],
				["1024", "1024"],
			],
			otherwise: "64",
		},
	],
	create: () => new RingsDiff(),
};
