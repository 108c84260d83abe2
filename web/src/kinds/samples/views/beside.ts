// Samples beside a simulation of the same program: measured and simulated, line by line and
// object by object, the largest disagreement first.
import { type Box, contains } from "../../../model/box";
import { sideColours, type Palette } from "../../../draw/colours";
import type { Draw } from "../../../draw/draw";
import { exact, percent } from "../../../model/format";
import type { ViewKind } from "../../../views/view";
import { documentsOf, openDocument } from "../../documents";
import { verdict, type BesideRow } from "../model/compare";
import { csv } from "../model/csv";
import { equals } from "../model/selection";
import { cyclesText } from "../model/table";
import * as s from "../state";
import { NOTHING, PartsView, type Part, type Under } from "./parts";

const ROW = 26;
const HEAD = 40;

/** A share of a row as text: of nothing it is a dash. */
function part(v: number | null): string {
	return v === null ? "–" : percent(v);
}

class BesidePart implements Part {
	private placed: { row: BesideRow; box: Box }[] = [];
	private over_: BesideRow | null = null;

	reads(): void {
		void s.beside.value;
	}

	draw(d: Draw, p: Palette, box: Box): void {
		const b = s.beside.value;
		const [measured, simulated] = sideColours(p);

		this.placed = [];
		if (!b) return;
		d.rect(box.x, box.y + 3, 10, 10, measured);
		d.text(box.x + 16, box.y + 8, "measured by samples", { colour: p.text, size: 12 });
		d.rect(box.x + 160, box.y + 3, 10, 10, simulated);
		d.text(box.x + 176, box.y + 8, "simulated", { colour: p.text, size: 12 });
		let machine = b.machine;
		const small = { colour: p.muted, size: 11, mono: true };
		while (machine.length > 8 && d.measure(machine, small) > box.w - 260)
			machine = `${machine.slice(0, -2)}…`;
		d.text(box.x + 244, box.y + 8, machine, small);
		d.text(
			box.x,
			box.y + 26,
			`bars: share of all ${b.byCycles ? "cycles" : "samples"} on its side; the largest disagreement first`,
			{ colour: p.muted, size: 11 },
		);
		const top = box.y + 40;
		const lines = b.lines.filter((r) => r.share > 0.0005 || r.simShare > 0.0005);
		const objects = b.objects.filter((r) => r.share > 0.0005 || r.simShare > 0.0005);
		const half = (box.w - 28) / 2;
		this.drawTable(d, p, { x: box.x, y: top, w: half, h: box.h - 44 }, "Lines", lines);
		this.drawTable(
			d,
			p,
			{ x: box.x + half + 28, y: top, w: half, h: box.h - 44 },
			"Data objects",
			objects,
		);
	}

	private drawTable(
		d: Draw,
		p: Palette,
		box: Box,
		title: string,
		rows: BesideRow[],
	): void {
		const shown = rows.slice(0, Math.max(0, Math.floor((box.h - HEAD) / ROW)));
		const [measured, simulated] = sideColours(p);
		const small = { colour: p.muted, size: 10, align: "right" as const };
		const right = box.x + box.w;
		const label = Math.min(118, box.w * 0.26);
		const bars = Math.max(40, box.w - label - 232);
		const most = Math.max(1e-9, ...rows.map((r) => Math.max(r.share, r.simShare)));

		d.text(box.x, box.y + 10, `${title} (${rows.length})`, {
			colour: p.text,
			size: 12,
			bold: true,
		});
		d.text(right - 164, box.y + 28, "mean cycles", small);
		d.text(right - 100, box.y + 28, "beyond L1", small);
		shown.forEach((r, i) => {
			const y = box.y + HEAD + i * ROW;
			const style = { colour: p.text, size: 11, mono: true };
			const word = verdict(r);
			let name = r.name;

			this.placed.push({ row: r, box: { x: box.x, y, w: box.w, h: ROW } });
			if (this.over_ === r) d.rect(box.x, y, box.w, ROW, p.grid, 0.6);
			while (name.length > 4 && d.measure(name, style) > label - 8)
				name = `…${name.slice(2)}`;
			d.text(box.x, y + ROW / 2, name, style);
			d.rect(box.x + label, y + 4, Math.max(1, (bars * r.share) / most), 8, measured);
			d.rect(
				box.x + label,
				y + 14,
				Math.max(1, (bars * r.simShare) / most),
				8,
				simulated,
			);
			const two = (x: number, a: string, b: string) => {
				d.text(x, y + 8, a, { ...small, colour: measured });
				d.text(x, y + 19, b, { ...small, colour: simulated });
			};
			const mean = (v: number | null) => (v === null ? "–" : cyclesText(v));
			two(right - 164, mean(r.mean), mean(r.simMean));
			two(right - 100, part(r.beyondL1), part(r.simBeyondL1));
			d.text(right, y + ROW / 2, word.replace(" than simulated", ""), {
				colour: word === "agree" ? p.muted : p.text,
				size: 10,
				bold: word !== "agree",
				align: "right",
			});
		});
	}

	private at(x: number, y: number): BesideRow | null {
		return this.placed.find((r) => contains(r.box, x, y))?.row ?? null;
	}

	over(x: number, y: number): Under {
		const r = (this.over_ = this.at(x, y));

		if (!r) return NOTHING;
		return {
			hover: "",
			cursor: "pointer",
			tip: [
				`${r.name}: ${verdict(r)}`,
				`measured ${exact(r.samples)} samples, ${percent(r.share)} of cycles`,
				`simulated ${exact(r.references)} references, ${percent(r.simShare)} of cycles`,
				"click selects its samples; double click opens it in the trace",
			],
		};
	}

	down(x: number, y: number): boolean {
		return this.at(x, y) !== null;
	}

	up(x: number, y: number, e: PointerEvent): void {
		const r = this.at(x, y);
		const name = (role: string) => s.info.value!.columns[s.columnOf(role)]?.column;

		if (!r) return;
		if (r.line && name("file") && name("line"))
			s.select(
				`${equals(name("file")!, r.file!)} and ${equals(name("line")!, String(r.line))}`,
				s.modeOf(e),
			);
		else if (!r.line && name("variable"))
			s.select(equals(name("variable")!, r.name), s.modeOf(e));
	}

	doubleClick(x: number, y: number): void {
		const [r, b] = [this.at(x, y), s.beside.value];

		if (!r || !b) return;
		void openDocument(
			"trace",
			b.trace,
			r.line ? { line: { path: r.file!, line: r.line } } : { region: r.name },
		);
	}
}

class BesideView extends PartsView {
	private readonly part = new BesidePart();

	protected override missing(): string {
		return s.beside.value ? "" : "simulating the trace…";
	}

	protected place(w: number, h: number): [Part, Box][] {
		return [[this.part, { x: 16, y: 14, w: w - 32, h: h - 20 }]];
	}

	exportText(kind: "csv" | "json"): string {
		const b = s.beside.value;
		const rows = [
			...(b?.lines ?? []).map((r) => ({ what: "line", ...r })),
			...(b?.objects ?? []).map((r) => ({ what: "data object", ...r })),
		].map((r) => ({
			what: r.what,
			name: r.name,
			samples: r.samples,
			mean: r.mean ?? "",
			beyond_l1: r.beyondL1 ?? "",
			share: r.share,
			references: r.references,
			simulated_mean: r.simMean ?? "",
			simulated_beyond_l1: r.simBeyondL1 ?? "",
			simulated_share: r.simShare,
			verdict: verdict(r),
		}));

		return kind === "csv" ? csv(rows) : JSON.stringify(rows, null, "\t");
	}
}

export const besideView: ViewKind = {
	id: "beside",
	title: "Beside simulation",
	description: "What the machine measured and what the simulation says, line by line",
	when: () => documentsOf("trace").length > 0,
	tables: true,
	create: () => new BesideView(),
};
