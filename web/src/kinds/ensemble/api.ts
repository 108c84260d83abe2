// The routes about ensembles (docs/api.md), typed.
import { columns, json, times } from "../../api";
import type { Params, Window } from "../../model/types";
import {
	curveParams,
	type CurveQuery,
	type Ensemble,
	type EnsembleFigure,
	type Matching,
	type Ranking,
} from "./model/ensemble";

export const api = {
	ensemble: (n: number, s?: AbortSignal) => json<Ensemble>(`ensembles/${n}`, {}, s),
	matching: (n: number, q: CurveQuery, s?: AbortSignal) =>
		json<Matching>(`ensembles/${n}/matching`, curveParams(q), s),
	/** A plot: axes, marks and numbers. */
	figure: async (
		n: number,
		q: CurveQuery,
		members: number[],
		w: Window,
		more: Params,
		s?: AbortSignal,
	): Promise<EnsembleFigure> => {
		const params = {
			...curveParams(q),
			members: members.join(","),
			...times(w),
			...more,
		};
		const { header, column } = await columns(`ensembles/${n}/figure`, params, s);
		return { ...header, column } as unknown as EnsembleFigure;
	},
	ranking: (n: number, q: CurveQuery, w?: Window, s?: AbortSignal) =>
		json<Ranking>(`ensembles/${n}/table`, { ...curveParams(q), ...times(w) }, s),
};
