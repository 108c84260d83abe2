// The whole address space from low to high, in the segments that are used, and the last
// references in it: the present one as an arrow, older ones further down and fainter.
import { wholeIn } from "../../../model/link";
import { api, HURRY, LONG } from "../api";
import { bytes, count, exact, percent } from "../../../model/format";
import { along as scaled, scaleOf } from "../model/heat";
import { laySegments, xOfAddress, type Segment } from "../model/segments";
import { brightness, kindOf, WRITE } from "../model/trail";
import { arrived, refsOf } from "../state/nearbyRefs";
import { option, options } from "../../../state/store";
import {
	cursor,
	length,
	levelNames,
	names,
	ready,
	regionRank,
	setCursor,
} from "../state/store";
import {
	along,
	levelColours,
	mix,
	regionColour,
	type Palette,
} from "../../../draw/colours";
import type { Draw } from "../../../draw/draw";
import { CanvasView } from "../../../views/canvas";
import { shownRegions } from "./frames";
import type { ViewKind } from "../../../views/view";

const HEAD = 34;
const TOP = 92; // of the bar
const RAMP = 60; // pixels of the legend of the bar
const BAR = 30;
const EDGE = 14;
const ROWS = 512;

interface Answer {
	segments: Segment[];
	references: Float64Array;
	region: Uint32Array;
	low: number[];
	high: number[];
	share: number; // share of the run's references that the answer covers
}

const words: Record<string, string> = {
	global: "libraries",
	section: "libraries",
	mmap: "libraries, mappings",
	heap: "heap",
	stack: "stack",
	registered: "registered",
};

/** The program itself lies lowest; data above it belong to libraries. */
function segmentName(s: Segment, first: boolean): string {
	return first && /global|section|code/.test(s.name)
		? "program"
		: (words[s.name] ?? s.name);
}

function answerOf({ header, column: c }: Awaited<ReturnType<typeof api.space>>): Answer {
	const { from, to, seen } = header as { from: number; to: number; seen: number };

	return {
		segments: (header["segments"] as { low: string; high: string }[]).map(
			(x) => ({ ...x, low: Number(x.low), high: Number(x.high) }) as Segment,
		),
		references: c["references"] as Float64Array,
		region: c["region"] as Uint32Array,
		low: Array.from(c["low"] as BigUint64Array, Number),
		high: Array.from(c["high"] as BigUint64Array, Number),
		share: to > from ? Math.min(1, seen / (to - from)) : 1,
	};
}

class Space extends CanvasView {
	private answer!: { value: Answer | null };
	private dots: { x: number; y: number; time: number }[] = [];

	protected start(): void {
		this.answer = this.ask<Answer>(() => {
			const s = ready.value;
			const n = length.value;
			return s && n
				? async (abort, early) => {
						const w = { from: 0, to: n };
						if (n > LONG) early(answerOf(await api.space(s.sim, w, ROWS, HURRY, abort)));
						return answerOf(await api.space(s.sim, w, ROWS, undefined, abort));
					}
				: null;
		});
		this.watch(() => void [cursor.value, arrived.value, options.value]);
		this.listen("pointermove", (_, x, y) => this.point(x, y));
		this.listen("click", (_, x, y) => {
			const dot = this.nearest(x, y);
			if (dot) setCursor(dot.time);
		});
	}

	private trail(): number {
		return wholeIn(option("space.trail", "1024"), 0, 1e6, 1024);
	}

	private lay(a: Answer): ReturnType<typeof laySegments> {
		return laySegments(a.segments, EDGE, this.width - 2 * EDGE);
	}

	draw(d: Draw, p: Palette): void {
		const a = this.answer.value;

		if (!a) {
			d.text(
				EDGE,
				HEAD / 2,
				ready.value ? "counting …" : "The simulation is not ready yet.",
				{
					colour: p.muted,
					size: 12,
				},
			);
			return;
		}
		this.legend(d, p);
		this.barLegend(d, p);
		this.bar(d, p, a);
		this.history(d, p, a);
	}

	private legend(d: Draw, p: Palette): void {
		const small = { colour: p.muted, size: 10 };
		const colours = levelColours(p, levelNames.value.length);
		let x = this.width - EDGE;

		[...levelNames.value].reverse().forEach((name, i) => {
			x -= d.measure(name, small);
			d.text(x, HEAD / 2, name, { ...small, colour: p.text });
			x -= 13;
			d.rect(x, HEAD / 2 - 5, 9, 9, colours[levelNames.value.length - 1 - i]!);
			x -= 9;
		});
		const share = this.answer.value!.share;
		const far = share < 1 ? ` · counted ${percent(share)} of the run so far …` : "";
		d.text(
			EDGE,
			HEAD / 2,
			`the last ${count(this.trail())} references by address${far}`,
			small,
		);
	}

	/** What the bar means: its colours, and its lower edge. */
	private barLegend(d: Draw, p: Palette): void {
		const small = { colour: p.muted, size: 10 };
		const y = HEAD / 2 + 17;
		let x = EDGE;
		const put = (text: string) => {
			d.text(x, y, text, small);
			x += d.measure(text, small) + 6;
		};

		put("bar: few");
		for (let i = 0; i < RAMP; i++)
			d.splat(x + i, y - 4, 1, 8, along(p.heat, 0.15 + (0.85 * i) / (RAMP - 1)));
		x += RAMP + 6;
		put("many references of the run, empty: none");
		for (const n of shownRegions()) {
			const name = names.region(n);
			if (x + 30 + d.measure(name, small) > d.width - EDGE) break;
			x += 8;
			d.rect(x, y - 4, 9, 8, regionColour(p, regionRank(n)));
			x += 13;
			put(name);
		}
	}

	private bar(d: Draw, p: Palette, a: Answer): void {
		const shown = new Set(shownRegions());
		const scale = scaleOf([a.references]);
		const small = { colour: p.muted, size: 10 };

		for (const s of this.lay(a)) {
			d.rect(s.x, TOP, s.w, BAR, p.empty);
			for (let i = s.segment.first; i < s.segment.first + s.segment.rows; i++) {
				const x0 = xOfAddress(s, a.low[i]!);
				const w = Math.max(0.5, xOfAddress(s, a.high[i]!) - x0);
				if (!a.references[i]) continue;
				d.splat(
					x0,
					TOP,
					w,
					BAR - 8,
					along(p.heat, 0.15 + 0.85 * scaled(scale, a.references[i]!)),
				);
				if (shown.has(a.region[i]!))
					d.splat(x0, TOP + BAR - 7, w, 7, regionColour(p, regionRank(a.region[i]!)));
			}
			d.frame(s.x - 0.5, TOP - 0.5, s.w + 1, BAR + 1, p.muted, 1, 0.6);
			const size = bytes(s.segment.high - s.segment.low);
			const where = `${size} at 0x${s.segment.low.toString(16)}`;
			d.clip(s.x, HEAD, s.w + 10, TOP - HEAD, () => {
				d.text(s.x, TOP - 28, segmentName(s.segment, s.x === EDGE), {
					colour: p.text,
					size: 11,
					bold: true,
				});
				d.text(s.x, TOP - 13, d.measure(where, small) <= s.w + 8 ? where : size, small);
			});
		}
	}

	/** Time goes upwards: the last reference is at the bar, older ones are below it. */
	private history(d: Draw, p: Palette, a: Answer): void {
		const now = cursor.value;
		const trail = this.trail();
		const from = Math.max(0, now + 1 - trail);
		const chunks = refsOf(from, now + 1);
		const segments = this.lay(a);
		const colours = levelColours(p, levelNames.value.length);
		const top = TOP + BAR + 26;
		const h = d.height - top - 18;
		const small = { colour: p.muted, size: 10 };

		for (const s of segments) d.rect(s.x, top, s.w, h, mix(p.background, p.empty, 0.5));
		d.text(EDGE, d.height - 8, `${count(trail)} references ago`, small);
		this.dots = [];
		this.markShown(now, !chunks);
		if (!chunks) return;
		const size = Math.max(2, Math.min(5, h / trail));
		for (const c of chunks)
			for (
				let i = Math.max(0, from - c.from), end = Math.min(c.count, now + 1 - c.from);
				i < end;
				i++
			) {
				const time = c.from + i;
				const s = segments.find(
					(x) => c.addr[i]! >= x.segment.low && c.addr[i]! < x.segment.high,
				);
				if (!s) continue;
				const x = xOfAddress(s, c.addr[i]!);
				const y = top + ((now - time) / trail) * h;
				const served = c.outcome[i]! & 15;
				d.splat(
					x - 1,
					y,
					3,
					size,
					mix(
						p.background,
						colours[served - 1] ?? p.muted,
						brightness(now - time, trail),
					),
				);
				this.dots.push({ x, y, time });
				if (time !== now) continue;
				const kind = kindOf(c.what[i]!) === WRITE ? p.write : p.read;
				d.line(x, top - 2, x, TOP + BAR + 12, kind, 3);
				d.path([x, TOP + BAR + 2, x - 6, TOP + BAR + 13, x + 6, TOP + BAR + 13], kind);
				const text = `${kindOf(c.what[i]!) === WRITE ? "write" : "read"} ${names.region(c.region[i]!)}`;
				const w = d.measure(text, { colour: 0, size: 11 });
				d.text(x + 12 + w > d.width ? x - 10 - w : x + 10, TOP + BAR + 11, text, {
					colour: p.text,
					size: 11,
				});
			}
	}

	private nearest(x: number, y: number): { time: number } | undefined {
		let best: { time: number } | undefined;
		let min = 8 * 8;

		for (const dot of this.dots) {
			const off = (dot.x - x) ** 2 + (dot.y - y) ** 2;
			if (off < min) [best, min] = [dot, off];
		}
		return best;
	}

	private point(x: number, y: number): void {
		const a = this.answer.value;
		const dot = this.nearest(x, y);

		this.canvas.style.cursor = dot ? "pointer" : "";
		if (dot) {
			const c = refsOf(dot.time, dot.time + 1)?.[0];
			const i = c ? dot.time - c.from : -1;
			if (!c || i < 0) return this.tip(null);
			return this.tip(
				[
					`${kindOf(c.what[i]!) === WRITE ? "write" : "read"} ${names.region(c.region[i]!)}`,
					`0x${c.addr[i]!.toString(16)}`,
					`reference ${exact(dot.time)}`,
					`served by ${names.level(c.outcome[i]! & 15)}`,
				],
				x,
				y,
			);
		}
		if (!a || y < TOP || y > TOP + BAR) return this.tip(null);
		for (const s of this.lay(a))
			for (let i = s.segment.first; i < s.segment.first + s.segment.rows; i++)
				if (x >= xOfAddress(s, a.low[i]!) && x < xOfAddress(s, a.high[i]!))
					return this.tip(
						[
							a.references[i] ? names.region(a.region[i]!) : "not touched",
							`0x${a.low[i]!.toString(16)} to 0x${a.high[i]!.toString(16)}`,
							`${exact(a.references[i]!)} references in the run`,
						],
						x,
						y,
					);
		this.tip(null);
	}
}

export const spaceView: ViewKind = {
	id: "space",
	title: "Space",
	description:
		"The whole process from low to high addresses, and where the last references went",
	controls: () => [
		{
			option: "space.trail",
			label: "history",
			choices: [64, 256, 1024, 4096, 16384].map((n) => [String(n), count(n)]),
			otherwise: "1024",
		},
	],
	plays: true,
	create: () => new Space(),
};
