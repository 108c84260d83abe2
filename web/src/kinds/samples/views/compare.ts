// Two sample sets, before and after a change: what became cheaper and what dearer, in the
// code, in the data, by level and on the hardware.
import { type Box, contains } from "../../../model/box";
import { mix, sideColours, type Palette } from "../../../draw/colours";
import type { Draw } from "../../../draw/draw";
import { count, exact, percent, shortPath } from "../../../model/format";
import type { ViewKind } from "../../../views/view";
import { documentsOf } from "../../documents";
import { join, linesOf, loadChange, namedOf, totalOf, type Pair } from "../model/compare";
import { csv } from "../model/csv";
import { cyclesText, mean, measure, type Sum } from "../model/table";
import * as s from "../state";
import { drawSunburst } from "./hardware";
import { NOTHING, PartsView, type Part, type Under } from "./parts";

const ROW = 24;
const HEAD = 22;

export interface Section {
	title: string;
	rows: Pair[];
}

/** The tables of the comparison. */
export function sections(): Section[] {
	const two = s.compared.value;
	const by = s.measureBy.value;

	if (!two) return [];
	const [a, b] = [two[0].offenders, two[1].offenders];
	const named = (x: typeof a, key: "objects" | "levels" | "groups") => namedOf(x[key]);
	return [
		...(a.groupedBy === "function" && b.groupedBy === "function"
			? [{ title: "Functions", rows: join(named(a, "groups"), named(b, "groups"), by) }]
			: []),
		{ title: "Lines", rows: join(linesOf(a), linesOf(b), by) },
		{ title: "Data objects", rows: join(named(a, "objects"), named(b, "objects"), by) },
		{ title: "Served by", rows: join(named(a, "levels"), named(b, "levels"), by) },
	].filter((x) => x.rows.length);
}

function nameOf(number: number | null): string {
	const d = documentsOf(s.KIND).find((x) => x.number === number);

	return d ? shortPath(d.path) : "";
}

class ComparePart implements Part {
	private placed: { row: Pair; title: string; box: Box }[] = [];
	private over_: Pair | null = null;

	reads(): void {
		void s.compared.value;
		void s.measureBy.value;
	}

	draw(d: Draw, p: Palette, box: Box): void {
		const two = s.compared.value;

		this.placed = [];
		if (!two) return;
		this.drawTotals(d, p, { ...box, h: 54 });
		const has = two[0].tree && two[1].tree && two[0].loads && two[1].loads;
		const left = has ? Math.min(box.w * 0.34, box.h - 90) : 0;
		if (has) this.drawHardware(d, p, { x: box.x, y: box.y + 62, w: left, h: box.h - 62 });
		const list = sections();
		const room = box.w - left - 16;
		const half = (room - 24) / 2;
		const x = box.x + left + 16;
		const [first, ...rest] = list;
		if (first)
			this.drawSection(d, p, { x, y: box.y + 62, w: half, h: box.h - 66 }, first);
		let y = box.y + 62;
		rest.forEach((part, i) => {
			const h = (box.y + box.h - y) / (rest.length - i) - 6;
			const need = Math.min(h, HEAD + part.rows.length * ROW);

			this.drawSection(d, p, { x: x + half + 24, y, w: half, h: need }, part);
			y += need + 10;
		});
	}

	private drawTotals(d: Draw, p: Palette, box: Box): void {
		const [a, b] = s.compared.value!.map((x) => totalOf(x.offenders)) as [Sum, Sum];
		const colours = sideColours(p);
		const text = (k: number, name: string, t: Sum) => {
			const y = box.y + 12 + 19 * k;

			d.rect(box.x, y - 5, 10, 10, colours[k]!);
			d.text(
				box.x + 16,
				y,
				`${name}: ${exact(t.samples)} samples${t.timed ? `, ${exact(t.cycles)} cycles, ${cyclesText(mean(t))} each` : ""}`,
				{ colour: p.text, size: 12, bold: k === 0 },
			);
		};

		text(0, `before ${nameOf(s.number.value)}`, a);
		text(1, `after ${nameOf(s.other.value)}`, b);
		const [x, y] = [measure(a, s.measureBy.value), measure(b, s.measureBy.value)];
		d.text(
			box.x + box.w,
			box.y + 21,
			x ? `${y >= x ? "+" : "−"}${percent(Math.abs(y - x), x)} ${s.measureBy.value}` : "",
			{ colour: y > x ? colours[1] : colours[0], size: 18, bold: true, align: "right" },
		);
	}

	/** Where samples went: shares of a tier that grew are orange, that shrank blue. */
	private drawHardware(d: Draw, p: Palette, box: Box): void {
		const [a, b] = s.compared.value!;
		const by = s.measureBy.value;
		const [less, more] = sideColours(p);
		const change = loadChange(a.tree!, a.loads![by], b.tree!, b.loads![by]);
		const most = Math.max(1e-9, ...change.map((c) => Math.abs(c ?? 0)));
		const side = Math.min(box.w - 8, box.h - 40);

		d.text(box.x, box.y + 9, `Share of ${by} on its tier`, { colour: p.muted, size: 11 });
		drawSunburst(
			d,
			p,
			{ x: box.x + 4, y: box.y + 22, w: side, h: side },
			{
				tree: a.tree!,
				loads: a.loads!,
				by,
				labels: true,
				colours: change.map((c) =>
					c === null ? p.empty : mix(p.grid, c > 0 ? more : less, Math.abs(c) / most),
				),
			},
		);
		d.text(
			box.x,
			box.y + side + 32,
			`blue: ${percent(most)} of its tier less after; orange: as much more`,
			{ colour: p.muted, size: 10 },
		);
	}

	private drawSection(d: Draw, p: Palette, box: Box, part: Section): void {
		const by = s.measureBy.value;
		const [before, after] = sideColours(p);
		const rows = part.rows.slice(0, Math.max(1, Math.floor((box.h - HEAD) / ROW)));
		const most = Math.max(
			1,
			...part.rows.map((r) =>
				Math.max(r.a ? measure(r.a, by) : 0, r.b ? measure(r.b, by) : 0),
			),
		);
		const label = 128;
		const bars = box.w - label - 74;

		d.text(box.x, box.y + 9, part.title, { colour: p.muted, size: 11 });
		d.text(
			box.x + box.w,
			box.y + 9,
			`change of ${by}${part.rows.length > rows.length ? `, ${part.rows.length - rows.length} more` : ""}`,
			{ colour: p.muted, size: 10, align: "right" },
		);
		rows.forEach((r, i) => {
			const y = box.y + HEAD + i * ROW;
			const bar = (x: Sum | null, at: number, colour: number) =>
				x &&
				d.rect(
					box.x + label,
					y + at,
					Math.max(1, (bars * measure(x, by)) / most),
					8,
					colour,
				);
			let name = r.name;
			const style = { colour: p.text, size: 11, mono: true };

			this.placed.push({
				row: r,
				title: part.title,
				box: { x: box.x, y, w: box.w, h: ROW },
			});
			if (this.over_ === r) d.rect(box.x, y, box.w, ROW, p.grid, 0.6);
			while (name.length > 4 && d.measure(name, style) > label - 8)
				name = `…${name.slice(2)}`;
			d.text(box.x, y + ROW / 2, name, style);
			bar(r.a, 3, before);
			bar(r.b, 12, after);
			const sign = r.change > 0 ? "+" : r.change < 0 ? "−" : "";
			d.text(box.x + box.w, y + ROW / 2, `${sign}${count(Math.abs(r.change))}`, {
				colour: r.change > 0 ? after : r.change < 0 ? before : p.muted,
				size: 11,
				align: "right",
			});
		});
	}

	over(x: number, y: number): Under {
		const at = this.placed.find((r) => contains(r.box, x, y));
		const say = (t: Sum | null) =>
			t
				? `${exact(t.samples)} samples${t.timed ? `, ${exact(t.cycles)} cycles, ${cyclesText(mean(t))} each` : ""}`
				: "not sampled";

		this.over_ = at?.row ?? null;
		if (!at) return NOTHING;
		return {
			hover: "",
			tip: [at.row.name, `before: ${say(at.row.a)}`, `after: ${say(at.row.b)}`],
		};
	}
}

class CompareView extends PartsView {
	private readonly part = new ComparePart();

	protected override missing(): string {
		return s.compared.value ? "" : "comparing…";
	}

	protected place(w: number, h: number): [Part, Box][] {
		return [[this.part, { x: 16, y: 12, w: w - 32, h: h - 20 }]];
	}

	exportText(kind: "csv" | "json"): string {
		const rows = sections().flatMap((x) =>
			x.rows.map((r) => ({
				table: x.title,
				name: r.name,
				samples_before: r.a?.samples ?? 0,
				cycles_before: r.a?.cycles ?? 0,
				samples_after: r.b?.samples ?? 0,
				cycles_after: r.b?.cycles ?? 0,
				change: r.change,
			})),
		);

		return kind === "csv" ? csv(rows) : JSON.stringify(rows, null, "\t");
	}
}

export const compareView: ViewKind = {
	id: "samplesDiff",
	title: "Before and after",
	description: "Two sample sets compared: totals, lines, data objects, levels, hardware",
	when: () => documentsOf(s.KIND).length > 1,
	tables: true,
	create: () => new CompareView(),
};
