// The commands of samples, for keys and the search.
import { overlay, view } from "../../state/store";
import type { Command } from "../kind";
import * as s from "./state";

function nextOf(name: string, values: string[], now: string): void {
	const next = values[(values.indexOf(now) + 1) % values.length]!;

	s.choose({ [name]: next === values[0] ? null : next });
}

export const commands: Command[] = [
	{
		title: "Select all samples",
		keys: ["Escape"],
		group: "Selection",
		run: () => s.setSelection(""),
	},
	{
		title: "Select the other samples (invert)",
		keys: ["i"],
		group: "Selection",
		run: s.invertSelection,
	},
	{
		title: "Next way to combine selections: narrow, new, add, exclusive or",
		keys: ["m"],
		group: "Selection",
		run: () => nextOf("mode", ["narrow", "new", "add", "xor"], s.mode.value),
	},
	{
		title: "Move a window along an axis",
		keys: ["Space"],
		group: "Samples",
		run: () => s.play(),
	},
	{
		title: "Count cycles or samples",
		keys: ["c"],
		group: "Samples",
		run: () => nextOf("by", ["cycles", "samples"], s.measureBy.value),
	},
	{
		title: "Sunburst or icicle",
		keys: ["h"],
		group: "Samples",
		run: () => nextOf("shape", ["sunburst", "icicle"], s.shape.value),
	},
	{
		title: "Strength of lines: among all, by left bin, by right bin",
		keys: ["l"],
		group: "Samples",
		run: () => nextOf("lines", ["all", "left", "right"], s.strength.value),
	},
	{
		title: "Scale of the pre-selection: shared or its own",
		keys: ["o"],
		group: "Samples",
		run: () => nextOf("scale", ["shared", "own"], s.ownScale.value ? "own" : "shared"),
	},
	{
		title: "More bins",
		keys: ["+", "="],
		group: "Samples",
		run: () => s.choose({ bins: String(Math.min(1000, s.bins.value * 2)) }),
	},
	{
		title: "Fewer bins",
		keys: ["-"],
		group: "Samples",
		run: () => s.choose({ bins: String(Math.max(20, Math.round(s.bins.value / 2))) }),
	},
	{
		title: "The axes to begin with",
		keys: ["a"],
		group: "Samples",
		run: () => s.choose({ axes: null }),
	},
	{
		title: "Source follows the pointer, or not",
		keys: ["f"],
		group: "Samples",
		run: () => nextOf("follow", ["on", "off"], s.follow.value ? "on" : "off"),
	},
	{
		title: "Columns: which is which",
		keys: [],
		group: "Samples",
		run: () => (overlay.value = "samples.columns"),
	},
	{
		title: "Parallel coordinates of all attributes",
		keys: [],
		group: "Samples",
		run: () => {
			s.setAxes(
				(s.info.value?.columns ?? [])
					.map((_, i) => i)
					.filter((i) => !s.info.value!.single.includes(i))
					.slice(0, 40),
			);
			view.value = "parallel";
		},
	},
];
