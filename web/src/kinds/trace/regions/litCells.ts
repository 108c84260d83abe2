// The lit cells of the regions view: the last access to each cell within the trail. While
// the person steps or plays slowly they are computed from references that the page has;
// for a long trail or fast playing the server is asked. Both give the same.
import { computed, type ReadonlySignal } from "@preact/signals";
import { isAbort } from "../../../api";
import { api } from "../api";
import { isNothing } from "../model/selection";
import { gridKey, gridParams } from "../model/shape";
import { lastOf, type Last, type Place } from "../model/trail";
import { refsOf, STRETCH_MAX, type Chunk } from "../state/nearbyRefs";
import { option } from "../../../state/store";
import {
	cursor,
	length,
	playing,
	ready,
	selection,
	shownWindow,
	speed,
} from "../state/store";
import { pictures, trailLength, type Frame } from "./frames";
import type { Mode } from "./heatMaps";

const FAST = 60000; // references a second from which on the server answers
const FAST_MAX = 131072; // longest trail then: the server reads it for every frame
const SEARCHED = 1 << 22; // references that one question searches for a selection

/** The lit cells at a moment, by picture. */
export interface Lit {
	sim: number;
	cursor: number;
	trail: number;
	chunks: Chunk[]; // of the trail; empty if the server answered
	last: Map<string, Last>;
}

export class Light {
	lit: Lit | null = null; // the last answer
	private asking = false;

	constructor(
		private readonly frames: ReadonlySignal<Frame[]>,
		private readonly changed: () => void,
	) {}

	/** The length of the trail; while playing fast, as many references as pass in a while. */
	trail(): number {
		const chosen = trailLength();

		if (!playing.peek()) return chosen;
		return Math.min(FAST_MAX, Math.max(chosen, Math.round(speed.peek() / 10)));
	}

	/** The lit cells now; the last answer while the next is under way. */
	now(): Lit | null {
		const s = ready.peek();
		const at = cursor.peek();
		const trail = this.trail();
		const from = Math.max(0, at + 1 - trail);
		const fast = trail > STRETCH_MAX || (playing.peek() && speed.peek() > FAST);

		if (!s) return (this.lit = null);
		if (fast) {
			void this.ask(at, trail);
			return this.lit;
		}
		const chunks = refsOf(from, at + 1);
		if (!chunks) return this.lit;
		const last = new Map<string, Last>();
		for (const p of this.frames.peek().flatMap(pictures))
			last.set(gridKey(p.grid), lastOf(p.grid, chunks, from, at + 1));
		return (this.lit = { sim: s.sim, cursor: at, trail, chunks, last });
	}

	/** Asks the server, for all pictures together and one moment at a time. */
	async ask(at: number, trail: number): Promise<void> {
		const s = ready.peek();
		const grids = this.frames
			.peek()
			.flatMap(pictures)
			.map((p) => p.grid);
		const l = this.lit;

		if (this.asking || !s) return;
		if (
			l?.sim === s.sim &&
			l.cursor === at &&
			l.trail === trail &&
			grids.every((g) => l.last.has(gridKey(g)))
		)
			return;
		this.asking = true;
		try {
			const w = { from: Math.max(0, at + 1 - trail), to: at + 1 };
			const answers = await Promise.all(
				grids.map((g) => api.cells(s.sim, { mode: "last", ...gridParams(g), ...w })),
			);
			const last = new Map<string, Last>();
			answers.forEach(({ header, column: c }, i) => {
				const site = c["site"] as Uint32Array;
				const sites = header["sites"] as Place[];
				last.set(gridKey(grids[i]!), {
					read: c["read"] as Float64Array,
					write: c["write"] as Float64Array,
					served: c["served"] as Uint8Array,
					place: (cell) => sites[site[cell]!],
				});
			});
			if (ready.peek()?.sim === s.sim)
				this.lit = { sim: s.sim, cursor: at, trail, chunks: [], last };
		} catch (e) {
			if (!isAbort(e)) await new Promise((r) => setTimeout(r, 500));
		}
		this.asking = false;
		this.changed();
	}
}

export type Chosen = Map<string, ArrayLike<number>>;

/** Asks how often a selection touches cells, where it is more than a region. */
export function chosenCells(
	mode: ReadonlySignal<Mode>,
	frames: ReadonlySignal<Frame[]>,
): () => ((abort: AbortSignal) => Promise<Chosen>) | null {
	// In the window, but in no more of it than the server searches at once while the trail
	// is shown. As text, so that a step of the cursor within it asks nothing.
	const searched = computed(() => {
		const w = shownWindow.value;

		if (mode.value !== "trail" && option("regions.range", "window") === "run")
			return `0-${length.value}`;
		if (mode.value !== "trail" || w.to - w.from <= SEARCHED) return `${w.from}-${w.to}`;
		const at = (Math.floor((2 * cursor.value) / SEARCHED) * SEARCHED) / 2;
		return `${Math.max(w.from, at - SEARCHED / 2)}-${Math.min(w.to, at + SEARCHED)}`;
	});

	return () => {
		const s = ready.value;
		const { region, offset: _, ...rest } = selection.value;
		const grids = frames.value.flatMap(pictures).map((p) => p.grid);
		const [from, to] = searched.value.split("-").map(Number);

		if (!s || isNothing(rest)) return null;
		const touched = async (g: (typeof grids)[0], abort: AbortSignal) => {
			const q = { mode: "count" as const, ...gridParams(g), from, to };
			const { column } = await api.cells(s.sim, q, abort, rest);
			const writes = column["writes"] as Float64Array;
			return Float64Array.from(column["reads"] as Float64Array, (v, i) => v + writes[i]!);
		};
		return async (abort) => {
			const out: Chosen = new Map();
			await Promise.all(
				grids
					.filter((g) => region === undefined || g.region === region)
					.map(async (g) => out.set(gridKey(g), await touched(g, abort))),
			);
			return out;
		};
	};
}
