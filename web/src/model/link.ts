// The state of the page as the part of the address behind #, and back.
import {
	parseSelection,
	selectionText,
	type Selection,
} from "../kinds/trace/model/selection";
import type { Window } from "./types";

export type Options = Record<string, string>;

export interface Link {
	trace?: number;
	machine?: string;
	second?: string; // the machine that is compared with
	with?: number; // the trace that it runs over, where it is another one
	view?: string;
	cursor?: number;
	window?: Window;
	selection?: Selection;
	file?: number;
	speed?: number;
	loop?: boolean;
	by?: string; // what is played
	options?: Options; // of views: "regions.mode" -> "count"
}

export function printLink(l: Link): string {
	const p = new URLSearchParams();

	if (l.trace) p.set("trace", String(l.trace));
	if (l.machine) p.set("machine", l.machine);
	if (l.second) p.set("second", l.second);
	if (l.second && l.with !== undefined) p.set("with", String(l.with));
	if (l.view) p.set("view", l.view);
	if (l.cursor) p.set("at", String(l.cursor));
	if (l.window) p.set("window", `${l.window.from}-${l.window.to}`);
	if (l.selection) {
		const text = selectionText(l.selection);
		if (text) p.set("select", text);
	}
	if (l.file !== undefined) p.set("file", String(l.file));
	if (l.speed !== undefined) p.set("speed", String(l.speed));
	if (l.loop) p.set("loop", "1");
	if (l.by && l.by !== "reference") p.set("by", l.by);
	for (const [k, v] of Object.entries(l.options ?? {})) p.set(`o.${k}`, v);
	return p.toString();
}

function number(text: string | null): number | undefined {
	return text !== null && /^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
}

export function parseLink(hash: string): Link {
	const p = new URLSearchParams(hash.replace(/^#/, ""));
	const window = p.get("window")?.match(/^(\d+)-(\d+)$/);
	const select = p.get("select");
	const options: Options = {};

	for (const [k, v] of p) if (k.startsWith("o.")) options[k.slice(2)] = v;
	return {
		trace: number(p.get("trace")),
		machine: p.get("machine") ?? undefined,
		second: p.get("second") ?? undefined,
		with: number(p.get("with")),
		view: p.get("view") ?? undefined,
		cursor: number(p.get("at")),
		window:
			window && Number(window[1]) < Number(window[2])
				? { from: Number(window[1]), to: Number(window[2]) }
				: undefined,
		selection: select !== null ? parseSelection(select) : undefined,
		file: number(p.get("file")),
		speed: number(p.get("speed")),
		loop: p.get("loop") === "1",
		by: p.get("by") ?? undefined,
		options,
	};
}
