import assert from "node:assert/strict";
import { test } from "node:test";
import {
	TILE,
	cellOf,
	cellSpan,
	cellWidth,
	coarser,
	tileWindow,
	tilesOf,
	wholeTile,
} from "../src/kinds/trace/model/tiling";

test("cells are one to two pixels wide, or one reference", () => {
	assert.equal(cellWidth(1000, 1000), 1);
	assert.equal(cellWidth(1001, 1000), 2);
	assert.equal(cellWidth(1e9, 1000), 2 ** 20);
	assert.equal(cellWidth(10, 1000), 1);
});

test("the tiles of a window cover it and are few however long the run is", () => {
	const w = { from: 123456789, to: 987654321 };
	const tiles = tilesOf(w, 1200);

	assert.ok(tiles.length <= 3);
	assert.ok(tileWindow(tiles[0]!, 1e9).from <= w.from);
	assert.ok(tileWindow(tiles.at(-1)!, 1e9).to >= w.to);
	assert.equal(tiles[0]!.width, 2 ** 20); // 864 million in 824 cells
});

test("a little to the side asks for the same tiles", () => {
	assert.deepEqual(
		tilesOf({ from: 5000, to: 5500 }, 1200),
		tilesOf({ from: 5010, to: 5510 }, 1200),
	);
});

test("from every tile one comes to the whole run", () => {
	const length = 1e9;
	let t = tilesOf({ from: 777777777, to: 777777787 }, 1000)[0]!;

	for (let up = coarser(t, length); up; up = coarser(t, length)) {
		const [one, two] = [tileWindow(t, length), tileWindow(up, length)];
		assert.ok(two.from <= one.from && two.to >= one.to);
		t = up;
	}
	assert.deepEqual(t, wholeTile(length));
	assert.deepEqual(tileWindow(t, length), { from: 0, to: length });
	assert.ok(length / t.width <= TILE);
});

test("cells at the ends are cut to the window", () => {
	const a = { from: 10, to: 30, first: 8, width: 8, cells: 3, levels: 2 };

	assert.deepEqual(cellSpan(a, 0), { from: 10, to: 16 });
	assert.deepEqual(cellSpan(a, 2), { from: 24, to: 30 });
	assert.equal(cellOf(a, 16), 1);
	assert.equal(cellOf(a, 9), -1);
	assert.equal(cellOf(a, 30), -1);
});
