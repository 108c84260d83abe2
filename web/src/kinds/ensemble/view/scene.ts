// The colours, axes, keys and texts that the plots of an ensemble share.
import { numberColour, wordColour } from "../../../draw/roles";
import type { Palette } from "../../../draw/colours";
import type { Colour, Draw } from "../../../draw/draw";
import {
	valueOf,
	valuesOf,
	type Curves,
	type Ensemble,
	type Member,
} from "../model/ensemble";
import { timeAt, xOf, yOf, type Box, type Range } from "../model/graph";
import { count, percent, tick } from "../../../model/format";
import { ticks } from "../../../model/ticks";
import type { Window } from "../../../model/types";
import {
	against,
	base,
	colourBy,
	ensemble,
	axisOfMeasure,
	measured,
	memberOf,
	time,
	volume,
} from "../state";

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
	const { numeric, values } = e.parameters[parameter]!;
	const i = values.indexOf(value);

	if (i < 0) return p.muted;
	return numeric ? numberColour(p, i, values.length) : wordColour(p, i);
}

/*
 * A trace's colour, for marks that belong to no single member: that of its first member.
 */
export function traceColour(e: Ensemble, p: Palette, trace: number): Colour {
	const by = colourBy.value;
	const m = e.members.find((one) => one.trace === trace);
	const same =
		by >= 0 &&
		new Set(e.members.filter((x) => x.trace === trace).map((x) => x.values[by])).size ===
			1;

	return m && same && e.traces.length > 1 ? colourOf(e, p, m) : wordColour(p, trace);
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

function tickText(v: number, unit: string, step: number): string {
	const sign = v < 0 ? "−" : "";
	const a = Math.abs(v);
	const of = (s: number) => Math.max(0, Math.min(6, -Math.floor(Math.log10(s) + 1e-9)));

	if (unit === "share") return `${sign}${(a * 100).toFixed(of(step * 100))} %`;
	return a >= 10000 ? sign + tick(a) : sign + a.toFixed(of(step));
}

/** A moment of common time in words. */
export function timeText(t: number): string {
	return time.value === "normalised" ? percent(t) : count(Math.round(t));
}

/** The title of the axis of values. */
export function measureText(): string {
	const what = measured.value ? axisOfMeasure(measured.value) : "";
	const scaled =
		volume.value && time.value !== "raw" ? ", scaled by volume of accesses" : "";
	const minus = memberOf(against.value);

	return `${what}${scaled}${minus ? `, minus that of ${minus.label}` : ""}`;
}

/** Lines and numbers at the left, values from low to high. */
export function drawValues(
	d: Draw,
	p: Palette,
	box: Box,
	r: Range,
	unit: string,
	wanted = box.h / 46,
): void {
	const list = ticks(r.low, r.high, Math.max(2, wanted));
	const step = list.length > 1 ? list[1]! - list[0]! : r.high - r.low;

	for (const v of list) {
		const y = Math.round(yOf(v, r, box)) + 0.5;
		const zero = Math.abs(v) < step * 1e-6;
		d.line(box.x, y, box.x + box.w, y, zero ? p.muted : p.grid, 1, zero ? 0.6 : 1);
		d.text(box.x - 8, y, tickText(zero ? 0 : v, unit, step), {
			colour: p.muted,
			size: 11,
			align: "right",
		});
	}
}

/** Numbers below: common time. */
export function drawTimes(d: Draw, p: Palette, box: Box, w: Window, wanted = 110): void {
	const list = ticks(w.from, w.to, box.w / wanted);
	const last = box.x + box.w;

	for (const t of list) {
		const x = Math.round(xOf(t, w, box)) + 0.5;
		d.line(x, box.y + box.h, x, box.y + box.h + 4, p.muted, 1, 0.7);
		const text =
			time.value === "normalised"
				? `${Math.round(t * 1e6) / 1e4} %`
				: tick(Math.round(t * 100) / 100);
		const half = d.measure(text, { colour: 0 }) / 2;
		if (x - half > box.x - 30 && x + half < last + 40)
			d.text(x, box.y + box.h + 13, text, { colour: p.muted, align: "center" });
	}
	d.line(box.x, box.y + box.h + 0.5, last, box.y + box.h + 0.5, p.muted, 1, 0.5);
}

export function timeWord(): string {
	return {
		raw: "references",
		normalised: "share of the run",
		matched: `references of ${ensemble.value?.traces[base.value]?.label ?? "the base"}`,
	}[time.value];
}

/*
 * The key of the colours in one line, right-aligned: each value with its square, or a
 * ramp with its ends where there are too many. Returns where it begins.
 */
export function drawKey(
	d: Draw,
	p: Palette,
	e: Ensemble,
	by: number, // parameter
	right: number,
	y: number,
	room: number,
): number {
	const style = { colour: p.text, size: 11 };

	if (by < 0) return right;
	const { name, numeric } = e.parameters[by]!;
	const values = valuesOf(e, by);
	const title = d.measure(name, { ...style, bold: true }) + 12;
	const widths = values.map((v) => 14 + d.measure(v, style) + 10);
	const all = widths.reduce((a, b) => a + b, title);

	if (all <= room) {
		let x = right - all;
		d.text(x, y, name, { ...style, colour: p.muted });
		x += title;
		values.forEach((v, i) => {
			d.rect(x, y - 5, 10, 10, valueColour(e, p, by, v));
			d.text(x + 14, y, v, style);
			x += widths[i]!;
		});
		return right - all;
	}
	if (!numeric) return right;
	const [first, last] = [values[0]!, e.parameters[by]!.values.at(-1)!];
	const ramp = 110;
	const ends = d.measure(first, style) + d.measure(last, style) + 12;
	const x = right - title - ends - ramp;
	d.text(x, y, name, { ...style, colour: p.muted });
	d.text(x + title, y, first, style);
	const left = x + title + d.measure(first, style) + 6;
	for (let i = 0; i < 22; i++) d.rect(left + i * 5, y - 5, 5, 10, numberColour(p, i, 22));
	d.text(left + ramp + 6, y, last, style);
	return x;
}

/** The text cut to a width, with an ellipsis. */
export function cut(d: Draw, text: string, width: number, size = 11): string {
	const style = { colour: 0, size };

	if (d.measure(text, style) <= width) return text;
	let n = text.length;
	while (n > 1 && d.measure(`${text.slice(0, n)}…`, style) > width) n--;
	return `${text.slice(0, n)}…`;
}

/** Cells of a curve answer on a box. */
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

export function rowOf(c: Curves, member: number): number {
	return c.members.indexOf(member);
}
