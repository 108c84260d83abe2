// The routes about search spaces (docs/api.md), typed.
import { columns, json, request } from "../../api";
import type { Sunburst } from "./model/rings";
import {
	printWhere,
	type Distribution,
	type Space,
	type Tuned,
	type Value,
	type Variant,
	type Variants,
	type Where,
} from "./model/space";

interface Row {
	fails: string[];
	distance?: number;
	[parameter: string]: Value | string[] | undefined;
}

function variant({ fails, distance, ...values }: Row): Variant {
	return { values: values as Record<string, Value>, fails, distance };
}

export const api = {
	space: (n: number, order: string[] | null, s?: AbortSignal) =>
		json<Space>(`prunes/${n}`, { order: order?.join(",") }, s),
	sunburst: async (
		n: number,
		rings: string[],
		inside: Where,
		cells: number,
		machine: number,
		s?: AbortSignal,
	): Promise<Sunburst> => {
		const { header: h, column: c } = await columns(
			`prunes/${n}/sunburst`,
			{ order: rings.join(","), where: printWhere(inside), cells, machine },
			s,
		);
		return {
			rings,
			inside,
			total: h["total"] as number,
			all: h["all"] as number,
			survivors: h["survivors"] as number,
			ring: c["ring"] as Uint8Array,
			want: c["want"] as Uint32Array,
			joined: c["joined"] as Uint32Array,
			from: c["from"] as Float64Array,
			count: c["count"] as Float64Array,
			failed: c["failed"] as Float64Array,
			best: c["best"] as Float64Array,
		};
	},
	combinations: (n: number, top: number, s?: AbortSignal) =>
		json<{ combinations: number; rows: { mask: number; count: number }[] }>(
			`prunes/${n}/combinations`,
			{ top },
			s,
		),
	variants: async (
		n: number,
		where: string,
		offset: number,
		count: number,
		s?: AbortSignal,
	): Promise<Variants> => {
		const a = await json<{ total: number; rows: Row[] }>(
			`prunes/${n}/variants`,
			{ where, offset, count },
			s,
		);
		return { total: a.total, rows: a.rows.map(variant) };
	},
	nearest: async (n: number, count: number, s?: AbortSignal): Promise<Variant[]> =>
		(await json<{ rows: Row[] }>(`prunes/${n}/nearest`, { count }, s)).rows.map(variant),
	distributions: (n: number, where: string, bins: number, s?: AbortSignal) =>
		json<{ total: number; parameters: Distribution[] }>(
			`prunes/${n}/distributions`,
			{ where, bins },
			s,
		),
	tuned: (n: number, machine: number, s?: AbortSignal) =>
		json<Tuned>(`prunes/${n}/tuned`, { machine, top: 50 }, s),
	/** A table as the text of a CSV file. */
	table: async (n: number, table: string, where: string) =>
		(await request("GET", `prunes/${n}/export`, { table, where })).text(),
	cancel: (n: number) => request("DELETE", `prunes/${n}`),
};
