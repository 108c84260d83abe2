// The trace kind: the references of one program, and simulations of it (files .mlt).
import { overlay } from "../../state/store";
import { documentsOf } from "../documents";
import type { DocumentKind } from "../kind";
import { commands } from "./commands";
import { help } from "./help";
import { traceLink } from "./link";
import { Details } from "./panels/details";
import { Dock } from "./panels/dock";
import { MachineEditor } from "./panels/machine";
import { Machines } from "./panels/machines";
import { Movie } from "./panels/movie";
import { Source } from "./panels/source";
import { searchItems, searchText } from "./search";
import { startClock } from "./state/playback";
import { startFollowing } from "./state/follow";
import { startSpeed } from "./state/window";
import { followCursor } from "./state/currentReference";
import { followRegionOrder } from "./state/regionOrder";
import { begin, reconnect, showTrace, simChanged } from "./state/load";
import * as state from "./state/store";
import type { Sim } from "./model/types";
import { views } from "./views";
import "./panels/dock.css";
import "./views.css";

export const traceKind: DocumentKind = {
	id: state.KIND,
	title: "trace",
	views,
	start() {
		startClock();
		startSpeed();
		followCursor();
		followRegionOrder();
		startFollowing();
	},
	begin,
	reconnect,
	events: { sim: (data) => simChanged(data as Sim) },
	shown: () =>
		documentsOf(state.KIND).find((d) => d.number === state.trace.value?.trace) ?? null,
	show: showTrace,
	link: traceLink,
	commands,
	searchItems,
	searchText,
	Left: Source,
	Side: Details,
	Bottom: Dock,
	Top: Machines,
	buttons: (v) =>
		v.plays
			? [
					{
						label: "Movie…",
						title: "save a movie of the window",
						run: () => (overlay.value = "movie"),
					},
				]
			: [],
	overlays: { machine: MachineEditor, movie: Movie },
	help,
	state,
};
