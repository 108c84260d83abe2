// The views of the page, in the order of their tabs. Adding one is one file and one line.
import { cacheView } from "./cache";
import { eventMap } from "./eventmap";
import { overview } from "./overview";
import { planeView } from "./plane";
import { regionsView } from "./regions";
import { ringsView } from "./rings";
import { spaceView } from "./space";
import type { ViewKind } from "./view";

export const views: ViewKind[] = [
	overview,
	regionsView,
	cacheView,
	ringsView,
	eventMap,
	planeView,
	spaceView,
];
