import assert from "node:assert/strict";
import { test } from "node:test";
import { computed, effect, signal } from "@preact/signals";
import { choices, redo, remember, selectable, undo } from "../src/state/history";
import { oneAtATime } from "../src/state/oneAtATime";
import { options } from "../src/state/store";

const turn = () => new Promise((r) => setTimeout(r, 0));

test("a selection is undone and redone; the same again selects nothing on request", () => {
	const { selection, select } = selectable<{ n?: number }>({}, (s) => `${s.n}`);

	select({ n: 1 });
	select({ n: 2 });
	select({ n: 2 }); // no step
	undo();
	assert.deepEqual(selection.value, { n: 1 });
	redo();
	assert.deepEqual(selection.value, { n: 2 });
	select({ n: 2 }, true);
	assert.deepEqual(selection.value, {});
});

test("what is dragged is one step of undo, other choices are steps of their own", () => {
	const { chosen, choose } = choices("k", ["slider"]);

	options.value = { other: "stays" };
	remember(
		() => {},
		() => {},
	);
	choose({ plot: "a" });
	choose({ plot: "b", level: "2" });
	for (const v of ["1", "2", "3"]) choose({ slider: v });
	assert.equal(chosen("slider", "0"), "3");
	undo();
	assert.equal(chosen("slider", "0"), "0");
	assert.equal(chosen("plot", ""), "b");
	undo();
	assert.equal(chosen("plot", ""), "a");
	assert.equal(chosen("level", "1"), "1");
	choose({ plot: null });
	assert.deepEqual(options.value, { other: "stays" });
});

test("what depends on one choice does not run again when another changes", () => {
	const { chosen, choose } = choices("k");
	const seen: string[][] = [];

	options.value = {};
	const list = computed(() => chosen("axes", "1,2").split(","));
	const stop = effect(() => void seen.push(list.value));
	choose({ select: "cpu = 1" });
	assert.equal(seen.length, 1);
	choose({ axes: "3" });
	assert.deepEqual(seen, [["1", "2"], ["3"]]);
	stop();
});

test("one question at a time: changes meanwhile make one more, for the last value", async () => {
	const at = signal(0);
	const asked: number[] = [];
	let answer = () => {};
	const stop = oneAtATime(
		() => void at.value,
		() => {
			asked.push(at.peek());
			return new Promise<void>((r) => (answer = r));
		},
	);

	for (const t of [1, 2, 3]) at.value = t;
	assert.deepEqual(asked, [0]);
	answer();
	await turn();
	assert.deepEqual(asked, [0, 3]);
	answer();
	await turn();
	at.value = 4;
	assert.deepEqual(asked, [0, 3, 4]);
	at.value = 5;
	stop();
	answer();
	await turn();
	assert.deepEqual(asked, [0, 3, 4]);
});
