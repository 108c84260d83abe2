// The store of the ensemble kind: the choices, which are options so that the URL restores
// them, and the server's answers to them.
import { wholeIn } from "../../model/link";
import { computed, signal } from "@preact/signals";
import { activeKind, documentsOf } from "../documents";
import { api } from "./api";
import {
	curvesOf,
	endOf,
	isShown,
	parseFocus,
	parseHidden,
	parseWeights,
	positionOf,
	printFocus,
	sharedCacheOf,
	within,
	workingSetOf,
	type Common,
	type CurveQuery,
	type Ensemble,
	type Hidden,
	type Measure,
	type MeasureChoice,
	type Member,
} from "./model/ensemble";
import { choicesOf } from "./model/made";
import type { Params, Window } from "../../model/types";
import { choices } from "../../state/history";
import { latest } from "../../state/latest";

export const KIND = "ensemble";
export const VIEW = "ensemble";

/** Whether the ensemble's view is shown. */
export const active = computed(() => activeKind.value?.id === KIND);

// Choices.

const { chosen: byPerson, choose: chooseAs } = choices(KIND, ["smooth", "focus"]);

/** The number of the ensemble that is shown, and its description. */
export const number = computed(() => {
	const all = documentsOf(KIND);
	const wanted = Number(byPerson("of", "0"));

	return (all.find((d) => d.number === wanted) ?? all[0])?.number ?? null;
});
const asked = latest<Ensemble>(() => {
	const n = number.value;
	return n === null ? null : (abort) => api.ensemble(n, abort);
});
export const ensemble = asked.value;

/** What the ensemble was made with: it holds until the person chooses. */
const made = computed(() => (ensemble.value ? choicesOf(ensemble.value) : {}));

/*
 * A choice of the person, else of the file, else `otherwise`. An empty one takes back the
 * file's.
 */
function opt(name: string, otherwise: string): string {
	const file = made.value[name];
	const now = byPerson(name, file ?? otherwise);

	return file !== undefined && now === "" ? otherwise : now;
}

/** Changes choices; null takes one back, also the file's. */
export function choose(changes: Record<string, string | null>): void {
	const file = made.peek();

	chooseAs(
		Object.fromEntries(
			Object.entries(changes).map(([name, value]) => {
				if (file[name] === undefined) return [name, value];
				return [name, value === file[name] ? null : (value ?? "")];
			}),
		),
	);
}

/** The plots to choose from, as the server lists them. */
export const plots = computed(() => ensemble.value?.plots ?? []);
/** Names of plots, and of a choice that is a plot now, before 0.2. */
const OLD: Record<string, string> = { second: "shared", heat: "map" };
export const plot = computed(() => {
	const chosen = opt("plot", opt("across", "off") === "on" ? "spread" : "curves");
	const wanted = OLD[chosen] ?? chosen;

	return plots.value.find((p) => p.id === wanted && !whyNoPlot(p.id))?.id ?? "curves";
});

/** Why this ensemble has no such plot; empty: it has. */
export function whyNoPlot(id: string): string {
	const e = ensemble.value;
	const sized = e?.parameters.some((p) => p.size);

	if ((id === "parameter" || id === "map") && !e?.parameters.length)
		return "the members differ in no parameter";
	if ((id === "workingset" || id === "shared") && !sized)
		return "the members do not differ in the size of a cache";
	return "";
}

export function choosePlot(id: string): void {
	choose({ plot: id === "curves" ? null : id, across: null });
}

/** The measure that is plotted: until the person chooses, the server's first. */
export const measured = computed<MeasureChoice | undefined>(() => {
	const list = ensemble.value?.measures;
	return list?.find((m) => m.id === opt("measure", "")) ?? list?.[0];
});
export const measure = computed<Measure>(() => measured.value?.id ?? "time");
export const time = computed<Common>(() => {
	const list = ensemble.value?.times;
	return list?.find((t) => t === opt("time", "") && !whyNoTime(t)) ?? "raw";
});

/** Why the traces cannot be compared at such a time; empty: they can. */
export function whyNoTime(t: Common): string {
	return t !== "matched" || milestones.value.length || match.value
		? ""
		: "no common milestone, see --match";
}

/** The number of a member from an option; null: there is no such member. */
function memberNamed(text: string): number | null {
	const n = text === "" ? NaN : Number(text);
	return ensemble.value?.members.some((m) => m.member === n && m.done) ? n : null;
}

export const against = computed(() => memberNamed(opt("against", "")));
/** A member simulated on several cores, to compare with the model of a shared cache. */
export const real = computed(() => memberNamed(opt("real", "")));
/** The trace that has matched time: the longest, until the person chooses. */
export const base = computed(() => {
	const traces = ensemble.value?.traces ?? [];
	const chosen = wholeIn(opt("base", ""), 0, traces.length - 1, -1);
	const max = traces.reduce((a, t) => Math.max(a, t.references), 0);

	return traces[chosen]
		? chosen
		: Math.max(
				0,
				traces.findIndex((t) => t.references === max),
			);
});
export const volume = computed(() => opt("volume", "off") === "on");
export const envelope = computed(() => opt("deviation", "off") === "on");
/** Whether rare peaks are shown although they press everything else flat. */
export const peaks = computed(() => opt("peaks", "off") === "on");
export const weightsText = computed(() => opt("weights", ""));
export const smooth = computed(() => opt("smooth", "auto"));
export const match = computed(() => opt("match", ""));

/** Names of the levels of the member with the most levels, memory last. */
export const levelList = computed(() => {
	const members = ensemble.value?.members ?? [];
	const deepest = members.reduce<Member | null>(
		(a, m) => (!a || m.levels.length > a.levels.length ? m : a),
		null,
	);
	return deepest?.levels.map((l) => l.name) ?? [];
});
/** The level that is measured, from 1; misses and temperatures have only caches. */
export const level = computed(() => {
	const n = levelList.value.length - (measure.value === "served" ? 0 : 1);
	return Math.max(1, Math.min(n, Number(opt("level", "1")) || 1));
});

/** What a measure says on an axis, at the chosen level. */
export function axisOfMeasure(m: MeasureChoice): string {
	return m.axis.replace("{level}", levelList.value[level.value - 1] ?? "");
}

export const hidden = computed<Hidden>(() => parseHidden(opt("hide", "{}")));
export const shown = computed<Member[]>(() => {
	const e = ensemble.value;
	return e ? e.members.filter((m) => isShown(e, m, hidden.value)) : [];
});
/** The parameter of a choice, or else the server's; -1: there is none. */
function parameterOf(name: "x" | "y" | "colour" | "facet"): number {
	const e = ensemble.value;
	const find = (text: string | null) =>
		e?.parameters.findIndex((p) => p.name === text) ?? -1;
	const chosen = find(opt(name, ""));

	return chosen >= 0 ? chosen : find(e?.usual[name] ?? null);
}

/** The parameter that is coloured; -1: none, members have colours of their own. */
export const colourBy = computed(() => parameterOf("colour"));
/** Selected members, in the order of their selection. */
export const pinned = computed<number[]>(() =>
	opt("pin", "")
		.split(",")
		.flatMap((t) => memberNamed(t) ?? []),
);
/** The member under the pointer, and the moment of common time there. */
export const hovered = signal<number | null>(null);
export const pointed = signal<number | null>(null);

/** The selection with this member in it, or without it where it was. */
export function pinsWith(member: number): string | null {
	const now = pinned.peek();
	const next = now.includes(member) ? now.filter((m) => m !== member) : [...now, member];

	return next.length ? next.join(",") : null;
}

export function togglePin(member: number): void {
	choose({ pin: pinsWith(member) });
}

export function memberOf(n: number | null): Member | undefined {
	return n === null ? undefined : ensemble.value?.members.find((m) => m.member === n);
}

// Time.

export const end = computed(() => {
	const e = ensemble.value;
	return e ? endOf(e, time.value, base.value) : 0;
});
export const chosenFocus = computed(() => parseFocus(opt("focus", ""), end.value));
export const focus = computed<Window>(
	() => chosenFocus.value ?? { from: 0, to: end.value },
);
/** References that a unit of common time stands for. */
const unit = computed(() => {
	const longest = Math.max(1, ...(ensemble.value?.traces.map((t) => t.references) ?? []));
	return time.value === "normalised" ? longest : 1;
});
/** References of the narrowest bin: the finest resolution. */
export const bin = computed(() =>
	Math.max(1, Math.min(...(ensemble.value?.traces.map((t) => t.width) ?? [1]))),
);
export const longest = computed(() =>
	Math.max(1, ...(ensemble.value?.traces.map((t) => t.references) ?? [])),
);

export function setFocus(w: Window | null): void {
	const min = Math.max(end.value * 1e-5, (4 * bin.value) / unit.value);
	const kept = w && within(w, end.value, Math.min(end.value, min));

	choose({ focus: kept ? printFocus(kept, end.value) : null });
}

export function panFocus(share: number): void {
	const w = focus.value;
	const by = Math.max(-w.from, Math.min(end.value - w.to, (w.to - w.from) * share));

	if (chosenFocus.value) setFocus({ from: w.from + by, to: w.to + by });
}

export function zoomFocus(factor: number, around?: number): void {
	const w = focus.value;
	const min = Math.max(end.value * 1e-5, (4 * bin.value) / unit.value);
	const width = Math.max((w.to - w.from) * factor, min);
	const middle = around ?? at.value ?? (w.from + w.to) / 2;
	const inside = middle >= w.from && middle <= w.to ? middle : (w.from + w.to) / 2;
	const share = (inside - w.from) / (w.to - w.from || 1);

	setFocus({ from: inside - share * width, to: inside + (1 - share) * width });
}

/** The clicked moment, to which jumps lead. */
export const at = computed<number | null>(() => {
	const t = Number(opt("at", "NaN"));
	return t >= 0 && t <= end.value ? t : null;
});

/** References of the moving average that the person chose; null: the server chooses. */
const averaged = computed(() =>
	smooth.value === "auto" ? null : Math.max(0, Number(smooth.value) || 0),
);

export const query = computed<CurveQuery>(() => ({
	measure: measure.value,
	level: measured.value?.level ? level.value : null,
	weights: parseWeights(weightsText.value),
	window: averaged.value,
	time: time.value,
	match: match.value,
	base: base.value,
	volume: volume.value,
	against: against.value,
}));

// Answers.

const WAIT = 40; // ms; a window that is dragged asks once it rests
const CONTEXT = 480; // cells of the whole run below the plot

/** Cells that the plot has room for; the view sets it. */
export const room = signal(512);

function members(): number[] {
	return shown.value.map((m) => m.member);
}

const VALUES = 8_000_000; // largest number of values in a column of an answer

const rankingAsked = latest(() => {
	const [n, q, w] = [number.value, query.value, focus.value];

	return n === null || !active.value || !(w.to > w.from)
		? null
		: (abort) => api.ranking(n, { ...q, window: null }, w, abort);
}, WAIT);
export const ranking = rankingAsked.value;

const runAsked = latest(() => {
	const [n, q] = [number.value, query.value];

	return n === null || !active.value || !chosenFocus.value
		? null
		: (abort) => api.ranking(n, { ...q, window: null }, undefined, abort);
}, WAIT);
/** Values over the whole run. */
export const runRanking = computed(() =>
	chosenFocus.value ? runAsked.value.value : ranking.value,
);
/** Whether the values of members are those of the present choices. */
export const rankingFresh = computed(
	() => rankingAsked.fresh.value && runAsked.fresh.value,
);

export const matching = latest(() => {
	const n = number.value;
	const q = {
		...query.value,
		window: null,
		against: null,
		measure: "time" as const,
	};

	return n === null || !active.value || time.value !== "matched"
		? null
		: (abort) => api.matching(n, q, abort);
}, WAIT).value;

/** Milestones at which traces can be matched, as the route takes them. */
export const milestones = computed<string[]>(() => {
	const lists = ensemble.value?.traces.map((t) => t.milestones.map((m) => m.name)) ?? [];
	const [first = [], second = []] = lists;
	const common = first.filter((name) => lists.every((l) => l.includes(name)));
	const pairs =
		lists.length === 2
			? first.flatMap((a) =>
					second.filter((b) => b !== a && !common.includes(b)).map((b) => `${a}=${b}`),
				)
			: [];

	return [...common, ...pairs.filter((x) => !common.includes(x.split("=")[0]!))].slice(
		0,
		60,
	);
});

/** Parameters that are sizes, for working sets and shared caches. */
export const sizes = computed(
	() => ensemble.value?.parameters.filter((p) => p.size) ?? [],
);
export const size = computed(() => {
	const chosen = opt("size", "");
	const list = sizes.value;

	return (list.find((p) => p.name === chosen) ?? list[0])?.name ?? "";
});
export const tolerance = computed(() => Number(opt("tolerance", "0.05")) || 0.05);

export const threads = computed(() =>
	Math.max(2, Math.min(8, Number(opt("threads", "2")) || 2)),
);
/*
 * The bytes that threads share, and the references that they may be apart; null: the
 * server's default.
 */
export const total = computed(() => Number(opt("total", "")) || null);
export const shift = computed(() => {
	const chosen = opt("shift", "");
	return chosen ? Math.max(0, Number(chosen) || 0) : null;
});

/** The position in a member's recorded trace at a moment of common time. */
export function positionIn(m: Member, common: number): number {
	const e = ensemble.value;
	const first = e?.traces[m.trace]?.from ?? 0;

	return e ? first + positionOf(e, time.value, matching.value, m.trace, common) : 0;
}

/** Axes of the plots of parameters. */
export const alongX = computed(() => Math.max(0, parameterOf("x")));
export const alongY = computed(() => {
	const i = parameterOf("y");
	const list = ensemble.value?.parameters ?? [];

	return i !== alongX.value ? i : list.findIndex((_, k) => k !== alongX.value);
});

/** The parameter whose values have a small chart each; -1: each member has one. */
export const facet = computed(() => {
	const i = parameterOf("facet");
	const list = ensemble.value?.parameters ?? [];

	if (opt("facet", "") === "member") return -1;
	return opt("facet", "") || i !== colourBy.value
		? i
		: list.findIndex((_, k) => k !== colourBy.value);
});

// The plot: it depends on all choices, so it comes last.

/** Parameters that only one of the plots has; null: it cannot be drawn. */
function paramsOfPlot(): Params | null {
	const list = ensemble.value?.parameters ?? [];
	const name = (i: number) => list[i]?.name;
	const x = name(alongX.value);

	switch (plot.value) {
		case "multiples":
			return { facet: name(facet.value) ?? "member" };
		case "parameter":
			return x
				? { x, colour: name(alongY.value >= 0 ? alongY.value : colourBy.value) }
				: null;
		case "map":
			return x ? { x, y: name(alongY.value) } : null;
		case "workingset":
			return size.value ? { size: size.value, tolerance: tolerance.value } : null;
		case "shared":
			return size.value
				? {
						size: size.value,
						threads: threads.value,
						total: total.value ?? undefined,
						shift: shift.value ?? undefined,
						real: real.value ?? undefined,
						cells: Math.min(threads.value > 2 ? 256 : 512, room.value),
					}
				: null;
		default:
			return {};
	}
}

function colourName(): string | undefined {
	return ensemble.value?.parameters[colourBy.value]?.name;
}

/** Pixels of height for the frame of a figure, in steps of FRAME_STEP; the view sets it. */
export const frame = signal(400);
export const FRAME_STEP = 50;

/** The plot, as the server decides it. */
const figureAsked = latest(() => {
	const [n, q, w, list] = [number.value, query.value, focus.value, members()];
	const max = Math.floor(VALUES / Math.max(1, list.length));
	const own = paramsOfPlot();
	const params = {
		plot: plot.value,
		colour: colourName(),
		envelope: envelope.value ? "deviation" : undefined,
		peaks: peaks.value ? 1 : undefined,
		cells: Math.max(2, Math.min(room.value, max)),
		width: room.value,
		height: frame.value,
		...own,
	};

	if (n === null || !active.value || !own || !list.length || !(w.to > w.from))
		return null;
	return (abort) => api.figure(n, q, list, w, params, abort);
}, WAIT);
export const figure = figureAsked.value;

const wholeAsked = latest(() => {
	const [n, list, to] = [number.value, members(), end.value];
	const isPlot = plot.value === "curves" && !chosenFocus.value;

	if (n === null || !active.value || isPlot || !list.length || !to) return null;
	const params = {
		plot: "curves",
		colour: colourName(),
		cells: CONTEXT,
		width: CONTEXT,
		height: FRAME_STEP,
	};
	return (abort) => api.figure(n, query.value, list, { from: 0, to }, params, abort);
}, WAIT);
/** Curves over the whole run, for the strip below the plot. */
export const whole = computed(() =>
	plot.value === "curves" && !chosenFocus.value
		? figure.value?.plot === "curves"
			? figure.value
			: null
		: wholeAsked.value.value,
);
/** Whether the picture is one of the present choices. */
export const figureFresh = computed(
	() => figureAsked.fresh.value && wholeAsked.fresh.value,
);

/** The members' numbers over time: those of the plot, or else those of the strip. */
export const curves = computed(() => curvesOf(figure.value) ?? curvesOf(whole.value));
export const workingSet = computed(() => workingSetOf(figure.value));
export const sharedCache = computed(() => sharedCacheOf(figure.value));
/** References of the moving average; 0: one bin. */
export const smoothing = computed(() => averaged.value ?? figure.value?.window ?? 0);

/** Steps to the next member of the ranking, and selects it alone. */
export function stepMember(by: 1 | -1): void {
	const visible = new Set(members());
	const order = (ranking.value?.rows ?? []).filter((r) => visible.has(r.member));
	const now = order.findIndex((r) => r.member === pinned.value.at(-1));
	const next = order[now < 0 ? (by > 0 ? 0 : order.length - 1) : now + by];

	if (next) choose({ pin: String(next.member) });
}
