// Source text with the heat of each line, where the source is at hand. It shows the line
// with most cycles, the one that was clicked, or the one under the pointer.
import type { Box } from "../../../model/box";
import { along, type Palette } from "../../../draw/colours";
import type { Colour, Draw } from "../../../draw/draw";
import { readableOn } from "../../../draw/roles";
import { exact, percent, shortPath } from "../../../model/format";
import { SourceText } from "../../../panels/highlight";
import { tidy } from "../model/selection";
import { measure, type OffendingLine } from "../model/table";
import * as s from "../state";
import { sampleColours } from "./colours";
import { NOTHING, type Part, type Under } from "./parts";

const HEIGHT = 16;
const HEAD = 20;
const LEFT = 92; // share and number of a line

function spanColour(p: Palette, type: string): Colour {
	const bright = p.background > 0x808080;

	if (type === "comment") return bright ? 0x697078 : 0x8b929c;
	if (type === "keyword") return bright ? 0x7a3e9d : 0xc89bea;
	if (type === "string") return bright ? 0x28703a : 0x8fcf9b;
	if (type === "number") return bright ? 0xa04900 : 0xf0a875;
	if (type === "function") return bright ? 0x1f5f99 : 0x86bdf2;
	return p.text;
}

export class SourcePart implements Part {
	private text: SourceText | null = null;
	private textOf: object | null = null;
	private first = 1; // the line on top
	private shown: string | null = null;
	private box: Box = { x: 0, y: 0, w: 0, h: 0 };
	private over_ = 0;

	reads(): void {
		void s.source.value;
		void s.shownLine.value;
		void s.offenders.value;
		void s.measureBy.value;
	}

	/** Whether there is any text to show. */
	static atHand(): boolean {
		return !!s.source.value?.text;
	}

	private lines(): Map<number, OffendingLine> {
		const file = s.shownLine.value?.file;
		const out = new Map<number, OffendingLine>();

		for (const g of s.offenders.value?.groups ?? [])
			if (g.file === file) for (const l of g.lines ?? []) out.set(Number(l.line), l);
		return out;
	}

	private rowsOf(box: Box): number {
		return Math.max(1, Math.floor((box.h - HEAD) / HEIGHT));
	}

	draw(d: Draw, p: Palette, box: Box): void {
		const [source, at] = [s.source.value, s.shownLine.value];

		this.box = box;
		if (!at) return;
		d.text(box.x, box.y + 9, `${shortPath(at.file, 2)}:${at.line}`, {
			colour: p.muted,
			size: 11,
			mono: true,
		});
		if (!source?.text) {
			if (source)
				d.text(
					box.x,
					box.y + HEAD + 12,
					`${at.file} is not at hand: put it beside the samples, or into their folder src`,
					{
						colour: p.muted,
						size: 11,
					},
				);
			return;
		}
		if (this.textOf !== source) {
			this.textOf = source;
			this.text = new SourceText(source.text, source.file);
			this.shown = null;
		}
		const rows = this.rowsOf(box);
		const key = `${at.file}:${at.line}`;
		if (this.shown !== key) {
			this.shown = key;
			this.scrollTo(at.line - Math.floor(rows / 2));
		}
		d.clip(box.x, box.y + HEAD, box.w, box.h - HEAD, () =>
			this.drawLines(d, p, box, at.line),
		);
	}

	private drawLines(d: Draw, p: Palette, box: Box, now: number): void {
		const c = sampleColours(p);
		const by = s.measureBy.value;
		const lines = this.lines();
		const most = Math.max(1, ...[...lines.values()].map((l) => measure(l, by)));
		const all = (s.offenders.value?.groups ?? []).reduce((n, g) => n + measure(g, by), 0);
		const number = { colour: p.muted, size: 11, mono: true, align: "right" as const };

		for (let i = 0; i < this.rowsOf(box) + 1; i++) {
			const line = this.first + i;
			const y = box.y + HEAD + i * HEIGHT;
			const cost = lines.get(line);

			if (line > this.text!.lines.length) break;
			if (line === now) d.rect(box.x, y, box.w, HEIGHT, p.cursor, 0.22);
			if (line === this.over_) d.rect(box.x, y, box.w, HEIGHT, p.grid, 0.6);
			if (cost) {
				const heat = along(c.heat, measure(cost, by) / most);

				d.rect(box.x, y + 1, 44, HEIGHT - 2, heat);
				d.text(box.x + 41, y + HEIGHT / 2, percent(measure(cost, by), all), {
					colour: readableOn(heat),
					size: 10,
					align: "right",
				});
				if (cost.also) d.rect(box.x + 46, y + 2, 4, HEIGHT - 4, c.hover);
			}
			d.text(box.x + LEFT - 8, y + HEIGHT / 2, String(line), number);
			let x = box.x + LEFT;
			for (const span of this.text!.spans(line)) {
				const text = span.text.replace(/\t/g, "    ");
				const style = { colour: spanColour(p, span.type), size: 12, mono: true };

				d.text(x, y + HEIGHT / 2, text, style);
				x += d.measure(text, style);
				if (x > box.x + box.w) break;
			}
		}
	}

	private scrollTo(line: number): void {
		const last = (this.text?.lines.length ?? 1) - this.rowsOf(this.box) + 1;

		this.first = Math.max(1, Math.min(line, last));
	}

	wheel(by: number): void {
		this.scrollTo(this.first + Math.sign(by) * 3);
	}

	private lineAt(y: number): number {
		return this.first + Math.floor((y - this.box.y - HEAD) / HEIGHT);
	}

	over(x: number, y: number): Under {
		const cost = x < 0 || !this.text ? undefined : this.lines().get(this.lineAt(y));

		this.over_ = cost ? this.lineAt(y) : 0;
		if (!cost) return NOTHING;
		return {
			cursor: "pointer",
			hover: "",
			tip: [
				`line ${cost.line}`,
				`${exact(cost.samples)} samples, ${exact(cost.cycles)} cycles`,
				...(cost.timed ? [`${exact(cost.cycles / cost.timed)} cycles each`] : []),
			],
		};
	}

	down(_x: number, y: number): boolean {
		return this.lines().has(this.lineAt(y));
	}

	up(_x: number, y: number, e: PointerEvent): void {
		const cost = this.lines().get(this.lineAt(y));

		if (cost?.select) s.select(tidy(cost.select), s.modeOf(e));
	}
}
