// The histogram of an attribute of names: a bar a name, most samples first or in the order of
// appearance.
import type { Box } from "../../../model/box";
import type { Palette } from "../../../draw/colours";
import type { Draw } from "../../../draw/draw";
import { exact, percent } from "../../../model/format";
import { rangeText } from "../model/selection";
import * as s from "../state";
import { sampleColours } from "./colours";
import { NOTHING, type Part, type Under } from "./parts";

const ROW = 17;
const HEAD = 30;

export class NamesPart implements Part {
	private box: Box = { x: 0, y: 0, w: 0, h: 0 };
	private first = 0;
	private over_ = -1;
	private pressed = -1;

	reads(): void {
		void s.oneAxis.value;
		void s.oneBase.value;
		void s.selected.value;
		if (s.along.value >= 0) void s.edgesOf(s.along.value);
		void s.opt("order", "count");
	}

	/** The bins in the order of their bars. */
	private order(): number[] {
		const all = s.oneBase.value?.selected.histograms[0];
		const used = [...(all?.keys() ?? [])].filter((i) => all![i]! > 0);

		return s.opt("order", "count") === "count"
			? used.sort((a, b) => all![b]! - all![a]! || a - b)
			: used;
	}

	private rows(): number {
		return Math.max(1, Math.floor((this.box.h - HEAD) / ROW));
	}

	wheel(by: number): void {
		const most = Math.max(0, this.order().length - this.rows());

		this.first = Math.max(0, Math.min(most, this.first + Math.sign(by) * 3));
	}

	draw(d: Draw, p: Palette, box: Box): void {
		const [now, all] = [s.oneAxis.value, s.oneBase.value];
		const edges = s.edgesOf(s.along.value);
		const column = s.info.value?.columns[s.along.value];

		this.box = box;
		if (!now || !all || !edges || !column || now.columns[0] !== s.along.value) return;
		const c = sampleColours(p);
		const order = this.order();
		const [counts, behind] = [now.selected.histograms[0]!, all.selected.histograms[0]!];
		const most = Math.max(1, ...behind);
		const style = { colour: p.text, size: 11, mono: true, align: "right" as const };
		const label = Math.min(
			260,
			Math.max(40, ...order.map((i) => d.measure(this.name(edges, i), style))) + 12,
		);
		const room = box.w - label - 130;

		d.text(
			box.x + label,
			box.y + 12,
			`samples by ${column.column}: ${order.length} names`,
			{
				colour: p.text,
				size: 12,
				bold: true,
			},
		);
		order.slice(this.first, this.first + this.rows()).forEach((bin, k) => {
			const y = box.y + HEAD + k * ROW;
			const bar = (n: number, colour: number, h: number) =>
				n > 0 &&
				d.rect(
					box.x + label,
					y + (ROW - h) / 2,
					Math.max(1.5, (room * n) / most),
					h,
					colour,
				);
			let name = this.name(edges, bin);

			while (name.length > 4 && d.measure(name, style) > label - 8)
				name = `${name.slice(0, -2)}…`;
			if (bin === this.over_) d.rect(box.x, y, box.w, ROW, p.grid, 0.6);
			d.text(box.x + label - 6, y + ROW / 2, name, style);
			if (s.selected.value) bar(behind[bin]!, c.rest, ROW - 3);
			bar(counts[bin]!, c.selected, ROW - 3);
			if (now.also) bar(now.also.histograms[0]![bin]!, c.hover, 5);
			d.text(
				box.x + label + (room * behind[bin]!) / most + 8,
				y + ROW / 2,
				`${exact(counts[bin]!)}  ${percent(counts[bin]!, now.selected.samples)}`,
				{ colour: p.muted, size: 10 },
			);
		});
		const more = order.length - this.first - this.rows();
		if (more > 0)
			d.text(box.x + box.w - 8, box.y + 12, `${more} more below: scroll`, {
				colour: p.muted,
				align: "right",
			});
	}

	private name(edges: string[], bin: number): string {
		return bin >= edges.length - 1 ? "no value" : edges[bin]!;
	}

	private at(x: number, y: number): number {
		if (x < 0 || y < this.box.y + HEAD) return -1;
		return this.order()[this.first + Math.floor((y - this.box.y - HEAD) / ROW)] ?? -1;
	}

	private text(bin: number): string {
		const [c, edges] = [s.info.value!.columns[s.along.value]!, s.edgesOf(s.along.value)];

		return edges ? rangeText(c, edges, bin, bin) : "";
	}

	over(x: number, y: number): Under {
		const bin = (this.over_ = this.at(x, y));

		return bin < 0 ? NOTHING : { tip: null, hover: this.text(bin), cursor: "pointer" };
	}

	down(x: number, y: number): boolean {
		this.pressed = this.at(x, y);
		return this.pressed >= 0;
	}

	up(x: number, y: number, e: PointerEvent): void {
		if (this.pressed >= 0 && this.at(x, y) === this.pressed)
			s.select(this.text(this.pressed), s.modeOf(e));
	}
}
