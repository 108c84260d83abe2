// Draws levels of cache. The upper half of a line has the colour of its region, the lower
// half that of the level that served the last access to it. The frame is brighter if the
// level is warmer.
import type { Box } from "../../../model/box";
import {
	coreWords,
	instanceAt,
	instanceHeight,
	instanceWidth,
	LABEL,
	levelWords,
	slotBox,
	type LevelPicture,
} from "../model/cacheLayout";
import { bytes, count, exact } from "../../../model/format";
import { datumName } from "../model/shape";
import { temperatureText, warmth } from "../model/temperature";
import { brightness, servedOf, sizeOf } from "../model/trail";
import type { Chunk } from "../state/nearbyRefs";
import type { Held } from "../state/cacheMoment";
import { names, regionOf, regionRank } from "../state/store";
import { levelColours, mix, regionColour, type Palette } from "../../../draw/colours";
import { rgba, type Colour, type Draw } from "../../../draw/draw";

export const EMPTY = 0xffffffffffffffffn;
export const UNKNOWN = 2 ** 53; // offsets from here on are not known
const DIRTY = 1;
const PREFETCHED = 2;

/** The last access to each line within a stretch: by number of the line. */
export interface Result {
	time: number;
	served: number;
}

export function resultsOf(
	chunks: Chunk[],
	from: number,
	to: number,
	line: number,
): Map<number, Result> {
	const out = new Map<number, Result>();

	for (const c of chunks)
		for (
			let i = Math.max(0, from - c.from), end = Math.min(c.count, to - c.from);
			i < end;
			i++
		) {
			const last = Math.floor((c.addr[i]! + sizeOf(c.what[i]!) - 1) / line);
			const result = { time: c.from + i, served: servedOf(c.outcome[i]!) };
			for (let l = Math.floor(c.addr[i]! / line); l <= last; l++) out.set(l, result);
		}
	return out;
}

export interface CacheScene {
	held: Held;
	results: Map<number, Result>; // by number of lines of `line` bytes
	line: number;
	cursor: number;
	trail: number;
	shown: Set<number>; // regions with colours of their own; empty: all
	levels: number; // serving levels, with memory
	order: boolean; // shows the order of eviction
	colours: Map<number, Colour>; // of regions that were looked up already
}

export function ownerColour(p: Palette, s: CacheScene, region: number): Colour {
	let c = s.colours.get(region);

	if (c === undefined) {
		const named = !s.shown.size || s.shown.has(region);
		c = named ? regionColour(p, regionRank(region)) : mix(p.background, p.muted, 0.45);
		s.colours.set(region, c);
	}
	return c;
}

export function drawLevel(d: Draw, p: Palette, l: LevelPicture, s: CacheScene): void {
	const warm = warmth(s.held.temperature[l.level] ?? 0);
	const shell = mix(p.grid, p.cursor, warm);
	const [w, h] = [instanceWidth(l), instanceHeight(l)];

	describe(d, p, l, s);
	for (let i = 0; i < l.info.instances; i++) {
		const { x, y } = instanceAt(l, i);
		d.rect(x - 3, y - 3, w + 6, h + 6, shell);
		d.rect(x, y, w, h, p.background);
		if (l.head)
			d.text(x, y - l.head / 2 - 1, coreWords(l.info, i), {
				colour: p.muted,
				size: 10,
				bold: true,
			});
	}
	if (l.info.group) groups(d, p, l, s);
	else lines(d, p, l, s);
}

function describe(d: Draw, p: Palette, l: LevelPicture, s: CacheScene): void {
	const t = s.held.temperature[l.level] ?? 0;
	const size = l.info.sets * l.info.ways * l.info.line;
	const small = { colour: p.muted, size: 10 };
	const many = l.info.instances > 1 ? `${l.info.instances} × ` : "";
	const group = l.info.group > 1 ? `${l.info.group} sets` : "one set";
	const words = [levelWords(l.info)];

	if (l.info.group) words.push(`a cell is ${group}`);
	// "temperature +0.9, warm", or what of it has room
	const degrees = `temperature ${temperatureText(t)}`;
	const fits = d.measure(degrees, small) <= LABEL - 10;
	words.push(fits ? degrees : degrees.split(",")[0]!);
	d.clip(l.x, l.y - 2, LABEL - 8, Math.max(l.h + 4, 60), () => {
		d.text(l.x, l.y + 7, l.info.name, { colour: p.text, size: 12, bold: true });
		d.text(l.x + 26, l.y + 7, many + bytes(size), { colour: p.text, size: 11 });
		words.forEach((text, i) => d.text(l.x, l.y + 22 + i * 13, text, small));
	});
}

function lines(d: Draw, p: Palette, l: LevelPicture, s: CacheScene): void {
	const colours = levelColours(p, s.levels);
	const n = l.units * l.ways;
	const inset = l.cw >= 5 && l.ch >= 5 ? 1 : 0;
	const upper = Math.round((l.ch - inset) * 0.55);
	const big = l.cw >= 16 && l.ch >= 14;

	for (let i = 0; i < n; i++) {
		const slot = l.info.first + i;
		const b = slotBox(l, i);
		const line = s.held.line[slot]!;
		const [w, h] = [b.w - inset, b.h - inset];

		if (line === EMPTY) {
			d.splat(b.x, b.y, w, h, p.empty);
			continue;
		}
		const result = s.results.get(Math.floor(Number(line) / s.line));
		const bright = result ? brightness(s.cursor - result.time, s.trail) : 0;
		d.splat(b.x, b.y, w, upper, ownerColour(p, s, s.held.region[slot]!));
		d.splat(
			b.x,
			b.y + upper,
			w,
			h - upper,
			bright > 0 ? mix(p.empty, colours[result!.served - 1] ?? p.muted, bright) : p.empty,
		);
		if (s.held.flags[slot]! & DIRTY && l.cw >= 10 && l.ch >= 9)
			d.splat(b.x + w - 4, b.y + 1, 3, 3, p.background);
	}
	if (s.order && big) order(d, p, l, s);
}

/** The order in which the lines of a set leave: the highest rank goes next. */
function order(d: Draw, p: Palette, l: LevelPicture, s: CacheScene): void {
	for (let i = 0; i < l.units * l.ways; i++) {
		const slot = l.info.first + i;
		if (s.held.line[slot] === EMPTY) continue;
		const b = slotBox(l, i);
		const leaves = l.info.ways - s.held.rank[slot]!;
		d.text(b.x + (b.w - 1) / 2, b.y + b.h * 0.29, String(leaves), {
			colour: p.background,
			size: Math.min(12, b.h * 0.5),
			bold: leaves === 1,
			align: "center",
		});
	}
}

/** Groups of sets are many, with one place each: they are drawn as one picture. */
function groups(d: Draw, p: Palette, l: LevelPicture, s: CacheScene): void {
	const max = l.info.group * l.info.ways;
	const [w, h] = [instanceWidth(l), instanceHeight(l)];
	const empty = rgba(p.empty);

	for (let n = 0; n < l.info.instances; n++) {
		const words = new Uint32Array(l.perBand * l.bands);
		const { x, y } = instanceAt(l, n);

		for (let i = 0; i < l.each; i++) {
			const at = l.info.first + n * l.each + i;
			const full = s.held.held[at]! / max;
			const colour = ownerColour(p, s, s.held.owner[at]!);

			words[i] = full > 0 ? rgba(mix(p.empty, colour, 0.25 + 0.75 * full)) : empty;
		}
		d.cells(x, y, w, h, l.perBand, l.bands, words);
		if (l.cw < 5 || l.ch < 5) continue;
		for (let i = 1; i < l.perBand; i++) d.rect(x + i * l.cw - 1, y, 1, h, p.background);
		for (let i = 1; i < l.bands; i++) d.rect(x, y + i * l.ch - 1, w, 1, p.background);
	}
}

/** The line or group at a place of a level in words, for the tooltip. */
export function slotWords(l: LevelPicture, slot: number, s: CacheScene): string[] {
	const { held } = s;
	const at = l.info.first + slot;

	if (l.info.group) {
		const first = (slot % l.each) * l.info.group;
		const max = l.info.group * l.info.ways;
		const of = l.head ? ` of ${coreWords(l.info, Math.floor(slot / l.each))}` : "";
		const out = [
			`${l.info.name}${of}, sets ${first}–${Math.min(l.info.sets, first + l.info.group) - 1}`,
			`${held.held[at]} of ${max} lines held, ${held.dirty[at]} dirty`,
		];
		if (held.held[at]) {
			out.push(`most of them ${names.region(held.owner[at]!)}`);
			out.push(`newest from reference ${exact(held.newest[at]!)}`);
		}
		return out;
	}
	const set = Math.floor(slot / l.ways) % l.info.sets;
	const instance = Math.floor(slot / l.ways / l.info.sets);
	const where =
		(l.head ? `${l.info.name} of ${coreWords(l.info, instance)},` : l.info.name) +
		` set ${set}, way ${slot % l.ways}`;
	const line = held.line[at]!;

	if (line === EMPTY) return [where, "empty"];
	const region = regionOf(held.region[at]!);
	const offset = held.offset[at]!;
	const result = s.results.get(Math.floor(Number(line) / s.line));
	const out = [where, `line 0x${line.toString(16)}`];

	if (region && offset < UNKNOWN)
		out.push(
			`${datumName(region, offset)} to ${datumName(region, Math.min(offset + l.info.line, region.extent) - 1)}`,
		);
	else out.push(names.region(held.region[at]!));
	out.push(`here for ${count(s.held.at - held.since[at]!)} references`);
	out.push(`leaves as number ${l.info.ways - held.rank[at]!} of its set`);
	if (result) out.push(`last access served by ${names.level(result.served)}`);
	if (held.flags[at]! & DIRTY) out.push("dirty");
	if (held.flags[at]! & PREFETCHED) out.push("prefetched, not used yet");
	if (held.state[at]) out.push(`state ${String.fromCharCode(held.state[at]!)}`);
	return out;
}

/** The place of a line in a level, if the level holds it. */
export function findLine(l: LevelPicture, held: Held, line: bigint): Box | null {
	if (l.info.group) return null;
	for (let i = 0; i < l.units * l.ways; i++)
		if (held.line[l.info.first + i] === line) return slotBox(l, i);
	return null;
}
