// The routes about flows (docs/api.md), typed.
import { columns, json, request } from "../../api";
import type { Columns } from "../../model/columns";
import type { Params } from "../../model/types";
import type { Cells, Elements, Legality, Local, Step } from "./model/local";
import type { FlowNode, ListingLine, Metrics, Program } from "./model/program";

/** A count of /graph. */
export interface Count {
	formula: string | null;
	value?: number;
	bounded?: boolean;
}
export interface Formulas {
	runs: Count;
	edges: { container: number; read?: Count; written?: Count }[];
}

export interface Curve {
	value: Float64Array;
	runs: Float64Array;
	operations: Float64Array;
	bytes: Float64Array;
	footprint: Float64Array;
	cold: Float64Array; // NaN: not simulated
	misses: Float64Array;
}

interface Part {
	container: number;
	elements: number;
	first: number;
	cells: number;
	low: number;
}

function cells(c: Columns): Cells {
	const parts = c.header["parts"] as Part[];

	return new Map(parts.map((p) => [p.container, p]));
}

export const api = {
	program: (n: number, p: Params, s?: AbortSignal) => json<Program>(`flows/${n}`, p, s),
	nodes: async (n: number, p: Params, s?: AbortSignal) =>
		(await json<{ nodes: FlowNode[] }>(`flows/${n}/nodes`, p, s)).nodes,
	metrics: async (n: number, p: Params, s?: AbortSignal): Promise<Metrics> => {
		const { header, column: c } = await columns(`flows/${n}/metrics`, p, s);
		const real = (name: string) => c[name] as Float64Array;

		return {
			runs: real("runs"),
			operations: real("operations"),
			bytes: real("bytes"),
			footprint: real("footprint"),
			cold: real("cold"),
			misses: real("misses"),
			node: c["node"] as Uint32Array,
			container: c["container"] as Uint32Array,
			how: c["how"] as Uint8Array,
			read: real("read"),
			written: real("written"),
			edgeFootprint: real("edge_footprint"),
			edgeCold: real("edge_cold"),
			edgeMisses: real("edge_misses"),
			unsimulated: header["unsimulated"] as string | undefined,
		};
	},
	/** Formulas of one node. */
	formulas: async (n: number, p: Params, s?: AbortSignal): Promise<Formulas> => {
		const a = await json<{
			nodes: { runs: Count }[];
			edges: Formulas["edges"];
		}>(`flows/${n}/graph`, { ...p, depth: 0 }, s);

		return { runs: a.nodes[0]!.runs, edges: a.edges };
	},
	curve: async (n: number, p: Params, s?: AbortSignal): Promise<Curve> =>
		(await columns(`flows/${n}/curve`, p, s)).column as unknown as Curve,
	suggest: (n: number, p: Params, s?: AbortSignal) =>
		json<{ factor: number; set: Record<string, number> }>(`flows/${n}/suggest`, p, s),
	listing: async (n: number, p: Params, s?: AbortSignal) =>
		(await json<{ listing: ListingLine[] }>(`flows/${n}/listing`, p, s)).listing,
	source: async (n: number, p: Params, s?: AbortSignal) =>
		(await request("GET", `flows/${n}/source`, p, s)).text(),
	local: (n: number, p: Params, s?: AbortSignal) => json<Local>(`flows/${n}/local`, p, s),
	elements: async (n: number, p: Params, s?: AbortSignal): Promise<Elements> => {
		const a = await columns(`flows/${n}/elements`, p, s);
		const words = (name: string) => a.column[name] as Uint32Array;

		return {
			cells: cells(a),
			count: words("count"),
			cold: words("cold"),
			misses: words("misses"),
			min: words("min"),
			median: words("median"),
			max: words("max"),
			missed: a.column["missed"] as Uint32Array | undefined,
			memory: a.column["memory"] as Uint32Array | undefined,
		};
	},
	related: async (n: number, p: Params, s?: AbortSignal) => {
		const a = await columns(`flows/${n}/related`, p, s);

		return { cells: cells(a), count: a.column["count"] as Uint32Array };
	},
	step: (n: number, p: Params, s?: AbortSignal) => json<Step>(`flows/${n}/step`, p, s),
	legality: (n: number, p: Params, s?: AbortSignal) =>
		json<Legality>(`flows/${n}/legality`, p, s),
	distances: (n: number, p: Params, s?: AbortSignal) =>
		json<{ accesses: number; cold: number; distances: [number, number][] }>(
			`flows/${n}/distances`,
			p,
			s,
		),
};
