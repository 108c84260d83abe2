// Other documents beside the samples: a second set, before and after, and a trace of the
// same program.
import { computed } from "@preact/signals";
import { latest } from "../../../state/latest";
import { documentsOf } from "../../documents";
import { api, type Loads } from "../api";
import type { Offenders } from "../model/table";
import { layOut, type Tree } from "../model/tree";
import { KIND, shows, number, selected, measureBy, opt } from "./store";

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
