// The base of both pictures of rings: time and pointer. A step to a neighbouring moment
// is a movement; a step back is the same movement played backwards. The wheel zooms, a
// drag moves the zoomed picture.
import { option, setOption } from "../../../state/store";
import { CanvasView } from "../../../views/canvas";
import { parseZoom, printZoom, zoomAt, type Zoom } from "../model/rings";
import { SEEN } from "../state/cacheMoment";
import { stepBetween } from "../regions/flight";
import { cursor, hover, playing, slowness, speed, steppedTo } from "../state/store";

const DURATION = 520; // ms of every movement, near or far
const DRAG = 4; // pixels from which on a press is a drag
export const NAMES = 22; // pixels: room for the names of regions

/** The part of a moment that the movement to it needs. */
export interface RingsMoment {
	cursor: number;
	before: unknown; // null: what was there before is not known
}

export abstract class RingsView<S extends RingsMoment> extends CanvasView {
	protected of: S | null = null; // the moment whose movement is shown
	protected then: S | null = null; // the moment that a movement played backwards ends with
	protected dragged = false;
	/*
	 * When the movement began, in ms: with its first picture, however late that is. Infinity:
	 * it is not drawn yet; -Infinity: there is none.
	 */
	private started = -Infinity;
	private span = DURATION;
	private frames = 0;
	private grip: { x: number; y: number; zoom: Zoom } | null = null;

	/** The option that keeps the zoom. */
	protected abstract readonly zoomOption: string;
	/** Centre and radius of the picture as it is without zoom. */
	protected abstract circle(): { x: number; y: number; r: number };
	/** Whether two moments are of the same simulations. */
	protected abstract sameRun(a: S, b: S): boolean;

	/** Call it in start(). */
	protected startRings(): void {
		this.onDestroy(() => cancelAnimationFrame(this.frames));
		this.listen("pointerleave", () => (hover.value = {}));
		this.listen("wheel", (e, x, y) => {
			const c = this.circle();
			const by = Math.exp(-e.deltaY * 0.0015);
			e.preventDefault();
			this.setZoom(zoomAt(this.zoom(), by, (x - c.x) / c.r, (y - c.y) / c.r));
		});
		this.listen("pointerdown", (e, x, y) => {
			this.dragged = false;
			this.grip = { x, y, zoom: this.zoom() };
			if (this.grip.zoom.k > 1) this.canvas.setPointerCapture(e.pointerId);
		});
		this.listen("pointerup", () => (this.grip = null));
		this.listen("dblclick", () => this.setZoom(parseZoom("")));
	}

	/** Shows another moment; one that a step led to by moving there, any other at once. */
	protected turnTo(s: S | null): void {
		const old = this.then ?? this.of;
		const quiet = matchMedia("(prefers-reduced-motion: reduce)").matches;
		const seen = !quiet && (!playing.peek() || speed.peek() <= SEEN);

		if (s === old) return;
		const same = s && old && this.sameRun(s, old) && seen;
		this.then = null;
		this.started = -Infinity;
		const how = same ? stepBetween(old, s, steppedTo.peek()) : "jump";
		if (how === "back" && old!.before) {
			this.of = old;
			this.then = s;
		} else this.of = s;
		if (this.then || (how === "forth" && s!.before)) {
			const span = DURATION * slowness.peek();
			this.started = Infinity;
			this.span = playing.peek() ? Math.min(span, 900 / speed.peek()) : span;
			cancelAnimationFrame(this.frames);
			this.frames = requestAnimationFrame(this.tick);
		}
	}

	private tick = (): void => {
		this.redraw();
		if (this.flying()) this.frames = requestAnimationFrame(this.tick);
		else if (this.then) {
			this.of = this.then;
			this.then = null;
		}
	};

	flying(): boolean {
		return this.posed === null && performance.now() < this.started + this.span;
	}

	/** How far the movement of the reference is: at 1 everything has arrived. */
	protected phase(): number {
		if (this.started === Infinity) this.started = performance.now();
		const clock = Math.min(1, (performance.now() - this.started) / this.span);
		const t = this.started > 0 ? (this.posed ?? clock) : 1;

		return this.then ? 1 - t : t;
	}

	/** Says in the canvas which moment is drawn, for movies; `waits`: it is not complete. */
	protected markScene(s: S, waits: boolean): void {
		const shown = (this.then ?? s).cursor;

		this.markShown(shown, this.flying() || !!this.then || waits);
		this.markLate(!playing.value && shown !== cursor.value);
	}

	protected zoom(): Zoom {
		return parseZoom(option(this.zoomOption, ""));
	}

	protected setZoom(z: Zoom): void {
		setOption(this.zoomOption, printZoom(z));
	}

	/** Moves the zoomed picture with the pointer; false where nothing is dragged. */
	protected drag(x: number, y: number): boolean {
		const g = this.grip;

		if (!g || g.zoom.k === 1) return false;
		this.dragged ||= Math.hypot(x - g.x, y - g.y) > DRAG;
		const { r } = this.circle();
		if (this.dragged)
			this.setZoom({
				...g.zoom,
				x: g.zoom.x + (x - g.x) / r,
				y: g.zoom.y + (y - g.y) / r,
			});
		return this.dragged;
	}
}
