import assert from "node:assert/strict";
import { test } from "node:test";
import { parseLink, printLink } from "../src/model/link";
import { parseTraceLink, printTraceLink } from "../src/kinds/trace/model/link";
import {
	parseSelection,
	selectionParams,
	selectionText,
	selectionWords,
	without,
} from "../src/kinds/trace/model/selection";

const names = {
	file: () => "matmul.c",
	region: () => "A",
	level: (n: number) => ["L1", "memory"][n - 1]!,
};

test("a line is FILE:LINE in a request", () => {
	assert.equal(selectionParams({ file: 2, line: 33 })["line"], "2:33");
	assert.equal(selectionParams({ region: 1, offset: [0, 64] })["offset"], "0-64");
});

test("what is written into the address is read back, names with commas too", () => {
	const s = {
		file: 0,
		line: 33,
		func: "f<a, b>=c",
		region: 3,
		offset: [8, 16] as [number, number],
		kind: "read" as const,
		level: 2,
	};

	assert.deepEqual(parseSelection(selectionText(s)), s);
	assert.deepEqual(parseSelection("line=x,level=-1,kind=maybe,nonsense"), {});
});

test("a selection reads as words", () => {
	const s = { kind: "read" as const, file: 0, line: 33, region: 1, level: 2 };

	assert.deepEqual(
		selectionWords(s, names).map((w) => w.text),
		["reads", "matmul.c:33", "A", "from memory"],
	);
	assert.deepEqual(without(s, "line"), { kind: "read", region: 1, level: 2 });
	assert.deepEqual(without({ region: 1, offset: [0, 8] }, "region"), {});
});

test("the state of the page survives the address", () => {
	const link = {
		trace: 1,
		machine: "L1 32K 8w | memory 200c",
		second: "zen4",
		with: 2,
		cursor: 123456789012,
		window: { from: 10, to: 20 },
		range: { from: 12, to: 15 },
		selection: { region: 2 },
		file: 4,
		speed: 1000,
		loop: true,
		by: "miss",
	};
	const common = { view: "regions", options: { "regions.mode": "count & more" } };
	const p = new URLSearchParams();

	printTraceLink(link, p);
	printLink(common, p);
	const read = new URLSearchParams(p.toString());
	assert.deepEqual(parseTraceLink(read), link);
	assert.deepEqual(parseLink(read), common);
});

test("a window that ends before it begins is ignored", () => {
	assert.equal(parseTraceLink(new URLSearchParams("window=20-10")).window, undefined);
});
