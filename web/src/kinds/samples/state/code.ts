// Code and data: offenders, totals, what is special, and the source of a line.
import { computed, signal } from "@preact/signals";
import { latest } from "../../../state/latest";
import { api } from "../api";
import type { Offenders } from "../model/table";
import { counts } from "./axes";
import { loadsHovered } from "./hardware";
import {
	active,
	number,
	version,
	info,
	selected,
	hover,
	measureBy,
	opt,
	shows,
} from "./store";

const RESTS = 40; // ms without a move of the brush
/** What takes a tenth of a second waits longer. */
const SETTLED = 250; // ms

/** Parallel coordinates alone do not show them: a brush there has the server for itself. */
export const offenders = latest<Offenders>(() => {
	const [n, now, by] = [number.value, selected.value, measureBy.value];
	// sums under the pointer cost the server as much as all: only where they are drawn
	const also = shows("topology") ? "" : hover.value;

	void version.value;
	return n === null || !info.value || !active.value || shows("parallel")
		? null
		: (abort) => api.offenders(n, now, also, by, abort);
}).value;

/** Sums over all selected rows: they wait for a short rest of the brush. */
export const totals = latest(() => {
	const [n, now] = [number.value, selected.value];

	void version.value;
	return n === null || !active.value ? null : (abort) => api.totals(n, now, abort);
}, RESTS).value;

/** How many selected samples the pointer is on; null: it is on none. */
export const hovered = computed(
	() =>
		counts.value?.also?.samples ??
		loadsHovered.value ??
		offenders.value?.groups.reduce<number | null>(
			(sum, g) => (g.also === undefined ? sum : (sum ?? 0) + g.also),
			null,
		) ??
		null,
);

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
