// The hardware, and the loads of samples on it.
import { computed } from "@preact/signals";
import { latest } from "../../../state/latest";
import { api, type Hardware, type Loads } from "../api";
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
