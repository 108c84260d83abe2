// A histogram along one column, with metrics in windows and clusters.
import { computed } from "@preact/signals";
import { wholeIn } from "../../../model/link";
import { latest } from "../../../state/latest";
import { api, type AxesQuestion, type Loads } from "../api";
import { word } from "../model/selection";
import { roleColumn, type Axes } from "../model/table";
import { bins, logs } from "./axes";
import { tree } from "./hardware";
import { shows, number, info, selected, hover, opt } from "./store";

export const along = computed(() => {
	const i = info.value;
	const wanted = opt("along", "");

	if (!i) return -1;
	const n = wholeIn(wanted, 0, i.columns.length - 1, -1);
	if (n >= 0) return n;
	const time = roleColumn(i, "time");
	return time >= 0 ? time : Math.max(0, roleColumn(i, "latency"));
});

export const metric = computed<"latency" | "imbalance">(() =>
	opt("metric", "imbalance") === "latency" ? "latency" : "imbalance",
);
export const tier = computed(() => opt("tier", "CPU"));
export const windowCount = computed(() => wholeIn(opt("windows", "60"), 1, 1e6, 60));
export const clusterCount = computed(() => wholeIn(opt("clusters", "8"), 1, 1e6, 8));
/** How resources without samples count (memlamp samples --empty). */
export const empty = computed(() => opt("empty", "natural"));

const hasMetrics = computed(() => {
	const c = info.value?.columns[along.value];

	return !!c && c.type !== "names" && !!tree.value && shows("histogram");
});

function question(select: string, also: string): AxesQuestion | null {
	const [n, a] = [number.value, along.value];

	return n === null || a < 0 || !shows("histogram")
		? null
		: { number: n, columns: [a], bins: bins.value, log: logs.value, select, also };
}

export const oneAxis = latest<Axes>(() => {
	const q = question(selected.value, hover.value);

	return q && ((abort) => api.axes(q, abort));
}).value;

export const oneBase = latest<Axes>(() => {
	const q = question("", "");

	return q && ((abort) => api.axes(q, abort));
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
