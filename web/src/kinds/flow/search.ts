// Everything that has a name in a flow.
import type { SearchItem } from "../kind";
import { nodeTitle } from "./model/program";
import * as s from "./state/store";
import { metricText, shapeText } from "./views/scene";

export function searchItems(): SearchItem[] {
	const r = s.ready.value;
	const m = s.metrics.value;

	if (!r) return [];
	return [
		...r.program.containers.map((c, container) => ({
			kind: c.scalar ? "scalar" : "container",
			title: c.name + shapeText(c),
			side: c.type,
			run: () => s.goTo({ kind: "container", container }),
		})),
		...r.tree.nodes.slice(1).map((n) => ({
			kind: n.kind === "work" ? "computation" : n.kind,
			title: nodeTitle(n),
			side: `${n.line ? `line ${n.line}, ` : ""}moves ${metricText("bytes", m?.bytes[n.number] ?? NaN)}`,
			run: () => s.goTo({ kind: "node", node: n.number }),
		})),
		...r.program.functions.map((f) => ({
			kind: "function",
			title: f,
			side: "of this file",
			run: () => s.choose({ function: f, pick: null, folds: null, root: null }),
		})),
	];
}
