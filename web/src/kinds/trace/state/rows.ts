// Rows of the arrays whose types do not tell them, from the strides of the run.
import { computed } from "@preact/signals";
import { latest } from "../../../state/latest";
import { api } from "../api";
import { rowOfStrides } from "../model/rowLength";
import { WORD, extentOf } from "../model/shape";
import type { Region } from "../model/types";
import { byWeight, drawable } from "../model/usualRegions";
import { weight } from "./findings";
import { ready, regions } from "./store";

const MAX = 12; // regions that are asked about: those that matter

function unknownRow(r: Region): boolean {
	return drawable(r) && r.dims.length < 2 && r.fields.length < 2;
}

const asked = computed(() =>
	regions.value.filter(unknownRow).sort(byWeight(weight.value)).slice(0, MAX),
);

const answer = latest<Map<number, number>>(
	() => {
		const [s, list] = [ready.value, asked.value];

		if (!s || !list.length) return null;
		return async (abort) =>
			new Map(
				await Promise.all(
					list.map(async (r): Promise<[number, number]> => {
						const strides = await api.strides(s.sim, r.region, abort);
						return [r.region, rowOfStrides(strides, r.elem || WORD, extentOf(r))];
					}),
				),
			);
	},
	0,
	true,
);

/** Bytes of a row of a region, as far as strides tell; 0: unknown. */
export function rowBytes(n: number): number {
	return answer.value.value?.get(n) ?? 0;
}
