// The flow kind: data movement of C functions and .sdfg files that are not run.
import { documentsOf } from "../documents";
import type { DocumentKind } from "../kind";
import { commands } from "./commands";
import { FlowBar } from "./panels/bar";
import { FlowLeft } from "./panels/left";
import { FlowSide } from "./panels/side";
import { searchItems } from "./search";
import * as local from "./state/local";
import * as state from "./state/store";
import { globalView } from "./views/global";
import { localView } from "./views/local";
import "./panels/flow.css";

export const flowKind: DocumentKind = {
	id: state.KIND,
	title: "program",
	views: [globalView, localView],
	start: local.startPlayback,
	// Its answers follow the store: nothing has to be asked for.
	begin: () => Promise.resolve(),
	shown: () =>
		documentsOf(state.KIND).find((d) => d.number === state.number.value) ?? null,
	show(number, place) {
		state.choose({
			of: String(number),
			...(place?.func ? { function: place.func } : {}),
		});
		return Promise.resolve(true);
	},
	link: local.link,
	commands,
	searchItems,
	Left: FlowLeft,
	Side: FlowSide,
	Bar: FlowBar,
	help: {
		intro:
			"A program that is not run. Data movement shows what it moves, by formulas of its sizes: containers, loops and computations, with heat on edges and nodes. Elements shows a part of it at small sizes: every element, its accesses, its cache line, its stack distances and misses.",
		gestures: {
			title: "On a program",
			rows: [
				["Pan, zoom", "drag, wheel; also in the small map"],
				["Fold or unfold a scope", "double click, or its sign"],
				["Select a scope, container or movement", "click"],
				["Choose an element: what is accessed with it", "click; shift click adds"],
				["See the cache line of an element", "point"],
			],
		},
		colours: (p) => [
			["read now", p.read],
			["written now", p.write],
			["the steps before", p.cursor],
		],
	},
	state: { ...state, local },
};
