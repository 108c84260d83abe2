// The trace kind's part of the help.
import { levelColours } from "../../draw/colours";
import type { Caption } from "../../state/captions";
import type { KindHelp } from "../kind";
import { levelNames } from "./state/store";

const tour: Caption[] = [
	{
		text: "memlamp shows what a program does to memory. Seven captions explain the page: → goes on, Esc ends the tour. The help (?) has it again.",
	},
	{
		text: "Findings are the problems that memlamp sees, the worst first. 'Show me' plays some of its misses slowly and says what to look at.",
		at: ".right-pane .section",
	},
	{
		text: "The source, with the cost of each line. A click on a line selects its references in all views and goes to where they happen next.",
		at: ".left-pane",
	},
	{
		text: "Views of the same moment: Regions has the arrays of the program, Rings has data in motion, Event map has every reference. Keys 1 to 9 choose.",
		at: ".tab-row",
	},
	{
		text: "The run from left to right, in the colours of the levels that served it. A click goes to a moment, a drag selects a range and adds it up, the wheel zooms.",
		at: ".bottom-pane .timeline",
	},
	{
		text: "The space bar plays, → is the next reference, N is the next miss. 'Now' at the right says in words what the reference at the cursor does.",
		at: ".playback",
	},
	{
		text: "Caches are simulated: a click on the machine changes them, 'compare' puts two machines or two runs side by side. / searches everything.",
		at: ".machine-chip",
	},
];

export const help: KindHelp = {
	intro:
		"memlamp shows what a program does to memory. At the left is its source with the cost of each line, in the middle a view, below the whole run over time, at the right the selection. A click in one place selects in all.",
	tour,
	gestures: {
		title: "Timeline and event map",
		rows: [
			["Go to a reference", "click"],
			["Select a range and add it up", "drag"],
			["Choose a window", "shift drag"],
			["Zoom", "wheel"],
			["Earlier, later", "shift wheel"],
			["Move the window", "drag it above"],
			["Ends of the window", "handles above"],
			["Window of a phase", "click its name"],
		],
	},
	colours(p) {
		const names = levelNames.value.length
			? levelNames.value
			: ["L1", "L2", "L3", "memory"];

		return [
			...names.map((n, i): [string, number] => [
				`served by ${n}`,
				levelColours(p, names.length)[i]!,
			]),
			["read", p.read],
			["write", p.write],
			["now", p.cursor],
		];
	},
};
