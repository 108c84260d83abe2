// The length of a row of an array whose type does not tell it, from the distances between
// the references of each line of code.

export interface Stride {
	bytes: number; // signed
	count: number;
}

const MIN = 8; // elements of a row
const SHARE = 0.005; // of all steps: fewer are chance

/*
 * Bytes of a row; 0: unknown. A walk down a column steps by a row. A loop that reads a row
 * again steps back by a row less one element. The most frequent of both kinds wins.
 */
export function rowOfStrides(strides: Stride[], elem: number, bytes: number): number {
	const rows = new Map<number, number>();
	let all = 0;

	for (const s of strides) {
		const row = s.bytes > 0 ? s.bytes : elem - s.bytes;
		all += s.count;
		if (row % elem || row < MIN * elem || row * 2 > bytes) continue;
		rows.set(row, (rows.get(row) ?? 0) + s.count);
	}
	const [row, count] = [...rows].sort((a, b) => b[1] - a[1] || a[0] - b[0])[0] ?? [0, 0];
	return count >= all * SHARE ? row : 0;
}
