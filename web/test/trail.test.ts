import assert from "node:assert/strict";
import { test } from "node:test";
import { fit, shapeOf } from "../src/kinds/trace/model/shape";
import { brightness, lastOf, trailFor, type Refs } from "../src/kinds/trace/model/trail";
import { region } from "./region";

const A = region({ dims: [4, 4], extent: 64 });
const { grid } = fit(A, shapeOf(A, { elem: 0, row: 0, order: "" }), 100, 100);

/** References "r8 w0": kind and byte of region 1; each is served by level 1, 2, 3, 1, ... */
function refs(from: number, text: string, size = 4): Refs {
	const words = text.split(" ");

	return {
		from,
		count: words.length,
		offset: words.map((w) => Number(w.slice(1))),
		region: words.map((w) => (w[0] === "x" ? 9 : 1)),
		site: words.map((_, i) => i),
		what: words.map((w) => ((w[0] === "w" ? 1 : 0) << 14) | size),
		outcome: words.map((_, i) => ((from + i) % 3) + 1),
		sites: words.map((_, i) => ({ file: 0, line: from + i, func: "f" })),
	};
}

test("the last access to a cell is the one that counts", () => {
	const l = lastOf(grid, [refs(0, "r0 w4 r0 x8")], 0, 4);

	assert.equal(l.read[0], 3);
	assert.equal(l.write[1], 2);
	assert.equal(l.served[0], 3); // reference 2
	assert.equal(l.served[2], 0); // of another region
	assert.equal(l.place(0)?.line, 2);
	assert.equal(l.place(3), undefined);
});

test("what is before the trail or behind the cursor is dark", () => {
	const l = lastOf(grid, [refs(0, "r0 r4 r8 r12")], 1, 3);

	assert.deepEqual(Array.from(l.read).slice(0, 4), [0, 2, 3, 0]);
});

test("a wide access lights every cell that it touches", () => {
	const l = lastOf(grid, [refs(0, "w12", 8)], 0, 1);

	assert.deepEqual(
		Array.from(l.write).flatMap((v, i) => (v ? [i] : [])),
		[3, 4],
	);
});

test("chunks give what one piece gives, whichever way one came", () => {
	const all = "r0 w4 r8 r0 w12 r60 w60 r0 r20 r24";
	const words = all.split(" ");
	const pieces = [0, 4, 8].map((i) => refs(i, words.slice(i, i + 4).join(" ")));

	for (let to = 1; to <= words.length; to++) {
		const one = lastOf(grid, [refs(0, all)], Math.max(0, to - 5), to);
		const many = lastOf(grid, pieces, Math.max(0, to - 5), to);
		assert.deepEqual(many.read, one.read);
		assert.deepEqual(many.write, one.write);
		assert.deepEqual(many.served, one.served);
	}
});

test("the present reference is brightest and the trail's end is dark", () => {
	assert.equal(brightness(0, 64), 1);
	assert.equal(brightness(64, 64), 0);
	assert.ok(brightness(10, 64) > brightness(20, 64));
});

test("trails grow with what is shown, within bounds", () => {
	assert.equal(trailFor(128), 64);
	assert.equal(trailFor(1e6), 4096);
	assert.equal(trailFor(1e12), 16384);
});
