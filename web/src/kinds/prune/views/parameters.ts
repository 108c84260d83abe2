// How the values of each parameter are distributed among the survivors, or among the
// selected variants.
import type { Box } from "../../../model/box";
import type { Palette } from "../../../draw/colours";
import type { Draw } from "../../../draw/draw";
import { count, exact, percent } from "../../../model/format";
import { CanvasView } from "../../../views/canvas";
import type { ViewKind } from "../../../views/view";
import { sayWhere, type Distribution } from "../model/space";
import * as s from "../state";
import { pruneColours } from "./scene";

const HEAD = 34; // pixels above the charts
const GAP = 18;

/** The values of a bin in words. */
function binText(d: Distribution, i: number): string {
	const from = d.first + i * d.width;

	return (
		d.words?.[i] ?? (d.width === 1 ? String(from) : `${from} to ${from + d.width - 1}`)
	);
}

class ParametersView extends CanvasView {
	protected start(): void {
		this.watch(() => {
			void s.distributions.value;
			void s.picked.value;
		});
		this.listen("pointermove", (_, x, y) => this.point(x, y));
	}

	protected override resized(): void {
		s.bins.value = Math.max(8, Math.min(256, Math.floor(this.boxes(2)[0]!.w / 6)));
	}

	/** Boxes of n charts, as wide as possible and at least 120 pixels high. */
	private boxes(n: number): Box[] {
		const columns = n <= 1 ? 1 : this.width > 1100 && n > 4 ? 3 : 2;
		const rows = Math.ceil(n / columns);
		const w = (this.width - GAP * (columns + 1)) / columns;
		const h = Math.min(260, (this.height - HEAD - GAP * rows) / rows);

		return Array.from({ length: n }, (_, i) => ({
			x: GAP + (i % columns) * (w + GAP),
			y: HEAD + Math.floor(i / columns) * (h + GAP),
			w,
			h,
		}));
	}

	/** The bars of a chart: below its title and above its axis. */
	private plot(b: Box): Box {
		return { x: b.x + 44, y: b.y + 22, w: b.w - 50, h: b.h - 40 };
	}

	private point(x: number, y: number): void {
		const list = s.distributions.value?.parameters ?? [];
		const total = s.distributions.value?.total ?? 0;

		for (const [k, box] of this.boxes(list.length).entries()) {
			const [p, d] = [this.plot(box), list[k]!];
			const i = Math.floor(((x - p.x) / p.w) * d.counts.length);

			if (y < p.y || y > p.y + p.h || i < 0 || i >= d.counts.length) continue;
			this.tip(
				[
					`${d.name} ${binText(d, i)}`,
					`${exact(d.counts[i]!)} variants, ${percent(d.counts[i]!, total)}`,
				],
				x,
				y,
			);
			return;
		}
		this.tip(null);
	}

	draw(d: Draw, p: Palette): void {
		const answer = s.distributions.value;
		const list = answer?.parameters ?? [];

		if (!answer) return;
		d.text(
			GAP,
			16,
			s.picked.value
				? `${exact(answer.total)} variants: ${sayWhere(s.picked.value)}`
				: `${exact(answer.total)} survivors`,
			{ colour: p.text, size: 12, bold: true },
		);
		this.boxes(list.length).forEach((box, k) => this.chart(d, p, box, list[k]!));
	}

	private chart(d: Draw, p: Palette, box: Box, x: Distribution): void {
		const at = this.plot(box);
		const most = Math.max(1, ...x.counts);
		const step = at.w / x.counts.length;
		const bar = s.picked.value ? p.levels[0]! : pruneColours(p).pass;
		const small = { colour: p.muted, size: 10 };
		const last = x.counts.length - 1;

		d.text(at.x, box.y + 8, x.name, { colour: p.text, size: 12, bold: true });
		for (const share of [0.5, 1]) {
			const y = at.y + (1 - share) * at.h;

			d.line(at.x, y, at.x + at.w, y, p.grid, 1);
			d.text(at.x - 6, y, count(Math.round(share * most)), { ...small, align: "right" });
		}
		x.counts.forEach((n, i) => {
			const h = (n / most) * at.h;

			if (n)
				d.rect(
					at.x + i * step + (step > 4 ? 0.5 : 0),
					at.y + at.h - Math.max(1, h),
					Math.max(1, step - (step > 4 ? 1 : 0)),
					Math.max(1, h),
					bar,
				);
		});
		d.line(at.x, at.y + at.h, at.x + at.w, at.y + at.h, p.muted, 1);
		const y = at.y + at.h + 11;
		const middle = Math.floor(last / 2);
		d.text(at.x, y, binText(x, 0).split(" ")[0]!, small);
		if (last > 1 && at.w > 200)
			d.text(at.x + (middle + 0.5) * step, y, binText(x, middle).split(" ")[0]!, {
				...small,
				align: "center",
			});
		if (last > 0)
			d.text(at.x + at.w, y, binText(x, last).split(" ").at(-1)!, {
				...small,
				align: "right",
			});
	}

	exportText(kind: "csv" | "json"): string {
		const list = s.distributions.value?.parameters ?? [];

		if (kind === "json") return JSON.stringify(list);
		return [
			"parameter,value,variants",
			...list.flatMap((x) => x.counts.map((n, i) => `${x.name},"${binText(x, i)}",${n}`)),
			"",
		].join("\n");
	}
}

export const parametersView: ViewKind = {
	id: "parameters",
	title: "Parameters",
	description: "How often each value of a parameter occurs among the survivors",
	tables: true,
	when: () => s.space.value?.described ?? false,
	create: () => new ParametersView(),
};
