import assert from "node:assert/strict";
import { test } from "node:test";
import {
	machineFaults,
	parseMachine,
	printMachine,
	shortMachine,
	sizeText,
} from "../src/kinds/trace/model/machine";
import { parseBytes } from "../src/model/format";

const parse = (text: string) => parseMachine(text, ["lru", "fifo", "random"]);

const canonical = [
	"L1 32K 8w 64B lru wb wa 4c | L2 1M 16w 64B lru wb wa neither 14c | memory 200c",
	"cores 4 | L1 32K 8w 64B lru wt nwa private prefetch=stride*4 4c | L2 1M full 64B fifo wb wa inclusive shared 14c | L1i 32K 8w 64B lru private 4c | TLB 64e 4w 4K lru 0c | memory 200c | walk 30c | transfer 90c | seed 7",
];

test("the server's text of a machine goes through the form unchanged", () => {
	for (const text of canonical) {
		const words = (t: string) =>
			t.split("|").map((p) => p.trim().split(/\s+/).sort().join(" "));

		assert.deepEqual(words(printMachine(parse(text)!)), words(text));
	}
});

test("the form has the fields of a level", () => {
	const m = parse(canonical[1]!)!;

	assert.equal(m.cores, 4);
	assert.equal(m.levels[0]!.write, "wt");
	assert.equal(m.levels[0]!.allocate, "nwa");
	assert.equal(m.levels[0]!.prefetch, "stride*4");
	assert.equal(m.levels[1]!.ways, "full");
	assert.equal(m.levels[1]!.inclusion, "inclusive");
});

test("words that nobody knows are kept", () => {
	assert.equal(printMachine(parse("L1 1K 4w sparkling 3c")!), "L1 1K 4w 3c sparkling");
});

test("a preset with changes stays before them", () => {
	assert.equal(parse("zen4"), undefined);
	assert.equal(printMachine(parse("zen4 | L1 32K fifo")!), "zen4 | L1 32K fifo");
});

test("sizes", () => {
	assert.equal(parseBytes("1.25M"), 1310720);
	assert.equal(sizeText(32768), "32K");
	assert.equal(sizeText(1310720), "1.25M");
	assert.ok(Number.isNaN(parseBytes("big")));
	assert.equal(
		shortMachine([
			{ name: "L1", size: 2048, kind: "cache" },
			{ name: "memory", kind: "memory" },
		]),
		"L1 2K",
	);
});

test("a size that its ways do not divide is told", () => {
	assert.deepEqual(machineFaults(parse("L1 1000 4w 64B")!), [
		"L1: 1000 is no multiple of 4 ways of 64 bytes",
	]);
	assert.deepEqual(machineFaults(parse("L1 1K 4w 64B | L2 8K 4w")!), []);
});
