// The compared simulation, laid over the shown one: the matching of their times, and the
// places of the run at which the two serve references from different levels.
import { computed } from "@preact/signals";
import { api } from "../api";
import { matchOf, matchedTime, printMatch, type Match } from "../model/matchedTime";
import type { Region, Sim, Trace } from "../model/types";
import { latest } from "../../../state/latest";
import { documentsOf } from "../../documents";
import {
	KIND,
	cursor,
	length,
	ready,
	regions,
	compared,
	setCursor,
	trace,
} from "./store";

/** The compared simulation once it is ready. */
let lastOther: Sim | null = null;
export const other = computed(() => {
	const s = compared.value?.state === "ready" ? compared.value : null;

	if (s?.sim !== lastOther?.sim) lastOther = s;
	return lastOther;
});

/** The name of an open trace. */
export function traceName(number: number): string {
	return documentsOf(KIND).find((t) => t.number === number)?.name ?? "";
}

interface Opened {
	trace: Trace;
	regions: Region[];
}

const loaded = latest<Opened>(() => {
	const n = compared.value?.trace;

	return n === undefined || n === trace.value?.trace
		? null
		: async (abort) => {
				const [t, r] = await Promise.all([api.trace(n, abort), api.regions(n, abort)]);
				return { trace: t, regions: r };
			};
});

/** The trace of the compared simulation with its regions; null until it is there. */
export const otherTrace = computed<Opened | null>(() => {
	const n = compared.value?.trace;

	if (n === undefined || !trace.value) return null;
	if (n === trace.value.trace) return { trace: trace.value, regions: regions.value };
	return loaded.value.value?.trace.trace === n ? loaded.value.value : null;
});

/** Whether position i is the same reference in both. */
export const paired = computed(() => {
	const [a, b] = [ready.value, other.value];

	return (
		!!a &&
		!!b &&
		a.trace === b.trace &&
		a.positions === b.positions &&
		a.interleaved === b.interleaved
	);
});

/*
 * How times of the compared run follow from those of the shown one; null: not known yet.
 */
export const match = computed<Match | null>(() => {
	const [a, b, t, o] = [ready.value, other.value, trace.value, otherTrace.value];

	if (!a || !b || !t || !o) return null;
	const [n, m] = [a.positions ?? 0, b.positions ?? 0];
	if (paired.value)
		return [
			[0, 0],
			[n, n],
		];
	return matchOf({ length: n, phases: t.phases }, { length: m, phases: o.trace.phases });
});

export function otherTime(time: number): number {
	return match.value ? matchedTime(match.value, time) : time;
}

/** The disagreements of the whole run in cells. */
export type Strip = Awaited<ReturnType<typeof api.disagreements>>;

export function stripOf(cells: () => number) {
	return latest<Strip>(
		() => {
			const [a, b, m, to] = [ready.value, other.value, match.value, length.value];

			return a && b && m && to > 1
				? (abort) =>
						api.disagreements(
							a.sim,
							b.sim,
							{ from: 0, to },
							cells(),
							paired.value ? undefined : printMatch(m),
							abort,
						)
				: null;
		},
		30,
		true,
	);
}

/** Goes to the next or previous reference that the two serve from different levels. */
export async function stepDisagreement(dir: 1 | -1): Promise<void> {
	const [a, b] = [ready.value, other.value];

	if (!a || !b || !paired.value) return;
	const at = await api.disagreementStep(a.sim, b.sim, cursor.value, dir);
	if (at !== null) setCursor(at);
}
