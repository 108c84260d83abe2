// The visual difference of two simulations on one set of rings. Data in the same level of
// both are pale. Data in different levels stand out: the picture shows both places and a
// line between them.
import { bytes as bytesText, exact } from "../../../model/format";
import { namesOfTwo } from "../model/twoMachines";
import {
	countServed,
	layBoth,
	differencesOf,
	requestsOf,
	sameGeometry,
	sideOf,
	totalsOf,
	unitOf,
	type Difference,
} from "../model/ringsDiff";
import { layMemory } from "../model/rings";
import { homeOf, lowsOf, UNKNOWN, type Place } from "../model/ringsGlyphs";
import type { HeldLines } from "../model/ringsLines";
import { sameSelection, type Selection } from "../model/selection";
import { datumName } from "../model/shape";
import type { Sim } from "../model/types";
import { arrived, refsOf } from "../state/nearbyRefs";
import { match, other, otherTrace, paired, traceName } from "../state/disagreements";
import {
	cursor,
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
} from "../state/store";
import { option, options } from "../../../state/store";
import { mix, regionColour, type Palette } from "../../../draw/colours";
import type { Draw } from "../../../draw/draw";
import { shownRegions } from "../regions/frames";
import {
	diffLegend,
	diffRoom,
	drawDiff,
	type DiffPicture,
	type DiffWords,
} from "./diffPaint";
import { diffScene, followDiff, tailLength, type DiffScene } from "./diffScene";
import { NAMES, RingsView } from "./ringsView";
import type { ViewKind } from "../../../views/view";

const NEAR = 9; // pixels

interface Made {
	of: DiffScene;
	key: string;
	picture: DiffPicture;
}

class RingsDiff extends RingsView<DiffScene> {
	protected readonly zoomOption = "ringsDiff.zoom";
	private made: Made | null = null;
	private base = { x: 0, y: 0, r: 1 };

	protected start(): void {
		const stop = followDiff();

		this.startRings();
		this.onDestroy(stop);
		this.watch(() => {
			this.turnTo(diffScene.value);
			void [arrived.value, options.value, selection.value, hover.value, regions.value];
			void [compared.value, match.value, otherTrace.value, playing.value, cursor.value];
		});
		this.listen("pointermove", (_, x, y) => this.point(x, y));
		this.listen("click", (_, x, y) => {
			const found = this.dragged ? null : this.differenceAt(x, y);
			if (found) select(this.pick(found), true);
		});
	}

	protected sameRun(a: DiffScene, b: DiffScene): boolean {
		return a.sims === b.sims;
	}

	protected circle(): { x: number; y: number; r: number } {
		return this.base;
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

	/*
	 * Replaces the region numbers of the compared trace by those of the same names in the
	 * shown one.
	 */
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
			cores: (i ? other.value : ready.value)?.busy ?? 1,
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
			differences: differencesOf(s.moment, sides[0], sides[1]),
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
				"The caches differ in shape: only levels are compared. Arms are those of A; lines of B stand by its own sets and ways.",
			);
		if (!same) {
			const phases = (match.value?.length ?? 2) > 2;
			notes.push(
				`Two runs: reference ${exact(s.cursor)} of A and ${exact(s.other)} of B, the same share of ${phases ? "each phase of the same name" : "the run"}.`,
			);
			if (m.elsewhere[0] || m.elsewhere[1])
				notes.push(
					`Only regions that both have by name are compared: ${bytesText(m.elsewhere[0])} in caches of A and ${bytesText(m.elsewhere[1])} of B are left out.`,
				);
		} else if (!paired.value)
			notes.push("The two simulations interleave the threads in different orders.");
		if (m.pairs > m.bytes.length)
			notes.push(`${exact(m.bytes.length)} of ${exact(m.pairs)} places are drawn.`);
		return {
			names: namesOfTwo(ready.value!, other.value!, traceName),
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
		const waits = s.moves && !refsOf(s.cursor + 1 - s.moves[0].count, s.cursor + 1);
		this.markScene(s, !!waits);
	}

	/** Outlines data that are selected or under the pointer, here or elsewhere. */
	private outline(d: Draw, p: Palette, q: DiffPicture): void {
		const inside = (s: Selection, x: Difference) =>
			s.region === x.region &&
			!!s.offset &&
			x.offset < UNKNOWN &&
			x.offset < s.offset[1] &&
			s.offset[0] < x.offset + x.bytes;

		for (const [s, thick] of [
			[hover.value, 1.6],
			[selection.value, 2.2],
		] as const)
			for (const x of q.differences)
				if (inside(s, x)) {
					const [[ax, ay], [bx, by]] = [x.spots[0].at, x.spots[1].at];
					d.line(q.x + ax, q.y + ay, q.x + bx, q.y + by, p.text, thick);
				}
	}

	private differenceAt(x: number, y: number): Difference | null {
		const q = this.made?.picture;
		let best: Difference | null = null;
		let near = NEAR;

		for (const c of q?.differences ?? [])
			for (const s of c.spots)
				for (const [gx, gy] of [s.at, ...s.glyphs.map((g) => g.to)]) {
					const away = Math.hypot(q!.x + gx - x, q!.y + gy - y);
					if (away < near) [best, near] = [c, away];
				}
		return best;
	}

	private pick(c: Difference): Selection {
		return c.offset < UNKNOWN
			? { region: c.region, offset: [c.offset, c.offset + c.bytes] }
			: { region: c.region };
	}

	private point(x: number, y: number): void {
		if (this.drag(x, y)) return this.tip(null);
		const found = this.differenceAt(x, y);
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
	description:
		"Two machines or traces on one set of rings: data in different levels stand out",
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
