// The top offenders as bars: lines within their functions or files, data objects, levels.
import { type Box, contains } from "../../../model/box";
import { mix, type Palette } from "../../../draw/colours";
import type { Draw } from "../../../draw/draw";
import { exact, percent, shortPath } from "../../../model/format";
import { conjuncts, tidy } from "../model/selection";
import { cyclesText, mean, measure, type Offenders, type Sum } from "../model/table";
import * as s from "../state";
import { sampleColours } from "./colours";
import { NOTHING, type Part, type Under } from "./parts";

interface Row extends Sum {
	text: string;
	select: string | null;
	line?: { file: string; line: number };
	nested: boolean;
	what: string;
}

interface Column {
	title: string;
	rows: Row[];
	whole: number; // what the longest bar could be
}

const HEIGHT = 17;
const HEAD = 20;

/** Groups with their lines; a single group needs no bar of its own. */
function lineRows(o: Offenders): Row[] {
	const rows: Row[] = [];

	for (const g of o.groups) {
		const name = o.groupedBy === "file" ? shortPath(g.name) : g.name;

		rows.push({ ...g, text: name, nested: false, what: o.groupedBy });
		for (const l of g.lines ?? [])
			rows.push({
				...l,
				text: g.file ? `${shortPath(g.file)}:${l.line}` : `line ${l.line}`,
				line: g.file ? { file: g.file, line: Number(l.line) } : undefined,
				nested: true,
				what: "line",
			});
	}
	return rows;
}

/** As many rows as there is room for: each group first, then its heaviest lines. */
function fitted(rows: Row[], room: number, by: "cycles" | "samples"): Row[] {
	if (rows.length <= room || !rows.some((r) => r.nested)) return rows;
	const ranked = [...rows].sort(
		(a, b) => Number(a.nested) - Number(b.nested) || measure(b, by) - measure(a, by),
	);
	const groups = ranked
		.filter((r) => !r.nested)
		.slice(0, Math.max(1, Math.floor(room / 3)));
	const kept = new Set<Row>(groups);
	let group: Row | null = null;
	const inKept = new Map<Row, boolean>();

	for (const r of rows) {
		if (!r.nested) group = r;
		inKept.set(r, !!group && kept.has(group));
	}
	for (const r of ranked) {
		if (kept.size >= room) break;
		if (r.nested && inKept.get(r)) kept.add(r);
	}
	return rows.filter((r) => kept.has(r));
}

export class OffendersPart implements Part {
	private placed: { row: Row; box: Box }[] = [];
	private over_: Row | null = null;
	private pressed: Row | null = null;

	reads(): void {
		void s.offenders.value;
		void s.measureBy.value;
		void s.selected.value;
	}

	private columns(): Column[] {
		const o = s.offenders.value!;
		const by = s.measureBy.value;
		const plain = (list: Offenders["objects"], what: string): Row[] =>
			list.map((x) => ({ ...x, text: x.name, nested: false, what }));
		const sum = (rows: Row[]) =>
			rows.reduce((n, r) => n + (r.nested ? 0 : measure(r, by)), 0);
		const lines = lineRows(o);

		return [
			{
				title: o.groupedBy === "function" ? "Functions and lines" : "Files and lines",
				rows: lines,
				whole: sum(lines),
			},
			{
				title: "Data objects",
				rows: plain(o.objects, "data object"),
				whole: sum(plain(o.objects, "")),
			},
			{
				title: "Served by",
				rows: plain(o.levels, "level"),
				whole: sum(plain(o.levels, "")),
			},
		].filter((c) => c.rows.some((r) => r.samples && r.text !== "??"));
	}

	/** The height that all rows would need. */
	wanted(): number {
		if (!s.offenders.value) return 0;
		const [left, ...right] = this.columns().map((c) => HEAD + c.rows.length * HEIGHT + 8);

		return Math.max(
			left ?? 0,
			right.reduce((n, h) => n + h, 0),
		);
	}

	draw(d: Draw, p: Palette, box: Box): void {
		this.placed = [];
		if (!s.offenders.value) return;
		const all = this.columns();
		const [left, ...right] = all;
		const gap = 18;
		const wide = right.length ? (box.w - gap) * 0.54 : box.w;

		if (left) this.drawColumn(d, p, { ...box, w: wide }, left);
		let y = box.y;
		right.forEach((c, i) => {
			const rest = box.y + box.h - y;
			const others = right
				.slice(i + 1)
				.reduce((n, k) => n + HEAD + k.rows.length * HEIGHT, 0);
			const own = HEAD + c.rows.length * HEIGHT;
			const h = Math.min(
				own,
				i === right.length - 1 ? rest : Math.max(rest - others - 8, rest * 0.5),
			);

			this.drawColumn(d, p, { x: box.x + wide + gap, y, w: box.w - wide - gap, h }, c);
			y += h + 8;
		});
	}

	private drawColumn(d: Draw, p: Palette, box: Box, c: Column): void {
		const by = s.measureBy.value;
		const room = Math.max(1, Math.floor((box.h - HEAD) / HEIGHT));
		const rows = fitted(c.rows, room, by).slice(0, room);
		const longest = Math.max(1, ...c.rows.map((r) => measure(r, by)));
		const more = c.rows.length - rows.length;

		d.text(box.x, box.y + 9, c.title, { colour: p.muted, size: 11 });
		d.text(box.x + box.w, box.y + 9, more > 0 ? `${by}, ${more} more` : by, {
			colour: p.muted,
			size: 10,
			align: "right",
		});
		rows.forEach((row, i) =>
			this.drawRow(
				d,
				p,
				{ x: box.x, y: box.y + HEAD + i * HEIGHT, w: box.w, h: HEIGHT },
				row,
				longest,
				c.whole,
			),
		);
	}

	private drawRow(
		d: Draw,
		p: Palette,
		box: Box,
		row: Row,
		longest: number,
		whole: number,
	): void {
		const c = sampleColours(p);
		const by = s.measureBy.value;
		const indent = row.nested ? 14 : 0;
		const room = box.w - indent;
		const wide = (room * measure(row, by)) / longest;
		const also = by === "cycles" ? row.alsoCycles : row.also;
		const marked =
			row.select !== null &&
			s.selected.value !== "" &&
			conjuncts(tidy(row.select)).every((x) => conjuncts(s.selected.value).includes(x));
		const fill = mix(p.background, c.selected, row.nested ? 0.34 : 0.2);

		this.placed.push({ row, box });
		if (this.over_ === row) d.rect(box.x, box.y, box.w, box.h, p.grid, 0.7);
		d.rect(box.x + indent, box.y + 1.5, Math.max(1, wide), box.h - 3, fill);
		if (also)
			d.rect(
				box.x + indent,
				box.y + box.h - 5,
				Math.max(1.5, (room * also) / longest),
				3.5,
				c.hover,
			);
		if (marked) d.frame(box.x + indent - 2, box.y, room + 2, box.h, p.cursor, 1.5);
		const share = percent(measure(row, by), whole || 1);
		const side = { colour: p.muted, size: 10, align: "right" as const };
		d.text(box.x + box.w - 3, box.y + box.h / 2, share, side);
		const style = { colour: p.text, size: 11, mono: true };
		const free = room - d.measure(share, side) - 14;
		let text = row.text;
		while (text.length > 4 && d.measure(text, style) > free)
			text = `${text.slice(0, -2)}…`;
		d.text(box.x + indent + 4, box.y + box.h / 2, text, style);
	}

	private at(x: number, y: number): Row | null {
		return this.placed.find((r) => contains(r.box, x, y))?.row ?? null;
	}

	over(x: number, y: number): Under {
		const row = (this.over_ = this.at(x, y));

		if (!row) return NOTHING;
		return {
			cursor: row.select === null ? undefined : "pointer",
			hover: row.select === null ? "" : tidy(row.select),
			tip: [
				row.text,
				`${exact(row.samples)} samples`,
				...(row.timed
					? [`${exact(row.cycles)} cycles, ${cyclesText(mean(row))} each`]
					: []),
				...(row.also !== undefined && s.hover.value !== tidy(row.select ?? "")
					? [`${exact(row.also)} of them under the pointer`]
					: []),
			],
		};
	}

	down(x: number, y: number): boolean {
		this.pressed = this.at(x, y);
		return this.pressed !== null;
	}

	up(x: number, y: number, e: PointerEvent): void {
		const row = this.at(x, y);

		if (!row || row !== this.pressed) return;
		s.select(row.select, s.modeOf(e));
		if (row.line) s.pinned.value = row.line;
	}
}
