// The commands of an ensemble, for keys and the search.
import type { Command } from "../kind";
import * as s from "./state";

export const commands: Command[] = [
	{
		title: "Zoom in",
		keys: ["w", "+", "="],
		group: "Window",
		run: () => s.zoomFocus(1 / 1.5),
	},
	{ title: "Zoom out", keys: ["s", "-"], group: "Window", run: () => s.zoomFocus(1.5) },
	{ title: "Earlier", keys: ["a"], group: "Window", run: () => s.panFocus(-0.2) },
	{ title: "Later", keys: ["d"], group: "Window", run: () => s.panFocus(0.2) },
	{
		title: "Show the whole run",
		keys: ["0"],
		group: "Window",
		run: () => s.setFocus(null),
	},
	{
		title: "Select nothing",
		keys: ["Escape"],
		group: "Selection",
		run: () => s.choose({ pin: null }),
	},
	{
		title: "Next member of the ranking",
		keys: ["j"],
		group: "Ensemble",
		run: () => s.stepMember(1),
	},
	{
		title: "Previous member of the ranking",
		keys: ["k"],
		group: "Ensemble",
		run: () => s.stepMember(-1),
	},
	{
		title: "Deviation within members",
		keys: ["e"],
		group: "Ensemble",
		run: () => s.choose({ deviation: s.envelope.value ? null : "on" }),
	},
	{
		title: "Mean and deviation across members",
		keys: ["v"],
		group: "Ensemble",
		run: () => s.choosePlot(s.plot.value === "spread" ? "curves" : "spread"),
	},
	{
		title: "Subtract the selected member, or nothing",
		keys: ["x"],
		group: "Ensemble",
		run: () => {
			const last = s.pinned.value.at(-1);
			const now = s.against.value;
			s.choose({ against: last === undefined || last === now ? null : String(last) });
		},
	},
	{
		title: "Next plot",
		keys: ["b"],
		group: "Ensemble",
		run: () => {
			const list = s.plots.value;
			const i = list.findIndex((p) => p.id === s.plot.value);
			if (list.length) s.choosePlot(list[(i + 1) % list.length]!.id);
		},
	},
];
