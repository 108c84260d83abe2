// The commands of a trace, for keys and the search.
import { options, overlay, view } from "../../state/store";
import type { Command } from "../kind";
import { step, toggle } from "./state/playback";
import { jumpToWorst } from "./state/costs";
import { stepDisagreement } from "./state/disagreements";
import { compare } from "./state/load";
import {
	chosenWindow,
	direction,
	length,
	loop,
	playing,
	range,
	select,
	setCursor,
	setWindow,
	shownWindow,
} from "./state/store";
import { faster, pan, zoom } from "./state/window";

export const commands: Command[] = [
	{
		title: "Play or pause",
		keys: ["Space"],
		group: "Playback",
		run: () => toggle(playing.value ? direction.value : 1),
	},
	{
		title: "Play backwards",
		keys: ["Shift+Space"],
		group: "Playback",
		run: () => toggle(-1),
	},
	{
		title: "Next reference",
		keys: ["ArrowRight"],
		group: "Playback",
		run: () => void step(1, "reference"),
	},
	{
		title: "Previous reference",
		keys: ["ArrowLeft"],
		group: "Playback",
		run: () => void step(-1, "reference"),
	},
	{
		title: "Next line of code",
		keys: ["Shift+ArrowRight"],
		group: "Playback",
		run: () => void step(1, "line"),
	},
	{
		title: "Previous line of code",
		keys: ["Shift+ArrowLeft"],
		group: "Playback",
		run: () => void step(-1, "line"),
	},
	{ title: "Next miss", keys: ["n"], group: "Playback", run: () => void step(1, "miss") },
	{
		title: "Previous miss",
		keys: ["p"],
		group: "Playback",
		run: () => void step(-1, "miss"),
	},
	{
		title: "Next first touch",
		keys: ["f"],
		group: "Playback",
		run: () => void step(1, "first"),
	},
	{
		title: "Previous first touch",
		keys: ["Shift+f"],
		group: "Playback",
		run: () => void step(-1, "first"),
	},
	{
		title: "Next change of region",
		keys: ["r"],
		group: "Playback",
		run: () => void step(1, "region"),
	},
	{
		title: "Previous change of region",
		keys: ["Shift+r"],
		group: "Playback",
		run: () => void step(-1, "region"),
	},
	{
		title: "Next reference of the selection",
		keys: ["."],
		group: "Playback",
		run: () => void step(1, "selection"),
	},
	{
		title: "Previous reference of the selection",
		keys: [","],
		group: "Playback",
		run: () => void step(-1, "selection"),
	},
	{
		title: "Next phase",
		keys: ["Ctrl+ArrowRight"],
		group: "Playback",
		run: () => void step(1, "phase"),
	},
	{
		title: "Previous phase",
		keys: ["Ctrl+ArrowLeft"],
		group: "Playback",
		run: () => void step(-1, "phase"),
	},
	{
		title: "Next difference from the compared machine",
		keys: ["o"],
		group: "Playback",
		run: () => void stepDisagreement(1),
	},
	{
		title: "Previous difference from the compared machine",
		keys: ["Shift+o"],
		group: "Playback",
		run: () => void stepDisagreement(-1),
	},
	{
		title: "Go to the beginning",
		keys: ["Home"],
		group: "Playback",
		run: () => setCursor(shownWindow.value.from),
	},
	{
		title: "Go to the end",
		keys: ["End"],
		group: "Playback",
		run: () => setCursor(shownWindow.value.to - 1),
	},
	{ title: "Faster", keys: ["]"], group: "Playback", run: () => faster(1) },
	{ title: "Slower", keys: ["["], group: "Playback", run: () => faster(-1) },
	{
		title: "Loop the window",
		keys: ["l"],
		group: "Playback",
		run: () => (loop.value = !loop.value),
	},
	{ title: "Zoom in", keys: ["w", "+", "="], group: "Window", run: () => zoom(1 / 1.5) },
	{ title: "Zoom out", keys: ["s", "-"], group: "Window", run: () => zoom(1.5) },
	{ title: "Earlier", keys: ["a"], group: "Window", run: () => pan(-0.2) },
	{ title: "Later", keys: ["d"], group: "Window", run: () => pan(0.2) },
	{
		title: "Show the whole run",
		keys: ["0"],
		group: "Window",
		run: () => setWindow(null),
	},
	{
		title: "Select nothing",
		keys: ["Escape"],
		group: "Selection",
		run: () => {
			if (range.value) range.value = null;
			else select({});
		},
	},
	{
		title: "Next of the worst lines",
		keys: ["g"],
		group: "Selection",
		run: () => jumpToWorst(1),
	},
	{
		title: "Previous of the worst lines",
		keys: ["Shift+g"],
		group: "Selection",
		run: () => jumpToWorst(-1),
	},
	{
		title: "Select reads",
		keys: [],
		group: "Selection",
		run: () => select({ kind: "read" }),
	},
	{
		title: "Select writes",
		keys: [],
		group: "Selection",
		run: () => select({ kind: "write" }),
	},
	{
		title: "Change the machine",
		keys: ["m"],
		group: "Page",
		run: () => (overlay.value = "machine"),
	},
	{
		title: "Stop comparing machines",
		keys: [],
		group: "Page",
		run: () => void compare(""),
	},
	{
		title: "Start over with this trace",
		keys: [],
		group: "Page",
		run: () => {
			select({});
			chosenWindow.value = null;
			range.value = null;
			options.value = {};
			if (length.value) setCursor(0);
			view.value = "overview";
		},
	},
];
