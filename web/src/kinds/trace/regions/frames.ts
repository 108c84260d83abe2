// The frames of the regions view: the shown regions, their places and shapes. Everything
// that the person arranges is an option, so that the URL restores it.
import type { Box } from "../../../model/box";
import { wholeIn } from "../../../model/link";
import { arrange, inside, parseBox, parseList, printBox, TITLE } from "../model/boxes";
import {
	extentOf,
	fit,
	shapeOf,
	strip,
	type Fitted,
	type Shape,
	type Wish,
} from "../model/shape";
import { drawable, usualRegions } from "../model/usualRegions";
import { trailFor } from "../model/trail";
import type { Region } from "../model/types";
import { option, options, setOption } from "../../../state/store";
import { rowBytes } from "../state/rows";
import { weight } from "../state/findings";
import { regionOf, regions } from "../state/store";

export interface Picture extends Fitted {
	x: number; // of the first cell
	y: number;
}

export interface Frame {
	region: Region;
	box: Box; // in pixels of the view
	folded: boolean;
	shape: Shape;
	strip: Picture | null;
	matrix: Picture | null;
}

const NONE = "none"; // the person wants to see no region
const PAD = 8;
const STRIP = 12;
const FIELDS = 46; // room for names of fields

export function shownRegions(): number[] {
	const chosen = option("regions.show", "");
	const can = (n: number) => {
		const r = regionOf(n);
		return r !== undefined && drawable(r);
	};
	const list = parseList(chosen).filter(can);

	// Unknown numbers belong to another trace.
	return list.length || chosen === NONE
		? list
		: usualRegions(regions.value, weight.value);
}

export function isFolded(n: number): boolean {
	return parseList(option("regions.folded", "")).includes(n);
}

export function wishOf(n: number): Wish {
	const [elem, row, order] = option(`regions.shape.${n}`, "").split(":");

	return {
		elem: Number(elem) || 0,
		row: Number(row) || 0,
		order: order === "rows" || order === "columns" ? order : "",
	};
}

/** The length of the trail: the chosen one, or one that suits the shown regions. */
export function trailLength(): number {
	const chosen = wholeIn(option("regions.trail", "0"), 0, 1e9, 0);

	if (chosen > 0) return chosen;
	let n = 0;
	for (const number of shownRegions()) {
		const r = regionOf(number)!;
		n += extentOf(r) / (r.fields.length > 1 ? 8 : r.elem || 8);
	}
	return trailFor(n);
}

/** Frames in the order in which they are drawn: the active one comes last. */
export function layFrames(room: Box, strips: boolean): Frame[] {
	const shown = shownRegions();
	const folded = shown.map(isFolded);
	const boxes = arrange(folded, room.w, room.h);
	const active = activeRegion();
	const frames = shown.map((n, i) => {
		const kept = option(`regions.box.${n}`, "");
		const box = (kept && parseBox(kept, room.w, room.h)) || boxes[i]!;
		if (folded[i]) box.h = TITLE;
		return frameOf(
			regionOf(n)!,
			{ ...box, x: room.x + box.x, y: room.y + box.y },
			folded[i]!,
			strips,
		);
	});

	return [
		...frames.filter((f) => f.region.region !== active),
		...frames.filter((f) => f.region.region === active),
	];
}

function frameOf(region: Region, box: Box, folded: boolean, strips: boolean): Frame {
	const w = box.w - 2 * PAD;
	let h = box.h - TITLE - PAD - 2;
	const shape = shapeOf(region, wishOf(region.region), rowBytes(region.region));
	const frame: Frame = { region, box, folded, shape, strip: null, matrix: null };
	const [x, y] = [box.x + PAD, box.y + TITLE + 2];

	if (folded || h < STRIP || w < 20) return frame;
	const line = strip(region, shape.elem, w);
	const oneLine = shape.wrapped && line.grid.elements[0] === 1 && line.cw >= 5;
	if (oneLine) {
		frame.matrix = { ...line, x, y, ch: Math.min(h, 30) };
		return frame;
	}
	if (strips && h > 50) {
		frame.strip = { ...line, x, y, ch: STRIP };
		h -= STRIP + 6;
	}
	const left = shape.fields.length && shape.order === "columns" ? FIELDS : 0;
	const above = shape.fields.length && shape.order === "rows" ? 14 : 0;
	const top = y + (frame.strip ? STRIP + 6 : 0) + above;
	const inRoom = (min: number) => fit(region, shape, w - left, h - above, min);
	const usual = inRoom(shape.fields.length ? 3 : 4);
	const small = inRoom(3);
	// Small cells are better than cells that stand for two elements.
	const whole = small.grid.elements[0] * small.grid.elements[1] === 1;
	frame.matrix = { ...(whole ? small : usual), x: x + left, y: top };
	return frame;
}

export function pictures(f: Frame): Picture[] {
	return [f.strip, f.matrix].filter((p): p is Picture => p !== null);
}

/*
 * The active region, which is in front and whose lines in the cache are shown; -1: none.
 */
export function activeRegion(): number {
	const n = Number(option("regions.active", "-1"));

	return shownRegions().includes(n) ? n : -1;
}

function drop(...keys: string[]): void {
	const rest = { ...options.value };

	for (const k of keys) delete rest[k];
	options.value = rest;
}

export function setActive(n: number): void {
	if (n < 0) drop("regions.active");
	else if (n !== activeRegion()) setOption("regions.active", String(n));
}

export function place(n: number, box: Box, room: Box): void {
	const at = inside({ ...box, x: box.x - room.x, y: box.y - room.y }, room.w, room.h);

	setOption(`regions.box.${n}`, printBox(at, room.w, room.h));
}

export function show(n: number, on: boolean): void {
	const now = shownRegions().filter((x) => x !== n);

	setOption("regions.show", (on ? [...now, n] : now).join(",") || NONE);
}

/** Moves a region forwards or backwards among those shown. */
export function reorder(n: number, by: 1 | -1): void {
	const list = shownRegions();
	const at = list.indexOf(n);
	const to = at + by;

	if (at < 0 || to < 0 || to >= list.length) return;
	[list[at], list[to]] = [list[to]!, list[at]!];
	setOption("regions.show", list.join(","));
}

export function fold(n: number, on: boolean): void {
	const list = parseList(option("regions.folded", "")).filter((x) => x !== n);

	if (on) list.push(n);
	if (list.length) setOption("regions.folded", list.join(","));
	else drop("regions.folded");
}

export function reshape(n: number, w: Wish): void {
	if (!w.elem && !w.row && !w.order) drop(`regions.shape.${n}`);
	else setOption(`regions.shape.${n}`, `${w.elem || ""}:${w.row || ""}:${w.order}`);
}

/** Takes back the person's choices of shape and place. */
export function reset(n: number): void {
	drop(`regions.shape.${n}`, `regions.box.${n}`);
}

/** Takes back all choices of regions, places and shapes. */
export function resetAll(): void {
	drop(
		...Object.keys(options.value).filter((k) =>
			/^regions\.(show|folded|active|box|shape)/.test(k),
		),
	);
}
