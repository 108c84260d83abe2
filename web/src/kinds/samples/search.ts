// The search box on samples: commands in words (model/ask.ts), and lines of code by name.
import { shortPath, exact } from "../../model/format";
import { message, view } from "../../state/store";
import type { SearchItem } from "../kind";
import { ask, type Ask } from "./model/ask";
import * as s from "./state";

/** Axes are seen in two of the views. */
function seeAxes(): void {
	if (!s.shows("samples", "parallel")) view.value = "parallel";
}

function run(a: Ask): void {
	if (a.verb === "help") {
		message.value = a.about;
		return;
	}
	if (a.verb === "show") s.showAxis(a.axes[0]!);
	if (a.verb === "hide") s.hideAxis(a.axes[0]!);
	if (a.verb === "correlate") s.correlate(a.axes[0]!, a.axes[1]!);
	if (a.select) s.select(a.select);
	if (a.verb !== "select") seeAxes();
	else if (!s.active.value) view.value = "samples";
}

export function searchText(text: string): SearchItem[] {
	const w = s.world.value;

	if (!w) return [];
	return ask(text, w).map((a) => ({
		kind: a.verb,
		title: a.title,
		side: a.side,
		run: () => run(a),
	}));
}

export function searchItems(): SearchItem[] {
	return s.allLines.value.map((l) => ({
		kind: "line",
		title: `${shortPath(l.file)}:${l.line}`,
		side: `${exact(l.samples)} samples`,
		run: () => {
			s.select(l.select);
			s.pinned.value = { file: l.file, line: l.line };
		},
	}));
}
