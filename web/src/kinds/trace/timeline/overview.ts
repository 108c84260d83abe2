// The regions and the lines of code that the window waits for, each with a bar of the
// waiting by serving level. Regions of the loader, of libraries and of the stack share one
// row, which a click opens. With a selection, its part of each bar stands out.
import { costColours, regionColour, type Palette } from "../../../draw/colours";
import type { Colour, Draw } from "../../../draw/draw";
import { sum } from "../model/cost";
import { count, exact, percent } from "../../../model/format";
import { sameSelection, type Selection } from "../model/selection";
import {
	regionRank,
	select,
	ELSEWHERE,
	counts,
	hover,
	levelNames,
	names,
	onTopName,
	regionOf,
	regions,
	selection,
	showLine,
} from "../state/store";
import { inWindow, selected, windowFresh } from "../state/windowCounts";
import { weight } from "../state/findings";
import { option, setOption } from "../../../state/store";
import { cutMiddle } from "../model/regionNames";
import type { SelectAnswer } from "../model/types";
import { inBackground } from "../model/usualRegions";
import { waitingOf } from "../model/waiting";
import { CanvasView } from "../../../views/canvas";
import type { ViewKind } from "../../../views/view";

interface Row {
	label: string;
	sub: string; // its kind
	parts: number[]; // of the bar
	chosen?: number[]; // their selected parts
	references: number;
	served?: number[];
	pick?: Selection; // what a click selects
	mark?: number; // rank of the region whose colour it has
	folds?: boolean; // a click opens or closes the rows that it stands for
}

/** Counts of a region, or of several in one row. */
type Counted = SelectAnswer["regions"][number] & { of: number[]; folds?: string };

/** The waiting by part, as the lengths of a bar. */
const barOf = (waiting: number[]): number[] => waiting.map((n) => Math.max(0, n));

/** The option that opens the row of the loader, libraries and stacks. */
const FOLDED = "overview.folded";
const ROW = 26;
const PAD = 20;

class Overview extends CanvasView {
	private places: { x: number; y: number; w: number; row: Row }[] = [];
	private fitting = 0; // rows that fit below each other

	protected start(): void {
		this.greyWhile(() => inWindow.value !== null && !windowFresh.value);
		this.watch(
			() =>
				void [
					regions.value,
					counts.value,
					hover.value,
					selection.value,
					inWindow.value,
					selected.value,
					weight.value,
					option(FOLDED, "yes"),
				],
		);
		this.listen("pointermove", (_, x, y) => this.point(x, y));
		this.listen("pointerleave", () => (hover.value = {}));
		this.listen("click", (_, x, y) => {
			const row = this.at(x, y);
			if (row?.folds) setOption(FOLDED, option(FOLDED, "yes") === "yes" ? "no" : "yes");
			if (!row?.pick) return;
			select(row.pick, true);
			if (row.pick.line !== undefined) showLine(row.pick.file!, row.pick.line);
		});
	}

	private at(x: number, y: number): Row | undefined {
		return this.places.find((p) => x >= p.x && x < p.x + p.w && y >= p.y && y < p.y + ROW)
			?.row;
	}

	private point(x: number, y: number): void {
		const row = this.at(x, y);

		this.canvas.style.cursor = row?.pick || row?.folds ? "pointer" : "";
		if (!sameSelection(hover.value, row?.pick ?? {})) hover.value = row?.pick ?? {};
		if (!row) return this.tip(null);
		const [of, heads] = row.served
			? [row.served, levelNames.value.map((n) => `from ${n}`)]
			: [row.parts, ["reads", "writes"]];
		const waits = waitingOf(row.parts);
		this.tip(
			[
				row.label + (row.sub ? ` ${row.sub}` : ""),
				...(row.folds ? ["a click opens or closes it"] : []),
				...(row.served
					? [
							`waiting: ${exact(waits)} cycles, ${(waits / Math.max(1, row.references)).toFixed(2)} a reference`,
						]
					: []),
				`${exact(row.references)} references`,
				...of.map(
					(v, i) => `${exact(v)} ${heads[i] ?? ""} (${percent(v, row.references)})`,
				),
			],
			x,
			y,
		);
	}

	/** Rows from the simulation, or from the trace alone while there is none. */
	private rows(): { regions: Row[]; lines: Row[] } {
		const a = inWindow.value;
		const c = selected.value;
		const waits = (rows: { waiting: number[] }[]) => barOf(this.sumOf(rows));

		if (a)
			return {
				regions: this.withRest(
					this.folded(a.regions).map((r) => ({
						...(r.folds
							? { label: r.folds, sub: `${r.of.length} regions`, folds: true }
							: this.region(r.region)),
						parts: barOf(r.waiting),
						chosen: c
							? waits(c.regions.filter((x) => r.of.includes(x.region)))
							: undefined,
						references: r.references,
						served: r.served,
					})),
					"further regions",
				),
				lines: this.withRest(
					a.lines.map((l) => ({
						...this.line(l.file ?? ELSEWHERE, l.line, l.func),
						parts: barOf(l.waiting),
						chosen: c
							? waits(
									c.lines.filter(
										(x) => x.file === l.file && x.line === l.line && x.func === l.func,
									),
								)
							: undefined,
						references: l.references,
						served: l.served,
					})),
					"further lines",
				),
			};
		return {
			regions: regions.value.map((r) => ({
				...this.region(r.region),
				parts: [r.reads, r.writes],
				references: r.references,
			})),
			lines: [...counts.value]
				.sort((x, y) => y.references - x.references)
				.map((l) => ({
					...this.line(l.file ?? ELSEWHERE, l.line, l.func),
					parts: [l.reads, l.writes],
					references: l.references,
				})),
		};
	}

	/** The rows that the server answers, and one for all that it leaves out. */
	private withRest(rows: Row[], label: string): Row[] {
		const [a, c] = [inWindow.value!, selected.value];
		// a row that stands for others has them after itself if it is open
		const at = rows.findIndex((r) => r.folds);
		const told = at < 0 ? rows : rows.slice(0, at + 1);
		const rest = (all: number[], of: (r: Row) => number[]) =>
			all.map((n, i) => Math.max(0, n - sum(told.map((r) => of(r)[i] ?? 0))));
		const references = a.references - sum(told.map((r) => r.references));
		const further: Row = {
			label,
			sub: "",
			references,
			served: rest(a.served, (r) => r.served ?? []),
			parts: rest(a.waiting, (r) => r.parts),
			chosen: c ? rest(c.waiting, (r) => r.chosen ?? []) : undefined,
		};

		return references > 0 ? [...rows, further] : rows;
	}

	/** Regions in the order of their waiting; those of the background as one row, or last. */
	private folded(counted: SelectAnswer["regions"]): Counted[] {
		const of = (r: Counted) => waitingOf(r.waiting);
		const hidden = (n: number) => {
			const r = regionOf(n);
			return !r || inBackground(r, weight.value);
		};
		const all: Counted[] = counted.map((r) => ({ ...r, of: [r.region] }));
		const front = all.filter((r) => !hidden(r.region)).sort((a, b) => of(b) - of(a));
		const back = all.filter((r) => hidden(r.region)).sort((a, b) => of(b) - of(a));
		const closed = option(FOLDED, "yes") === "yes";

		if (back.length < 2 || !front.length) return [...front, ...back];
		const row: Counted = {
			region: -1,
			of: back.map((r) => r.region),
			references: sum(back.map((r) => r.references)),
			waiting: this.sumOf(back),
			served: levelNames.value.map((_, i) => sum(back.map((r) => r.served[i] ?? 0))),
			folds: `${closed ? "▸" : "▾"} libraries and stacks`,
		};
		return [...front, row, ...(closed ? [] : back)];
	}

	private sumOf(rows: { waiting: number[] }[]): number[] {
		const out = [...levelNames.value.map(() => 0), 0];

		for (const r of rows) r.waiting.forEach((n, i) => (out[i] = (out[i] ?? 0) + n));
		return out;
	}

	private region(n: number): Pick<Row, "label" | "sub" | "pick" | "mark"> {
		const r = regionOf(n);
		const dims = r?.dims?.length ? r.dims.map((d) => `[${d}]`).join("") : "";

		return {
			label: names.region(n),
			sub: r ? `${r.type ?? ""}${dims}` || r.kind : "",
			pick: { region: n },
			mark: regionRank(n),
		};
	}

	private line(
		file: number,
		line: number,
		func?: string,
	): Pick<Row, "label" | "sub" | "pick"> {
		if (!func && !line) return { label: "other code", sub: "libraries, loader" };
		if (file < 0 || !line)
			return { label: `${func}()`, sub: "no line", pick: func ? { func } : undefined };
		return {
			label: `${names.file(file)}:${line}`,
			sub: func ?? "",
			pick: { file, line },
		};
	}

	draw(d: Draw, p: Palette): void {
		const { regions: left, lines: right } = this.rows();
		const simulated = inWindow.value !== null;
		const colours = simulated
			? costColours(p, levelNames.value.length)
			: [p.read, p.write];
		const heads = simulated
			? [...levelNames.value, onTopName.value]
			: ["reads", "writes"];
		const beside = d.width > 700;
		const w = beside ? (d.width - 3 * PAD) / 2 : d.width - 2 * PAD;

		this.places = [];
		this.legend(d, p, heads, colours, simulated);
		this.fitting =
			Math.floor((d.height - 84) / ROW / (beside ? 1 : 2)) - (beside ? 0 : 1);
		const all = simulated
			? waitingOf(inWindow.value!.waiting)
			: sum(right.map((r) => r.references));
		const end = this.table(d, p, "Regions", left, all, PAD, 48, w, colours);
		const [x, y] = beside ? [w + 2 * PAD, 48] : [PAD, end + 20];
		this.table(d, p, "Lines of code", right, all, x, y, w, colours);
	}

	private legend(
		d: Draw,
		p: Palette,
		heads: string[],
		colours: Colour[],
		simulated: boolean,
	): void {
		const style = { colour: p.muted, size: 11 };
		const title = simulated ? "waiting, in cycles, for" : "references";
		let x = PAD;

		d.text(x, 24, title, style);
		x += d.measure(title, style) + 14;
		heads.forEach((h, i) => {
			// the first level is what waiting is measured against
			if (simulated && i === 0) return;
			d.rect(x, 19, 10, 10, colours[i] ?? p.muted);
			d.text(x + 15, 24, h, { ...style, colour: p.text });
			x += 15 + d.measure(h, style) + 16;
		});
	}

	private table(
		d: Draw,
		p: Palette,
		title: string,
		rows: Row[],
		all: number, // what the shares are of
		x: number,
		y: number,
		w: number,
		colours: Colour[],
	): number {
		const max = Math.max(0, ...rows.map((r) => sum(r.parts)));
		const label = Math.min(260, w * 0.42);
		const numbers = w > 330 ? 104 : 56;
		const bar = w - label - numbers - 8;
		const shown = rows.slice(0, Math.max(1, this.fitting));
		// The row that stands for all others is never among those without room.
		const folds = rows.find((r) => r.folds);
		if (folds && !shown.includes(folds)) shown[shown.length - 1] = folds;

		const head = { colour: p.text, size: 13, bold: true };
		d.text(x, y + 12, title, head);
		if (rows.length > shown.length)
			d.text(
				x + d.measure(title, head) + 8,
				y + 12,
				`${shown.length} of ${exact(rows.length)}`,
				{
					colour: p.muted,
					size: 11,
				},
			);
		d.text(x + w, y + 12, inWindow.value ? "waiting" : "references", {
			colour: p.muted,
			size: 11,
			align: "right",
		});
		y += 30;
		if (!rows.length)
			d.text(x, y + 12, "nothing in this window", { colour: p.muted, size: 12 });
		for (const row of shown) {
			const picked = row.pick && sameSelection(row.pick, selection.value);

			this.places.push({ x: x - 8, y, w: w + 16, row });
			if (picked) d.rect(x - 8, y, w + 16, ROW, p.cursor, 0.2);
			else if (row.pick && sameSelection(row.pick, hover.value))
				d.rect(x - 8, y, w + 16, ROW, p.text, 0.05);
			if (picked) d.rect(x - 8, y, 3, ROW, p.cursor);
			this.label(d, p, row, x, y, label);
			const scale = max ? bar / max : 0;
			this.bar(d, row.parts, colours, x + label, y + 7, scale, row.chosen ? 0.25 : 1);
			if (row.chosen) this.bar(d, row.chosen, colours, x + label, y + 7, scale, 1);
			const numberStyle = { colour: p.text, size: 12, align: "right" as const };
			d.text(
				x + w - (numbers > 60 ? 50 : 0),
				y + ROW / 2,
				count(Math.round(sum(row.parts))),
				numberStyle,
			);
			if (numbers > 60)
				d.text(x + w, y + ROW / 2, percent(sum(row.parts), all), {
					...numberStyle,
					colour: p.muted,
					size: 11,
				});
			y += ROW;
		}
		return y;
	}

	private bar(
		d: Draw,
		parts: number[],
		colours: Colour[],
		x: number,
		y: number,
		scale: number,
		alpha: number,
	): void {
		parts.forEach((v, i) => {
			if (v > 0) d.rect(x, y, Math.max(v * scale, 0.5), ROW - 14, colours[i] ?? 0, alpha);
			x += v * scale;
		});
	}

	private label(d: Draw, p: Palette, row: Row, x: number, y: number, w: number): void {
		const style = { colour: p.text, size: 12, mono: true };
		let left = x;

		if (row.mark !== undefined) {
			d.rect(x, y + 8, 4, ROW - 16, regionColour(p, row.mark));
			left += 10;
		}
		// A kind without room is left out; a name without room keeps both of its ends.
		const sub = { colour: p.muted, size: 11 };
		const room = w - (left - x) - 8;
		const name = cutMiddle(row.label, room, (t) => d.measure(t, style));
		const used = d.measure(name, style) + 8;
		d.text(left, y + ROW / 2, name, style);
		if (row.sub && used + d.measure(row.sub, sub) <= room)
			d.text(left + used, y + ROW / 2, row.sub, sub);
	}
}

export const overview: ViewKind = {
	id: "overview",
	title: "Overview",
	description: "Regions and lines of code that wait most, by the level that served them",
	create: () => new Overview(),
};
