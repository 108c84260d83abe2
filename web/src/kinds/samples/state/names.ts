// What the command search knows by name.
import { computed } from "@preact/signals";
import { latest } from "../../../state/latest";
import { api } from "../api";
import type { World } from "../model/ask";
import { thirds } from "../model/axes";
import { groupsOf, type NamedValue } from "../model/groups";
import { tidy } from "../model/selection";
import { type Offender, type Offenders } from "../model/table";
import { axes } from "./axes";
import { number, version, info, columnOf } from "./store";

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
						api.axes(
							{ number: n, columns: [column], bins: 1000, log: [], select: "", also: "" },
							abort,
						),
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
