// Lines that the reference at the cursor moved into or out of caches, as rectangles that
// fly for a moment after a step, near or far. A step back takes the movement of the
// reference that it leaves back.
import type { Box } from "../../../model/box";
import { slotBox, type LevelPicture } from "../model/cacheLayout";
import type { Moment } from "../state/cacheMoment";
import { slowness, steppedTo } from "../state/store";
import type { Palette } from "../../../draw/colours";
import type { Colour, Draw } from "../../../draw/draw";
import { findLine, ownerColour, type CacheScene } from "./cacheParts";

const FILL = 0;
const EVICT = 2;
const WRITE_BACK = 3;
const INVALIDATE = 5;
const PREFETCH = 7;
const DURATION = 280; // ms

interface Flier {
	from: Box;
	to: Box;
	colour: Colour;
	leaves: boolean;
}

/** How a moment follows another one: by a step to it, by a step back from the other, or by neither. */
export function stepBetween(
	from: { cursor: number },
	to: { cursor: number },
	stepped: number,
): "forth" | "back" | "jump" {
	const by = to.cursor - from.cursor;

	if (Math.abs(by) !== 1 && to.cursor !== stepped) return "jump";
	return by < 0 ? "back" : by > 0 ? "forth" : "jump";
}

export class Flight {
	private of: Moment | null = null;
	private before: Moment | null = null;
	private back: Moment | null = null; // its movement is taken back
	private started = -Infinity;
	/** The phase at which a movie holds the flight; null: it follows the clock. */
	posed: number | null = null;

	/** Starts with a new moment; true if something moves. */
	begin(m: Moment): boolean {
		const old = this.of;
		const quiet = matchMedia("(prefers-reduced-motion: reduce)").matches;

		if (m === old) return false;
		const how = old && old.sim === m.sim ? stepBetween(old, m, steppedTo.peek()) : "jump";
		this.before = old;
		this.of = m;
		this.back = how === "back" ? old : null;
		this.started = -Infinity;
		const moves = (this.back ?? m).moves;
		if (how === "jump" || quiet || !moves?.line.length) {
			this.back = null;
			return false;
		}
		this.started = performance.now();
		return true;
	}

	flying(): boolean {
		return this.posed === null && this.past() < 1;
	}

	/** The part of the flight that is over; 1 and more: all of it. */
	private past(): number {
		const clock = (performance.now() - this.started) / (DURATION * slowness.peek());

		return this.started > 0 ? (this.posed ?? clock) : 1;
	}

	/*
	 * Marks the lines that came, and draws those in flight. `spot` finds bytes of regions.
	 */
	draw(
		d: Draw,
		p: Palette,
		levels: LevelPicture[],
		s: CacheScene,
		spot: (region: number, offset: number) => Box | null,
	): void {
		const past = this.past();
		const whose = past < 1 && this.back ? this.back : this.of;
		const m = whose?.moves;

		if (!m || this.of!.cursor !== s.cursor) return;
		const t = whose === this.back ? 1 - past : Math.min(1, past);
		const ease = t * t * (3 - 2 * t);
		for (let i = 0; i < m.line.length; i++) {
			const f = this.flier(i, m, levels, { ...s, held: whose!.held }, p, spot);
			if (!f) continue;
			if (!f.leaves) d.frame(f.to.x - 1, f.to.y - 1, f.to.w + 1, f.to.h + 1, p.cursor, 2);
			if (t >= 1) continue;
			const x = f.from.x + (f.to.x - f.from.x) * ease;
			const y = f.from.y + (f.to.y - f.from.y) * ease;
			const alpha = f.leaves ? 1 - t : 0.9;
			d.line(
				f.from.x + f.from.w / 2,
				f.from.y + f.from.h / 2,
				x + f.to.w / 2,
				y + f.to.h / 2,
				f.colour,
				2,
				0.5 * (1 - t),
			);
			d.rect(x, y, f.to.w - 1, f.to.h - 1, f.colour, alpha);
		}
	}

	/** The two ends of movement i, if both are in the picture. */
	private flier(
		i: number,
		m: NonNullable<Moment["moves"]>,
		levels: LevelPicture[],
		s: CacheScene,
		p: Palette,
		spot: (region: number, offset: number) => Box | null,
	): Flier | null {
		const kind = m.kind[i]!;
		const comes = kind === FILL || kind === PREFETCH;
		const leaves = kind === EVICT || kind === WRITE_BACK || kind === INVALIDATE;
		const l = levels[(comes ? m.target[i]! : m.source[i]!) - 1];

		if ((!comes && !leaves) || !l || l.info.group) return null;
		const instance = Math.floor(m.core[i]! / l.info.share);
		const slot = (instance * l.info.sets + m.set[i]!) * l.info.ways + m.way[i]!;
		const here = slotBox(l, slot);
		const line = m.line[i]!;
		if (leaves) {
			const owner = this.ownerBefore(line);
			return {
				from: here,
				to: { ...here, y: here.y + 26 },
				colour: owner < 0 ? p.muted : ownerColour(p, s, owner),
				leaves: true,
			};
		}
		const at = l.info.first + slot;
		const inner = levels[m.source[i]! - 1];
		const from = (inner && findLine(inner, s.held, line)) ??
			spot(s.held.region[at]!, s.held.offset[at]!) ?? { ...here, y: here.y - 40 };
		return {
			from,
			to: here,
			colour: ownerColour(p, s, s.held.region[at]!),
			leaves: false,
		};
	}

	/** The region of a line before it left. */
	private ownerBefore(line: bigint): number {
		const held = (this.back ? this.of : this.before)?.held;
		const at = held ? held.line.indexOf(line) : -1;

		return at < 0 ? -1 : held!.region[at]!;
	}
}
