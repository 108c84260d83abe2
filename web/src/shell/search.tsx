// The command search: everything that has a name, found by a few letters of it.
import uFuzzy from "@leeoniya/ufuzzy";
import { computed, signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import {
	documentsOf,
	whyDisabled,
	listedViews,
	openDocument,
	openKinds,
} from "../kinds/documents";
import type { SearchItem } from "../kinds/kind";
import { overlay, view } from "../state/store";
import { allCommands } from "./commands";
import { shownKey } from "./keys";

const SHOWN = 40;
const fuzzy = new uFuzzy({ intraMode: 1 });
const needle = signal("");
const chosen = signal(0);

const items = computed<SearchItem[]>(() => [
	...listedViews.value
		.filter((v) => !whyDisabled(v))
		.map((v) => ({
			kind: "view",
			title: v.title,
			side: v.description,
			run: () => (view.value = v.id),
		})),
	...allCommands().map((c) => ({
		kind: "command",
		title: c.title,
		side: shownKey(c.keys[0]),
		run: c.run,
	})),
	...openKinds.value.flatMap((k) => k.searchItems?.() ?? []),
	...openKinds.value.flatMap((k) =>
		documentsOf(k.id).map((d) => ({
			kind: k.title,
			title: d.name,
			side: d.path,
			run: () => void openDocument(k.id, d.number),
		})),
	),
]);

const found = computed<SearchItem[]>(() => {
	const text = needle.value.trim();

	if (!text) return items.value.slice(0, SHOWN);
	const hay = items.value.map((i) => `${i.title} ${i.kind} ${i.side}`);
	const [indices, , order] = fuzzy.search(hay, text, 1);
	const words = new Set(text.toLowerCase().split(/\s+/));
	const named = (i: number) => (words.has(items.value[i]!.title.toLowerCase()) ? 0 : 1);
	// An item whose whole name was typed comes first, even if the name is one letter.
	const ranked = (order ? order.map((o) => indices![o]!) : [...(indices ?? [])]).sort(
		(a, b) => named(a) - named(b),
	);
	const direct = openKinds.value.flatMap((k) => k.searchText?.(text) ?? []);
	const known = new Set(direct.map((d) => d.title));
	return [
		...direct,
		...ranked.map((i) => items.value[i]!).filter((i) => !known.has(i.title)),
	].slice(0, SHOWN);
});

function run(item: SearchItem | undefined): void {
	if (!item) return;
	overlay.value = "";
	item.run();
}

export function Search() {
	const input = useRef<HTMLInputElement>(null);
	const list = useRef<HTMLUListElement>(null);

	// In a layout effect, which runs before the next key: no letter is lost.
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
				{!found.value.length && <li class="note">nothing has this name</li>}
			</ul>
		</div>
	);
}
