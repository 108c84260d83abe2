// What a key or the command search can do, whatever is open.
import { step, toggle } from "../kinds/trace/state/clock";
import { jumpToWorst } from "../kinds/trace/state/costs";
import * as ensemble from "../kinds/ensemble/state";
import { stepDiffer } from "../kinds/trace/state/disagreements";
import { redo, select, undo } from "../state/history";
import { compare } from "../kinds/trace/state/load";
import {
	chosenWindow,
	cursor,
	length,
	loop,
	options,
	overlay,
	setCursor,
	setWindow,
	shownWindow,
	speed,
	view,
} from "../state/store";
import { toggleTheme } from "../state/theme";

export interface Command {
	title: string;
	keys: string[]; // as key() in panels/keys.ts names them; the first is shown
	group: "Playback" | "Window" | "Selection" | "Ensemble" | "Page";
	run(): void;
}

/** Moves the window by a share of its width. */
export function pan(share: number): void {
	if (ensemble.active.value) return ensemble.panFocus(share);
	const w = shownWindow.value;
	const by = (w.to - w.from) * share;

	setWindow({ from: w.from + by, to: w.to + by });
}

const LEAST = 16; // references in a window

/** Zooms by a factor around a moment, which keeps its place. */
export function zoom(factor: number, around = cursor.value): void {
	if (ensemble.active.value) return ensemble.zoomFocus(factor);
	const w = shownWindow.value;
	// Clamped here: setWindow would keep the beginning and so move the moment away.
	const width = Math.max((w.to - w.from) * factor, Math.min(LEAST, length.value));
	const middle = around >= w.from && around <= w.to ? around : (w.from + w.to) / 2;
	const share = (middle - w.from) / Math.max(1, w.to - w.from);

	setWindow({ from: middle - share * width, to: middle + (1 - share) * width });
}

/** Speeds go 1, 2, 5, 10, ... references a second up to ten million. */
export function faster(dir: 1 | -1): void {
	const power = Math.floor(Math.log10(speed.value) + 1e-9);
	const digit = Math.round(speed.value / 10 ** power);
	const next = dir > 0 ? { 1: 2, 2: 5, 5: 10 }[digit] : { 1: 0.5, 2: 1, 5: 2 }[digit];

	speed.value = Math.min(1e7, Math.max(1, (next ?? 1) * 10 ** power));
}

/** Keys that mean something on an ensemble only. */
function inEnsemble(run: () => void): () => void {
	return () => ensemble.active.value && run();
}

export const commands: Command[] = [
	{ title: "Play or pause", keys: ["Space"], group: "Playback", run: toggle },
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
		run: () => void stepDiffer(1),
	},
	{
		title: "Previous difference from the compared machine",
		keys: ["Shift+o"],
		group: "Playback",
		run: () => void stepDiffer(-1),
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
		run: () => (ensemble.active.value ? ensemble.setFocus(null) : setWindow(null)),
	},

	{ title: "Undo selection", keys: ["Ctrl+z"], group: "Selection", run: undo },
	{
		title: "Redo selection",
		keys: ["Ctrl+Shift+z", "Ctrl+y"],
		group: "Selection",
		run: redo,
	},
	{
		title: "Select nothing",
		keys: ["Escape"],
		group: "Selection",
		run: () => (ensemble.active.value ? ensemble.choose({ pin: null }) : select({})),
	},
	{
		title: "Worst line of code",
		keys: ["g"],
		group: "Selection",
		run: () => jumpToWorst(1),
	},
	{
		title: "Back to the worse line",
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
		title: "Next member of the ranking",
		keys: ["j"],
		group: "Ensemble",
		run: inEnsemble(() => ensemble.stepMember(1)),
	},
	{
		title: "Previous member of the ranking",
		keys: ["k"],
		group: "Ensemble",
		run: inEnsemble(() => ensemble.stepMember(-1)),
	},
	{
		title: "Deviation within members",
		keys: ["e"],
		group: "Ensemble",
		run: inEnsemble(() =>
			ensemble.choose({ deviation: ensemble.envelope.value ? null : "on" }),
		),
	},
	{
		title: "Mean and deviation across members",
		keys: ["v"],
		group: "Ensemble",
		run: inEnsemble(() =>
			ensemble.choose({ across: ensemble.across.value ? null : "on" }),
		),
	},
	{
		title: "Subtract the selected member, or nothing",
		keys: ["x"],
		group: "Ensemble",
		run: inEnsemble(() => {
			const last = ensemble.pinned.value.at(-1);
			const now = ensemble.against.value;
			ensemble.choose({
				against: last === undefined || last === now ? null : String(last),
			});
		}),
	},
	{
		title: "Next plot",
		keys: ["b"],
		group: "Ensemble",
		run: inEnsemble(() => {
			const i = ensemble.plots.findIndex(([p]) => p === ensemble.plot.value);
			ensemble.choose({ plot: ensemble.plots[(i + 1) % ensemble.plots.length]![0] });
		}),
	},

	{
		title: "Search",
		keys: ["/", "Ctrl+k"],
		group: "Page",
		run: () => (overlay.value = "search"),
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
	{ title: "Light or dark", keys: ["t"], group: "Page", run: toggleTheme },
	{
		title: "Start over with this trace",
		keys: [],
		group: "Page",
		run: () => {
			select({});
			chosenWindow.value = null;
			options.value = {};
			if (length.value) setCursor(0);
			view.value = "overview";
		},
	},
	{
		title: "Help",
		keys: ["?"],
		group: "Page",
		run: () => (overlay.value = overlay.value === "help" ? "" : "help"),
	},
];
