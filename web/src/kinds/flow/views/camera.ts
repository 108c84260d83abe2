// The part of a large picture that is on the screen: pan, zoom, smooth jumps. It outlives its
// view, so that a person who comes back to a tab finds the same place.
import { signal } from "@preact/signals";
import type { Spot } from "../model/frames";

const FLIGHT = 420; // ms

export class Camera {
	/** Counts changes: views that read it draw again. */
	readonly version = signal(0);
	k = 1; // pixels a unit
	x = 0; // the unit at the left and top of the screen
	y = 0;
	width = 1; // of the screen, pixels
	height = 1;
	private flight = 0;

	constructor(
		private readonly least = 0.01,
		private readonly greatest = 8,
	) {}

	resize(w: number, h: number): void {
		// the middle stays in the middle
		this.x += (this.width - w) / 2 / this.k;
		this.y += (this.height - h) / 2 / this.k;
		[this.width, this.height] = [w, h];
	}

	private changed(): void {
		this.version.value++;
	}

	private stop(): void {
		cancelAnimationFrame(this.flight);
		this.flight = 0;
	}

	get flying(): boolean {
		return this.flight !== 0;
	}

	pan(dx: number, dy: number): void {
		this.stop();
		this.x -= dx / this.k;
		this.y -= dy / this.k;
		this.changed();
	}

	zoomAt(sx: number, sy: number, factor: number): void {
		const k = Math.max(this.least, Math.min(this.greatest, this.k * factor));

		this.stop();
		this.x += sx / this.k - sx / k;
		this.y += sy / this.k - sy / k;
		this.k = k;
		this.changed();
	}

	zoom(factor: number): void {
		this.zoomAt(this.width / 2, this.height / 2, factor);
	}

	/** The camera that shows a spot whole, not larger than `most`. */
	private on(
		s: Spot,
		most: number,
		margin: number,
		below: number,
	): { x: number; y: number; k: number } {
		const [w, h] = [this.width - 2 * margin, this.height - 2 * margin - below];
		const k = Math.max(
			this.least,
			Math.min(most, Math.max(20, w) / s.w, Math.max(20, h) / s.h),
		);

		return {
			k,
			x: s.x + s.w / 2 - this.width / 2 / k,
			y: s.y + s.h / 2 - (this.height - below) / 2 / k,
		};
	}

	/** Shows a spot whole, with room for a key of `below` pixels under it. */
	fit(s: Spot, most = 1.4, margin = 40, below = 0): void {
		this.stop();
		Object.assign(this, this.on(s, most, margin, below));
		this.changed();
	}

	/** Moves there slowly enough to follow. */
	fly(s: Spot, most = 1.2, margin = 60): void {
		const to = this.on(s, most, margin, 0);
		const from = { x: this.x, y: this.y, k: this.k };
		const start = performance.now();
		const middle = (c: { x: number; y: number; k: number }) => ({
			x: c.x + this.width / 2 / c.k,
			y: c.y + this.height / 2 / c.k,
		});
		const [a, b] = [middle(from), middle(to)];

		this.stop();
		if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
			Object.assign(this, to);
			this.changed();
			return;
		}
		const tick = () => {
			const t = Math.min(1, (performance.now() - start) / FLIGHT);
			const e = t * t * (3 - 2 * t);
			const k = from.k * (to.k / from.k) ** e;

			this.k = k;
			this.x = a.x + (b.x - a.x) * e - this.width / 2 / k;
			this.y = a.y + (b.y - a.y) * e - this.height / 2 / k;
			this.flight = t < 1 ? requestAnimationFrame(tick) : 0;
			this.changed();
		};
		this.flight = requestAnimationFrame(tick);
	}

	/** Moves without a flight so that a point of the picture is at a point of the screen. */
	hold(wx: number, wy: number, sx: number, sy: number): void {
		this.stop();
		this.x = wx - sx / this.k;
		this.y = wy - sy / this.k;
		this.changed();
	}

	sx(wx: number): number {
		return (wx - this.x) * this.k;
	}
	sy(wy: number): number {
		return (wy - this.y) * this.k;
	}
	wx(sx: number): number {
		return this.x + sx / this.k;
	}
	wy(sy: number): number {
		return this.y + sy / this.k;
	}
}

export const globalCamera = new Camera();
export const localCamera = new Camera(0.05, 12);
