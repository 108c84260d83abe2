// The commands of a flow, for keys and the search.
import type { Command } from "../kind";
import { shownView } from "../documents";
import { mounted } from "../../views/mounted";
import { view } from "../../state/store";
import { folds } from "./model/boxes";
import * as l from "./state/local";
import * as s from "./state/store";
import { globalCamera, localCamera } from "./views/camera";
import { GlobalView } from "./views/global";
import { LocalView } from "./views/local";

const local = () => shownView.value?.id === l.LOCAL;
const camera = () => (local() ? localCamera : globalCamera);

function showAll(): void {
	const v = mounted["view"];

	if (v instanceof GlobalView || v instanceof LocalView) v.showAll();
}

function cycle(name: string, now: string, list: [string, string][]): void {
	const at = list.findIndex(([id]) => id === now);

	s.choose({ [name]: list[(at + 1) % list.length]![0] });
}

export const commands: Command[] = [
	{
		title: "Select nothing",
		keys: ["Escape"],
		group: "Selection",
		run: () =>
			local() && l.chosen.value.length ? l.chooseElement(null, false) : s.pick(null),
	},
	{
		title: "Zoom in",
		keys: ["w", "+", "="],
		group: "Picture",
		run: () => camera().zoom(1.3),
	},
	{
		title: "Zoom out",
		keys: ["s", "-"],
		group: "Picture",
		run: () => camera().zoom(1 / 1.3),
	},
	{ title: "Pan left", keys: ["a"], group: "Picture", run: () => camera().pan(90, 0) },
	{ title: "Pan right", keys: ["d"], group: "Picture", run: () => camera().pan(-90, 0) },
	{
		title: "Pan up",
		keys: ["ArrowUp"],
		group: "Picture",
		run: () => camera().pan(0, 90),
	},
	{
		title: "Pan down",
		keys: ["ArrowDown"],
		group: "Picture",
		run: () => camera().pan(0, -90),
	},
	{ title: "Show the whole picture", keys: ["f", "0"], group: "Picture", run: showAll },
	{
		title: "Fold everything",
		keys: ["c"],
		group: "Data movement",
		run: () => s.foldAll(1),
	},
	{
		title: "Unfold everything",
		keys: ["e"],
		group: "Data movement",
		run: () => s.foldAll(64),
	},
	{
		title: "Fold or unfold the selected scope",
		keys: ["Enter"],
		group: "Data movement",
		run: () => {
			const [p, t] = [s.picked.value, s.tree.value];
			const box = p?.kind === "node" ? t?.byId.get(t.boxOf[p.node]!) : undefined;

			if (box && box.id && folds(box)) s.toggleFold(box);
		},
	},
	{
		title: "Look at the elements of the selected scope",
		keys: ["l"],
		group: "Data movement",
		run: () => l.openLocal(s.subject.value),
	},
	{
		title: "Back to data movement",
		keys: ["g"],
		group: "Elements",
		run: () => (view.value = "flow"),
	},
	{
		title: "Next metric of nodes or elements",
		keys: ["m"],
		group: "Picture",
		run: () =>
			local()
				? cycle("heat", l.heat.value, l.heats.value)
				: cycle("node", s.nodeMetric.value, s.nodeMetrics),
	},
	{
		title: "Play or pause",
		keys: ["Space"],
		group: "Elements",
		run: () => local() && l.togglePlay(),
	},
	{
		title: "Next step",
		keys: ["ArrowRight"],
		group: "Elements",
		run: () => (local() ? l.stepBy(1) : camera().pan(-90, 0)),
	},
	{
		title: "Previous step",
		keys: ["ArrowLeft"],
		group: "Elements",
		run: () => (local() ? l.stepBy(-1) : camera().pan(90, 0)),
	},
	{ title: "First step", keys: ["Home"], group: "Elements", run: () => l.seek(0) },
	{
		title: "Last step",
		keys: ["End"],
		group: "Elements",
		run: () => l.seek(Infinity),
	},
	{
		title: "Show or hide cache lines",
		keys: ["x"],
		group: "Elements",
		run: () => s.choose({ lines: l.showLines.value ? "off" : null }),
	},
];
