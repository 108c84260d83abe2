// Starts the page.
import { effect } from "@preact/signals";
import { render } from "preact";
import { listenKeys } from "./panels/keys";
import { Shell } from "./panels/shell";
import { mounted } from "./panels/stage";
import { startClock } from "./state/clock";
import * as ensemble from "./state/ensemble";
import { followCursor } from "./state/current";
import { followLink } from "./state/link";
import { begin } from "./state/load";
import * as store from "./state/store";
import { followTheme } from "./state/theme";

followTheme();
const link = followLink();
render(<Shell />, document.body);
listenKeys();
startClock();
followCursor();
effect(() => {
	const name = (ensemble.active.value ? ensemble.ensemble : store.trace).value?.name;
	document.title = name ? `${name} – memlamp` : "memlamp";
});
void begin(link);

// For tests and for people with a console: the store, and the view that is mounted.
Object.assign(globalThis, { memlamp: { store, mounted, ensemble } });
