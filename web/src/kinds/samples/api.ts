// The routes about samples (docs/api.md), typed.
import { columns, json, request } from "../../api";
import type { Column, Columns } from "../../model/columns";
import type { Beside } from "./model/compare";
import type {
	Axes,
	AxisCounts,
	Cluster,
	Links,
	Offenders,
	Related,
	SamplesInfo,
	SourceText,
	Special,
	TierMetrics,
	Totals,
	Window,
} from "./model/table";
import type { TreeNode } from "./model/tree";

export interface NodeLoads {
	samples: Float64Array;
	timed: Float64Array;
	cycles: Float64Array;
	transactions: Float64Array;
}

export interface Loads extends NodeLoads {
	also: NodeLoads | null;
}

export interface Hardware {
	name: string;
	withoutCpu: number;
	nodes: TreeNode[];
}

/** The histograms and links of one selection out of the columns of an answer. */
function axisCounts(
	c: Record<string, Column>,
	bins: number[],
	samples: number,
	name: (plain: string) => string,
): AxisCounts {
	const all = c[name("histograms")] as Float64Array;
	const ends = c[name("ends")] as Uint32Array;
	const [n, left, right] = ["count", "left", "right"].map((x) => c[name(x)]!);
	const links: Links[] = [];
	let at = 0;

	const histograms = bins.map((b) => all.subarray(at, (at += b + 1)));
	ends.forEach((end, i) => {
		const from = i ? ends[i - 1]! : 0;

		links.push({
			count: (n as Float64Array).subarray(from, end),
			left: (left as Uint16Array).subarray(from, end),
			right: (right as Uint16Array).subarray(from, end),
		});
	});
	return { histograms, links, samples };
}

const plain = (name: string) => name;
const withAlso = (name: string) => `also${name[0]!.toUpperCase()}${name.slice(1)}`;

function nodeLoads(
	c: Record<string, Column>,
	name: (plain: string) => string,
): NodeLoads {
	return {
		samples: c[name("samples")] as Float64Array,
		timed: c[name("timed")] as Float64Array,
		cycles: c[name("cycles")] as Float64Array,
		transactions: c[name("transactions")] as Float64Array,
	};
}

/** Parameters without the empty ones. */
function given(p: Record<string, string | number | undefined>) {
	return Object.fromEntries(Object.entries(p).filter(([, v]) => v !== ""));
}

/** What parallel coordinates show: columns, bins, those whose bins grow, and selections. */
export interface AxesQuestion {
	number: number; // of the samples
	columns: number[];
	bins: number;
	log: number[];
	select: string;
	also: string;
}

async function askAxes(
	q: AxesQuestion,
	more: Record<string, number>,
	s?: AbortSignal,
): Promise<Columns & { bins: number[] }> {
	const { columns: list, bins, select, also, log } = q;
	const answer = await columns(
		`samples/${q.number}/axes`,
		given({
			columns: list.join(","),
			bins,
			select,
			also,
			log: log.join(","),
			...more,
		}),
		s,
	);

	return { ...answer, bins: answer.header["bins"] as number[] };
}

async function table<T>(
	n: number,
	name: string,
	params: Record<string, string | number | undefined>,
	s?: AbortSignal,
): Promise<T[]> {
	const a = await json<{ rows: T[] }>(
		`samples/${n}/table`,
		given({ table: name, ...params }),
		s,
	);

	return a.rows;
}

export const api = {
	info: (n: number, s?: AbortSignal) => json<SamplesInfo>(`samples/${n}`, {}, s),
	axes: async (q: AxesQuestion, s?: AbortSignal): Promise<Axes> => {
		const { header: h, column: c, bins } = await askAxes(q, {}, s);

		return {
			columns: q.columns,
			bins,
			rows: h["rows"] as number,
			selected: axisCounts(c, bins, h["selected"] as number, plain),
			also: c["alsoHistograms"]
				? axisCounts(c, bins, h["also"] as number, withAlso)
				: null,
		};
	},
	/*
	 * Counts of the pre-selection alone, with its strongest lines: those of the selection
	 * are there already.
	 */
	axesOver: async (
		q: AxesQuestion,
		lines: number,
		s?: AbortSignal,
	): Promise<Pick<Axes, "columns" | "bins"> & { also: AxisCounts }> => {
		const { header: h, column: c, bins } = await askAxes(q, { alone: 1, lines }, s);

		return {
			columns: q.columns,
			bins,
			also: axisCounts(c, bins, h["also"] as number, withAlso),
		};
	},
	edges: async (
		n: number,
		column: number,
		bins: number,
		log = false,
	): Promise<string[]> =>
		(
			await columns(
				`samples/${n}/histogram`,
				given({ column, bins, log: log ? column : "" }),
			)
		).header["edges"] as string[],
	hardware: (n: number, s?: AbortSignal) =>
		json<Hardware>(`samples/${n}/topology`, {}, s),
	loads: async (
		n: number,
		select: string,
		also: string,
		s?: AbortSignal,
	): Promise<Loads> => {
		const { column: c } = await columns(`samples/${n}/loads`, given({ select, also }), s);

		return {
			...nodeLoads(c, plain),
			also: c["alsoSamples"] ? nodeLoads(c, withAlso) : null,
		};
	},
	/** Loads of the pre-selection alone: those of the selection are there already. */
	loadsOver: async (
		n: number,
		select: string,
		also: string,
		s?: AbortSignal,
	): Promise<NodeLoads & { all: number }> => {
		const { header: h, column: c } = await columns(
			`samples/${n}/loads`,
			given({ select, also, alone: 1 }),
			s,
		);

		return { ...nodeLoads(c, withAlso), all: h["also"] as number };
	},
	offenders: (
		n: number,
		select: string,
		also: string,
		by: string,
		s?: AbortSignal,
		top?: number,
	) => json<Offenders>(`samples/${n}/offenders`, given({ select, also, by, top }), s),
	totals: (n: number, select: string, s?: AbortSignal) =>
		json<Totals>(`samples/${n}/select`, given({ select }), s),
	windows: (
		n: number,
		select: string,
		along: string,
		tier: string,
		windows: number,
		empty: string,
		s?: AbortSignal,
	) => table<Window>(n, "windows", { select, along, tier, windows, empty }, s),
	clusters: (
		n: number,
		select: string,
		along: string,
		tier: string,
		metric: string,
		clusters: number,
		width: string,
		step: string,
		empty: string,
		s?: AbortSignal,
	) =>
		table<Cluster>(
			n,
			"clusters",
			{ select, along, tier, metric, clusters, width, step, empty },
			s,
		),
	metrics: (n: number, select: string, empty: string, s?: AbortSignal) =>
		table<TierMetrics>(n, "metrics", { select, empty }, s),
	special: (n: number, select: string, s?: AbortSignal) =>
		table<Special>(n, "special", { select, top: 12 }, s),
	related: (n: number, select: string, s?: AbortSignal) =>
		table<Related>(n, "related", { select, top: 40 }, s),
	beside: (n: number, select: string, trace: number, s?: AbortSignal) =>
		json<Beside>(`samples/${n}/beside`, given({ select, trace, top: 200 }), s),
	source: (n: number, file: string, s?: AbortSignal) =>
		json<SourceText>(`samples/${n}/source`, { file }, s),
	/** Reads the file again with other columns. */
	read: async (n: number, mapped: string, l1: number): Promise<SamplesInfo> =>
		(
			await request("POST", `samples/${n}/read`, { columns: mapped, l1 })
		).json() as Promise<SamplesInfo>,
};
