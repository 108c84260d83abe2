// Starts the page.
import { effect } from "@preact/signals";
import { render } from "preact";
import { listenKeys } from "./shell/keys";
import { Shell } from "./shell/shell";
import { mounted } from "./shell/stage";
import { startClock } from "./kinds/trace/state/clock";
import * as ensemble from "./kinds/ensemble/state";
import { followCursor } from "./kinds/trace/state/current";
import { followLink } from "./state/link";
import { begin } from "./kinds/trace/state/load";
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
