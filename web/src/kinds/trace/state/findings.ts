// The findings of the simulation that is shown, where each of them is in the trace, and
// the regions in the order in which they matter.
import { computed } from "@preact/signals";
import { latest } from "../../../state/latest";
import { api } from "../api";
import { isNothing, type Selection } from "../model/selection";
import type { Region, Row, SelectAnswer, Tables } from "../model/types";
import { UNKNOWN, byWeight, type Weight } from "../model/usualRegions";
import { waitingByRegion } from "../model/waiting";
import { ready, regions, select, showLine, sim, trace } from "./store";

const answer = latest<Tables>(
	() => {
		const [s, known] = [ready.value, sim.value?.findings];

		return s && known !== undefined ? (abort) => api.findings(s.sim, abort) : null;
	},
	0,
	true,
);

const run = latest<[number, SelectAnswer]>(
	() => {
		const s = ready.value;

		return s
			? async (abort) => [s.sim, await api.select(s.sim, {}, undefined, undefined, abort)]
			: null;
	},
	0,
	true,
);

/** Lines and functions of the whole run, those that wait most first; null: not known. */
export const waitingLines = computed(() => run.value.value?.[1].lines ?? null);

/** The cycles that the whole run waits for each region. */
export const waiting = computed<Map<number, number>>(() => {
	const [s, a] = [ready.value, run.value.value];

	return s && a?.[0] === s.sim ? waitingByRegion(a[1]) : UNKNOWN.waiting;
});

/** A file is a number, or a path as the command line prints it. */
export function fileOfRow(v: unknown): number | undefined {
	if (typeof v === "number") return v;
	if (typeof v !== "string") return undefined;
	return trace.value?.files.find((f) => f.path === v || f.path.endsWith(`/${v}`))?.file;
}

/*
 * The region that a row names. If several have the name, it is the one that the program
 * waits for most.
 */
function regionOfRow(row: Row): Region | undefined {
	const name = row["region"];

	if (typeof name === "number") return regions.value.find((r) => r.region === name);
	return regions.value
		.filter((r) => r.name === name)
		.sort(byWeight({ waiting: waiting.value, first: -1 }))[0];
}

/** The references that a row of the server's tables is about: its line, its region, or both. */
export function placeOfRow(row: Row): Selection {
	const file = fileOfRow(row["file"]);
	const line = row["line"];
	const region = regionOfRow(row);
	const of = region ? { region: region.region } : {};

	if (file === undefined || typeof line !== "number" || line <= 0) return of;
	return { file, line, ...of };
}

/** Selects the place of a row. */
export function goToRow(row: Row): void {
	const place = placeOfRow(row);

	if (isNothing(place)) return;
	if (place.line !== undefined) showLine(place.file!, place.line);
	select(place);
}

/** Whether a finding is about data that the user's code uses, and so can change. */
function changeable(row: Row): boolean {
	const r = regionOfRow(row);

	return !r || r.own * 2 >= r.references;
}

/*
 * Findings, the top one first; those about data of the loader and of libraries last. Null:
 * they are not known yet.
 */
export const findings = computed<Row[] | null>(() => {
	const found = answer.value.value;

	if (!found || !answer.fresh.value) return null;
	const rows = Array.isArray(found)
		? (found as Row[])
		: ((found["findings"] as Row[] | undefined) ?? []);
	return [...rows.filter(changeable), ...rows.filter((r) => !changeable(r))];
});

/** How many of them are about data that the user's code uses: these come first. */
export const ownFindings = computed(() => findings.value?.filter(changeable).length ?? 0);

/** The finding that the page opens on; undefined: none that the user can do something about. */
export const topFinding = computed<Row | undefined>(() =>
	findings.value?.slice(0, 1).find(changeable),
);

/** What is known about the weight of regions. */
export const weight = computed<Weight>(() => {
	const top = topFinding.value;

	return {
		waiting: waiting.value,
		first: (top && regionOfRow(top)?.region) ?? -1,
	};
});
