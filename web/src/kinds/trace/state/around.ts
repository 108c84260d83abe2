// References around the cursor, fetched in chunks before they are needed and kept for a
// while, so that stepping and slow playing ask nothing and going back shows the same.
import { effect, signal } from "@preact/signals";
import { isAbort } from "../../../api";
import { api } from "../api";
import type { Refs } from "../model/trail";
import { length, ready } from "./store";

export const CHUNK = 8192;
const KEPT = 24; // chunks: about 9 MB

export interface Chunk extends Refs {
	addr: Float64Array; // user addresses are below 2^53
	region: Uint32Array;
}

let kept = new Map<number, Chunk>(); // by their first reference, the oldest use first
let wanted = new Set<number>();
let sim = -1;

/** Grows whenever chunks arrive: read it to be called again. */
export const arrived = signal(0);

effect(() => {
	if ((ready.value?.sim ?? -1) === sim) return;
	sim = ready.value?.sim ?? -1;
	kept = new Map();
	wanted = new Set();
});

async function load(of: number, from: number): Promise<void> {
	const into = wanted;

	into.add(from);
	try {
		const r = await api.refs(of, from, CHUNK);
		const addr = new Float64Array(r.count);
		for (let i = 0; i < r.count; i++) addr[i] = Number(r.addr[i]);
		if (into !== wanted) return; // another simulation by now
		kept.set(from, { ...r, addr });
		for (const old of kept.keys()) {
			if (kept.size <= KEPT) break;
			kept.delete(old);
		}
		arrived.value++;
	} catch (e) {
		// Whoever needs it asks again with the next frame that needs it.
		if (!isAbort(e)) setTimeout(() => arrived.value++, 1000);
	} finally {
		into.delete(from);
	}
}

/** Chunks that cover [from, to), or null while they are on their way. */
export function refsOf(from: number, to: number): Chunk[] | null {
	const end = Math.min(to, length.peek());
	const out: Chunk[] = [];
	let missing = false;

	if (sim < 0) return null;
	for (let at = Math.floor(from / CHUNK) * CHUNK; at < end; at += CHUNK) {
		const c = kept.get(at);
		if (c) {
			kept.delete(at);
			kept.set(at, c);
			out.push(c);
		} else {
			missing = true;
			if (!wanted.has(at)) void load(sim, at);
		}
	}
	const next = Math.floor(end / CHUNK) * CHUNK + CHUNK;
	// The next chunk, once half of this one is behind.
	if (
		!missing &&
		end > next - CHUNK / 2 &&
		next < length.peek() &&
		!kept.has(next) &&
		!wanted.has(next)
	)
		void load(sim, next);
	return missing ? null : out;
}

/** Chunks are at most so many: longer stretches are asked of the server in cells. */
export const STRETCH_MAX = CHUNK * (KEPT / 4);
