// Columns as the server sends them: "MLC1", a JSON header, arrays at multiples of 8.

export type Column =
	| Uint8Array
	| Uint16Array
	| Uint32Array
	| BigUint64Array
	| BigInt64Array
	| Float32Array
	| Float64Array;

export interface Columns {
	header: Record<string, unknown>;
	column: Record<string, Column>;
}

const types = {
	u8: Uint8Array,
	u16: Uint16Array,
	u32: Uint32Array,
	u64: BigUint64Array,
	i64: BigInt64Array,
	f32: Float32Array,
	f64: Float64Array,
};

const MAGIC = 0x31434c4d; // "MLC1", little-endian

export function decodeColumns(bytes: ArrayBuffer): Columns {
	const view = new DataView(bytes);

	if (bytes.byteLength < 8 || view.getUint32(0, true) !== MAGIC)
		throw new Error("this is not a table of columns (MLC1)");
	const size = view.getUint32(4, true);
	const header = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 8, size)));
	const column: Record<string, Column> = {};
	let at = 8 + size;

	for (const { name, type, count } of header.columns) {
		const Type = types[type as keyof typeof types];

		if (!Type) throw new Error(`column ${name} has an unknown type ${type}`);
		at = (at + 7) & ~7;
		if (at + count * Type.BYTES_PER_ELEMENT > bytes.byteLength)
			throw new Error(`column ${name} ends behind the end of the answer`);
		column[name] = new Type(bytes, at, count);
		at += count * Type.BYTES_PER_ELEMENT;
	}
	return { header, column };
}

/** 64-bit values that are known to be below 2^53 (times, offsets) as numbers. */
export function numbers(column: BigUint64Array): Float64Array {
	const words = new Uint32Array(column.buffer, column.byteOffset, column.length * 2);
	const out = new Float64Array(column.length);

	for (let i = 0; i < out.length; i++)
		out[i] = words[2 * i]! + words[2 * i + 1]! * 4294967296;
	return out;
}
