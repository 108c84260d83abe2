// From a moment of a member into its trace: its trace and machine become those of the
// page, its position the cursor, its part of the window the window.
import { batch } from "@preact/signals";
import type { Member } from "./model/ensemble";
import { at, chosenFocus, ensemble, focus, positionIn } from "./state";
import { compare, openTrace, simulate } from "../trace/state/load";
import { length, setCursor, setWindow, trace, view } from "../../state/store";

/** Why there is no way into the trace of a member, or "" where there is one. */
export function noWayInto(m: Member | undefined): string {
	const t = m && ensemble.value?.traces[m.trace];

	if (!m || !t) return "point at a member or select one";
	if (t.open === null) return `its trace ${t.path} is not there any more`;
	return "";
}

/** Why two members cannot be laid over each other, or "". */
export function noDiffOf(list: (Member | undefined)[]): string {
	if (list.length !== 2) return "select two members: click their curves or rows";
	return list.map(noWayInto).find((text) => text) ?? "";
}

/** Opens a member's trace on its machine at the moment that was clicked. */
export async function jumpInto(m: Member, to: string): Promise<boolean> {
	const t = ensemble.value?.traces[m.trace];
	const w = focus.value;
	const moment = at.value ?? (w.from + w.to) / 2;
	const place = Math.floor(positionIn(m, moment));
	const ends = chosenFocus.value && [
		Math.floor(positionIn(m, w.from)),
		Math.ceil(positionIn(m, w.to)),
	];

	if (!t || t.open === null) return false;
	if (trace.value?.trace !== t.open) await openTrace(t.open);
	if (!(await simulate(m.machine))) return false;
	batch(() => {
		setWindow(ends && { from: ends[0]!, to: ends[1]! });
		setCursor(Math.min(place, Math.max(0, length.value - 1)));
		view.value = to;
	});
	return true;
}

/** Lays the second over the first in the cache rings: where they differ stands out. */
export async function diffOf(a: Member, b: Member): Promise<void> {
	const other = ensemble.value?.traces[b.trace]?.open;

	if (!(await jumpInto(a, view.value))) return;
	await compare(b.machine, other ?? undefined);
	view.value = "ringsDiff";
}
