// The routes about ensembles (docs/api.md), typed.
import { columns, json, times } from "../../api";
import type { Figure } from "../../model/figure";
import type { Window } from "../../model/types";
import {
	curveParams,
	type Curves,
	type CurveQuery,
	type Ensemble,
	type Matching,
	type Ranking,
	type SharedCache,
	type WorkingSet,
} from "./model/ensemble";

/** How an answer about an ensemble cuts common time into cells. */
function commonSpan(header: Record<string, unknown>) {
	const { from, to, end, cells, unit } = header as unknown as Curves;

	return { from, to, end, cells, unit: unit ?? "" };
}

export const api = {
	ensemble: (n: number, s?: AbortSignal) => json<Ensemble>(`ensembles/${n}`, {}, s),
	matching: (n: number, q: CurveQuery, s?: AbortSignal) =>
		json<Matching>(`ensembles/${n}/matching`, curveParams(q), s),
	curves: async (
		n: number,
		q: CurveQuery,
		members: number[],
		w: Window,
		cells: number,
		s?: AbortSignal,
	): Promise<Curves> => {
		const params = { ...curveParams(q), members: members.join(","), ...times(w), cells };
		const { header: h, column: c } = await columns(`ensembles/${n}/curves`, params, s);
		return {
			...commonSpan(h),
			members,
			mean: c["mean"] as Float32Array,
			low: c["low"] as Float32Array,
			high: c["high"] as Float32Array,
			deviation: c["deviation"] as Float32Array,
			average: c["average"] as Float32Array,
			spread: c["spread"] as Float32Array,
		};
	},
	/** A parameter, or two, against the result. */
	figure: async (
		n: number,
		q: CurveQuery,
		members: number[],
		w: Window,
		more: { plot: string; x?: string; y?: string; colour?: string; height: number },
		s?: AbortSignal,
	): Promise<Figure> => {
		const params = {
			...curveParams(q),
			members: members.join(","),
			...times(w),
			...more,
		};
		const { header, column } = await columns(`ensembles/${n}/figure`, params, s);
		return { ...header, ...column } as unknown as Figure;
	},
	ranking: (n: number, q: CurveQuery, w?: Window, s?: AbortSignal) =>
		json<Ranking>(`ensembles/${n}/table`, { ...curveParams(q), ...times(w) }, s),
	workingSet: async (
		n: number,
		q: CurveQuery,
		members: number[],
		more: { size: string; tolerance: number; cells: number } & Window,
		s?: AbortSignal,
	): Promise<WorkingSet> => {
		const { header: h, column: c } = await columns(
			`ensembles/${n}/workingset`,
			{ ...curveParams(q), members: members.join(","), ...more },
			s,
		);
		return { ...commonSpan(h), bytes: c["bytes"] as Float32Array };
	},
	/** Ways in which threads can share a cache. */
	sharedCache: async (
		n: number,
		q: CurveQuery,
		members: number[],
		more: {
			size: string;
			threads: number;
			total?: number;
			shift?: number;
			cells: number;
		} & Window,
		s?: AbortSignal,
	): Promise<SharedCache> => {
		const { header: h, column: c } = await columns(
			`ensembles/${n}/shared`,
			{ ...curveParams(q), members: members.join(","), ...more },
			s,
		);
		return {
			...commonSpan(h),
			ways: h["ways"] as number,
			threads: h["threads"] as number,
			total: h["total"] as number,
			shift: h["shift"] as number,
			mean: c["mean"] as Float32Array,
			low: c["low"] as Float32Array,
			high: c["high"] as Float32Array,
			member: c["member"] as Uint32Array,
			starved: c["starved"] as Uint32Array,
			value: c["value"] as Float32Array,
		};
	},
};
