// Items of an ensemble for the search: plots, measures, parameters, members.
import { view } from "../../state/store";
import type { SearchItem } from "../kind";
import * as s from "./state";

export function searchItems(): SearchItem[] {
	const e = s.ensemble.value;
	const item = (title: string, side: string, run: () => void): SearchItem => ({
		kind: "ensemble",
		title,
		side,
		run: () => {
			view.value = s.VIEW;
			run();
		},
	});

	if (!e) return [];
	return [
		...e.plots.map(({ id, title, help }) => item(title, help, () => s.choosePlot(id))),
		...e.measures.map((m) =>
			item(m.label, s.axisOfMeasure(m), () => s.choose({ measure: m.id })),
		),
		...e.parameters.map((p) =>
			item(`colour by ${p.name}`, `${p.values.length} values`, () =>
				s.choose({ colour: p.name }),
			),
		),
		...e.members.map((m) =>
			item(m.label, m.machine, () => s.choose({ pin: String(m.member) })),
		),
	];
}
