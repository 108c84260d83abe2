// One parameter, or two, against the result: the cost of a value while everything else is
// equal.
import { along, type Palette } from "../../../draw/colours";
import type { Colour, Draw } from "../../../draw/draw";
import { valueOf, valuesOf, type Ensemble, type Member } from "../model/ensemble";
import { isLog, linesOf, padded, yOf, type Box, type Range } from "../model/graph";
import { colourOf, cut, drawValues, valueColour, valueText } from "./scene";

/** A place in the picture, and the member there. */
export interface Spot {
	x: number;
	y: number;
	w: number; // 0: a point
	h: number;
	member: Member;
}

type Values = Map<number, number>; // by member

function rangeOfValues(values: Values, members: Member[], difference: boolean): Range {
	const list = members.flatMap((m) => {
		const v = values.get(m.member);
		return v !== undefined && Number.isFinite(v) ? [v] : [];
	});

	return padded(
		{ low: Math.min(Infinity, ...list), high: Math.max(-Infinity, ...list) },
		difference,
	);
}

/** Where the values of a parameter stand from left to right. */
function places(
	e: Ensemble,
	along: number,
	members: Member[],
	box: Box,
): { x: (m: Member) => number; marks: { x: number; text: string }[]; log: boolean } {
	const { numeric } = e.parameters[along]!;
	const numbers = members.flatMap((m) => m.numbers[along] ?? []);
	const list = valuesOf(e, along).filter((v) =>
		members.some((m) => valueOf(m, along) === v),
	);
	const log = numeric && isLog(numbers);
	const even = (v: string) =>
		box.x + ((list.indexOf(v) + 0.5) / Math.max(1, list.length)) * box.w;
	const f = (n: number) => (log ? Math.log2(n) : n);
	const [low, high] = [f(Math.min(...numbers)), f(Math.max(...numbers))];
	const scaled = (n: number) =>
		box.x + box.w * (0.03 + 0.94 * (high > low ? (f(n) - low) / (high - low) : 0.5));
	const x = (m: Member) => {
		const n = m.numbers[along];
		return numeric && n !== null && n !== undefined ? scaled(n) : even(valueOf(m, along));
	};

	return {
		x,
		log,
		marks: list.map((v) => ({
			text: v,
			x: x(members.find((m) => valueOf(m, along) === v)!),
		})),
	};
}

function drawMarks(
	d: Draw,
	p: Palette,
	marks: { x: number; text: string }[],
	box: Box,
): void {
	let right = -Infinity;

	for (const { x, text } of marks) {
		const half = d.measure(text, { colour: 0 }) / 2;
		d.line(x, box.y, x, box.y + box.h + 4, p.grid);
		if (x - half < right + 6) continue;
		right = x + half;
		d.text(x, box.y + box.h + 14, text, { colour: p.muted, align: "center" });
	}
}

/** One line for each combination of the other parameters; its name at its end. */
export function drawParameter(
	d: Draw,
	p: Palette,
	e: Ensemble,
	members: Member[],
	values: Values,
	along: number,
	byLine: number,
	box: Box,
	unit: string,
	difference: boolean,
	pinned: number[],
): Spot[] {
	const range = rangeOfValues(values, members, difference);
	const { x, marks, log } = places(e, along, members, box);
	const lines = linesOf(e, members, along);
	const spots: Spot[] = [];
	const many = lines.length > 40;
	const colour = (m: Member): Colour =>
		byLine >= 0 ? valueColour(e, p, byLine, valueOf(m, byLine)) : colourOf(e, p, m);

	drawMarks(d, p, marks, box);
	drawValues(d, p, box, range, unit);
	// Words have room beside them: equal values of different lines stand side by side.
	const beside = e.parameters[along]!.numeric
		? 0
		: Math.min(14, (0.6 * box.w) / Math.max(1, marks.length * lines.length));
	for (const [k, { members: line }] of lines.entries()) {
		const known = line.filter((m) => Number.isFinite(values.get(m.member) ?? NaN));
		const shift = beside * (k - (lines.length - 1) / 2);
		const at = known.flatMap((m) => [
			x(m) + shift,
			yOf(values.get(m.member)!, range, box),
		]);
		const first = known[0];
		if (!first) continue;
		if (known.length > 1 && e.parameters[along]!.numeric)
			d.path(at, byLine >= 0 ? colour(first) : p.muted, many ? 1.2 : 2, many ? 0.6 : 0.9);
		known.forEach((m, i) => {
			const [px, py] = [at[2 * i]!, at[2 * i + 1]!];
			const chosen = pinned.includes(m.member);
			if (chosen) d.arc(px, py, 0, 8, 0, 2 * Math.PI, p.cursor, 0.9);
			d.arc(px, py, 0, 5, 0, 2 * Math.PI, p.background);
			d.arc(px, py, 0, many ? 2.5 : 4, 0, 2 * Math.PI, colour(m));
			spots.push({ x: px, y: py, w: 0, h: 0, member: m });
		});
	}
	d.text(
		box.x + box.w / 2,
		box.y + box.h + 30,
		`${e.parameters[along]!.name}${log ? " (each step doubles, or more)" : ""}`,
		{ colour: p.muted, align: "center" },
	);
	return spots;
}

/** One cell for each pair of values; a cell of several members has stripes. */
export function drawHeat(
	d: Draw,
	p: Palette,
	e: Ensemble,
	members: Member[],
	values: Values,
	alongX: number,
	alongY: number,
	box: Box,
	unit: string,
	pinned: number[],
): Spot[] {
	const have = (parameter: number) =>
		valuesOf(e, parameter).filter((v) =>
			members.some((m) => valueOf(m, parameter) === v),
		);
	const columns = have(alongX);
	const rows = alongY < 0 ? [""] : have(alongY);
	const known = members
		.map((m) => values.get(m.member) ?? NaN)
		.filter((v) => Number.isFinite(v));
	const [low, high] = [Math.min(...known), Math.max(...known)];
	const [cw, ch] = [box.w / columns.length, box.h / rows.length];
	const spots: Spot[] = [];
	const names = { colour: p.muted, size: 11 };

	columns.forEach((v, i) => {
		if (cw > 14 || i % Math.ceil(22 / cw) === 0)
			d.text(box.x + (i + 0.5) * cw, box.y + box.h + 12, cut(d, v, Math.max(cw, 40)), {
				...names,
				align: "center",
			});
	});
	rows.forEach((v, r) => {
		const y = box.y + box.h - (r + 1) * ch;
		if (ch >= 10)
			d.text(box.x - 8, y + ch / 2, cut(d, v, box.x - 12), { ...names, align: "right" });
		columns.forEach((column, i) => {
			const here = members.filter(
				(m) => valueOf(m, alongX) === column && (alongY < 0 || valueOf(m, alongY) === v),
			);
			const x = box.x + i * cw;
			here.forEach((m, k) => {
				const value = values.get(m.member) ?? NaN;
				const w = (cw - 1) / here.length;
				const share = high > low ? (value - low) / (high - low) : 0.5;
				const fill = Number.isFinite(value) ? along(p.heat, share) : p.empty;
				const spot = { x: x + k * w, y, w, h: ch - 1, member: m };
				d.rect(spot.x, y, w, ch - 1, fill);
				if (w > 40 && ch > 16)
					d.text(
						spot.x + w / 2,
						y + ch / 2,
						valueText(value, unit === "cycles" ? "" : unit),
						{
							colour: contrast(fill),
							size: 11,
							align: "center",
						},
					);
				if (pinned.includes(m.member)) d.frame(spot.x, y, w, ch - 1, p.cursor, 2);
				spots.push(spot);
			});
		});
	});
	const others = e.parameters.filter(
		(x, i) => i !== alongX && i !== alongY && x.values.length > 1 && have(i).length > 1,
	);
	const stripes = others.length
		? `; stripes: ${others.map((x) => x.name).join(", ")} in ascending order`
		: "";
	d.text(
		box.x + box.w / 2,
		box.y + box.h + 30,
		`${e.parameters[alongX]!.name}${stripes}`,
		{ ...names, align: "center" },
	);
	if (alongY >= 0) d.text(8, box.y - 10, `${e.parameters[alongY]!.name} ↑`, names);
	drawRamp(d, p, box, low, high, unit);
	return spots;
}

/** Black or white, whichever can be read on it. */
function contrast(c: Colour): Colour {
	const light = 0.3 * (c >> 16) + 0.59 * ((c >> 8) & 255) + 0.11 * (c & 255);

	return light > 135 ? 0x14161a : 0xffffff;
}

function drawRamp(
	d: Draw,
	p: Palette,
	box: Box,
	low: number,
	high: number,
	unit: string,
): void {
	const x = box.x + box.w + 14;
	const h = Math.min(160, box.h);

	if (!Number.isFinite(low)) return;
	for (let i = 0; i < 32; i++)
		d.rect(x, box.y + h - ((i + 1) * h) / 32, 10, h / 32 + 0.5, along(p.heat, i / 31));
	d.text(x + 15, box.y + 5, valueText(high, unit), { colour: p.muted });
	d.text(x + 15, box.y + h - 5, valueText(low, unit), { colour: p.muted });
}
