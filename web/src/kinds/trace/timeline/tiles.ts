// Tiles of the timeline: asked for when they are shown, kept for a while. The nearest
// coarser tile stands in for one that is not there yet, so that zooming never shows a
// hole.
import { effect, untracked } from "@preact/signals";
import { isAbort } from "../../../api";
import { api } from "../api";
import { selectionText, type Selection } from "../model/selection";
import type { Window } from "../../../model/types";
import {
	TILE,
	coarser,
	tileWindow,
	tilesOf,
	wholeTile,
	type Tile,
} from "../model/tiling";
import type { Timeline } from "../model/types";
import { asking } from "../../../state/latest";
import { length, ready } from "../state/store";

const KEPT = 400; // tiles, of about 25 KB
const WAIT = 30; // ms; tiles that zooming passes by are not asked for
const LONG = 250; // the same for tiles that take the server long
/** References in which the server counts a selection within about a second. */
export const WALKED = 32e6;
/** The largest number of requests at once. */
export const QUICK = 4e6;
const AGAIN = 1000; // ms after a question that failed

/** The references that are counted: all, or those of a selection. */
export type Counted = Selection | null;

/** A tile that is shown, or a coarser one in its place. */
export interface Shown {
	window: Window; // the part of the run that this stands for
	cells: Timeline;
}

interface Wish {
	tile: Tile;
	counted: Counted;
}

export class Tiles {
	private kept = new Map<string, Timeline>(); // the least recently used first
	private readonly asked = new Map<string, AbortController>();
	private wishes = new Map<string, Wish>();
	private sim = -1;
	private timers: number[] = [];
	private readonly stop: () => void;

	constructor(private readonly arrived: () => void) {
		this.stop = effect(() => {
			if ((ready.value?.sim ?? -1) === this.sim) return;
			this.sim = ready.value?.sim ?? -1;
			this.forget();
		});
	}

	dispose(): void {
		this.stop();
		this.forget();
	}

	private forget(): void {
		this.timers.forEach(clearTimeout);
		for (const a of this.asked.values()) a.abort();
		this.asked.clear();
		this.wishes.clear();
		this.kept.clear();
	}

	private key(t: Tile, counted: Counted): string {
		return `${t.width}/${t.index}/${counted ? selectionText(counted) : ""}`;
	}

	private find(t: Tile, counted: Counted): Timeline | undefined {
		const key = this.key(t, counted);
		const tile = this.kept.get(key);

		if (tile) {
			this.kept.delete(key);
			this.kept.set(key, tile);
		}
		return tile;
	}

	/** The whole run in one tile. */
	whole(counted: Counted = null): Timeline | undefined {
		return this.find(wholeTile(length.peek()), counted);
	}

	/** The tiles of a window; the nearest coarser one in place of each that has not come. */
	shown(w: Window, pixels: number, counted: Counted = null): Shown[] {
		const n = length.peek();

		return tilesOf(w, pixels).flatMap((tile) => {
			const part = tileWindow(tile, n);
			let without: Shown | undefined;

			for (let t: Tile | null = tile; t; t = coarser(t, n)) {
				const counts = this.find(t, counted);
				if (counts) return [{ window: part, cells: counts }];
				const all = this.find(t, null);
				if (all) without ??= { window: part, cells: all };
			}
			return without ? [without] : [];
		});
	}

	/** Sets the window that is shown, and asks for its missing tiles. */
	want(w: Window, pixels: number, counted: Counted[]): void {
		if (this.sim < 0 || w.to <= w.from) return;
		const whole = wholeTile(length.peek());
		const add = (tile: Tile, c: Counted) =>
			this.wishes.set(this.key(tile, c), { tile, counted: c });
		this.wishes = new Map();
		// The whole run first, because it can stand in for every tile.
		add(whole, null);
		for (const c of counted) {
			if (length.peek() <= WALKED) add(whole, c);
			for (const tile of tilesOf(w, pixels)) add(tile, c);
		}
		for (const [key, abort] of this.asked) {
			if (this.wishes.has(key)) continue;
			abort.abort();
			this.asked.delete(key);
		}
		this.timers.forEach(clearTimeout);
		this.timers = [];
		// Untracked: the caller is an effect, which must not depend on the count of
		// questions.
		if (this.kept.size === 0) untracked(() => this.askAll(false));
		else this.later(WAIT, false);
		this.later(LONG, true);
	}

	private later(wait: number, slow: boolean): void {
		this.timers.push(window.setTimeout(() => this.askAll(slow), wait));
	}

	private askAll(slow: boolean): void {
		for (const [key, wish] of this.wishes) {
			const long = wish.counted && wish.tile.width * TILE > QUICK;
			if (!this.kept.has(key) && !this.asked.has(key) && (slow || !long))
				void this.ask(key, wish);
		}
	}

	private async ask(key: string, { tile, counted }: Wish): Promise<void> {
		const abort = new AbortController();
		const w = tileWindow(tile, length.peek());
		const cells = Math.max(2, Math.min(TILE, Math.ceil((w.to - w.from) / tile.width)));

		this.asked.set(key, abort);
		asking.value++;
		try {
			const answer = await api.timeline(
				this.sim,
				w,
				cells,
				counted ?? undefined,
				abort.signal,
			);
			if (abort.signal.aborted) return;
			this.kept.set(key, answer);
			for (const old of this.kept.keys()) {
				if (this.kept.size <= KEPT) break;
				if (!this.wishes.has(old)) this.kept.delete(old);
			}
			this.arrived();
		} catch (e) {
			if (!isAbort(e) && !abort.signal.aborted) this.later(AGAIN, true);
		} finally {
			asking.value--;
			if (this.asked.get(key) === abort) this.asked.delete(key);
		}
	}
}
