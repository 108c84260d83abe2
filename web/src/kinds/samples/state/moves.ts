// What happens by itself, and what other documents ask for: a window that moves along an
// axis, places, and reading the file again.
import { effect, signal } from "@preact/signals";
import { shortPath } from "../../../model/format";
import type { Place } from "../../../model/types";
import { message } from "../../../state/store";
import { api } from "../api";
import { equals, rangeText } from "../model/selection";
import { along } from "./along";
import { edgesOf } from "./axes";
import { pinned } from "./code";
import { allLines } from "./names";
import {
	active,
	columnOf,
	hover,
	info,
	number,
	selected,
	setSelection,
	version,
} from "./store";

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
