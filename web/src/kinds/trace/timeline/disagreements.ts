// The strip that shows where two simulations disagree over the whole run: references that
// A serves from a nearer level go up, those that B does go down, as shares of the
// references of a cell. The largest share has the full height, and the tooltip tells it.
import { effect } from "@preact/signals";
import { api } from "../api";
import { type Palette, sideColours } from "../../../draw/colours";
import type { Draw } from "../../../draw/draw";
import { exact, percent } from "../../../model/format";
import { cellOf, cellSpan } from "../model/tiling";
import { other, otherTime, paired, stripOf, type Strip } from "../state/disagreements";
import { length, ready, compared, setCursor } from "../state/store";
import { eachCell, type Scale } from "./parts";

const HEIGHT = 22; // pixels
const CELLS = 1024;

export class DisagreementStrip {
	private readonly strip = stripOf(() => CELLS);
	private readonly stop: () => void;

	constructor(changed: () => void) {
		this.stop = effect(() => {
			void [this.strip.value.value, compared.value];
			changed();
		});
	}

	dispose(): void {
		this.stop();
		this.strip.dispose();
	}

	/** Height in pixels; 0 while nothing is compared. */
	height(): number {
		return compared.value ? HEIGHT : 0;
	}

	answer(): Strip | null {
		return other.value ? this.strip.value.value : null;
	}

	private shares(a: Strip, i: number): [a: number, b: number] {
		const span = cellSpan(a, i);
		const n = Math.max(1, span.to - span.from);

		return [a.nearerA[i]! / n, a.nearerB[i]! / n];
	}

	private largest(a: Strip): number {
		let max = 0;

		for (let i = 0; i < a.cells; i++) max = Math.max(max, ...this.shares(a, i));
		return max;
	}

	draw(d: Draw, p: Palette, s: Scale, top: number): void {
		const a = this.answer();
		const half = HEIGHT / 2;
		const [up, down] = sideColours(p);

		d.rect(0, top, d.width, HEIGHT, p.empty);
		d.line(0, top + half, d.width, top + half, p.muted, 1, 0.45);
		const max = a ? this.largest(a) : 0;
		if (!a || !max) {
			const text = a ? "no difference anywhere" : "comparing…";
			d.text(6, top + half, text, { colour: p.muted, size: 10 });
			return;
		}
		// A share above 0 is never thinner than a pixel.
		const high = (share: number) => (share ? Math.max(1, (half * share) / max) : 0);
		eachCell(a, s.window, s, (i, x, width) => {
			const [one, two] = this.shares(a, i).map(high) as [number, number];
			const w = Math.max(1, width);
			if (one) d.splat(x, top + half - one, w, one, up);
			if (two) d.splat(x, top + half, w, two, down);
		});
		for (const [y, text, colour] of [
			[top + 6, "A nearer", up],
			[top + HEIGHT - 6, "B nearer", down],
		] as const) {
			const style = { colour, size: 9, bold: true };
			d.rect(1, y - 5, d.measure(text, style) + 5, 10, p.background, 0.8);
			d.text(3, y, text, style);
		}
	}

	words(time: number): string[] {
		const a = this.answer();
		const i = a ? cellOf(a, time) : -1;

		if (!a || i < 0) return [`reference ${exact(time)}`];
		const { from, to } = cellSpan(a, i);
		const [one, two] = [a.nearerA[i]!, a.nearerB[i]!];
		const n = to - from;
		const told = (v: number) =>
			a.paired ? `${exact(v)}, ${percent(v, n)}` : `at least ${percent(v, n)}`;
		return [
			n === 1
				? `reference ${exact(from)}`
				: `references ${exact(from)} – ${exact(to - 1)}`,
			`nearer in A: ${told(one)}`,
			`nearer in B: ${told(two)}`,
			...(a.paired
				? []
				: [`with ${exact(otherTime(from))} – ${exact(otherTime(to))} of B`]),
			`the largest share is ${percent(this.largest(a))}`,
		];
	}

	/** Goes to the first reference of the cell that differs, or to the clicked one. */
	async go(time: number): Promise<void> {
		const [a, one, two] = [this.answer(), ready.value, other.value];
		const i = a ? cellOf(a, time) : -1;

		setCursor(time);
		if (!a || i < 0 || !one || !two || !paired.value) return;
		if (!a.nearerA[i] && !a.nearerB[i]) return;
		const { from, to } = cellSpan(a, i);
		// A step leads behind its start.
		const next = await api.disagreementStep(one.sim, two.sim, Math.max(0, from - 1), 1);
		if (next !== null && next < Math.min(to, length.value)) setCursor(next);
	}
}
