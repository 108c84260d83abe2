// What stands beside the picture of a cycle: the bars as a diagram, the cycles as a list,
// and the legend of the colours.
import type { Box } from "../../../model/box";
import type { Colour, Draw } from "../../../draw/draw";
import type { Palette } from "../../../draw/colours";
import { exact, percent } from "../../../model/format";
import { turnsText, type Category, type Cycle, type Cycles } from "../model/cycles";

export const ROW = 38; // height of a cycle in the list
const TOP = 12;

/** The text cut, with an ellipsis, to so many pixels. */
export function fitted(d: Draw, text: string, width: number, size: number): string {
	const style = { colour: 0, size };

	if (d.measure(text, style) <= width) return text;
	let n = Math.floor((text.length * width) / Math.max(1, d.measure(text, style)));
	while (n > 1 && d.measure(`${text.slice(0, n)}…`, style) > width) n--;
	return `${text.slice(0, n)}…`;
}

/** Births and deaths of all bars; the dots grow with their number. */
export function drawDiagram(
	d: Draw,
	p: Palette,
	box: Box,
	c: Cycles,
	chosen: Cycle | null,
): void {
	const side = box.h - 30;
	const max = c.width;
	const [x0, y0] = [box.x + 26, box.y + TOP + side];
	const at = (v: number) => (v / max) * side;
	const small = { colour: p.muted, size: 10 };

	d.line(x0, y0, x0 + side, y0 - side, p.grid);
	d.line(x0, y0, x0 + side, y0, p.grid);
	d.line(x0, y0, x0, y0 - side, p.grid);
	d.text(x0 + side, y0 + 9, "birth", { ...small, align: "right" });
	d.text(x0 - 4, y0 - side + 2, String(max), { ...small, align: "right" });
	d.text(x0 - 4, y0 - 4, "0", { ...small, align: "right" });
	d.text(x0 - 22, y0 - side / 2, "death", { ...small, size: 9 });
	for (const b of c.bars) {
		const r = Math.min(9, 2.5 + 1.2 * Math.log2(b.count));
		const hit = chosen !== null && chosen.birth === b.birth && chosen.death === b.death;
		d.arc(
			x0 + at(b.birth),
			y0 - at(b.death ?? max),
			0,
			r,
			0,
			2 * Math.PI,
			hit ? p.cursor : p.read,
			hit ? 1 : 0.55,
		);
	}
	const tx = x0 + side + 10;
	const words = [
		exact(c.windows),
		"windows",
		`${exact(c.distinct)} distinct`,
		`${exact(c.bars.reduce((n, b) => n + b.count, 0))} bars`,
		...(c.radius ? [`thinned: ±${c.error}`] : []),
	];
	words.forEach((w, i) => d.text(tx, box.y + TOP + 4 + i * 14, w, small));
}

export function cycleWhere(c: Cycle): string {
	const l = c.lines[0];

	if (!l) return "";
	const file = l.file?.split("/").at(-1);
	return `${file ? `${file}:${l.line} ` : ""}${l.function ?? ""}`;
}

export function drawList(
	d: Draw,
	p: Palette,
	box: Box,
	list: Cycle[],
	order: number[], // by row: the number of its cycle
	marks: { chosen: number; other: number; hovered: number },
): void {
	order.forEach((i, row) => {
		const c = list[i]!;
		const y = box.y + row * ROW;
		if (y + ROW > box.y + box.h) return;
		if (i === marks.chosen) {
			d.rect(box.x, y, box.w, ROW - 3, p.cursor, 0.22);
			d.rect(box.x, y, 3, ROW - 3, p.cursor);
		} else if (i === marks.hovered && !c.refused)
			d.rect(box.x, y, box.w, ROW - 3, p.grid, 0.6);
		if (i === marks.other) d.frame(box.x, y, box.w, ROW - 3, p.write);
		const bar = `[${c.birth}, ${c.death ?? "∞"})`;
		d.text(box.x + 10, y + 11, c.refused ? "no angles" : turnsText(c.turns), {
			colour: c.refused ? p.muted : p.text,
			bold: true,
			size: 12,
		});
		d.text(box.x + box.w - 8, y + 11, bar, {
			colour: p.muted,
			align: "right",
			size: 11,
		});
		const side = c.refused ?? `${cycleWhere(c)} · ${percent(c.covered)} of the time`;
		d.text(box.x + 10, y + 26, fitted(d, side, box.w - 18, 10), {
			colour: p.muted,
			size: 10,
		});
	});
}

export interface Entry {
	title: string;
	detail: string;
	colour: Colour;
	share: number;
	category: Category | null;
}

export const ENTRY = 19;

export function drawLegend(d: Draw, p: Palette, box: Box, entries: Entry[]): void {
	entries.forEach((e, i) => {
		const y = box.y + i * ENTRY;
		if (y + ENTRY > box.y + box.h) return;
		const fold = e.category?.func ? (e.category.folded ? "▸" : "▾") : "";
		d.rect(box.x, y + 4, 10, 10, e.colour);
		const share = percent(e.share);
		const room = box.w - 26 - d.measure(share, { colour: 0, size: 10 }) - 8;
		const text = `${fold}${fold ? " " : ""}${e.title}${e.detail ? ` ${e.detail}` : ""}`;
		d.text(box.x + 16, y + 9, fitted(d, text, room, 11), { colour: p.text, size: 11 });
		d.text(box.x + box.w, y + 9, share, { colour: p.muted, size: 10, align: "right" });
	});
}
