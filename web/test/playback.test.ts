import assert from "node:assert/strict";
import { test } from "node:test";
import { cellAt, layOut, placeOf } from "../src/kinds/trace/model/readingOrder";
import {
	placeOfSpeed,
	speedAt,
	speeds,
	usualSpeed,
} from "../src/kinds/trace/model/speed";

const room = { width: 640, height: 400 };

test("few references have a cell each, as large as may be", () => {
	assert.deepEqual(layOut(100, 300, room), { columns: 40, rows: 5, size: 16, width: 1 });
});

test("cells shrink before they stand for more than one reference", () => {
	// 4 pixels: 160 columns, 100 rows
	assert.deepEqual(layOut(0, 16000, room), {
		columns: 160,
		rows: 100,
		size: 4,
		width: 1,
	});
	const s = layOut(0, 16001, room);
	assert.equal(s.width, 2);
	assert.ok(s.size > 4);
});

test("however many references there are, the sheet fits the room", () => {
	for (const n of [1, 17, 1e4, 1e6, 3e9]) {
		const s = layOut(n / 3, n, room);
		assert.ok(s.columns * s.size <= room.width && s.rows * s.size <= room.height);
		assert.ok(s.columns * s.rows * s.width >= n - n / 3);
	}
});

test("a wanted number of columns is kept", () => {
	assert.equal(layOut(0, 1e6, room, 64).columns, 64);
	assert.equal(layOut(0, 10, room, 256).columns, 256);
});

test("a cell is found where it stands", () => {
	const s = layOut(0, 16000, room);
	const [x, y] = placeOf(s, 12345);

	assert.equal(cellAt(s, x + 1, y + 3), 12345);
	assert.equal(cellAt(s, -1, 0), -1);
	assert.equal(cellAt(s, 0, 400), -1);
});

test("the slider goes from one to ten million by factors", () => {
	assert.equal(speedAt(0), 1);
	assert.equal(speedAt(1), 1e7);
	for (const s of speeds) assert.equal(speedAt(placeOfSpeed(s)), s);
	assert.equal(speedAt(0.5), 3200); // the root of ten million is 3162
});

test("a window is played in some thirty seconds, however long it is", () => {
	assert.equal(usualSpeed(30), 2); // slower than two a second would be waiting
	assert.equal(usualSpeed(600), 20);
	assert.equal(usualSpeed(45000), 1000); // 1500 a second, in steps of 1, 2, 5
	assert.equal(usualSpeed(3_000_000), 100_000);
	assert.equal(usualSpeed(3e9), 1e7); // the fastest
});
