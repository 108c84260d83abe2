// The commands of a search space, for keys and the search.
import type { Command } from "../kind";
import { usualRings } from "./model/space";
import * as s from "./state";

export const commands: Command[] = [
	{
		title: "Select no variants",
		keys: ["Escape"],
		group: "Selection",
		run: () => (s.picked.value ? s.pick(null) : s.zoomOut()),
	},
	{
		title: "Zoom into the selected sector",
		keys: ["w", "+", "="],
		group: "Search space",
		run: () => s.picked.value && s.zoomInto(s.picked.value),
	},
	{ title: "Zoom out", keys: ["s", "-"], group: "Search space", run: s.zoomOut },
	{
		title: "Show all constraints",
		keys: ["a"],
		group: "Search space",
		run: () =>
			s.space.value &&
			s.setRings(
				[...s.space.value.constraints].sort((a, b) => a.bit - b.bit).map((c) => c.name),
			),
	},
	{
		title: "Show the hard constraints",
		keys: ["h"],
		group: "Search space",
		run: () => s.space.value && s.setRings(usualRings(s.space.value)),
	},
	{
		title: "Show the smallest set of constraints that leaves the same survivors",
		keys: ["m"],
		group: "Search space",
		run: () => s.space.value && s.setRings(s.space.value.smallest_set),
	},
	{
		title: "Colour sectors by simulated results",
		keys: ["c"],
		group: "Search space",
		run: () => s.choose({ colour: s.colour.value === "result" ? null : "result" }),
	},
];
