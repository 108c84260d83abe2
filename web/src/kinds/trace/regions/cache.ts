// One level of cache, as large as the room allows: sets and ways, the region of each
// line, the level that served the last access to it, and the order in which lines will
// leave.
import { wholeIn } from "../../../model/link";
import { layLevel, slotAt, slotBox, type LevelPicture } from "../model/cacheLayout";
import { caches } from "../model/cost";
import { count } from "../../../model/format";
import { datumName } from "../model/shape";
import { refsOf, arrived } from "../state/nearbyRefs";
import { followCaches, moment } from "../state/cacheMoment";
import {
	select,
	cursor,
	levelNames,
	names,
	ready,
	regionOf,
	regions,
	selection,
	sim,
	playing,
	regionRank,
} from "../state/store";
import { option, options } from "../../../state/store";
import { levelColours, mix, regionColour, type Palette } from "../../../draw/colours";
import type { Draw } from "../../../draw/draw";
import {
	drawLevel,
	EMPTY,
	resultsOf,
	slotWords,
	UNKNOWN,
	type CacheScene,
} from "./cacheParts";
import { CanvasView } from "../../../views/canvas";
import { Flight } from "./flight";
import { shownRegions, trailLength } from "./frames";
import type { ViewKind } from "../../../views/view";

const HEAD = 52; // two lines of legend
const EDGE = 12;

class CacheAlone extends CanvasView {
	private picture: LevelPicture | null = null;
	private scene: CacheScene | null = null;
	private flight = new Flight();

	protected start(): void {
		const stop = followCaches(16384, 4096);

		this.onDestroy(stop);
		this.watch(
			() =>
				void [
					moment.value,
					arrived.value,
					cursor.value,
					options.value,
					selection.value,
					regions.value,
				],
		);
		this.listen("pointermove", (_, x, y) => {
			const slot = this.picture ? slotAt(this.picture, x, y) : -1;
			this.canvas.style.cursor = slot < 0 ? "" : "pointer";
			this.tip(slot < 0 ? null : slotWords(this.picture!, slot, this.scene!), x, y);
		});
		this.listen("click", (_, x, y) => this.click(x, y));
	}

	private click(x: number, y: number): void {
		const slot = this.picture ? slotAt(this.picture, x, y) : -1;
		const held = this.scene?.held;

		if (slot < 0 || !held) return;
		const { info } = this.picture!;
		if (info.group) return select({ region: held.owner[info.first + slot]! }, true);
		const at = info.first + slot;
		if (held.line[at] === EMPTY) return;
		const [region, offset] = [held.region[at]!, held.offset[at]!];
		select(
			offset < UNKNOWN ? { region, offset: [offset, offset + info.line] } : { region },
			true,
		);
	}

	draw(d: Draw, p: Palette): void {
		const m = moment.value;
		const s = ready.value;

		this.picture = null;
		if (!m || !s || m.sim !== s.sim) {
			d.text(EDGE, HEAD, sim.value ? "The simulation is not ready yet." : "", {
				colour: p.muted,
				size: 12,
			});
			return;
		}
		const n = wholeIn(option("cache.level", "0"), 0, m.held.levels.length - 1, 0);
		const trail = trailLength();
		const from = Math.max(0, m.cursor + 1 - trail);
		const line = Math.min(...m.held.levels.map((l) => l.line));
		this.scene = {
			held: m.held,
			line,
			results: resultsOf(refsOf(from, m.cursor + 1) ?? [], from, m.cursor + 1, line),
			cursor: m.cursor,
			trail,
			shown: new Set(shownRegions()),
			levels: levelNames.value.length,
			order: true,
			colours: new Map(),
		};
		const info = m.held.levels[n]!;
		const sets = info.group ? 0 : 30; // room for their numbers
		const l = layLevel(
			info,
			n,
			{
				x: EDGE,
				y: HEAD + sets / 2,
				w: d.width - 2 * EDGE - sets,
				h: d.height - HEAD - EDGE - sets / 2,
			},
			[88, 56],
		);
		l.left += sets;
		this.picture = l;
		this.flight.posed = this.posed;
		this.legend(d, p);
		drawLevel(d, p, l, this.scene);
		if (!info.group) {
			this.setNumbers(d, p, l);
			this.data(d, p, l);
		}
		this.selected(d, p, l);
		const levels: LevelPicture[] = [];
		levels[n] = l;
		if (this.flight.begin(m)) this.animate(() => this.flight.flying());
		this.flight.draw(d, p, levels, this.scene, () => null);
		this.markShown(m.cursor, this.flight.flying());
		this.markLate(!playing.value && m.cursor !== cursor.value);
	}

	private legend(d: Draw, p: Palette): void {
		const small = { colour: p.muted, size: 10 };
		const colours = levelColours(p, levelNames.value.length);
		let [x, y] = [EDGE, 14];
		const put = (text: string, colour?: number) => {
			if (colour !== undefined) {
				d.rect(x, y - 5, 9, 9, colour);
				x += 13;
			}
			d.text(x, y, text, colour === undefined ? small : { ...small, colour: p.text });
			x += d.measure(text, small) + 12;
		};

		put("above: region");
		for (const n of shownRegions()) put(names.region(n), regionColour(p, regionRank(n)));
		put("others", mix(p.background, p.muted, 0.45));
		if (!this.picture!.info.group) put("number: 1 leaves first, corner: dirty");
		[x, y] = [EDGE, 32];
		if (this.picture!.info.group) return put("the fuller, the stronger the colour");
		put(
			`below: the level that served the last access, of ${count(this.scene!.trail)} references`,
		);
		levelNames.value.forEach((name, i) => put(name, colours[i]));
	}

	private setNumbers(d: Draw, p: Palette, l: LevelPicture): void {
		const small = { colour: p.muted, size: 10 };

		if (l.turned) {
			for (let u = 0; u < l.units; u++) {
				const b = slotBox(l, u * l.ways);
				if (l.ch >= 9)
					d.text(l.left - 8, b.y + b.h / 2, `set ${u % l.info.sets}`, {
						...small,
						align: "right",
					});
			}
			return;
		}
		const every = Math.max(1, Math.ceil(26 / l.cw));
		for (let u = 0; u < l.units; u++) {
			const column = (u % l.each) % l.perBand;
			if (column % every) continue;
			const b = slotBox(l, u * l.ways);
			// The names of cores are where the numbers would be.
			const beside = l.bands > 1 || l.head > 0;
			if (beside && (column || b.x > l.left)) continue;
			if (beside)
				d.text(l.left - 8, b.y + b.h / 2, `set ${u % l.info.sets}`, {
					...small,
					align: "right",
				});
			else
				d.text(b.x + b.w / 2, l.top - 10, `${u ? "" : "set "}${u % l.info.sets}`, {
					...small,
					align: "center",
				});
		}
	}

	/** The first datum of each line, if there is room to read it. */
	private data(d: Draw, p: Palette, l: LevelPicture): void {
		const held = this.scene!.held;

		if (l.cw < 40 || l.ch < 30) return;
		for (let i = 0; i < l.units * l.ways; i++) {
			const at = l.info.first + i;
			const r = regionOf(held.region[at]!);
			const b = slotBox(l, i);
			if (held.line[at] === EMPTY || !r || held.offset[at]! >= UNKNOWN) continue;
			d.clip(b.x, b.y, b.w - 2, b.h, () => {
				const text = datumName(r, held.offset[at]!);
				d.rect(
					b.x + 2,
					b.y + b.h * 0.58,
					d.measure(text, { colour: 0, size: 10, mono: true }) + 4,
					13,
					p.background,
					0.85,
				);
				d.text(b.x + 4, b.y + b.h * 0.58 + 7, text, {
					colour: p.text,
					size: 10,
					mono: true,
				});
			});
		}
	}

	private selected(d: Draw, p: Palette, l: LevelPicture): void {
		const s = selection.value;
		const held = this.scene!.held;

		if (s.region === undefined || l.info.group) return;
		for (let i = 0; i < l.units * l.ways; i++) {
			const at = l.info.first + i;
			const [low, high] = [held.offset[at]!, held.offset[at]! + l.info.line];
			if (held.line[at] === EMPTY || held.region[at] !== s.region) continue;
			if (s.offset && (low >= s.offset[1] || high <= s.offset[0])) continue;
			const b = slotBox(l, i);
			d.frame(b.x - 1, b.y - 1, b.w + 1, b.h + 1, p.text, 1.5);
		}
	}
}

export const cacheView: ViewKind = {
	id: "cache",
	title: "Cache",
	description:
		"One level of cache in full: the lines of its sets, their regions and the next to leave",
	controls: () => [
		{
			option: "cache.level",
			label: "level",
			choices: caches(sim.value?.levels ?? []).map((l, i) => [String(i), l.name]),
			otherwise: "0",
		},
	],
	plays: true,
	create: () => new CacheAlone(),
};
