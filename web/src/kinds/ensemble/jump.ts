// From a moment of a member into its trace, on its machine, in its part of the window.
import type { Place } from "../../model/types";
import { openDocument } from "../documents";
import type { Member } from "./model/ensemble";
import { at, chosenFocus, ensemble, focus, positionIn } from "./state";

/** Why there is no way into the trace of a member, or "" where there is one. */
export function whyNoJump(m: Member | undefined): string {
	const t = m && ensemble.value?.traces[m.trace];

	if (!m || !t) return "point at a member or select one";
	if (t.open === null) return `its trace ${t.path} is not there any more`;
	return "";
}

/** Why two members cannot be laid over each other, or "". */
export function whyNoDiff(list: (Member | undefined)[]): string {
	if (list.length !== 2) return "select two members: click their curves or rows";
	return list.map(whyNoJump).find((text) => text) ?? "";
}

/** The moment that was clicked, and the window, in the trace of a member. */
function placeIn(m: Member, view: string): Place {
	const w = focus.value;
	const moment = at.value ?? (w.from + w.to) / 2;

	return {
		view,
		machine: m.machine,
		moment: Math.floor(positionIn(m, moment)),
		window: chosenFocus.value && {
			from: Math.floor(positionIn(m, w.from)),
			to: Math.ceil(positionIn(m, w.to)),
		},
	};
}

/** Opens a member's trace on its machine at the moment that was clicked. */
export async function jumpInto(m: Member, view: string): Promise<boolean> {
	const number = ensemble.value?.traces[m.trace]?.open ?? null;

	return number !== null && openDocument("trace", number, placeIn(m, view));
}

/** Lays the second member over the first in the cache rings, where differences stand out. */
export async function diffOf(a: Member, b: Member): Promise<boolean> {
	const traces = ensemble.value?.traces ?? [];
	const [number, other] = [traces[a.trace]?.open ?? null, traces[b.trace]?.open ?? null];
	const against = { machine: b.machine, number: other ?? undefined };

	return (
		number !== null &&
		openDocument("trace", number, { ...placeIn(a, "ringsDiff"), against })
	);
}
