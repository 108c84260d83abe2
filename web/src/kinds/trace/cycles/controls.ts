// What can be chosen in the bar above the view Cycles.
import { option } from "../../../state/store";
import type { Control } from "../../../views/view";
import { turnsText } from "../model/cycles";
import { chosen, cycles, list } from "../state/cycles";
import { ready, trace } from "../state/store";

const same = (values: (string | number)[]): [string, string][] =>
	values.map((v) => [String(v), String(v)]);

/** The thread whose references are looked at, where there are several. */
function threadControl(): Control[] {
	const threads = trace.value?.threads.filter((t) => t.references > 0) ?? [];

	if (threads.length < 2) return [];
	return [
		{
			option: "cycles.thread",
			label: "thread",
			choices: threads.map((t): [string, string] => [
				String(t.thread),
				t.name ? `${t.thread} ${t.name}` : String(t.thread),
			]),
			otherwise: String(threads[0]!.thread),
		},
	];
}

export function controls(): Control[] {
	return [
		{
			option: "cycles.form",
			label: "form",
			choices: same(["spiral", "circle", "plane"]),
			otherwise: "spiral",
		},
		{
			option: "cycles.colour",
			label: "colour",
			choices: same(["line", "function", "region", ...(ready.value ? ["level"] : [])]),
			otherwise: "line",
		},
		{
			option: "cycles.other",
			label: "morph",
			choices: [
				["-1", "nothing"],
				...list.value.flatMap((c, i): [string, string][] =>
					c.refused || i === chosen.value
						? []
						: [[String(i), `${i + 1}: ${turnsText(c.turns)}`]],
				),
			],
			otherwise: "-1",
		},
		{
			option: "cycles.basis",
			label: "basis",
			choices: same(["reduced", "found"]),
			otherwise: "reduced",
		},
		{
			option: "cycles.by",
			label: "by",
			choices: same(cycles.value.value?.by_names ?? [option("cycles.by", "site")]),
			otherwise: "site",
		},
		{
			option: "cycles.window",
			label: "width",
			choices: same([4, 6, 8, 10, 12, 16, 24, 32]),
			otherwise: "10",
		},
		{
			option: "cycles.every",
			label: "every",
			choices: same([1, 2, 5, 10, 100]),
			otherwise: "1",
		},
		...threadControl(),
	];
}
