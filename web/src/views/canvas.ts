// A view that draws on one canvas. The base class brings size, sharpness, theme, frames,
// tooltip and export; a view adds draw() and its questions to the server.
import { effect, signal, untracked } from "@preact/signals";
import { type Palette } from "../draw/colours";
import type { Draw } from "../draw/draw";
import { Pixels } from "../draw/pixels";
import { Svg } from "../draw/svg";
import { latest, type Latest, type Question } from "../state/latest";
import type { View } from "./view";
import { palette } from "./palette";

/** What has not changed for so many ms while an answer is missing is greyed. */
const STILL = 300;

export abstract class CanvasView implements View {
	protected host!: HTMLElement;
	protected readonly canvas = document.createElement("canvas");
	protected width = 0; // CSS pixels
	protected height = 0;
	private readonly tooltip = document.createElement("div");
	private readonly undo: (() => void)[] = [];
	private pixels: Pixels | undefined;
	private frame = 0;
	protected destroyed = false;
	private readonly waits: (() => boolean)[] = [];
	private readonly late = signal(false);
	private old = false; // an answer is missing
	private changed = 0; // when the picture became another one, or old
	private moment: number | null = null; // that was drawn last
	private greying = 0; // timer

	/** Draws everything, through d only: the same call makes the screen and the export. */
	abstract draw(d: Draw, p: Palette): void;
	/** Called once, when the canvas is in the page: events, watch(), ask(). */
	protected abstract start(): void;
	/** The canvas has another size; width and height are set. */
	protected resized(): void {}

	mount(host: HTMLElement): void {
		this.host = host;
		this.tooltip.className = "tooltip";
		this.tooltip.hidden = true;
		host.append(this.canvas, this.tooltip);
		const observer = new ResizeObserver(() => this.fit());
		observer.observe(host);
		this.undo.push(() => observer.disconnect());
		this.listen("pointerleave", () => this.tip(null));
		this.watch(() => void palette.value);
		this.fit();
		this.start();
		this.greyWhile(() => this.late.value);
		this.undo.push(
			effect(() => {
				const old = this.waits.some((waits) => waits());
				if (old && !this.old) this.changed = performance.now();
				this.old = old;
				this.grey();
			}),
		);
		this.undo.push(() => clearTimeout(this.greying));
	}

	/** Greys what is old and does not move: what moves shows by itself that it catches up. */
	private grey(): void {
		const wait = this.changed + STILL - performance.now();
		const grey = this.old && wait <= 0;

		clearTimeout(this.greying);
		this.canvas.classList.toggle("is-old", grey);
		this.canvas.ariaBusy = String(this.old);
		if (this.old && !grey) this.greying = window.setTimeout(() => this.grey(), wait);
	}

	/** The picture is another one than before. */
	private moves(): void {
		this.changed = performance.now();
		if (this.old) this.grey();
	}

	destroy(): void {
		this.destroyed = true;
		for (const f of this.undo) f();
		cancelAnimationFrame(this.frame);
		this.host.replaceChildren();
	}

	/** Calls `then` when the view goes. */
	protected onDestroy(then: () => void): void {
		this.undo.push(then);
	}

	/** Draws again with the next frame. */
	protected redraw = (): void => {
		this.frame ||= requestAnimationFrame(() => {
			this.frame = 0;
			this.paint();
		});
	};

	/** Draws every frame for as long as something is moving. */
	protected animate(moving: () => boolean): void {
		const tick = () => {
			if (this.destroyed) return;
			this.redraw();
			if (moving()) requestAnimationFrame(tick);
		};

		requestAnimationFrame(tick);
	}

	/** Draws again whenever a signal that `reads` reads changes. */
	protected watch(reads: () => void): void {
		this.undo.push(
			effect(() => {
				reads();
				this.redraw();
			}),
		);
	}

	/*
	 * Greys the picture while `waits`, which reads signals, says that it is not yet what the
	 * labels around it say. Call it in start().
	 */
	protected greyWhile(waits: () => boolean): void {
		this.waits.push(waits);
	}

	/** Says in draw() whether the picture is of another moment than the labels around it. */
	protected markLate(late: boolean): void {
		if (late !== this.late.peek()) this.late.value = late;
	}

	/*
	 * A question to the server (see latest); draws again when its answer comes, and greys the
	 * picture until then. A question `aside` is not what the picture is about.
	 */
	protected ask<T>(
		question: () => Question<T> | null,
		wait = 30,
		aside = false,
	): Latest<T>["value"] {
		const answer = latest(question, wait);

		if (!aside) this.greyWhile(() => !answer.fresh.value);
		this.undo.push(answer.dispose);
		this.watch(() => {
			if (answer.value.value) untracked(() => this.moves());
		});
		return answer.value;
	}

	/** An event of the canvas; x and y are in CSS pixels of the picture. */
	protected listen<K extends keyof HTMLElementEventMap>(
		type: K,
		then: (e: HTMLElementEventMap[K], x: number, y: number) => void,
	): void {
		this.canvas.addEventListener(
			type,
			(e) => {
				const box = this.canvas.getBoundingClientRect();
				const at = e as unknown as { clientX: number; clientY: number };
				then(e, at.clientX - box.left, at.clientY - box.top);
			},
			{ passive: false },
		);
	}

	/** Shows lines of text beside the pointer; the first is bold. Null hides them. */
	protected tip(lines: string[] | null, x = 0, y = 0): void {
		this.tooltip.hidden = !lines?.length;
		if (!lines) return;
		this.tooltip.replaceChildren(
			...lines.map((text) => {
				const row = document.createElement("div");
				row.textContent = text;
				return row;
			}),
		);
		const w = this.tooltip.offsetWidth;
		const h = this.tooltip.offsetHeight;
		const left = x + 14 + w > this.width ? Math.max(0, x - 10 - w) : x + 14;
		const top = y + 14 + h > this.height ? Math.max(4 - h, y - 10 - h) : y + 14;
		this.tooltip.style.transform = `translate(${left}px, ${top}px)`;
	}

	exportSvg(): string {
		const svg = new Svg(
			this.width,
			this.height,
			this.canvas.getContext("2d") ?? undefined,
		);
		const p = palette.value;

		this.draw(svg, p);
		return svg.finish(p.background);
	}

	exportPng(): Promise<Blob> {
		const copy = document.createElement("canvas");
		const p = palette.value;

		copy.width = this.width * 2;
		copy.height = this.height * 2;
		const d = new Pixels(copy.getContext("2d")!, 2);
		d.clear(p.background);
		this.draw(d, p);
		d.flush();
		return new Promise((yes, no) =>
			copy.toBlob((b) => (b ? yes(b) : no(new Error("no picture"))), "image/png"),
		);
	}

	/** Says which moment is drawn; `moving`: it is not complete, or something still flies. */
	protected markShown(moment: number, moving: boolean): void {
		this.canvas.dataset["shown"] = String(moment);
		if (moment !== this.moment) this.moves();
		this.moment = moment;
		if (moving) this.canvas.dataset["moving"] = "yes";
		else delete this.canvas.dataset["moving"];
	}

	/*
	 * The moment that is drawn and no longer moves; null while the picture waits to be drawn
	 * again. Views that play keep the moment in the canvas's data.
	 */
	still(): { canvas: HTMLCanvasElement; shown: number } | null {
		const { shown, moving } = this.canvas.dataset;

		return shown === undefined || moving || this.frame
			? null
			: { canvas: this.canvas, shown: Number(shown) };
	}

	/*
	 * The phase, from 0 to 1, at which a movie holds movements; null: they follow the
	 * clock.
	 */
	protected posed: number | null = null;
	pose(phase: number | null): void {
		this.posed = phase;
		this.paint();
	}

	private fit(): void {
		const scale = devicePixelRatio || 1;
		const w = Math.max(1, this.host.clientWidth);
		const h = Math.max(1, this.host.clientHeight);

		if (w === this.width && h === this.height) return;
		[this.width, this.height] = [w, h];
		this.canvas.width = Math.round(w * scale);
		this.canvas.height = Math.round(h * scale);
		this.canvas.style.width = `${w}px`;
		this.canvas.style.height = `${h}px`;
		this.pixels = new Pixels(this.canvas.getContext("2d")!, scale);
		this.resized();
		this.redraw();
	}

	private paint(): void {
		const p = palette.value;

		if (!this.pixels) return;
		this.pixels.clear(p.background);
		delete this.canvas.dataset["shown"]; // draw() says what is shown, if anything is
		this.draw(this.pixels, p);
		this.pixels.flush();
	}
}
