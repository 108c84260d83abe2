// A region against time: elements from top to bottom, time from left to right. Patterns of
// access are lines in this picture; their slope is the stride.
import { api, HURRY, LONG } from "../api";
import { exact, count, tick } from "../../../model/format";
import { datumName, extentOf } from "../model/shape";
import { drawable } from "../model/usualRegions";
import { isNothing, type Selection } from "../model/selection";
import { cutMiddle } from "../model/regionNames";
import type { Region } from "../model/types";
import { ticks } from "../../../model/ticks";
import { pan, zoom } from "../state/window";
import { selected } from "../state/windowCounts";
import {
	costName,
	select,
	cursor,
	hover,
	levelNames,
	names,
	ready,
	regionOf,
	regionRank,
	regions,
	selection,
	setCursor,
	shownWindow,
	sim,
} from "../state/store";
import { option, options, setOption } from "../../../state/store";
import { cellColour, mix, regionColour, type Palette } from "../../../draw/colours";
import { rgba, type Draw } from "../../../draw/draw";
import { drawKeyBefore } from "../../../draw/key";
import { drawCellKey } from "../timeline/cellKey";
import { cellScale } from "../model/waiting";
import { CanvasView } from "../../../views/canvas";
import { shownRegions } from "./frames";
import type { ViewKind } from "../../../views/view";

const HEAD = 34;
const LEFT = 96;
const RIGHT = 14;
const AXIS = 34;
const FAINT = 0x30; // opacity of what is not selected, of 255

interface Answer {
	region: number;
	first: number;
	bytes: number;
	from: number;
	to: number;
	rows: number;
	columns: number;
	reads: Uint32Array;
	writes: Uint32Array;
	level: Uint8Array; // that costs most; 0: no references
	cycles: Float32Array; // of a reference
}

/** The region that the selected references, a line's for example, go to most. */
function regionOfSelected(): number | undefined {
	const { region, ...rest } = selection.value;

	if (region !== undefined) return region;
	if (isNothing(rest)) return undefined;
	const can = selected.value?.regions.filter((x) => {
		const r = regionOf(x.region);
		return r && drawable(r);
	});
	// Among data of the program first: a line also touches the stack.
	const own = can?.filter((x) => shownRegions().includes(x.region));
	const list = own?.length ? own : (can ?? []);
	return [...list].sort((a, b) => b.references - a.references)[0]?.region;
}

/*
 * The region that is shown: the chosen one, or the one that the selection is about, or the
 * first of the usual ones.
 */
function planeRegion(): number {
	const chosen = Number(option("plane.region", "-1"));

	if (regionOf(chosen)) return chosen;
	const s = regionOfSelected();
	const r = s !== undefined ? regionOf(s) : undefined;
	return r && drawable(r) ? r.region : (shownRegions()[0] ?? -1);
}

/** A colour of a picture with little of its opacity. */
function faint(colour: number): number {
	return colour ? ((colour & 0x00ffffff) | (FAINT << 24)) >>> 0 : 0;
}

class Plane extends CanvasView {
	private answer!: { value: Answer | null };
	private chosen!: { value: Answer | null }; // the selected references of the same part
	private grip: {
		x: number;
		y: number;
		moved: boolean;
		from: number;
		to: number;
		first: number;
	} | null = null;

	protected start(): void {
		this.answer = this.ask(() => this.question(), 40);
		this.chosen = this.ask(() => {
			const { region: _region, offset: _offset, ...of } = selection.value;
			return isNothing(of) ? null : this.question(of);
		}, 80);
		this.watch(
			() =>
				void [
					cursor.value,
					shownWindow.value,
					options.value,
					selection.value,
					hover.value,
					regions.value,
				],
		);
		this.listen("wheel", (e, x, y) => {
			e.preventDefault();
			if (e.ctrlKey || e.altKey) this.zoomElements(1.0015 ** e.deltaY, y);
			else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY))
				pan((e.deltaX || e.deltaY) / 1000);
			else zoom(1.0015 ** e.deltaY, this.timeAt(x));
		});
		this.listen("pointerdown", (e, x, y) => {
			this.canvas.setPointerCapture(e.pointerId);
			const w = shownWindow.value;
			this.grip = { x, y, moved: false, from: w.from, to: w.to, first: this.part()[0] };
		});
		this.listen("pointermove", (_, x, y) => this.point(x, y));
		this.listen("pointerup", (_, x, y) => {
			const g = this.grip;
			this.grip = null;
			if (g && !g.moved && this.inside(x, y)) setCursor(this.timeAt(x));
		});
		this.listen("dblclick", (_, x, y) => {
			const n = planeRegion();
			const r = regionOf(n);
			if (!r || !this.inside(x, y)) return;
			const at = this.byteAt(y);
			const elem = r.elem || 1;
			const low = Math.floor(at / elem) * elem;
			select({ region: n, offset: [low, low + elem] });
		});
	}

	/** Bytes of the region that are shown: first and how many. */
	private part(): [number, number] {
		const r = regionOf(planeRegion());
		const all = r ? extentOf(r) : 0;
		const m = option("plane.part", "").match(/^(\d+)-(\d+)$/);
		const [first, bytes] = m ? [Number(m[1]), Number(m[2])] : [0, 0];

		return bytes && first + bytes <= all ? [first, bytes] : [0, all];
	}

	private setPart(first: number, bytes: number): void {
		const r = regionOf(planeRegion());
		const all = r ? extentOf(r) : 0;
		const elem = r?.elem || 8;
		const n = Math.max(Math.min(all, 8 * elem), Math.min(all, Math.round(bytes)));
		const at = Math.max(0, Math.min(all - n, Math.round(first)));

		setOption("plane.part", n >= all ? "" : `${at}-${n}`);
	}

	private zoomElements(factor: number, y: number): void {
		const [first, bytes] = this.part();
		const around = this.byteAt(y);

		this.setPart(around - (around - first) * factor, bytes * factor);
	}

	private question(of: Selection = {}) {
		const s = ready.value;
		const w = shownWindow.value;
		const region = planeRegion();
		const [first, bytes] = this.part();

		if (!s || region < 0 || !bytes || w.to <= w.from) return null;
		const r = regionOf(region)!;
		const elements = Math.ceil(bytes / (r.elem || 1));
		const q = {
			region,
			from: w.from,
			to: w.to,
			columns: Math.max(1, Math.min(2048, Math.round((this.width - LEFT - RIGHT) / 2))),
			rows: Math.max(
				1,
				Math.min(2048, elements, Math.round((this.height - HEAD - AXIS) / 2)),
			),
			first,
			bytes,
		};
		const ask = async (abort: AbortSignal, hurry?: number): Promise<Answer> => {
			const { header, column: c } = await api.plane(s.sim, { ...q, hurry }, abort, of);
			return {
				...(header as unknown as Answer),
				columns: header["across"] as number,
				reads: c["reads"] as Uint32Array,
				writes: c["writes"] as Uint32Array,
				level: c["level"] as Uint8Array,
				cycles: c["cycles"] as Float32Array,
			};
		};
		return async (abort: AbortSignal, early: (a: Answer) => void): Promise<Answer> => {
			if (w.to - w.from > LONG) early(await ask(abort, HURRY));
			return ask(abort);
		};
	}

	private inside(x: number, y: number): boolean {
		return x >= LEFT && x < this.width - RIGHT && y >= HEAD && y < this.height - AXIS;
	}

	private timeAt(x: number): number {
		const w = shownWindow.value;
		return w.from + ((x - LEFT) / (this.width - LEFT - RIGHT)) * (w.to - w.from);
	}

	private xOf(time: number): number {
		const w = shownWindow.value;
		return (
			LEFT + ((time - w.from) / Math.max(1, w.to - w.from)) * (this.width - LEFT - RIGHT)
		);
	}

	private byteAt(y: number): number {
		const [first, bytes] = this.part();
		return first + ((y - HEAD) / (this.height - HEAD - AXIS)) * bytes;
	}

	private yOf(byte: number): number {
		const [first, bytes] = this.part();
		return HEAD + ((byte - first) / Math.max(1, bytes)) * (this.height - HEAD - AXIS);
	}

	private point(x: number, y: number): void {
		const g = this.grip;
		const r = regionOf(planeRegion());

		if (g) {
			if (!g.moved && Math.hypot(x - g.x, y - g.y) < 4) return;
			const span = shownWindow.value.to - shownWindow.value.from;
			const [, bytes] = this.part();
			g.moved = true;
			if (bytes < (r ? extentOf(r) : 0))
				this.setPart(g.first - ((y - g.y) / (this.height - HEAD - AXIS)) * bytes, bytes);
			const wished = g.from - ((x - g.x) / (this.width - LEFT - RIGHT)) * span;
			pan((wished - shownWindow.value.from) / span);
			return this.tip(null);
		}
		const a = this.answer.value;
		if (!r || !a || !this.inside(x, y)) return this.tip(null);
		const time = Math.floor(this.timeAt(x));
		const column = Math.floor(((time - a.from) / (a.to - a.from)) * a.columns);
		const row = Math.floor(((this.byteAt(y) - a.first) / a.bytes) * a.rows);
		const at = row * a.columns + column;
		const out = [datumName(r, Math.floor(this.byteAt(y))), `reference ${exact(time)}`];
		if (column >= 0 && column < a.columns && row >= 0 && row < a.rows && a.level[at])
			out.push(
				`${exact(a.reads[at]!)} reads, ${exact(a.writes[at]!)} writes`,
				`${a.cycles[at]!.toFixed(2)} cycles a reference, most of them ${costName(a.level[at]!)}`,
			);
		this.tip(out, x, y);
	}

	draw(d: Draw, p: Palette): void {
		const n = planeRegion();
		const r = regionOf(n);
		const a = this.answer.value;
		const [w, h] = [d.width - LEFT - RIGHT, d.height - HEAD - AXIS];

		if (!r) {
			d.text(LEFT, HEAD, "No region can be drawn.", { colour: p.muted, size: 12 });
			return;
		}
		this.head(d, p, n);
		d.rect(LEFT, HEAD, w, h, p.empty);
		if (a && a.region === n) {
			const y0 = this.yOf(a.first);
			d.clip(LEFT, HEAD, w, h, () =>
				d.cells(
					this.xOf(a.from),
					y0,
					this.xOf(a.to) - this.xOf(a.from),
					this.yOf(a.first + a.bytes) - y0,
					a.columns,
					a.rows,
					this.colours(p, a),
				),
			);
		}
		d.frame(LEFT - 1, HEAD - 1, w + 2, h + 2, regionColour(p, regionRank(n)), 1.5);
		this.axes(d, p);
		const s = selection.value;
		if (s.region === n && s.offset) {
			const y = this.yOf(s.offset[0]);
			d.rect(LEFT, y, w, Math.max(1, this.yOf(s.offset[1]) - y), p.text, 0.25);
		}
		this.markShown(cursor.value, !a);
		const x = this.xOf(cursor.value);
		if (x >= LEFT && x <= LEFT + w) {
			d.line(x, HEAD - 4, x, HEAD + h + 4, p.background, 4, 0.6);
			d.line(x, HEAD - 4, x, HEAD + h + 4, p.cursor, 2);
		}
	}

	private colours(p: Palette, a: Answer): Uint32Array {
		const out = new Uint32Array(a.rows * a.columns);
		const levels = levelNames.value.length;
		const scale = cellScale(sim.value?.levels ?? []);
		const kinds = [p.read, mix(p.read, p.write, 0.5), p.write].map((c) => rgba(c));
		const byKind = option("plane.colour", "level") === "kind";
		const colour = (of: Answer, i: number): number => {
			const [r, w] = [of.reads[i]!, of.writes[i]!];
			if (!r && !w) return 0;
			return byKind
				? kinds[r && w ? 1 : w ? 2 : 0]!
				: rgba(
						cellColour(p, levels, { level: of.level[i]!, cycles: of.cycles[i]! }, scale),
					);
		};
		const some = this.chosenLike(a);

		// What is not selected is faint.
		for (let i = 0; i < out.length; i++) {
			const all = colour(a, i);
			out[i] = some ? colour(some, i) || faint(all) : all;
		}
		return out;
	}

	/** The selected references, if something is selected and they are known for this part. */
	private chosenLike(a: Answer): Answer | null {
		const { region: _region, offset: _offset, ...of } = selection.value;
		const c = this.chosen.value;
		const keys = ["region", "first", "bytes", "from", "to", "rows", "columns"] as const;

		return !isNothing(of) && c && keys.every((k) => c[k] === a[k]) ? c : null;
	}

	private head(d: Draw, p: Palette, n: number): void {
		const r = regionOf(n)!;
		const name = { colour: p.text, size: 12, bold: true, mono: true };
		const small = { colour: p.muted, size: 10 };
		const byKind = option("plane.colour", "level") === "kind";
		const kinds: [string, number][] = [
			["read", p.read],
			["write", p.write],
			["both", mix(p.read, p.write, 0.5)],
		];
		const a = this.answer.value;
		const right = d.width - RIGHT;
		const x = byKind
			? drawKeyBefore(d, p, right, HEAD / 2, kinds, small.size)
			: drawCellKey(d, p, right, HEAD / 2, LEFT + 160);

		const label = cutMiddle(names.region(r.region), x - LEFT - 12, (t) =>
			d.measure(t, name),
		);
		d.text(LEFT, HEAD / 2, label, name);
		if (!a) return;
		const left = LEFT + d.measure(label, name) + 10;
		const each = (v: number, what: string) =>
			v > 1 ? `${count(Math.round(v * 10) / 10)} ${what}s` : `one ${what}`;
		const elements = a.bytes / a.rows / (r.elem || 1);
		const cell = `a cell is ${each(elements, r.elem ? "element" : "byte")} × ${each((a.to - a.from) / a.columns, "reference")}`;
		if (d.measure(cell, small) < x - left) d.text(left, HEAD / 2, cell, small);
	}

	/** The name of an element beside the axis: without that of its region if it is too long. */
	private elementLabel(r: Region, byte: number, measure: (t: string) => number): string {
		const whole = datumName({ ...r, fields: [] }, byte);
		const room = LEFT - 12;

		if (measure(whole) <= room) return whole;
		return cutMiddle(whole.slice(r.name.length), room, measure);
	}

	private axes(d: Draw, p: Palette): void {
		const w = shownWindow.value;
		const r = regionOf(planeRegion())!;
		const bottom = d.height - AXIS;
		const small = { colour: p.muted, size: 10 };
		const [first, bytes] = this.part();
		const elem = r.elem || 1;

		const times = ticks(w.from, w.to, (d.width - LEFT) / 110, 1);
		// Rounded labels that are all the same do not help.
		const same = new Set(times.map(tick)).size < times.length;
		for (const t of times) {
			const x = this.xOf(t);
			const text = same ? exact(t) : tick(t);
			const half = d.measure(text, small) / 2;
			d.line(x, bottom, x, bottom + 4, p.muted);
			d.text(Math.min(d.width - half - 2, x), bottom + 12, text, {
				...small,
				align: "center",
			});
		}
		d.text(LEFT + (d.width - LEFT - RIGHT) / 2, bottom + 26, "reference", {
			...small,
			align: "center",
		});
		const elements = ticks(first / elem, (first + bytes) / elem, (bottom - HEAD) / 60, 1);
		for (const t of elements) {
			const y = this.yOf(t * elem);
			const at = Math.max(y, HEAD + 5);
			if (y > bottom - 4) continue;
			d.line(LEFT - 5, y, LEFT - 1, y, p.muted);
			const style = { ...small, mono: true, align: "right" } as const;
			const label = this.elementLabel(r, t * elem, (text) => d.measure(text, style));
			d.text(LEFT - 9, at, label, style);
		}
	}
}

export const planeView: ViewKind = {
	id: "plane",
	title: "Time",
	description:
		"One region against time: elements from top to bottom, references from left to right",
	controls: () => {
		const list = regions.value.filter(drawable).slice(0, 60);
		const now = planeRegion();

		return [
			{
				option: "plane.region",
				label: "region",
				choices: [
					["-1", now >= 0 ? `usual (${names.region(now)})` : "usual"],
					...list.map((r): [string, string] => [
						String(r.region),
						names.region(r.region),
					]),
				],
				otherwise: "-1",
			},
			{
				option: "plane.colour",
				label: "colour",
				choices: [
					["level", "level that costs most"],
					["kind", "read or write"],
				],
				otherwise: "level",
			},
		];
	},
	plays: true,
	create: () => new Plane(),
};
