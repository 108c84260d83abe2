// The views of the page, in the order of their tabs. Adding one is one file and one line.
import { cacheView } from "./trace/regions/cache";
import { ensembleView } from "./ensemble/view/view";
import { eventMap } from "./trace/timeline/eventMap";
import { overview } from "./trace/timeline/overview";
import { planeView } from "./trace/regions/plane";
import { regionsView } from "./trace/regions/regions";
import { ringsView } from "./trace/rings/rings";
import { ringsDiffView } from "./trace/rings/diff";
import { spaceView } from "./trace/regions/space";
import { open, trace } from "../state/store";
import type { ViewKind } from "../views/view";

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
