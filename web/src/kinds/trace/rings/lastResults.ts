// The level that served the last access to each part of each region, up to the cursor:
// the outer band of the rings. The server answers for the beginning of a chunk of
// references; the page adds the references since then, so that a step asks nothing.
import { isAbort } from "../../../api";
import { api } from "../api";
import { cellsOf, type Rings, type Arc } from "../model/rings";
import { sizeOf, servedOf } from "../model/trail";
import { arrived, CHUNK, refsOf, type Chunk } from "../state/nearbyRefs";
import { ready } from "../state/store";
import type { Results } from "./paint";

interface Cut {
	region: number;
	size: number;
	cells: number;
}

interface Answer {
	sim: number;
	cut: string;
	at: number;
	served: Uint8Array;
}

const BEHIND = 2 * CHUNK; // references that the page may add to an answer

export class LastResults {
	exact = false; // the last result of now() is that of the cursor
	version = 0; // grows with each new result of now()
	private answer: Answer | null = null;
	private asking = false;
	private made = { key: "", results: new Map() as Results };

	constructor(private readonly changed: () => void) {}

	/** The levels after reference `cursor`, as far as they are known. */
	now(rings: Rings, arcs: Iterable<Arc>, cursor: number): Results {
		const s = ready.peek();
		const cuts = [...arcs].map((a) => ({
			region: a.region.region,
			...cellsOf(a, rings.result[1]),
		}));
		const cut = cuts.map((c) => `${c.region}:${c.size}:${c.cells}`).join(",");
		const from = Math.floor((cursor + 1) / CHUNK) * CHUNK;

		this.exact = !!s && !cuts.length;
		if (!s || !cuts.length) return new Map();
		const fits = this.answer?.sim === s.sim && this.answer.cut === cut;
		const after = fits ? cursor + 1 - this.answer!.at : -1;
		if (after < 0 || after > CHUNK) void this.ask(s.sim, cut, cuts, from);
		const known = fits && after >= 0 ? this.answer! : null;
		const start = known && after <= BEHIND ? known.at : cursor + 1 - BEHIND;
		const chunks = refsOf(Math.max(0, start), cursor + 1);
		const key = [s.sim, cut, cursor, known?.at, arrived.peek(), !chunks].join(" ");
		// An older answer is shown until the references in between have come.
		this.exact = !!known && after <= BEHIND && !!chunks;
		if (key === this.made.key) return this.made.results;
		this.made = { key, results: put(cuts, known, chunks ?? [], start, cursor + 1) };
		this.version++;
		return this.made.results;
	}

	private async ask(sim: number, cut: string, cuts: Cut[], at: number): Promise<void> {
		if (this.asking) return;
		this.asking = true;
		try {
			this.answer = { sim, cut, at, served: await api.last(sim, at, cuts) };
		} catch (e) {
			if (!isAbort(e)) await new Promise((r) => setTimeout(r, 500));
		}
		this.asking = false;
		this.changed();
	}
}

function put(
	cuts: Cut[],
	known: Answer | null,
	chunks: Chunk[],
	from: number,
	to: number,
): Results {
	const out = new Map<number, { served: Uint8Array; size: number }>();
	let first = 0;

	for (const { region, size, cells } of cuts) {
		const served = known?.served.slice(first, first + cells) ?? new Uint8Array(cells);
		out.set(region, { served, size });
		first += cells;
	}
	for (const c of chunks) {
		const end = Math.min(c.count, to - c.from);
		for (let i = Math.max(0, from - c.from); i < end; i++) {
			const l = out.get(c.region[i]!);
			if (!l) continue;
			const last = Math.floor((c.offset[i]! + sizeOf(c.what[i]!) - 1) / l.size);
			for (let k = Math.floor(c.offset[i]! / l.size); k <= last; k++)
				if (k < l.served.length) l.served[k] = servedOf(c.outcome[i]!);
		}
	}
	return out;
}
