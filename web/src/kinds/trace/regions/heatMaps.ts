// Static modes of the regions' picture: heat maps over the window or the whole run.
import { wholeIn } from "../../../model/link";
import { computed, type ReadonlySignal } from "@preact/signals";
import { api, HURRY, LONG, type CellsMode } from "../api";
import { count, exact, percent } from "../../../model/format";
import { frequent, scaleOf, sumFrom, type Scale } from "../model/heat";
import { gridKey, gridsParam, type Grid } from "../model/shape";
import type { Place } from "../model/trail";
import { option } from "../../../state/store";
import { length, levelNames, names, ready, shownWindow } from "../state/store";
import type { Question } from "../../../state/latest";
import { along, regionColour, type Palette } from "../../../draw/colours";
import type { Draw } from "../../../draw/draw";
import { paintHeat, paintKinds } from "./paint";
import type { Frame, Picture } from "./frames";

export type Mode =
	| "trail"
	| "count"
	| "waiting"
	| "miss"
	| "memory"
	| "last"
	| "reuse"
	| "distance"
	| "used"
	| "first";

/** Modes, their names in the bar, and the legend's words for a value. */
export const MODES: [Mode, string, string][] = [
	["trail", "recent accesses", ""],
	["waiting", "waiting", "cycles waiting a cell"],
	["count", "accesses", "accesses a cell"],
	["miss", "misses of the first level", "misses of the first level a cell"],
	["memory", "served by memory", "accesses a cell from memory"],
	["last", "last access", "last reference to a cell"],
	["reuse", "time to reuse", "references from one access to the next, on average"],
	["distance", "reuse distance", "lines that a cache must hold to keep it, on average"],
	[
		"used",
		"bytes used of fetched",
		"share of the bytes fetched into the first level that was used",
	],
	["first", "first writer", "line of code that wrote first"],
];

const asks: Record<Mode, CellsMode> = {
	trail: "last",
	count: "count",
	waiting: "served",
	miss: "served",
	memory: "served",
	last: "last",
	reuse: "reuse",
	distance: "distance",
	used: "used",
	first: "first",
};

const KINDS = 8; // lines of code with colours of their own

interface Values {
	values: ArrayLike<number>;
	sites: Place[];
	site: ArrayLike<number>;
}

interface Answers {
	mode: Mode;
	of: Map<string, Values>;
	share: number; // share of the window's references that the answer covers
}

type Asks = (q: () => Question<Answers> | null) => ReadonlySignal<Answers | null>;

const NONE_USED = 1e-9; // stands for 0 used bytes, since 0 means no data

export class HeatMaps {
	/** The answer, if it is one to the present mode: a colour means another thing in each. */
	readonly answers: ReadonlySignal<Answers | null>;
	private readonly scale: ReadonlySignal<Scale>;
	private readonly writers: ReadonlySignal<string[]>;

	constructor(
		readonly mode: ReadonlySignal<Mode>,
		frames: ReadonlySignal<Frame[]>,
		ask: Asks,
	) {
		const answer = ask(() => {
			const [s, m] = [ready.value, mode.value];
			const grids = frames.value.flatMap((f) => (f.matrix ? [f.matrix.grid] : []));
			const w =
				option("regions.range", "window") === "run"
					? { from: 0, to: length.value }
					: shownWindow.value;

			if (!s || m === "trail") return null;
			return async (abort, early) => {
				const q = {
					mode: asks[m],
					grids: gridsParam(grids),
					...w,
					of: m === "used" ? usedLevel() : undefined,
				};
				const ask = async (hurry?: number): Promise<Answers> =>
					answersOf(m, grids, await api.cells(s.sim, { ...q, hurry }, abort));
				if (!grids.length) return { mode: m, of: new Map(), share: 1 };
				if (w.to - w.from > LONG && m !== "distance" && m !== "used")
					early(await ask(HURRY));
				return ask();
			};
		});
		this.answers = computed(() =>
			answer.value?.mode === mode.value ? answer.value : null,
		);
		this.scale = computed(() =>
			mode.value === "used"
				? { low: 0, high: this.answers.value?.of.size ? 1 : 0, log: false }
				: scaleOf(
						[...(this.answers.value?.of.values() ?? [])].map((v) => v.values),
						mode.value === "last",
					),
		);
		this.writers = computed(() => {
			const all: string[] = [];
			for (const v of this.answers.value?.of.values() ?? [])
				for (const i of frequent(v.site, 0xffffffff, KINDS)) {
					const name = placeName(v.sites[i]);
					if (!all.includes(name)) all.push(name);
				}
			return all.slice(0, KINDS);
		});
	}

	/** A note while there is nothing to see yet. */
	state(): string {
		const a = this.answers.value;

		if (!ready.value || a?.share === 1) return "";
		return a ? `from ${percent(a.share)} of the references so far …` : "counting …";
	}

	paint(d: Draw, p: Palette, pic: Picture, chosen: ArrayLike<number> | null): void {
		const v = this.answers.value?.of.get(gridKey(pic.grid));

		if (!v) d.rect(pic.x, pic.y, pic.nx * pic.cw, pic.ny * pic.ch, p.empty);
		else if (this.mode.value === "first")
			paintKinds(
				d,
				p,
				pic,
				(cell) =>
					v.values[cell]! > 0
						? this.writers.value.indexOf(placeName(v.sites[v.site[cell]!]))
						: -2,
				chosen,
			);
		else paintHeat(d, p, pic, v.values, this.scale.value, chosen);
	}

	/** A cell in words, for the tooltip. */
	words(pic: Picture, cell: number): string[] {
		const v = this.answers.value?.of.get(gridKey(pic.grid));
		const n = v?.values[cell] ?? 0;
		const what = MODES.find(([m]) => m === this.mode.value)![2].replace(/ a cell/, "");

		if (!v) return [];
		if (n <= 0) return ["nothing in this window"];
		if (this.mode.value === "first")
			return [
				`first written by ${placeName(v.sites[v.site[cell]!])}`,
				`reference ${exact(n - 1)}`,
			];
		if (this.mode.value === "last") return [`last touched by reference ${exact(n - 1)}`];
		if (this.mode.value === "used") return [this.legend().what, percent(n)].reverse();
		return [`${exact(n)} ${what}`];
	}

	legend(): { scale: Scale; writers: string[]; what: string } {
		return {
			scale: this.scale.value,
			writers: this.mode.value === "first" ? this.writers.value : [],
			what: MODES.find(([m]) => m === this.mode.value)![2].replace(
				"the first level",
				levelNames.value[this.mode.value === "used" ? usedLevel() - 1 : 0] ??
					"the first level",
			),
		};
	}
}

function placeName(s: Place | undefined): string {
	if (!s) return "unknown";
	return s.file !== null && s.line ? `${names.file(s.file)}:${s.line}` : `${s.func}()`;
}

/** The level of mode `used`, from 1. */
export function usedLevel(): number {
	return wholeIn(option("regions.of", "1"), 1, levelNames.value.length - 1, 1);
}

type Cells = Awaited<ReturnType<typeof api.cells>>;

/** The columns of one answer, grid by grid. */
function answersOf(m: Mode, grids: Grid[], cells: Cells): Answers {
	const all = valuesOf(m, cells);
	const { from, to, seen } = cells.header as { from: number; to: number; seen: number };
	const of = new Map<string, Values>();
	let at = 0;

	for (const g of grids) {
		const n = g.across * g.down;
		of.set(gridKey(g), {
			values: all.values.slice(at, at + n),
			sites: all.sites,
			site: all.site.slice(at, at + n),
		});
		at += n;
	}
	return { mode: m, of, share: to > from ? Math.min(1, seen / (to - from)) : 1 };
}

function valuesOf(
	m: Mode,
	{ header, column: c }: Cells,
): { values: Float64Array; sites: Place[]; site: Uint32Array } {
	const none = {
		sites: (header["sites"] as Place[]) ?? [],
		site: (c["site"] as Uint32Array) ?? new Uint32Array(),
	};
	const sum = (a: string, b: string) =>
		Float64Array.from(c[a] as Float64Array, (v, i) => v + Number(c[b]![i]));

	if (m === "count") return { ...none, values: sum("reads", "writes") };
	if (m === "waiting") return { ...none, values: c["waiting"] as Float64Array };
	if (m === "miss" || m === "memory") {
		const levels = header["levels"] as number;
		return {
			...none,
			values: sumFrom(c["served"] as Float64Array, levels, m === "miss" ? 1 : levels - 1),
		};
	}
	if (m === "last")
		return {
			...none,
			values: Float64Array.from(c["read"] as Float64Array, (v, i) =>
				Math.max(v, Number(c["write"]![i])),
			),
		};
	if (m === "reuse") return { ...none, values: c["distance"] as Float64Array };
	if (m === "distance") {
		// with the line itself: an LRU cache of this many lines keeps it
		const times = c["count"] as Float64Array;
		const far = c["distance"] as Float64Array;
		return { ...none, values: far.map((v, i) => (times[i]! > 0 ? v + 1 : 0)) };
	}
	if (m === "used") {
		const fetched = c["fetched"] as Float64Array;
		const used = c["used"] as Float64Array;
		return {
			...none,
			values: used.map((v, i) =>
				fetched[i]! > 0 ? Math.max(NONE_USED, v / fetched[i]!) : 0,
			),
		};
	}
	return { ...none, values: c["time"] as Float64Array };
}

/** The legend, ending at x. */
export function drawLegend(d: Draw, p: Palette, h: HeatMaps, x: number, y: number): void {
	const { scale, writers, what } = h.legend();
	const small = { colour: p.muted, size: 10 };
	const put = (text: string, style = small) => {
		x -= d.measure(text, style);
		d.text(x, y, text, style);
		x -= 6;
	};

	if (writers.length) {
		const left = 90 + d.measure(what, small); // the button and its text
		for (let i = writers.length - 1; i >= 0; i--) {
			if (x - d.measure(writers[i]!, small) - 20 < left) break;
			put(writers[i]!, { ...small, colour: p.text });
			x -= 6;
			d.rect(x, y - 5, 9, 9, regionColour(p, i));
			x -= 8;
		}
		put(what);
		return;
	}
	if (!scale.high) return put(what);
	const shift = h.mode.value === "last" ? 1 : 0;
	const end = (v: number) => (h.mode.value === "used" ? percent(v) : count(v - shift));
	put(end(scale.high), { ...small, colour: p.text });
	x -= 100;
	for (let i = 0; i < 50; i++) d.splat(x + i * 2, y - 5, 2, 10, along(p.heat, i / 49));
	x -= 6;
	put(end(scale.low), { ...small, colour: p.text });
	x -= 4;
	put(scale.log ? `${what} (log)` : what);
}
