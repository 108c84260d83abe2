// The colours of members and the texts of values that the parts of the view share.
import type { Box } from "../../../model/box";
import type { Palette } from "../../../draw/colours";
import type { Colour } from "../../../draw/draw";
import { roleColour, wordColour } from "../../../draw/roles";
import { timeAt, type Range } from "../../../model/cells";
import { count, percent } from "../../../model/format";
import type { Window } from "../../../model/types";
import { valueOf, type Ensemble, type Member } from "../model/ensemble";
import { colourBy, time } from "../state";

/** A member's colour: that of its value of the coloured parameter. */
export function colourOf(e: Ensemble, p: Palette, m: Member): Colour {
	const by = colourBy.value;

	if (by < 0) return wordColour(p, e.members.indexOf(m));
	return valueColour(e, p, by, valueOf(m, by));
}

export function valueColour(
	e: Ensemble,
	p: Palette,
	parameter: number,
	value: string,
): Colour {
	const { colours, values } = e.parameters[parameter]!;
	const role = colours[values.indexOf(value)];

	return role ? roleColour(p, role) : p.muted;
}

/** A value of the measure in its unit. */
export function valueText(v: number, unit: string, signed = false): string {
	if (!Number.isFinite(v)) return "–";
	const sign = signed && v > 0 ? "+" : v < 0 ? "−" : "";
	const a = Math.abs(v);

	if (unit === "share") return sign + percent(a);
	const digits = a >= 1000 ? 0 : a >= 100 ? 1 : a >= 10 ? 2 : 3;
	return `${sign}${a === 0 ? "0" : a.toFixed(digits)}${unit === "cycles" ? " cycles" : unit === "bytes" ? " B" : ""}`;
}

/** A moment of common time in words. */
export function timeText(t: number): string {
	return time.value === "normalised" ? percent(t) : count(Math.round(t));
}

/** Where the curves of the plot stand. */
export interface Plane {
	box: Box;
	window: Window;
	range: Range;
}

export function timeOn(plane: Plane, x: number): number {
	return timeAt(
		Math.max(plane.box.x, Math.min(plane.box.x + plane.box.w, x)),
		plane.window,
		plane.box,
	);
}
