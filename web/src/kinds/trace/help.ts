// The trace kind's part of the help.
import { levelColours } from "../../draw/colours";
import type { KindHelp } from "../kind";
import { levelNames } from "./state/store";

export const help: KindHelp = {
	intro:
		"memlamp shows what a program does to memory. At the left is its source with the cost of each line, in the middle a view, below the whole run over time, at the right the selection. A click in one place selects in all.",
	gestures: {
		title: "Timeline and event map",
		rows: [
			["Go to a reference", "click"],
			["Zoom", "wheel"],
			["Earlier, later", "drag"],
			["Choose a window", "shift drag"],
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
