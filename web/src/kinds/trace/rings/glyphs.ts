// From a scene to a picture: the places of all glyphs, and the paths that led there.
import { layMemory, layRings, type Zoom } from "../model/rings";
import {
	cloudOf,
	lowsOf,
	MOVE,
	originsOf,
	UNKNOWN,
	type Cloud,
	type Place,
	type Sets,
} from "../model/ringsGlyphs";
import { bundlesOf, pathsOf } from "../model/ringsPaths";
import { parseSets } from "../model/ringsSets";
import { extentOf } from "../model/shape";
import { sizeOf } from "../model/trail";
import { arrived, CHUNK, refsOf } from "../state/nearbyRefs";
import { option } from "../../../state/store";
import { levelNames, ready, regionOf, regionRank } from "../state/store";
import { mix, regionColour } from "../../../draw/colours";
import { shownRegions } from "../regions/frames";
import { glowStep, type Access, type Picture } from "./paint";
import type { Scene } from "./scene";
import { setsOption } from "./tools";

const SINGLE = 1.8; // paths for each pixel of the radius that can be told apart
const LOOKED = 2 * CHUNK; // references that are searched for the beginnings of regions

/** The core that made the reference; -1: the reference moved nothing. */
function coreOf({ moves: m }: Scene): number {
	for (let i = m.line.length - 1; i >= 0 && m.access[i] === m.count - 1; i--)
		if (m.kind[i] !== MOVE.transfer) return m.other[i]!;
	return -1;
}

function accessOf(s: Scene): Access | null {
	const c = refsOf(s.cursor, s.cursor + 1)?.[0];
	const i = c ? s.cursor - c.from : -1;

	if (!c || i >= c.count) return null;
	return {
		region: c.region[i]!,
		offset: c.offset[i]!,
		bytes: sizeOf(c.what[i]!),
		addr: c.addr[i]!,
		core: coreOf(s),
	};
}

let begins = { trace: -1, looked: "", low: new Map<number, number>() };

/*
 * The addresses of regions of one block. A line or a reference of a region gives its
 * address away, and the address never changes.
 */
function lows(s: Scene): Map<number, number> {
	const one = new Set(shownRegions().filter((n) => regionOf(n)!.blocks <= 1));
	const trace = ready.value?.trace ?? -1;
	const looked = `${s.sim} ${s.cursor} ${arrived.peek()} ${[...one]}`;

	if (begins.trace !== trace) begins = { trace, looked: "", low: new Map() };
	const out = begins.low;
	if ([...one].every((n) => out.has(n)) || begins.looked === looked) return out;
	begins.looked = looked;
	for (const n of out.keys()) if (!one.has(n)) out.delete(n);
	lowsOf(s.after, one, out);
	for (const c of refsOf(Math.max(0, s.cursor + 1 - LOOKED), s.cursor + 1) ?? [])
		for (let i = 0; i < c.count && out.size < one.size; i++) {
			const n = c.region[i]!;
			if (one.has(n) && !out.has(n)) out.set(n, c.addr[i]! - c.offset[i]!);
		}
	return out;
}

/** Region and offset of a line that moved: by its address, or from the reference. */
function homes(
	s: Scene,
	begin: Map<number, number>,
): (line: number, access: number) => [number, number] | null {
	const first = s.cursor + 1 - s.moves.count;
	const chunks = refsOf(first, s.cursor + 1) ?? [];
	const bytes = Math.max(...s.after.levels.map((l) => l.line));
	const fixed = [...begin].map(([region, low]) => ({
		region,
		low,
		size: extentOf(regionOf(region)!),
	}));

	return (line, access) => {
		const r = fixed.find((x) => line + bytes > x.low && line < x.low + x.size);
		if (r) return [r.region, Math.max(0, line - r.low)];
		const c = chunks.find(
			(x) => first + access >= x.from && first + access < x.from + x.count,
		);
		if (!c) return null;
		const i = first + access - c.from;
		const away = c.addr[i]! - line;
		if (away < 0 || away >= bytes || c.offset[i]! >= UNKNOWN) return null;
		return [c.region[i]!, c.offset[i]!];
	};
}

let places: { key: string; place: Place } | null = null;

/*
 * Rings are laid out once for each size, because the tables of their places are as long
 * as caches.
 */
function placeOf(s: Scene, radius: number): Place {
	const shown = shownRegions().map((n) => regionOf(n)!);
	const key = [radius, s.sim, JSON.stringify(s.after.levels), shownRegions()].join(" ");

	if (places?.key !== key) {
		const memory = layMemory(shown);
		const finest = (line: number) =>
			Math.max(1, ...shown.map((r) => (r.elem ? Math.floor(line / r.elem) : 1)));
		places = {
			key,
			place: {
				rings: layRings(s.after.levels, radius, finest),
				arcs: new Map(memory.arcs.map((a) => [a.region.region, a])),
				others: memory.others,
				lows: new Map(),
				cores: ready.value?.busy ?? 1,
			},
		};
	}
	return { ...places.place, lows: lows(s) };
}

/** Chosen sets by level; null: all. */
export function chosenSets(s: Scene): (Uint8Array | null)[] {
	return s.after.levels.map((l, i) => parseSets(option(setsOption(i), ""), l.sets));
}

/** The picture of a scene on a circle of radius r around (x, y). */
export function pictureOf(
	s: Scene,
	circle: { x: number; y: number; r: number },
	zoom: Zoom,
): Picture {
	const place = placeOf(s, circle.r * zoom.k);
	const shown = new Set(shownRegions());
	const chosen = chosenSets(s);
	const sets: Sets | null = chosen.some((c) => c)
		? (level, set) => chosen[level]?.[set] !== 0
		: null;
	const paths = pathsOf(
		place,
		s.moves,
		s.after,
		s.moves.count,
		homes(s, place.lows),
		sets,
	);
	const bundle = option("rings.bundle", "auto");
	const many = bundle === "on" || (bundle === "auto" && paths.length > SINGLE * circle.r);
	const glows = s.after.levels.map((_, i) => glowStep(s.after.temperature[i] ?? 0));
	const filters = s.after.levels.map((_, i) => option(setsOption(i), "")).join(";");
	const settled = cloudOf(place, s.after, null, sets);
	let flight: Cloud | null = null;
	const [x, y] = [circle.x + zoom.x * circle.r, circle.y + zoom.y * circle.r];

	return {
		key: "",
		ground: [s.sim, x, y, circle.r, zoom.k, glows, filters, [...shown]].join(" "),
		x,
		y,
		place,
		held: s.after,
		settled,
		get flight() {
			return (flight ??= s.before
				? cloudOf(
						place,
						s.after,
						s.before,
						sets,
						originsOf(place, s.moves, s.moves.count),
					)
				: settled);
		},
		paths,
		bundles: many ? bundlesOf(place, paths) : null,
		tail: s.moves.count,
		access: accessOf(s),
		levels: levelNames.value.length,
		chosen,
		results: new Map(),
		colour: (p, region) =>
			shown.has(region)
				? regionColour(p, regionRank(region))
				: mix(p.background, p.muted, 0.6),
	};
}
