import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeColumns, numbers } from "../src/model/columns";

/** Writes what docs/api.md describes. */
function encode(
	header: object,
	columns: [string, string, ArrayBufferView][],
): ArrayBuffer {
	const sizes: Record<string, number> = { u8: 1, u16: 2, u32: 4, u64: 8, f32: 4, f64: 8 };
	const list = columns.map(([name, type, a]) => ({
		name,
		type,
		count: a.byteLength / sizes[type]!,
	}));
	let text = JSON.stringify({ ...header, columns: list });
	while (text.length % 8) text += " ";
	const parts = [new Uint8Array(8), new TextEncoder().encode(text)];
	new TextEncoder().encodeInto("MLC1", parts[0]!);
	new DataView(parts[0]!.buffer).setUint32(4, text.length, true);
	for (const [, , a] of columns) {
		const bytes = new Uint8Array(Math.ceil(a.byteLength / 8) * 8);
		bytes.set(new Uint8Array(a.buffer, a.byteOffset, a.byteLength));
		parts.push(bytes);
	}
	const all = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
	let at = 0;
	for (const p of parts) {
		all.set(p, at);
		at += p.length;
	}
	return all.buffer;
}

test("columns of different widths are found at multiples of 8", () => {
	const bytes = encode({ from: 7 }, [
		["kind", "u8", new Uint8Array([1, 2, 3])],
		["line", "u64", new BigUint64Array([0xffffffffffffffffn, 64n])],
		["share", "f32", new Float32Array([0.5])],
	]);
	const { header, column } = decodeColumns(bytes);

	assert.equal(header["from"], 7);
	assert.deepEqual([...column["kind"]!], [1, 2, 3]);
	assert.deepEqual([...column["line"]!], [0xffffffffffffffffn, 64n]);
	assert.deepEqual([...column["share"]!], [0.5]);
});

test("an answer that is cut off is an error, not garbage", () => {
	const bytes = encode({}, [["a", "f64", new Float64Array([1, 2, 3])]]);

	assert.throws(
		() => decodeColumns(bytes.slice(0, bytes.byteLength - 8)),
		/column a ends behind/,
	);
	assert.throws(() => decodeColumns(new ArrayBuffer(4)), /MLC1/);
});

test("64-bit times become numbers exactly, up to 2^53", () => {
	const values = [0n, 1n, 0xffffffffn, 0x100000000n, 2n ** 53n - 1n];

	assert.deepEqual([...numbers(new BigUint64Array(values))], values.map(Number));
});
