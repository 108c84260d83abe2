// The views of samples.
import type { Box } from "../../../model/box";
import type { ViewKind } from "../../../views/view";
import { isNames } from "../model/table";
import { csv, offendersCsv, axesCsv, hardwareCsv } from "../model/csv";
import * as s from "../state";
import { HardwarePart } from "./hardware";
import { HistogramPart } from "./histogram";
import { NamesPart } from "./names";
import { OffendersPart } from "./offenders";
import { ParallelPart } from "./parallel";
import { PartsView, type Part } from "./parts";
import { SourcePart } from "./source";

/** The hardware and the offenders above, the attributes below. */
class Overview extends PartsView {
	private readonly hardware = new HardwarePart();
	private readonly offenders = new OffendersPart();
	private readonly source = new SourcePart();
	private readonly parallel = new ParallelPart();

	protected place(w: number, h: number): [Part, Box][] {
		const has = s.info.value?.tables.includes("hardware") ?? false;
		const half = Math.round(h * 0.48);
		// without hardware the offenders take what they need
		const top = has ? half : Math.min(half, this.offenders.wanted() + 36);
		const left = has ? Math.round(Math.min(w * 0.44, top * 1.45)) : 12;
		const beside = { x: left + 6, y: 10, w: w - left - 24, h: top - 16 };
		const code = SourcePart.atHand() && top > 300 ? 20 + 6 * 16 : 0;

		return [
			...(has ? [[this.hardware, { x: 0, y: 0, w: left, h: top }] as [Part, Box]] : []),
			[this.offenders, { ...beside, h: beside.h - code - (code ? 8 : 0) }],
			...(code
				? [
						[this.source, { ...beside, y: beside.y + beside.h - code, h: code }] as [
							Part,
							Box,
						],
					]
				: []),
			[this.parallel, { x: 0, y: top, w, h: h - top }],
		];
	}

	exportText(kind: "csv" | "json"): string {
		return kind === "csv"
			? offendersCsv(s.offenders.value)
			: JSON.stringify(s.offenders.value, null, "\t");
	}
}

/** Offenders, and the source of the worst line. */
class Code extends PartsView {
	private readonly offenders = new OffendersPart();
	private readonly source = new SourcePart();

	protected override start(): void {
		super.start();
		this.listen("wheel", (e) => {
			e.preventDefault();
			this.source.wheel(e.deltaY);
			this.redraw();
		});
	}

	protected place(w: number, h: number): [Part, Box][] {
		const rows = this.offenders.wanted();
		const top = SourcePart.atHand() ? Math.min(Math.round(h * 0.46), rows + 32) : h - 60;

		return [
			[this.offenders, { x: 14, y: 12, w: w - 28, h: top - 20 }],
			[this.source, { x: 14, y: top, w: w - 28, h: h - top - 6 }],
		];
	}

	exportText(kind: "csv" | "json"): string {
		return kind === "csv"
			? offendersCsv(s.offenders.value)
			: JSON.stringify(s.offenders.value, null, "\t");
	}
}

class Topology extends PartsView {
	private readonly hardware = new HardwarePart();

	protected place(w: number, h: number): [Part, Box][] {
		return [[this.hardware, { x: 0, y: 0, w, h }]];
	}

	exportText(kind: "csv" | "json"): string {
		const rows = hardwareCsv(s.tree.value, s.loads.value);

		return kind === "csv" ? csv(rows) : JSON.stringify(rows, null, "\t");
	}
}

class Parallel extends PartsView {
	private readonly parallel = new ParallelPart();

	protected place(w: number, h: number): [Part, Box][] {
		return [[this.parallel, { x: 0, y: 0, w, h }]];
	}

	exportText(kind: "csv" | "json"): string {
		const rows = axesCsv(s.info.value, s.counts.value, (a) => s.edgesOf(a));

		return kind === "csv" ? csv(rows) : JSON.stringify(rows, null, "\t");
	}
}

/** One attribute: numbers along an axis, or names as bars. */
class Histogram extends PartsView {
	private readonly numbers = new HistogramPart();
	private readonly names = new NamesPart();

	protected override start(): void {
		super.start();
		this.listen("wheel", (e) => {
			e.preventDefault();
			this.names.wheel(e.deltaY);
			this.redraw();
		});
	}

	protected place(w: number, h: number): [Part, Box][] {
		const c = s.info.value?.columns[s.along.value];
		const names = !!c && isNames(c);

		return [
			[
				names ? this.names : this.numbers,
				{ x: names ? 14 : 0, y: 6, w: w - 14, h: h - 10 },
			],
		];
	}

	exportText(kind: "csv" | "json"): string {
		const rows = s.windows.value
			? s.windows.value.map((w) => ({
					from: w.from,
					to: w.to,
					samples: w.samples,
					cycles: w.cycles,
					latency: w.latency ?? "",
					imbalance: w.imbalance ?? "",
				}))
			: axesCsv(s.info.value, s.oneAxis.value, (a) => s.edgesOf(a));

		return kind === "csv" ? csv(rows) : JSON.stringify(rows, null, "\t");
	}
}

export const overviewView: ViewKind = {
	id: "samples",
	title: "Samples",
	description: "Samples on the hardware, in the code and along their attributes",
	tables: true,
	create: () => new Overview(),
};

export const topologyView: ViewKind = {
	id: "topology",
	title: "Topology",
	description: "Samples, cycles and transactions on the resources of the hardware",
	when: () => s.info.value?.tables.includes("hardware") ?? true,
	tables: true,
	create: () => new Topology(),
};

export const parallelView: ViewKind = {
	id: "parallel",
	title: "Parallel coordinates",
	description: "All attributes of samples and how their values go together",
	tables: true,
	create: () => new Parallel(),
};

export const codeView: ViewKind = {
	id: "code",
	title: "Code and data",
	description:
		"Lines, functions and data objects that waited for memory, with the source",
	tables: true,
	create: () => new Code(),
};

export const histogramView: ViewKind = {
	id: "histogram",
	title: "Histogram",
	description: "One attribute, with metrics in windows along it and clusters of windows",
	tables: true,
	create: () => new Histogram(),
};
