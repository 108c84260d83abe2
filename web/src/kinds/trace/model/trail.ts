// The last access to each cell of a grid within a stretch of the run. The server answers
// the same (cells, mode last); this file computes it from references that the page has,
// so that a step needs no request. The result depends on the stretch only: a step back
// gives the same picture as before.
import { cellOf, type Grid } from "./shape";

/** References that follow each other, as the server sends them. */
export interface Refs {
	from: number;
	count: number;
	offset: ArrayLike<number>;
	region: ArrayLike<number>;
	site: ArrayLike<number>;
	what: ArrayLike<number>; // kind << 14 | size
	outcome: ArrayLike<number>; // the serving level is in the low four bits
	sites: Place[];
}

export interface Place {
	file: number | null;
	line: number;
	func: string;
}

export interface Last {
	read: ArrayLike<number>; // time + 1; 0 none
	write: ArrayLike<number>;
	served: ArrayLike<number>; // of the last access
	place(cell: number): Place | undefined; // of the last access
}

export const WRITE = 1;

export function kindOf(what: number): number {
	return what >> 14;
}

export function sizeOf(what: number): number {
	return what & 0x3fff || 1;
}

export function servedOf(outcome: number): number {
	return outcome & 15;
}

/** The last accesses of references [from, to), which the chunks cover. */
export function lastOf(g: Grid, chunks: Refs[], from: number, to: number): Last {
	const n = g.across * g.down;
	const read = new Float64Array(n);
	const write = new Float64Array(n);
	const served = new Uint8Array(n);
	const at = new Int32Array(n); // chunk << 16 | place + 1 of the last access

	chunks.forEach((c, number) => {
		const first = Math.max(0, from - c.from);
		const end = Math.min(c.count, to - c.from);

		for (let i = first; i < end; i++) {
			if (c.region[i] !== g.region) continue;
			const low = c.offset[i]!;
			const high = Math.min(low + sizeOf(c.what[i]!), g.bytes);
			const times = kindOf(c.what[i]!) === WRITE ? write : read;

			for (let byte = low; byte < high; byte = nextCell(g, byte)) {
				const cell = cellOf(g, byte);
				if (cell >= n) break;
				times[cell] = c.from + i + 1;
				served[cell] = servedOf(c.outcome[i]!);
				at[cell] = (number << 16) | (c.site[i]! + 1);
			}
		}
	});
	return {
		read,
		write,
		served,
		place: (cell) =>
			at[cell] ? chunks[at[cell]! >> 16]?.sites[(at[cell]! & 0xffff) - 1] : undefined,
	};
}

function nextCell(g: Grid, byte: number): number {
	if (!g.pitch) return (Math.floor(byte / g.size) + 1) * g.size;
	const line = Math.floor(byte / g.pitch);
	const end = (Math.floor((byte - line * g.pitch) / g.size) + 1) * g.size;

	return line * g.pitch + Math.min(end, g.pitch);
}

/** The brightness of an access of an age in a trail of a length; 1: now. */
export function brightness(age: number, trail: number): number {
	return age >= trail ? 0 : 0.18 + 0.82 * (1 - age / trail) ** 1.6;
}

/** A length of the trail that shows a few sweeps over the shown regions and no more. */
export function trailFor(elements: number): number {
	const wanted = 4 * Math.sqrt(elements);

	return 2 ** Math.round(Math.log2(Math.max(64, Math.min(16384, wanted))));
}
