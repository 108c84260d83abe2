// What each constraint eliminates, as bars; which constraints fail together, as columns of
// dots under bars (UpSet, Lex et al. 2014); and how each two overlap, as a matrix.
import type { Draw, TextStyle } from "../../../draw/draw";
import { along, type Palette } from "../../../draw/colours";
import { readableOn } from "../../../draw/roles";
import { count, exact } from "../../../model/format";
import { CanvasView } from "../../../views/canvas";
import type { ViewKind } from "../../../views/view";
import {
	combination,
	printWhere,
	share,
	type Constraint,
	type Where,
} from "../model/space";
import * as s from "../state";
import { effectLines, failColour, pruneColours } from "./scene";

const STEP = 18; // pixels of a column
const MATRIX = 40; // where the matrix of pairs begins, from the top
const NAMED = 20; // pixels of a cell from which on rows have names and cells have numbers

interface Layout {
	left: number; // where the columns begin
	top: number; // where the rows begin
	row: number; // height of a row
	bar: number; // width of the longest bar of a constraint
	columns: number; // that there is room for
	cell: number; // of the matrix; 0: there is no room for it
	named: boolean; // its rows have their names beside them
}

class OverlapView extends CanvasView {
	private layout: Layout | null = null;

	protected start(): void {
		this.watch(() => {
			void s.combinations.value;
			void s.space.value;
			void s.picked.value;
			void s.pointed.value;
		});
		this.listen("pointermove", (_, x, y) => this.point(x, y));
		this.listen("pointerleave", () => (s.pointed.value = null));
		this.listen("click", (_, x, y) => s.pick(this.whereAt(x, y)));
	}

	protected override resized(): void {
		s.columns.value = Math.max(5, Math.min(200, Math.floor((this.width - 250) / STEP)));
	}

	/** The constraints in the order of the file. */
	private rows(): Constraint[] {
		return [...(s.space.value?.constraints ?? [])].sort((a, b) => a.bit - b.bit);
	}

	private shown(): { mask: number; count: number }[] {
		return s.combinations.value?.rows.slice(0, this.layout?.columns ?? 0) ?? [];
	}

	/** Variants that fail both constraints. */
	private both(a: Constraint, b: Constraint): number {
		const pair = s.space.value?.pairs.find(
			(p) =>
				(p.first === a.name && p.second === b.name) ||
				(p.first === b.name && p.second === a.name),
		);

		return a === b ? a.eliminated : (pair?.both ?? 0);
	}

	/** The two constraints of the matrix at a point. */
	private pairAt(x: number, y: number): [Constraint, Constraint] | null {
		const l = this.layout;
		const rows = this.rows();

		if (!l?.cell) return null;
		const [i, k] = [
			Math.floor((y - MATRIX) / l.cell),
			Math.floor((x - this.matrixLeft(l)) / l.cell),
		];
		return rows[i] && rows[k] && i >= 0 && k >= 0 ? [rows[i]!, rows[k]!] : null;
	}

	private matrixLeft(l: Layout): number {
		return l.left - 62 - l.cell * this.rows().length;
	}

	private place(x: number, y: number): { row: number; column: number } {
		const l = this.layout;

		if (!l) return { row: -1, column: -1 };
		const row = Math.floor((y - l.top) / l.row);
		const column = Math.floor((x - l.left) / STEP);

		return {
			row: row >= 0 && row < this.rows().length ? row : -1,
			column: column >= 0 && column < this.shown().length ? column : -1,
		};
	}

	private whereAt(x: number, y: number): Where | null {
		const { row, column } = this.place(x, y);
		const c = this.shown()[column];
		const pair = this.pairAt(x, y);

		if (pair) return [...new Set(pair)].map((k) => ({ name: k.name, fails: true }));
		if (c) return combination(s.space.value!, c.mask);
		return row >= 0 ? [{ name: this.rows()[row]!.name, fails: true }] : null;
	}

	private point(x: number, y: number): void {
		const { row, column } = this.place(x, y);
		const [space, c] = [s.space.value, this.shown()[column]];
		const r = this.rows()[row];
		const pair = this.pairAt(x, y);

		if (pair && space) {
			const [a, b] = pair;
			const n = this.both(a, b);

			this.canvas.style.cursor = "pointer";
			this.tip(
				[
					a === b ? a.name : `${a.name} and ${b.name}`,
					`${exact(n)} variants fail ${a === b ? "it" : "both"}`,
					...(a === b
						? []
						: [
								`${share(n, a.eliminated)} of those that fail ${a.name}`,
								`${share(n, b.eliminated)} of those that fail ${b.name}`,
							]),
				],
				x,
				y,
			);
			return;
		}

		this.canvas.style.cursor = c || r ? "pointer" : "";
		s.pointed.value = r && !c ? r.name : null;
		if (!space || (!c && !r)) {
			this.tip(null);
			return;
		}
		if (!c) {
			this.tip([`${r!.name} (${r!.kind})`, ...effectLines(r!, space.variants)], x, y);
			return;
		}
		const fails = this.rows().filter((k) => (c.mask >> k.bit) & 1);
		this.tip(
			[
				`${exact(c.count)} variants, ${share(c.count, space.variants)}`,
				...(fails.length
					? ["fail exactly", ...fails.map((k) => `  ${k.name} (${k.kind})`)]
					: ["survive"]),
			],
			x,
			y,
		);
	}

	draw(d: Draw, p: Palette): void {
		const [space, c] = [s.space.value, s.combinations.value];

		if (!space || !c) return;
		const rows = this.rows();
		const width = (size: number) =>
			Math.max(0, ...rows.map((r) => d.measure(r.name, { colour: p.text, size })));
		const widest = width(11);
		const row = Math.max(12, Math.min(24, (d.height - 150) / Math.max(1, rows.length)));
		const bar = Math.max(60, Math.min(190, d.width * 0.16));
		const l: Layout = {
			left: 16 + bar + 58 + widest + 22,
			top: d.height - 22 - row * rows.length,
			row,
			bar,
			columns: 0,
			cell: 0,
			named: false,
		};
		const cell = (side: number) =>
			Math.floor(Math.min(side, l.top - MATRIX - 40) / Math.max(1, rows.length));
		const besideNames = cell(l.left - 80 - width(10));
		const room = besideNames >= NAMED ? besideNames : cell(l.left - 90);

		l.columns = Math.max(1, Math.floor((d.width - l.left - 4) / STEP));
		l.cell = room >= 8 ? Math.min(28, room) : 0;
		l.named = besideNames >= NAMED;

		this.layout = l;
		this.drawBars(d, p, rows, l);
		this.drawColumns(d, p, rows, l);
		if (l.cell) this.drawPairs(d, p, rows, l);
	}

	/** Row a, column b: which share of the variants that fail a fail b, too. */
	private drawPairs(d: Draw, p: Palette, rows: Constraint[], l: Layout): void {
		const x = this.matrixLeft(l);

		const end = x + l.cell * rows.length;
		const words: TextStyle = { colour: p.muted, size: 10, align: "right" };

		d.text(end, MATRIX - 24, "pairs: % of the row's variants", words);
		d.text(end, MATRIX - 11, "that the column, in the same order, eliminates too", words);
		rows.forEach((a, i) => {
			if (l.named)
				d.text(x - 13, MATRIX + (i + 0.5) * l.cell, a.name, { ...words, colour: p.text });
			d.rect(x - 8, MATRIX + i * l.cell, 5, l.cell - 1, failColour(p, a.kind === "soft"));
			d.rect(
				x + i * l.cell,
				MATRIX + rows.length * l.cell + 2,
				l.cell - 1,
				5,
				failColour(p, a.kind === "soft"),
			);
			rows.forEach((b, k) => {
				const part = a.eliminated ? this.both(a, b) / a.eliminated : 0;

				d.rect(
					x + k * l.cell,
					MATRIX + i * l.cell,
					l.cell - 1,
					l.cell - 1,
					a === b ? p.empty : along(p.heat, part),
				);
				if (l.cell >= NAMED && a !== b)
					d.text(
						x + (k + 0.5) * l.cell,
						MATRIX + (i + 0.5) * l.cell,
						String(Math.round(100 * part)),
						{
							colour: readableOn(along(p.heat, part)),
							size: 9,
							align: "center",
						},
					);
			});
		});
	}

	private drawBars(d: Draw, p: Palette, rows: Constraint[], l: Layout): void {
		const total = s.space.value!.variants || 1;
		const end = 16 + l.bar;

		d.text(end, l.top - 12, "eliminated", {
			colour: p.muted,
			size: 10,
			align: "right",
		});
		rows.forEach((r, i) => {
			const y = l.top + i * l.row;
			const w = (r.eliminated / total) * l.bar;
			const on = s.pointed.value === r.name;

			if (i % 2 === 0 || on)
				d.rect(0, y, d.width, l.row, on ? p.cursor : p.text, on ? 0.16 : 0.035);
			d.rect(end - w, y + 3, w, l.row - 6, failColour(p, r.kind === "soft"));
			d.text(end + 50, y + l.row / 2, share(r.eliminated, total), {
				colour: p.muted,
				size: 10,
				align: "right",
			});
			d.text(end + 58, y + l.row / 2, r.name, { colour: p.text, size: 11 });
		});
	}

	private drawColumns(d: Draw, p: Palette, rows: Constraint[], l: Layout): void {
		const c = { ...s.combinations.value!, rows: this.shown() };
		const most = Math.max(1, ...c.rows.map((r) => r.count));
		const picked = s.picked.value && printWhere(s.picked.value);
		const floor = l.top - 26;
		const height = floor - 40;

		d.text(
			l.left,
			16,
			`${exact(c.rows.length)} of ${exact(c.combinations)} combinations, by their variants`,
			{
				colour: p.muted,
				size: 11,
			},
		);
		d.line(l.left, floor, d.width - 8, floor, p.grid, 1);
		for (const share of [0.5, 1]) {
			const y = floor - share * height;

			d.line(l.left, y, d.width - 8, y, p.grid, 1);
			d.text(l.left - 6, y, count(share * most), {
				colour: p.muted,
				size: 10,
				align: "right",
			});
		}
		c.rows.forEach((r, i) => {
			const x = l.left + i * STEP;
			const h = Math.max(1, (r.count / most) * height);
			const on = picked === printWhere(combination(s.space.value!, r.mask));
			const failing = rows.map((k) => ((r.mask >> k.bit) & 1) === 1);
			const [first, last] = [failing.indexOf(true), failing.lastIndexOf(true)];

			if (on) d.rect(x, 24, STEP, d.height - 40, p.cursor, 0.22);
			d.rect(
				x + 3,
				floor - h,
				STEP - 6,
				h,
				r.mask ? p.text : pruneColours(p).pass,
				r.mask ? 0.72 : 1,
			);
			if (last > first)
				d.line(
					x + STEP / 2,
					l.top + (first + 0.5) * l.row,
					x + STEP / 2,
					l.top + (last + 0.5) * l.row,
					p.text,
					1.5,
					0.5,
				);
			failing.forEach((yes, k) =>
				d.arc(
					x + STEP / 2,
					l.top + (k + 0.5) * l.row,
					0,
					Math.min(4.5, l.row / 3),
					0,
					2 * Math.PI,
					yes ? failColour(p, rows[k]!.kind === "soft") : p.grid,
				),
			);
		});
	}

	exportText(kind: "csv" | "json"): string {
		const rows = this.rows();
		const all = s.combinations.value?.rows ?? [];

		if (kind === "json")
			return JSON.stringify(
				all.map((r) => ({
					fails: rows.filter((k) => (r.mask >> k.bit) & 1).map((k) => k.name),
					count: r.count,
				})),
			);
		return [
			[...rows.map((k) => `${k.kind}:${k.name}`), "count"].join(","),
			...all.map((r) => [...rows.map((k) => (r.mask >> k.bit) & 1), r.count].join(",")),
			"",
		].join("\n");
	}
}

export const overlapView: ViewKind = {
	id: "overlap",
	title: "Overlap",
	description: "What each constraint eliminates, and which constraints fail together",
	tables: true,
	create: () => new OverlapView(),
};
