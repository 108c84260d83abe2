// The command search: everything that has a name, found by a few letters of it.
import uFuzzy from "@leeoniya/ufuzzy";
import { computed, signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { exact, shortPath } from "../model/format";
import { commands } from "./commands";
import { worstLines } from "../kinds/trace/state/costs";
import * as ensemble from "../kinds/ensemble/state";
import { measures } from "../kinds/ensemble/model/ensemble";
import { select } from "../state/history";
import { openTrace, simulate } from "../kinds/trace/state/load";
import {
	ELSEWHERE,
	counts,
	file,
	length,
	machine,
	open,
	overlay,
	pathOf,
	regions,
	setCursor,
	setWindow,
	showLine,
	trace,
	view,
} from "../state/store";
import { lacking, shownViews } from "../kinds/registry";
import { shownKey } from "./keys";

export interface Item {
	kind: string;
	title: string;
	side: string;
	run(): void;
}

const SHOWN = 40;
const LINES = 2000; // lines of code that can be found by name; any other by file:line
const fuzzy = new uFuzzy({ intraMode: 1 });
const needle = signal("");
const chosen = signal(0);

function goToLine(inFile: number, line: number): void {
	showLine(inFile, line);
	select({ file: inFile, line });
}

/** Plots, measures and members of the ensemble. */
function ensembleItems(): Item[] {
	const e = ensemble.ensemble.value;
	const item = (title: string, side: string, run: () => void): Item => ({
		kind: "ensemble",
		title,
		side,
		run: () => {
			view.value = ensemble.VIEW;
			run();
		},
	});

	if (!e) return [];
	return [
		...ensemble.plots.map(([id, title, what]) =>
			item(title, what, () => ensemble.choose({ plot: id })),
		),
		...measures.map((m) =>
			item(m.label, m.axis, () => ensemble.choose({ measure: m.id })),
		),
		...e.parameters.map((p) =>
			item(`colour by ${p.name}`, `${p.values.length} values`, () =>
				ensemble.choose({ colour: p.name }),
			),
		),
		...e.members.map((m) =>
			item(m.label, m.machine, () => ensemble.choose({ pin: String(m.member) })),
		),
	];
}

const items = computed<Item[]>(() => {
	const t = trace.value;
	const functions = new Map<string, number>();

	for (const l of counts.value)
		if (l.func) functions.set(l.func, (functions.get(l.func) ?? 0) + l.references);
	return [
		...shownViews()
			.filter((v) => !lacking(v))
			.map(
				(v): Item => ({
					kind: "view",
					title: v.title,
					side: v.what,
					run: () => (view.value = v.id),
				}),
			),
		...commands.map(
			(c): Item => ({
				kind: "command",
				title: c.title,
				side: shownKey(c.keys[0]),
				run: c.run,
			}),
		),
		...ensembleItems(),
		...regions.value.map(
			(r): Item => ({
				kind: "region",
				title: r.name,
				side: `${r.type ?? ""} ${exact(r.references)} references`,
				run: () => select({ region: r.region }),
			}),
		),
		...[...functions]
			.sort((a, b) => b[1] - a[1])
			.map(
				([f, n]): Item => ({
					kind: "function",
					title: f,
					side: `${exact(n)} references`,
					run: () => {
						const first = counts.value.find((l) => l.func === f);
						if (first) showLine(first.file ?? ELSEWHERE, first.line);
						select({ func: f });
					},
				}),
			),
		...worstLines.value.slice(0, LINES).map(
			(l): Item => ({
				kind: "line",
				title: `${shortPath(pathOf(l.file))}:${l.line}`,
				side: `${exact(l.references)} references`,
				run: () => goToLine(l.file, l.line),
			}),
		),
		...(t?.files ?? []).map(
			(f): Item => ({
				kind: "file",
				title: shortPath(f.path),
				side: f.path,
				run: () => (file.value = f.file),
			}),
		),
		...(t?.phases ?? []).slice(0, 1000).map(
			(p): Item => ({
				kind: "phase",
				title: p.name,
				side: `from ${exact(p.from)}`,
				run: () => {
					setWindow(p);
					setCursor(p.from);
				},
			}),
		),
		...(t?.marks ?? []).slice(0, 1000).map(
			(m): Item => ({
				kind: "mark",
				title: m.name,
				side: `at ${exact(m.time)}`,
				run: () => setCursor(m.time),
			}),
		),
		...(open.value?.machines ?? []).map(
			(m): Item => ({
				kind: "machine",
				title: m.name,
				side: m.what,
				run: () => void simulate(m.name),
			}),
		),
		...(open.value?.traces ?? []).map(
			(x): Item => ({
				kind: "trace",
				title: x.name,
				side: x.path,
				run: () => void openTrace(x.trace).then(() => simulate(machine.value)),
			}),
		),
	];
});

/** What is typed may itself be a place: "matmul.c:33", or a moment. */
function places(text: string): Item[] {
	const line = text.match(/^(.+):(\d+)$/);
	const moment = text.replace(/[,_ ]/g, "").match(/^@?(\d+)$/);
	const out: Item[] = [];

	if (moment && Number(moment[1]) < length.value)
		out.push({
			kind: "moment",
			title: `Go to reference ${exact(Number(moment[1]))}`,
			side: "",
			run: () => setCursor(Number(moment[1])),
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

const found = computed<Item[]>(() => {
	const text = needle.value.trim();

	if (!text) return items.value.slice(0, SHOWN);
	const hay = items.value.map((i) => `${i.title} ${i.kind} ${i.side}`);
	const [indices, , order] = fuzzy.search(hay, text, 1);
	const words = new Set(text.toLowerCase().split(/\s+/));
	const named = (i: number) => (words.has(items.value[i]!.title.toLowerCase()) ? 0 : 1);
	// Whose whole name was typed comes first, though it be one letter.
	const ranked = (order ? order.map((o) => indices![o]!) : [...(indices ?? [])]).sort(
		(a, b) => named(a) - named(b),
	);
	const direct = places(text);
	const known = new Set(direct.map((d) => d.title));
	return [
		...direct,
		...ranked.map((i) => items.value[i]!).filter((i) => !known.has(i.title)),
	].slice(0, SHOWN);
});

function run(item: Item | undefined): void {
	if (!item) return;
	overlay.value = "";
	item.run();
}

export function Search() {
	const input = useRef<HTMLInputElement>(null);
	const list = useRef<HTMLUListElement>(null);

	// Before the next key comes, so that no letter is lost.
	useLayoutEffect(() => {
		needle.value = "";
		chosen.value = 0;
		input.current?.focus();
	}, []);
	useLayoutEffect(() => {
		list.current?.querySelector(".chosen")?.scrollIntoView({ block: "nearest" });
	});
	return (
		<div class="dialog search" role="dialog" aria-label="search">
			<input
				ref={input}
				aria-label="search"
				placeholder="a command, region, line, function, machine, moment…"
				value={needle.value}
				onInput={(e) => {
					needle.value = e.currentTarget.value;
					chosen.value = 0;
				}}
				onKeyDown={(e) => {
					const n = found.value.length;
					if (e.key === "Enter") run(found.value[chosen.value]);
					else if (e.key === "ArrowDown")
						chosen.value = Math.min(n - 1, chosen.value + 1);
					else if (e.key === "ArrowUp") chosen.value = Math.max(0, chosen.value - 1);
					else return;
					e.preventDefault();
					e.stopPropagation();
				}}
			/>
			<ul ref={list}>
				{found.value.map((item, i) => (
					<li key={`${item.kind}${item.title}${item.side}`}>
						<button
							class={i === chosen.value ? "chosen" : ""}
							onPointerMove={() => (chosen.value = i)}
							onClick={() => run(item)}
						>
							<small>{item.kind}</small>
							<b>{item.title}</b>
							<span>{item.side}</span>
						</button>
					</li>
				))}
				{!found.value.length && <li class="note">nothing has such a name</li>}
			</ul>
		</div>
	);
}
