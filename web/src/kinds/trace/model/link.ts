// The trace kind's part of the URL, as text and back.
import { numberIn, windowIn } from "../../../model/link";
import type { Window } from "../../../model/types";
import { parseSelection, selectionText, type Selection } from "./selection";

export interface TraceLink {
	trace?: number;
	machine?: string;
	second?: string; // the machine that is compared with
	with?: number; // the trace that it runs over, where it is another one
	cursor?: number;
	window?: Window;
	range?: Window;
	selection?: Selection;
	file?: number;
	speed?: number;
	loop?: boolean;
	by?: string; // what is played
}

export function printTraceLink(l: TraceLink, p: URLSearchParams): void {
	if (l.trace) p.set("trace", String(l.trace));
	if (l.machine) p.set("machine", l.machine);
	if (l.second) p.set("second", l.second);
	if (l.second && l.with !== undefined) p.set("with", String(l.with));
	if (l.cursor !== undefined) p.set("at", String(l.cursor));
	if (l.window) p.set("window", `${l.window.from}-${l.window.to}`);
	if (l.range) p.set("range", `${l.range.from}-${l.range.to}`);
	if (l.selection) {
		const text = selectionText(l.selection);
		if (text) p.set("select", text);
	}
	if (l.file !== undefined) p.set("file", String(l.file));
	if (l.speed !== undefined) p.set("speed", String(l.speed));
	if (l.loop) p.set("loop", "1");
	if (l.by && l.by !== "reference") p.set("by", l.by);
}

export function parseTraceLink(p: URLSearchParams): TraceLink {
	const select = p.get("select");

	return {
		trace: numberIn(p.get("trace")),
		machine: p.get("machine") ?? undefined,
		second: p.get("second") ?? undefined,
		with: numberIn(p.get("with")),
		cursor: numberIn(p.get("at")),
		window: windowIn(p.get("window")),
		range: windowIn(p.get("range")),
		selection: select !== null ? parseSelection(select) : undefined,
		file: numberIn(p.get("file")),
		speed: numberIn(p.get("speed")),
		loop: p.get("loop") === "1",
		by: p.get("by") ?? undefined,
	};
}
