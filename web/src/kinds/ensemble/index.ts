// The ensemble kind: many simulations side by side (files .mle).
import { documentsOf } from "../documents";
import type { DocumentKind } from "../kind";
import { commands } from "./commands";
import { EnsembleBar } from "./panels/bar";
import { EnsembleSide } from "./panels/side";
import { searchItems } from "./search";
import * as state from "./state";
import { ensembleView } from "./view/ensembleView";
import "./panels/ensemble.css";

export const ensembleKind: DocumentKind = {
	id: state.KIND,
	title: "ensemble",
	views: [ensembleView],
	leadsTo: ["trace"],
	// Its answers follow the store: nothing has to be started.
	begin: () => Promise.resolve(),
	shown: () =>
		documentsOf(state.KIND).find((d) => d.number === state.number.value) ?? null,
	show(number) {
		state.choose({ of: String(number) });
		return Promise.resolve(true);
	},
	commands,
	searchItems,
	Bar: EnsembleBar,
	Side: EnsembleSide,
	help: {
		gestures: {
			title: "On an ensemble",
			rows: [
				["Read a member", "point"],
				["Select a member, set the moment", "click"],
				["Choose a window", "drag, shift drag"],
				["Zoom", "wheel"],
				["Window on the whole run", "strip below"],
				["Hide a value", "click it in the legend"],
				["Show only this value", "shift click"],
			],
		},
	},
	state,
};
