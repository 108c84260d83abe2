// The views of a trace, in the order of their tabs. Adding one is one file and one line.
import type { ViewKind } from "../../views/view";
import { cyclesView } from "./cycles/cycles";
import { cacheView } from "./regions/cache";
import { planeView } from "./regions/plane";
import { regionsView } from "./regions/regions";
import { spaceView } from "./regions/space";
import { ringsDiffView } from "./rings/diff";
import { ringsView } from "./rings/rings";
import { eventMap } from "./timeline/eventMap";
import { overview } from "./timeline/overview";

export const views: ViewKind[] = [
	overview,
	regionsView,
	cacheView,
	ringsView,
	ringsDiffView,
	eventMap,
	planeView,
	spaceView,
	cyclesView,
];
