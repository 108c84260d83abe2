// Items of a trace for the search: regions, functions, lines, files, phases, marks,
// machines; and typed places such as "matmul.c:33" or a moment.
import { exact, parseCount, shortPath } from "../../model/format";
import { open } from "../../state/store";
import type { SearchItem } from "../kind";
import { worstLines } from "./state/costs";
import { goToPhase } from "./state/follow";
import { simulate } from "./state/load";
import {
	ELSEWHERE,
	counts,
	file,
	length,
	names,
	pathOf,
	regions,
	select,
	setCursor,
	setWindow,
	showLine,
	trace,
} from "./state/store";

const LINES = 2000; // lines of code that can be found by name; any other by file:line
const SPANS = 1000; // phases, and marks

function goToLine(inFile: number, line: number): void {
	showLine(inFile, line);
	select({ file: inFile, line });
}

function functions(): SearchItem[] {
	const by = new Map<string, number>();

	for (const l of counts.value)
		if (l.func) by.set(l.func, (by.get(l.func) ?? 0) + l.references);
	return [...by]
		.sort((a, b) => b[1] - a[1])
		.map(([f, n]) => ({
			kind: "function",
			title: f,
			side: `${exact(n)} references`,
			run: () => {
				const first = counts.value.find((l) => l.func === f);
				if (first) showLine(first.file ?? ELSEWHERE, first.line);
				select({ func: f });
			},
		}));
}

export function searchItems(): SearchItem[] {
	const t = trace.value;

	return [
		...regions.value.map((r) => ({
			kind: "region",
			title: names.region(r.region),
			side: `${r.type ?? ""} ${exact(r.references)} references`,
			run: () => select({ region: r.region }),
		})),
		...functions(),
		...worstLines.value.slice(0, LINES).map((l) => ({
			kind: "line",
			title: `${shortPath(pathOf(l.file))}:${l.line}`,
			side: `${exact(l.references)} references`,
			run: () => goToLine(l.file, l.line),
		})),
		...(t?.files ?? []).map((f) => ({
			kind: "file",
			title: shortPath(f.path),
			side: f.path,
			run: () => (file.value = f.file),
		})),
		...(t?.phases ?? []).slice(0, SPANS).map((p) => ({
			kind: "phase",
			title: p.name,
			side: `from ${exact(p.from)}`,
			run: () => {
				setWindow(p);
				goToPhase(p);
			},
		})),
		...(t?.marks ?? []).slice(0, SPANS).map((m) => ({
			kind: "mark",
			title: m.name,
			side: `at ${exact(m.time)}`,
			run: () => setCursor(m.time),
		})),
		...(open.value?.machines ?? []).map((m) => ({
			kind: "machine",
			title: m.name,
			side: m.what,
			run: () => void simulate(m.name),
		})),
	];
}

/** Places that the typed text itself names: "matmul.c:33", or a moment. */
export function searchText(text: string): SearchItem[] {
	const line = text.match(/^(.+):(\d+)$/);
	const moment = parseCount(text);
	const out: SearchItem[] = [];

	if (moment < length.value)
		out.push({
			kind: "moment",
			title: `Go to reference ${exact(moment)}`,
			side: "",
			run: () => setCursor(moment),
		});
	if (line) {
		const f = trace.value?.files.find((x) => x.path.endsWith(line[1]!));
		if (f)
			out.push({
				kind: "line",
				title: `${shortPath(f.path)}:${line[2]}`,
				side: f.path,
				run: () => goToLine(f.file, Number(line[2])),
			});
	}
	return out;
}
