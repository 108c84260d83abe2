// The views of the page, in the order of their tabs. Adding one is one file and one line.
import { cacheView } from "./cache";
import { ensembleView } from "./ensemble";
import { eventMap } from "./eventmap";
import { overview } from "./overview";
import { planeView } from "./plane";
import { regionsView } from "./regions";
import { ringsView } from "./rings";
import { ringsDiffView } from "./ringsDiff";
import { spaceView } from "./space";
import { open, trace } from "../state/store";
import type { ViewKind } from "./view";

export const views: ViewKind[] = [
	ensembleView,
	overview,
	regionsView,
	cacheView,
	ringsView,
	ringsDiffView,
	eventMap,
	planeView,
	spaceView,
];

/** Those that have something to show. */
export function shownViews(): ViewKind[] {
	return views.filter((v) => v.when?.() ?? true);
}

/** Why a view that is listed cannot be opened, or "". */
export function lacking(v: ViewKind): string {
	return !v.wide && open.value && !trace.value && !open.value.traces.length
		? "no trace is open: those of the ensemble are not where they were"
		: "";
}
