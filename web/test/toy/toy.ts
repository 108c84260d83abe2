// A kind of document that exists in tests only. It shows what a kind needs, and that the
// shell takes one without knowing it.
import { effect } from "@preact/signals";
import { h } from "preact";
import type { DocumentKind } from "../../src/kinds/kind";
import { documentsOf } from "../../src/kinds/documents";
import { choices, selectable } from "../../src/state/history";
import type { View } from "../../src/views/view";

const words = ["apple", "banana", "cherry"];

const { selection, hover, select } = selectable<{ word?: string }>(
	{},
	(s) => s.word ?? "",
);
const { chosen, choose } = choices("toy");

/** A view without a canvas: a sentence. */
class ToyBox implements View {
	private stop = () => {};

	private text(): string {
		return `toy ${toyKind.shown()?.name} ${selection.value.word ?? "none"}`;
	}

	mount(host: HTMLElement): void {
		const stop = effect(() => void (host.textContent = this.text()));

		this.stop = () => {
			stop();
			host.replaceChildren();
		};
	}

	exportSvg(): string {
		return `<svg><text>${this.text()}</text></svg>`;
	}

	exportPng(): Promise<Blob> {
		return Promise.resolve(new Blob());
	}

	destroy(): void {
		this.stop();
	}
}

export const toyKind: DocumentKind = {
	id: "toy",
	title: "toy",
	views: [
		{
			id: "toybox",
			title: "Toy box",
			description: "All toys of the box",
			create: () => new ToyBox(),
		},
	],
	begin: () => Promise.resolve(),
	shown: () => documentsOf("toy")[Number(chosen("of", "0"))] ?? null,
	show(number, place) {
		choose({ of: String(number) });
		if (place?.func) select({ word: place.func });
		return Promise.resolve(true);
	},
	link: {
		print: (p) => selection.value.word && p.set("toy.word", selection.value.word),
		apply: (p) => select({ word: p.get("toy.word") ?? undefined }),
	},
	commands: [
		{
			title: "Take the apple",
			keys: ["q"],
			group: "Toy",
			run: () => select({ word: "apple" }),
		},
	],
	searchItems: () =>
		words.map((word) => ({
			kind: "toy word",
			title: word,
			side: "",
			run: () => select({ word }),
		})),
	searchText: (text) =>
		text.startsWith("toy:")
			? [
					{
						kind: "toy",
						title: `Toy ${text.slice(4)}`,
						side: "",
						run: () => select({ word: text.slice(4) }),
					},
				]
			: [],
	Side: () => h("aside", { class: "right-pane toy-side" }, selection.value.word ?? "–"),
	help: { gestures: { title: "With toys", rows: [["Throw", "shake"]] } },
	state: { selection, hover },
};
