// The hardware, and the loads of samples on it.
import { computed } from "@preact/signals";
import { latest } from "../../../state/latest";
import { api, type Hardware, type Loads, type NodeLoads } from "../api";
import { layOut } from "../model/tree";
import { active, shows, number, version, info, selected, hover, opt } from "./store";

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

/** Reads the tree: one that was read anew has other loads. */
const showsLoads = () => !!tree.value && shows("samples", "topology");

const chosen = latest<Loads & { select: string }>(() => {
	const [n, select] = [number.value, selected.value];

	return n === null || !showsLoads()
		? null
		: async (abort) => ({ ...(await api.loads(n, select, "", abort)), select });
}).value;

/** What the pointer or a brush is on. It follows each move, so it is asked for alone. */
const over = latest<NodeLoads & { all: number; select: string }>(() => {
	const [n, select, also] = [number.value, selected.value, hover.value];

	return n === null || !showsLoads() || !also
		? null
		: async (abort) => ({ ...(await api.loadsOver(n, select, also, abort)), select });
}).value;

/** How many samples the pointer is on, with those that are on no resource. */
export const loadsHovered = computed(() => over.value?.all ?? null);

/** Loads of the selection, with those of the pre-selection if they belong to it. */
export const loads = computed<Loads | null>(() => {
	const [all, now] = [chosen.value, over.value];

	return all && now && all.select === now.select ? { ...all, also: now } : all;
});

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
