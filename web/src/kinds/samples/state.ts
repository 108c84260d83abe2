// The store of the samples kind: the choices, which are options so that the URL restores
// them, the selection and pre-selection as texts, and the server's answers to them.
import { computed, effect, signal } from "@preact/signals";
import { shortPath } from "../../model/format";
import type { Place } from "../../model/types";
import { choices } from "../../state/history";
import { latest } from "../../state/latest";
import { message } from "../../state/store";
import { activeKind, documentsOf, shownView } from "../documents";
import { api, type Hardware, type Loads } from "./api";
import type { World } from "./model/ask";
import { thirds, usualAxes, type Strength } from "./model/axes";
import { groupsOf, type NamedValue } from "./model/groups";
import {
	combine,
	equals,
	invert,
	rangeText,
	tidy,
	word,
	type Mode,
} from "./model/selection";
import {
	roleColumn,
	type Axes,
	type Offender,
	type Offenders,
	type SamplesInfo,
} from "./model/table";
import { layOut, type Tree } from "./model/tree";

export const KIND = "samples";

export const active = computed(() => activeKind.value?.id === KIND);

const { chosen: opt, choose } = choices(KIND, ["bins", "windows", "clusters"]);
export { choose, opt };

/** Whether one of these views is shown: questions for the others wait. */
export function shows(...views: string[]): boolean {
	return active.value && views.includes(shownView.value?.id ?? "");
}

/** The number of the samples that are shown. */
export const number = computed(() => {
	const all = documentsOf(KIND);
	const wanted = Number(opt("of", "0"));

	return (all.find((d) => d.number === wanted) ?? all[0])?.number ?? null;
});

/** Grows when the file was read anew. */
export const version = signal(0);

export const info = latest<SamplesInfo>(() => {
	const n = number.value;

	void version.value;
	return n === null ? null : (abort) => api.info(n, abort);
}).value;

export function columnOf(role: string): number {
	return info.value ? roleColumn(info.value, role) : -1;
}

export function columnNamed(name: string): number {
	const lower = name.toLowerCase();

	return info.value?.columns.findIndex((c) => c.column.toLowerCase() === lower) ?? -1;
}

/* The selection and what the pointer is on. */

export const selected = computed(() => opt("select", ""));
/** The pre-selection; views write it freely. */
export const hover = signal("");
export const mode = computed<Mode>(() => {
	const m = opt("mode", "narrow");

	return ["new", "add", "xor"].includes(m) ? (m as Mode) : "narrow";
});

export function setSelection(text: string): void {
	choose({ select: text || null });
}

/** Selects as the mode says; `with` overrides it. */
export function select(text: string | null, how?: Mode): void {
	if (text === null) return;
	setSelection(combine(selected.value, tidy(text), how ?? mode.value));
}

export function invertSelection(): void {
	setSelection(invert(selected.value));
}

/** The mode that the keys under a click ask for. */
export function modeOf(e: {
	shiftKey: boolean;
	ctrlKey: boolean;
	altKey: boolean;
}): Mode {
	if (e.shiftKey) return "add";
	if (e.altKey) return "xor";
	return e.ctrlKey ? "new" : mode.value;
}

export const measureBy = computed<"cycles" | "samples">(() =>
	opt("by", "cycles") === "samples" || columnOf("latency") < 0 ? "samples" : "cycles",
);

/* Parallel coordinates. */

export const bins = computed(() =>
	Math.max(20, Math.min(1000, Number(opt("bins", "100")) || 100)),
);

/** The axes from left to right, as numbers of columns. */
export const axes = computed<number[]>(() => {
	const i = info.value;
	const chosen = opt("axes", "");

	if (!i) return [];
	const list = chosen
		.split(",")
		.filter(Boolean)
		.map(Number)
		.filter((n) => n < i.columns.length);
	return list.length ? list : usualAxes(i);
});

export function setAxes(list: number[]): void {
	choose({ axes: [...new Set(list)].join(",") || null });
}

export function showAxis(column: number): void {
	if (!axes.value.includes(column)) setAxes([...axes.value, column]);
}

export function hideAxis(column: number): void {
	if (axes.value.length > 1) setAxes(axes.value.filter((a) => a !== column));
}

/** Puts two axes side by side. */
export function correlate(a: number, b: number): void {
	const rest = axes.value.filter((x) => x !== b);

	if (!rest.includes(a)) rest.push(a);
	const at = rest.indexOf(a);
	setAxes([...rest.slice(0, at + 1), b, ...rest.slice(at + 1)]);
}

export const strength = computed<Strength>(() => {
	const s = opt("lines", "all");

	return s === "left" || s === "right" ? s : "all";
});
/** The pre-selection has its own scale of strengths, not that of all samples. */
export const ownScale = computed(() => opt("scale", "shared") === "own");

/*
 * Columns whose bins grow, as a logarithmic axis has them: latencies with a long tail,
 * until the person chooses.
 */
export const logs = computed<number[]>(() => {
	const chosen = opt("log", "*");
	const latency = columnOf("latency");
	const c = info.value?.columns[latency];

	if (chosen !== "*") return chosen.split(",").filter(Boolean).map(Number);
	return c && Number(c.max) - Number(c.min) > 500 ? [latency] : [];
});

export function toggleLog(column: number): void {
	const now = logs.value;

	choose({
		log: (now.includes(column) ? now.filter((x) => x !== column) : [...now, column]).join(
			",",
		),
	});
}

/** The bins of a column begin at these values; the last one is the highest value. */
const edgeCache = signal<Record<string, string[]>>({});
const asked = new Set<string>();

export function edgesOf(column: number, count = bins.value): string[] | null {
	const log = logs.value.includes(column);
	const key = `${number.value} ${version.value} ${column} ${count} ${log}`;
	const known = edgeCache.value[key];

	if (!known && number.value !== null && !asked.has(key)) {
		asked.add(key);
		api.edges(number.value, column, count, log).then(
			(e) => (edgeCache.value = { ...edgeCache.peek(), [key]: e }),
			(e: Error) => (message.value = e.message),
		);
	}
	return known ?? null;
}

/** Counts of all samples, which stay behind those of the selection. */
export const base = latest<Axes>(() => {
	const [n, list, b, log] = [number.value, axes.value, bins.value, logs.value];

	void version.value;
	return n === null || !list.length || !shows("samples", "parallel")
		? null
		: (abort) => api.axes(n, list, b, "", "", abort, log);
}).value;

export const counts = latest<Axes>(() => {
	const [n, list, b, log] = [number.value, axes.value, bins.value, logs.value];
	const [now, also] = [selected.value, hover.value];

	void version.value;
	return n === null || !list.length || !shows("samples", "parallel")
		? null
		: (abort) => api.axes(n, list, b, now, also, abort, log);
}).value;

/* Hardware. */

const hardware = latest<Hardware>(
	() => {
		const n = number.value;

		void version.value;
		return n === null || !info.value?.tables.includes("hardware")
			? null
			: (abort) => api.hardware(n, abort);
	},
	0,
	true,
).value;

export const tree = computed(() =>
	hardware.value ? layOut(hardware.value.name, hardware.value.nodes) : null,
);

export const loads = latest<Loads>(() => {
	const [n, now, also] = [number.value, selected.value, hover.value];

	return n === null || !tree.value || !shows("samples", "topology")
		? null
		: (abort) => api.loads(n, now, also, abort);
}).value;

/** Latency L and imbalance I of every tier (section 7.1 of MemAxes). */
export const metrics = latest(
	() => {
		const [n, now] = [number.value, selected.value];
		const how = opt("empty", "natural");

		return n === null || !tree.value || !active.value
			? null
			: (abort) => api.metrics(n, now, how, abort);
	},
	40,
	true,
).value;

export const shape = computed<"sunburst" | "icicle">(() =>
	opt("shape", "sunburst") === "icicle" ? "icicle" : "sunburst",
);

/* Code and data. */

export const offenders = latest<Offenders>(() => {
	const [n, now, also] = [number.value, selected.value, hover.value];
	const by = measureBy.value;

	void version.value;
	return n === null || !info.value || !active.value
		? null
		: (abort) => api.offenders(n, now, also, by, abort);
}).value;

export const totals = latest(() => {
	const [n, now] = [number.value, selected.value];

	void version.value;
	return n === null || !active.value ? null : (abort) => api.totals(n, now, abort);
}).value;

/** How many selected samples the pointer is on; null: it is on none. */
export const hovered = computed(
	() =>
		counts.value?.also?.samples ??
		offenders.value?.groups.reduce<number | null>(
			(sum, g) => (g.also === undefined ? sum : (sum ?? 0) + g.also),
			null,
		) ??
		null,
);

/** What takes a tenth of a second waits until the brush rests. */
const SETTLED = 250; // ms

export const special = latest(
	() => {
		const [n, now] = [number.value, selected.value];

		return n === null || !now || !active.value
			? null
			: (abort) => api.special(n, now, abort);
	},
	SETTLED,
	true,
).value;

export const related = latest(
	() => {
		const [n, now] = [number.value, selected.value];

		void version.value;
		return n === null || !active.value ? null : (abort) => api.related(n, now, abort);
	},
	SETTLED,
	true,
).value;

/** The line of code that the source pane shows. */
export const follow = computed(() => opt("follow", "on") === "on");
export const pinned = signal<{ file: string; line: number } | null>(null);

/** The line with most of the selection, or of the pre-selection if the pane follows it. */
export const shownLine = computed<{ file: string; line: number } | null>(() => {
	const o = offenders.value;
	const also = follow.value && hover.value !== "";
	let best: { file: string; line: number; weight: number } | null = null;

	for (const g of o?.groups ?? [])
		for (const l of g.lines ?? []) {
			const weight = also
				? measureBy.value === "cycles"
					? (l.alsoCycles ?? 0)
					: (l.also ?? 0)
				: measureBy.value === "cycles"
					? l.cycles
					: l.samples;
			const line = Number(l.line);

			if (g.file && g.file !== "??" && line > 0 && weight > (best?.weight ?? 0))
				best = { file: g.file, line, weight };
		}
	return (also ? best : (pinned.value ?? best)) ?? pinned.value;
});

const shownFile = computed(() => shownLine.value?.file ?? null);

export const source = latest(
	() => {
		const [n, file] = [number.value, shownFile.value];

		return n === null || !file ? null : (abort) => api.source(n, file, abort);
	},
	0,
	true,
).value;

/* What the command search knows by name. */

/** Offenders of all samples: their names do not change with the selection. */
const everything = latest<Offenders>(
	() => {
		const n = number.value;

		void version.value;
		return n === null || !info.value
			? null
			: (abort) => api.offenders(n, "", "", "samples", abort);
	},
	0,
	true,
).value;

/** Where the lowest and the middle third of latencies end. */
const latencyThirds = latest<[number, number]>(
	() => {
		const [n, column] = [number.value, columnOf("latency")];

		return n === null || column < 0
			? null
			: async (abort) => {
					const [a, edges] = await Promise.all([
						api.axes(n, [column], 1000, "", "", abort),
						api.edges(n, column, 1000),
					]);

					return thirds(a.selected.histograms[0]!, edges);
				};
	},
	0,
	true,
).value;

export const world = computed<World | null>(() => {
	const i = info.value;
	const o = everything.value;
	const named = (kind: string, role: string, list: Offender[] = []): NamedValue[] =>
		list
			.filter((x) => x.select !== null && x.name !== "??")
			.map((x) => ({
				kind,
				name: x.name,
				select: tidy(x.select!),
				axis: columnOf(role),
			}));

	if (!i) return null;
	return {
		info: i,
		shown: axes.value,
		groups: groupsOf(
			i,
			o?.levels.filter((l) => l.samples && l.name !== "unknown").map((l) => l.name) ?? [],
			latencyThirds.value,
			[
				...named("data object", "variable", o?.objects),
				...(o?.groupedBy === "function" ? named("function", "function", o.groups) : []),
			],
		),
	};
});

/** Lines of code that have samples. */
export const allLines = computed(() =>
	(everything.value?.groups ?? []).flatMap((g) =>
		(g.lines ?? []).flatMap((l) =>
			g.file && l.select && Number(l.line) > 0
				? [
						{
							file: g.file,
							line: Number(l.line),
							select: tidy(l.select),
							samples: l.samples,
						},
					]
				: [],
		),
	),
);

/* A histogram along one column, with metrics and clusters. */

export const along = computed(() => {
	const i = info.value;
	const wanted = opt("along", "");

	if (!i) return -1;
	const n = wanted === "" ? -1 : Number(wanted);
	if (n >= 0 && n < i.columns.length) return n;
	const time = roleColumn(i, "time");
	return time >= 0 ? time : Math.max(0, roleColumn(i, "latency"));
});

export const metric = computed<"latency" | "imbalance">(() =>
	opt("metric", "imbalance") === "latency" ? "latency" : "imbalance",
);
export const tier = computed(() => opt("tier", "CPU"));
export const windowCount = computed(() => Number(opt("windows", "60")) || 60);
export const clusterCount = computed(() => Number(opt("clusters", "8")) || 8);
/** How resources without samples count (memlamp samples --empty). */
export const empty = computed(() => opt("empty", "natural"));

const hasMetrics = computed(() => {
	const c = info.value?.columns[along.value];

	return !!c && c.type !== "names" && !!tree.value && shows("histogram");
});

export const oneAxis = latest<Axes>(() => {
	const [n, a, b, log] = [number.value, along.value, bins.value, logs.value];
	const [now, also] = [selected.value, hover.value];

	return n === null || a < 0 || !shows("histogram")
		? null
		: (abort) => api.axes(n, [a], b, now, also, abort, log);
}).value;

export const oneBase = latest<Axes>(() => {
	const [n, a, b, log] = [number.value, along.value, bins.value, logs.value];

	return n === null || a < 0 || !shows("histogram")
		? null
		: (abort) => api.axes(n, [a], b, "", "", abort, log);
}).value;

export const windows = latest(
	() => {
		const [n, now, t, w] = [number.value, selected.value, tier.value, windowCount.value];
		const [a, e] = [info.value?.columns[along.value]?.column ?? "", empty.value];

		return n === null || !hasMetrics.value
			? null
			: (abort) => api.windows(n, now, a, t, w, e, abort);
	},
	20,
	true,
).value;

export const clusters = latest(
	() => {
		const [n, now, t, k] = [number.value, selected.value, tier.value, clusterCount.value];
		const [a, m, e] = [
			info.value?.columns[along.value]?.column ?? "",
			metric.value,
			empty.value,
		];
		const [w, s] = [opt("width", ""), opt("step", "")];

		return n === null || !hasMetrics.value
			? null
			: (abort) => api.clusters(n, now, a, t, m, k, w, s, e, abort);
	},
	20,
	true,
).value;

/** The samples of a cluster, as a text. */
export function clusterText(c: { from: string; to: string }): string {
	const column = info.value?.columns[along.value];

	return column ? `${word(column.column)} ${c.from}..${c.to}` : "";
}

/** The hardware with the samples of each cluster. */
export const clusterLoads = latest<Loads[]>(
	() => {
		const [n, list, now] = [number.value, clusters.value, selected.value];

		return n === null || !list
			? null
			: (abort) =>
					Promise.all(
						list.map((c) =>
							api
								.loads(n, now, clusterText(c), abort)
								.then((l) => ({ ...l, ...l.also! })),
						),
					);
	},
	0,
	true,
).value;

/* Two sample sets, before and after. */

export const others = computed(() =>
	documentsOf(KIND).filter((d) => d.number !== number.value),
);
/** The set that is compared with the shown one. */
export const other = computed(() => {
	const wanted = Number(opt("with", "-1"));

	return (
		(others.value.find((d) => d.number === wanted) ?? others.value[0])?.number ?? null
	);
});

export interface Side {
	offenders: Offenders;
	tree: Tree | null;
	loads: Loads | null;
}

async function askSide(
	n: number,
	text: string,
	by: string,
	abort: AbortSignal,
): Promise<Side> {
	const none = () => null;
	const [list, parts, load] = await Promise.all([
		api.offenders(n, text, "", by, abort, 500),
		api.hardware(n, abort).catch(none),
		api.loads(n, text, "", abort).catch(none),
	]);

	return { offenders: list, tree: parts && layOut(parts.name, parts.nodes), loads: load };
}

export const compared = latest<[Side, Side]>(() => {
	const [a, b, text, by] = [number.value, other.value, selected.value, measureBy.value];

	return a === null || b === null || !shows("samplesDiff")
		? null
		: (abort) => Promise.all([askSide(a, text, by, abort), askSide(b, text, by, abort)]);
}).value;

/* Samples beside a simulation of the same program. */

export const traces = computed(() => documentsOf("trace"));
export const trace = computed(() => {
	const wanted = Number(opt("trace", "0"));

	return (
		(traces.value.find((d) => d.number === wanted) ?? traces.value[0])?.number ?? null
	);
});
export const beside = latest(() => {
	const [n, t, text] = [number.value, trace.value, selected.value];

	return n === null || t === null || !shows("beside")
		? null
		: (abort) => api.beside(n, text, t, abort);
}).value;

/* A window that moves along an axis. */

export const playing = signal(false);
/** The axis of the moving window, its first bin and its width in bins. */
export const moving = signal({ axis: -1, at: 0, wide: 5 });

export function play(axis = moving.value.axis): void {
	const column = axis >= 0 ? axis : Math.max(along.value, 0);

	moving.value = { ...moving.value, axis: column, at: 0 };
	playing.value = !playing.value;
	if (!playing.value) hover.value = "";
}

/** Selects the samples of a place that another document names. */
export function goTo(place: Place): void {
	const condition = (role: string, value: string) => {
		const c = info.value?.columns[columnOf(role)];

		return c ? [equals(c.column, value)] : [];
	};
	const line = place.line;
	// files are known by their last names: paths of a trace and of samples differ
	const at =
		line &&
		allLines.value.find(
			(l) => l.line === line.line && shortPath(l.file) === shortPath(line.path),
		);
	const parts = [
		...(at ? [at.select] : []),
		...(place.func ? condition("function", place.func) : []),
		...(place.region ? condition("variable", place.region) : []),
	];

	if (parts.length) setSelection(parts.join(" and "));
}

/** Reads the file again with other columns or another latency of L1. */
export async function readAgain(mapped: string, l1: number): Promise<void> {
	if (number.value === null) return;
	try {
		await api.read(number.value, mapped, l1);
		version.value++;
	} catch (e) {
		message.value = (e as Error).message;
	}
}

const STEP = 60; // ms

/** Moves the window by a bin; it begins anew behind the last. */
export function moveWindow(): void {
	const { axis, at, wide } = moving.value;
	const column = info.value?.columns[axis];
	const edges = edgesOf(axis);

	if (!column || !edges) return;
	const bins = edges.length - 1;
	const width = Math.min(Math.max(1, Math.round((wide * bins) / 100)), bins);
	const from = at + width > bins ? 0 : at;
	hover.value = rangeText(column, edges, from, from + width - 1);
	moving.value = { axis, at: from + Math.max(1, Math.floor(width / 2)), wide };
}

/** Effects that follow the store. */
export function start(): void {
	// a new selection pins no line of code any more
	effect(() => {
		void selected.value;
		pinned.value = null;
	});
	effect(() => {
		if (!playing.value || !active.value) return;
		const timer = setInterval(moveWindow, STEP);

		return () => clearInterval(timer);
	});
}
