import assert from "node:assert/strict";
import { test } from "node:test";
import {
	activeDocument,
	activeKind,
	whyDisabled,
	listedViews,
	openDocument,
	openKinds,
	register,
	shownView,
} from "../src/kinds/documents";
import type { DocumentKind } from "../src/kinds/kind";
import { undo } from "../src/state/history";
import { applyParts, printParts } from "../src/state/link";
import { open, options, view } from "../src/state/store";
import { toyKind as toy } from "./toy/toy";
import { roleTables } from "./roleTables";

const word = toy.state as { selection: { value: { word?: string } } };

/** A kind that leads into toys, with nothing of its own. */
const shop: DocumentKind = {
	id: "shop",
	title: "shop",
	views: [{ id: "window", title: "Window", description: "", create: () => null! }],
	leadsTo: ["toy"],
	begin: () => Promise.resolve(),
	shown: () => null,
	show: () => Promise.resolve(true),
};

function documents(...list: [kind: string, count: number][]): void {
	open.value = {
		version: "0",
		documents: list.flatMap(([kind, n]) =>
			Array.from({ length: n }, (_, number) => ({
				kind,
				number,
				path: `/${kind}${number}`,
				name: `${kind}${number}`,
			})),
		),
		machines: [],
		policies: [],
		prefetchers: [],
		causes: [],
		colours: roleTables,
		host: null,
		machine: "",
	};
}

test("a kind is listed while documents of it are open", () => {
	register([shop, toy]);
	documents();
	assert.deepEqual(listedViews.value, []);
	assert.equal(shownView.value, null);
	documents(["toy", 1]);
	assert.deepEqual(openKinds.value, [toy]);
	assert.equal(shownView.value?.id, "toybox");
	assert.equal(activeDocument.value?.name, "toy0");
});

test("views of a kind that another leads to are listed, and say what is missing", () => {
	register([shop, toy]);
	documents(["shop", 1]);
	assert.deepEqual(
		listedViews.value.map((v) => v.id),
		["window", "toybox"],
	);
	view.value = "toybox";
	assert.equal(shownView.value?.id, "window");
	assert.match(
		whyDisabled(toy.views[0]!),
		/no toy is open: the files that the shop leads to/,
	);
	assert.equal(whyDisabled(shop.views[0]!), "");
});

test("a document of one kind opens that of another at a place, by name", async () => {
	register([shop, toy]);
	documents(["shop", 1], ["toy", 2]);
	view.value = "window";
	assert.equal(activeKind.value, shop);
	assert.ok(await openDocument("toy", 1, { func: "banana" }));
	assert.equal(activeKind.value, toy);
	assert.equal(activeDocument.value?.name, "toy1");
	assert.equal(word.selection.value.word, "banana");
	undo();
	assert.equal(word.selection.value.word, undefined);
	assert.ok(!(await openDocument("nothing", 0)));
});

test("the parts of the URL are printed and read by the kinds", () => {
	view.value = "toybox";
	options.value = { "toy.size": "3" };
	applyParts(
		[toy.link!],
		new URLSearchParams("view=toybox&toy.word=cherry&o.toy.size=4"),
	);
	assert.equal(word.selection.value.word, "cherry");
	const text = printParts([toy.link!]).toString();
	assert.equal(text, "view=toybox&o.toy.size=4&toy.word=cherry");
	applyParts([toy.link!], new URLSearchParams(""));
	assert.equal(word.selection.value.word, undefined);
	applyParts([toy.link!], new URLSearchParams(text));
	assert.equal(printParts([toy.link!]).toString(), text);
	assert.throws(() => printParts([toy.link!, toy.link!]), /two parts.*toy\.word/);
});
