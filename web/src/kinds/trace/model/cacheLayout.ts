// The places of the lines of a cache in its picture: sets side by side, the ways of a set
// below each other; a cache of few sets the other way round. Long rows are broken into
// bands. Levels that come in groups of sets have one place for each group.
import type { Box } from "./boxes";
import type { StateLevel } from "./types";

export interface LevelPicture extends Box {
	level: number; // from 0
	info: StateLevel;
	units: number; // sets of all instances, or groups
	ways: number; // places of a unit; 1 for groups
	turned: boolean; // a unit is a row, not a column
	perBand: number; // units in a band
	bands: number;
	cw: number;
	ch: number;
	left: number; // of the first place
	top: number;
	gap: number; // between bands
}

export const LABEL = 128; // room for the words at the left of a level

export function unitsOf(info: StateLevel): number {
	return info.instances * (info.group ? Math.ceil(info.sets / info.group) : info.sets);
}

/** One level in a box; `largest` bounds the places, in pixels. */
export function layLevel(
	info: StateLevel,
	level: number,
	box: Box,
	largest: [number, number] = [40, 24],
	label = LABEL,
): LevelPicture {
	const units = unitsOf(info);
	const ways = info.group ? 1 : info.ways;
	const turned = units < ways && units * ways > 1;
	const [w, h] = [box.w - label - 6, box.h - 6];
	const gap = turned || ways === 1 ? 0 : 4;
	const columns = turned ? ways : units;
	const rows = turned ? units : ways;
	let [bands, best] = [1, -1];

	for (let b = 1; b <= columns && b <= 64; b++) {
		const cw = w / Math.ceil(columns / b);
		const ch = (h - (b - 1) * gap) / (b * rows);
		const score = Math.min(cw, largest[0], 1.8 * Math.min(ch, largest[1]));
		// Turned pictures keep a set in one row if its lines can be told apart.
		if (turned && b > 1 && best >= 6) break;
		if (score > best + 0.01) [bands, best] = [b, score];
	}
	const perBand = Math.ceil(columns / bands);
	const cw = Math.max(1, Math.min(largest[0], Math.floor(w / perBand)));
	const ch = Math.max(
		1,
		Math.min(largest[1], Math.floor((h - (bands - 1) * gap) / (bands * rows))),
	);

	return {
		...box,
		level,
		info,
		units,
		ways,
		turned,
		perBand,
		bands,
		cw,
		ch,
		left: box.x + label + 3,
		top: box.y + 3,
		gap,
	};
}

/** The bands of a level with `rows` places above each other. */
function rowsOf(p: LevelPicture): number {
	return p.turned ? p.units : p.ways;
}

/** The place of a slot (instance, set, way as the server orders them) or group. */
export function slotBox(p: LevelPicture, slot: number): Box {
	const unit = Math.floor(slot / p.ways);
	const way = slot % p.ways;
	const [along, over] = p.turned ? [way, unit] : [unit, way];
	const band = Math.floor(along / p.perBand);

	return {
		x: p.left + (along % p.perBand) * p.cw,
		y: p.top + band * (rowsOf(p) * p.ch + p.gap) + over * p.ch,
		w: p.cw,
		h: p.ch,
	};
}

/** The slot at a point, or -1. */
export function slotAt(p: LevelPicture, x: number, y: number): number {
	const column = Math.floor((x - p.left) / p.cw);
	const height = rowsOf(p) * p.ch + p.gap;
	const band = Math.floor((y - p.top) / height);
	const over = Math.floor((y - p.top - band * height) / p.ch);
	const along = band * p.perBand + column;

	if (column < 0 || column >= p.perBand || band < 0 || band >= p.bands) return -1;
	if (over < 0 || over >= rowsOf(p)) return -1;
	if (along >= (p.turned ? p.ways : p.units)) return -1;
	return p.turned ? over * p.ways + along : along * p.ways + over;
}

export function pictureHeight(p: LevelPicture): number {
	return p.bands * (rowsOf(p) * p.ch + p.gap) - p.gap;
}

export function pictureWidth(p: LevelPicture): number {
	return p.perBand * p.cw;
}

/** Levels below each other in a box, each as high as it needs. */
export function layLevels(
	levels: StateLevel[],
	box: Box,
	largest?: [number, number],
): LevelPicture[] {
	const gap = 8;
	const out: LevelPicture[] = [];
	let y = box.y;
	let room = box.h - gap * (levels.length - 1);

	levels.forEach((info, i) => {
		// Small levels leave room for the large ones after them.
		const share = room / (levels.length - i);
		const p = layLevel(info, i, { ...box, y, h: share }, largest);
		const h = Math.min(share, Math.max(info.group ? 56 : 46, pictureHeight(p) + 6));
		out.push({ ...p, h, top: y + 3 });
		y += h + gap;
		room -= h;
	});
	return out;
}

/** A level in words. */
export function levelWords(info: StateLevel): string {
	const sets = info.sets === 1 ? "one set" : `${info.sets} sets`;

	return info.ways === 1 ? `${sets}, direct` : `${sets} × ${info.ways} ways`;
}
