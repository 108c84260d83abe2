// The samples kind: what the hardware measured about single memory accesses.
import { documentsOf } from "../documents";
import type { DocumentKind } from "../kind";
import { commands } from "./commands";
import { ColumnsDialog } from "./panels/columns";
import { searchItems, searchText } from "./search";
import * as state from "./state";
import { besideView } from "./views/beside";
import { sampleColours } from "./views/colours";
import { compareView } from "./views/compare";
import { SamplesBar } from "./panels/bar";
import { SamplesSide } from "./panels/side";
import {
	codeView,
	histogramView,
	overviewView,
	parallelView,
	topologyView,
} from "./views/index";
import "./panels/samples.css";

export const samplesKind: DocumentKind = {
	id: state.KIND,
	title: "sample file",
	views: [
		overviewView,
		topologyView,
		parallelView,
		histogramView,
		codeView,
		compareView,
		besideView,
	],
	start: state.start,
	begin: () => Promise.resolve(),
	shown: () =>
		documentsOf(state.KIND).find((d) => d.number === state.number.value) ?? null,
	show(number, place) {
		state.choose({ of: String(number) });
		if (place) state.goTo(place);
		return Promise.resolve(true);
	},
	commands,
	searchItems,
	searchText,
	overlays: { "samples.columns": ColumnsDialog },
	Bar: SamplesBar,
	Side: SamplesSide,
	help: {
		intro:
			"Samples are single memory accesses that the machine measured: who asked, from which line, for which data, which level served, and after how many cycles. Point at anything to see its samples everywhere; click or drag to select them.",
		gestures: {
			title: "On samples",
			rows: [
				["See the samples of a bin, bar or resource everywhere", "point"],
				["Select them", "click"],
				["Select a range of an axis", "drag along it"],
				["Add to the selection", "Shift and click or drag"],
				["Exclusive or", "Alt and click or drag"],
				["Begin a new selection", "Ctrl and click or drag"],
				["Move an axis", "drag its name"],
				["Remove an axis", "× or double click"],
				["Anything by words: L1 miss, line with latency, hide time", "/"],
			],
		},
		colours: (p) => {
			const c = sampleColours(p);

			return [
				["selected samples", c.selected],
				["samples under the pointer", c.hover],
				["samples that are not selected", c.rest],
				["a resource with few cycles", c.heat[0]!],
				["a resource with many", c.heat.at(-1)!],
				["a resource without samples", c.none],
			];
		},
	},
	state,
};
