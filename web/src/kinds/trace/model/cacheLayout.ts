// The places of the lines of a cache in its picture: sets side by side, the ways of a set
// below each other; a cache of few sets the other way round. Long rows are broken into
// bands. Levels that come in groups of sets have one place for each group. Each instance
// of a level that cores have for themselves is a picture of its own, below its name.
import type { Box } from "../../../model/box";
import type { StateLevel } from "./types";

export interface LevelPicture extends Box {
	level: number; // from 0
	info: StateLevel;
	units: number; // sets of all instances, or groups
	each: number; // units of an instance
	head: number; // height of the name above each instance; 0: there is one instance
	across: number; // instances side by side
	ways: number; // places of a unit; 1 for groups
	turned: boolean; // a unit is a row, not a column
	perBand: number; // units in a band
	bands: number; // of an instance
	cw: number;
	ch: number;
	left: number; // of the first place
	top: number;
	gap: number; // between bands
}

export const LABEL = 128; // room for the words at the left of a level
const HEAD = 18; // height of the name of an instance
const BESIDE = 14; // between instances that are side by side

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
	const each = units / info.instances;
	const ways = info.group ? 1 : info.ways;
	const turned = each < ways && each * ways > 1;
	const head = info.instances > 1 ? HEAD : 0;
	const gap = turned || ways === 1 ? 0 : 4;
	const columns = turned ? ways : each;
	const rows = turned ? each : ways;
	let best = { score: -1, bands: 1, across: 1, w: 1, h: 1 };

	for (const across of new Set([1, info.instances])) {
		// The room of one instance.
		const w = (box.w - label - 6 - (across - 1) * BESIDE) / across;
		const h = ((box.h - 6) * across) / info.instances - head;
		for (let bands = 1; bands <= columns && bands <= 64; bands++) {
			const cw = w / Math.ceil(columns / bands);
			const ch = (h - (bands - 1) * gap) / (bands * rows);
			const score = Math.min(cw, largest[0], 1.8 * Math.min(ch, largest[1]));
			// Turned pictures keep a set in one row if its lines can be told apart.
			if (turned && bands > 1 && best.across === across && best.score >= 6) break;
			if (score > best.score + 0.01) best = { score, bands, across, w, h };
		}
	}
	const { bands, across, w, h } = best;
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
		each,
		head,
		across,
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

/** The bands of an instance with so many places above each other. */
function rowsOf(p: LevelPicture): number {
	return p.turned ? p.each : p.ways;
}

/** The height of one instance, without its name. */
export function instanceHeight(p: LevelPicture): number {
	return p.bands * (rowsOf(p) * p.ch + p.gap) - p.gap;
}

export function instanceWidth(p: LevelPicture): number {
	return p.perBand * p.cw;
}

/** Where the places of an instance begin. */
export function instanceAt(p: LevelPicture, instance: number): { x: number; y: number } {
	const [column, row] = [instance % p.across, Math.floor(instance / p.across)];

	return {
		x: p.left + column * (instanceWidth(p) + BESIDE),
		y: p.top + p.head + row * (instanceHeight(p) + p.head),
	};
}

/** The cores that an instance belongs to: "core 2", "cores 2–3". */
export function coreWords(info: StateLevel, instance: number): string {
	const first = instance * info.share;

	return info.share > 1 ? `cores ${first}–${first + info.share - 1}` : `core ${first}`;
}

/** The place of a slot (instance, set, way as the server orders them) or group. */
export function slotBox(p: LevelPicture, slot: number): Box {
	const unit = Math.floor(slot / p.ways);
	const way = slot % p.ways;
	const instance = Math.floor(unit / p.each);
	const here = unit % p.each;
	const [along, over] = p.turned ? [way, here] : [here, way];
	const band = Math.floor(along / p.perBand);
	const { x, y } = instanceAt(p, instance);

	return {
		x: x + (along % p.perBand) * p.cw,
		y: y + band * (rowsOf(p) * p.ch + p.gap) + over * p.ch,
		w: p.cw,
		h: p.ch,
	};
}

/** The slot at a point, or -1. */
export function slotAt(p: LevelPicture, x: number, y: number): number {
	const row = Math.floor((y - p.top) / (instanceHeight(p) + p.head));
	const side = Math.floor((x - p.left) / (instanceWidth(p) + BESIDE));
	const instance = row * p.across + side;
	const at = instanceAt(p, instance);
	const down = y - at.y;
	const column = Math.floor((x - at.x) / p.cw);
	const height = rowsOf(p) * p.ch + p.gap;
	const band = Math.floor(down / height);
	const over = Math.floor((down - band * height) / p.ch);
	const along = band * p.perBand + column;

	if (side < 0 || side >= p.across || row < 0 || instance >= p.info.instances) return -1;
	if (column < 0 || column >= p.perBand || band < 0 || band >= p.bands) return -1;
	if (over < 0 || over >= rowsOf(p)) return -1;
	if (along >= (p.turned ? p.ways : p.each)) return -1;
	const first = instance * p.each * p.ways;
	return first + (p.turned ? over * p.ways + along : along * p.ways + over);
}

export function pictureHeight(p: LevelPicture): number {
	return Math.ceil(p.info.instances / p.across) * (instanceHeight(p) + p.head);
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
