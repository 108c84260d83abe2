// References around the cursor. They are fetched in chunks before they are needed, and
// kept for a while: stepping and slow playing need no request, and a step back shows the
// same.
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

let kept = new Map<number, Chunk>(); // by their first reference, the least recently used first
let wanted = new Set<number>();
let sim = -1;

/** Grows whenever a chunk arrives: an effect that reads it runs again then. */
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
		// The view asks again with the next frame that needs the chunk.
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
	// Fetches the next chunk once the cursor has passed half of this one.
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

/** The longest stretch for refsOf(): the server answers longer ones in cells. */
export const STRETCH_MAX = CHUNK * (KEPT / 4);
