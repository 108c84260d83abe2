// From addresses to slots in a state of the caches. A state may have hundreds of
// thousands of lines, and every frame has another state, so tables are built only if
// needed: a line is searched in its set, whose number is the line's number modulo the
// number of sets (lib/cache/exact/level.c). Only very wide sets have a table.
import { numbers } from "../../../model/columns";
import type { StateLevel } from "./types";

/** The state of the caches, as far as pictures show it. */
export interface HeldLines {
	levels: StateLevel[];
	line: BigUint64Array;
	rank: ArrayLike<number>;
	region: ArrayLike<number>;
	offset: ArrayLike<number>;
	flags: ArrayLike<number>;
}

const NONE = 2 ** 63; // addresses from here on: the slot is empty
const WIDE = 64; // ways from which on a table is made

function setOf(l: StateLevel, line: number): number {
	const n = line / l.line;

	if ((l.sets & (l.sets - 1)) === 0) return (n >>> 0) & (l.sets - 1);
	return n - Math.floor(n / l.sets) * l.sets;
}

export class Lines {
	readonly address: Float64Array; // of each slot
	private copies: Uint8Array | null = null;
	private readonly tables = new Map<number, Map<number, number>>(); // by first slot

	constructor(readonly held: HeldLines) {
		this.address = numbers(held.line);
	}

	empty(slot: number): boolean {
		return this.address[slot]! >= NONE;
	}

	/** The slot of a line in one instance of a level, or -1. */
	private search(l: StateLevel, instance: number, line: number): number {
		const from = l.first + (instance * l.sets + setOf(l, line)) * l.ways;

		if (l.group) return -1;
		if (l.ways >= WIDE) return this.table(from, l.ways).get(line) ?? -1;
		for (let i = from; i < from + l.ways; i++) if (this.address[i] === line) return i;
		return -1;
	}

	private table(from: number, ways: number): Map<number, number> {
		let t = this.tables.get(from);

		if (!t) {
			t = new Map();
			for (let i = from; i < from + ways; i++) t.set(this.address[i]!, i);
			this.tables.set(from, t);
		}
		return t;
	}

	/** The slot of a byte in a level or -1; `near` is the instance to look at first. */
	find(level: number, near: number, byte: number): number {
		const l = this.held.levels[level]!;
		const line = Math.floor(byte / l.line) * l.line;
		const here = this.search(l, Math.min(near, l.instances - 1), line);

		for (let i = 0; here < 0 && i < l.instances; i++) {
			const there = this.search(l, i, line);
			if (there >= 0) return there;
		}
		return here;
	}

	/** 1 for each slot whose line is, at least in part, also nearer to the core. */
	ghosts(): Uint8Array {
		if (this.copies) return this.copies;
		const out = (this.copies = new Uint8Array(this.address.length));
		const { levels } = this.held;

		// Starts from the inner levels, which have fewer lines.
		levels.forEach((l, level) => {
			const end = l.group ? 0 : l.first + l.instances * l.sets * l.ways;
			for (let i = l.first; i < end; i++) {
				const line = this.address[i]!;
				if (line >= NONE) continue;
				for (let k = level + 1; k < levels.length; k++) {
					const outer = levels[k]!;
					// An inner line may be longer than an outer one.
					for (let b = line; b < line + l.line; b += outer.line)
						for (let n = 0; n < outer.instances; n++) {
							const there = Math.floor(b / outer.line) * outer.line;
							const slot = this.search(outer, n, there);
							if (slot >= 0) out[slot] = 1;
						}
				}
			}
		});
		return out;
	}

	/** Whether some of the bytes are in a level nearer to the core than `level`. */
	nearer(level: number, byte: number, bytes: number): boolean {
		for (let k = 0; k < level; k++) {
			const step = this.held.levels[k]!.line;
			for (let b = byte; b < byte + bytes; b += step)
				if (this.find(k, 0, b) >= 0) return true;
		}
		return false;
	}
}

const kept = new WeakMap<HeldLines, Lines>();

export function linesOf(h: HeldLines): Lines {
	let l = kept.get(h);

	if (!l) kept.set(h, (l = new Lines(h)));
	return l;
}
