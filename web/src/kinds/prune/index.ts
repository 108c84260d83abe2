// The prune kind: search spaces and their constraints (descriptions, tables of combinations).
import { documentsOf } from "../documents";
import type { DocumentKind } from "../kind";
import { commands } from "./commands";
import type { Progress } from "./model/space";
import { PruneSide } from "./panels/side";
import { searchItems } from "./search";
import * as state from "./state";
import { overlapView } from "./views/overlap";
import { parametersView } from "./views/parameters";
import { pruneColours } from "./views/scene";
import { sunburstView } from "./views/sunburst";
import "./panels/prune.css";

export const pruneKind: DocumentKind = {
	id: state.KIND,
	title: "search space",
	views: [sunburstView, overlapView, parametersView],
	// Its answers follow the store: nothing has to be started.
	begin: () => Promise.resolve(),
	events: {
		prune: (data) => {
			const p = data as Progress;

			state.progress.value = { ...state.progress.value, [p.prune]: p };
		},
	},
	shown: () =>
		documentsOf(state.KIND).find((d) => d.number === state.number.value) ?? null,
	show(number) {
		state.choose({ of: String(number) });
		return Promise.resolve(true);
	},
	commands,
	searchItems,
	Side: PruneSide,
	help: {
		intro:
			"A search space: its constraints eliminate variants, and overlap. All variants are at the centre; each ring divides the one inside it by a constraint, what passes first, clockwise from 12 o'clock.",
		gestures: {
			title: "On a search space",
			rows: [
				["Read a sector", "point"],
				["List its variants", "click"],
				["Zoom into it", "double click"],
				["Zoom out", "click the centre"],
				["Move a ring, show or hide a constraint", "drag it in the lists"],
			],
		},
		colours: (p) => {
			const c = pruneColours(p);

			return [
				["all variants", c.all],
				["passes", c.pass],
				["fails a hard constraint", c.hard],
				["fails a soft constraint", c.soft],
			];
		},
	},
	state,
};
