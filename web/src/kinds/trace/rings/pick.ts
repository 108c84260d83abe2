// The datum, wedge or bundle of movements under the pointer, in words; and the glyphs of
// a selection.
import { exact } from "../../../model/format";
import { armAt, type Ring } from "../model/rings";
import { glyphIn, MOVE, UNKNOWN, type Cloud, type Glyph } from "../model/ringsGlyphs";
import { bundleWay, bundleWidth, type Bundle } from "../model/ringsPaths";
import { isNothing, type Selection } from "../model/selection";
import { datumName } from "../model/shape";
import { kindOf, servedOf, sizeOf } from "../model/trail";
import { CHUNK, refsOf } from "../state/nearbyRefs";
import { names, regionOf } from "../state/store";
import { at, touches, type Picture } from "./paint";
import { heldOf } from "./words";

const NEAR = 9; // pixels

/** The glyph nearest to a place, within a few pixels. */
export function glyphAt(q: Picture, phase: number, x: number, y: number): Glyph | null {
	const c = phase < 1 ? q.flight : q.settled;
	const [px, py] = [x - q.x, y - q.y];
	let found = -1;
	let best: Glyph | null = null;
	let near = NEAR * NEAR;

	for (let i = 0; i < c.count; i++) {
		const [dx, dy] = [c.x[i]! - px, c.y[i]! - py];
		const away = dx * dx + dy * dy;
		if (away < near) [found, near] = [i, away];
	}
	for (const g of phase < 1 ? c.moving : []) {
		const [gx, gy] = at(g, phase);
		const away = (gx - px) ** 2 + (gy - py) ** 2;
		if (away < near) [best, near] = [g, away];
	}
	return best ?? (found >= 0 ? glyphIn(c, found) : null);
}

function inside(s: Selection, g: Glyph): boolean {
	if (s.region !== g.region) return false;
	if (!s.offset) return true;
	return g.offset < UNKNOWN && g.offset < s.offset[1] && s.offset[0] < g.offset + g.bytes;
}

/** Numbers of the glyphs at rest of a selected region, or of some of its bytes. */
export function glyphsOfData(c: Cloud, s: Selection): number[] {
	const { region, offset } = c.lines.held;
	const out: number[] = [];

	if (s.region === undefined) return out;
	for (const l of c.place.rings.rings) {
		const bytes = l.info.line;
		for (let i = c.first[l.level]!; i < c.first[l.level + 1]!; i++) {
			const slot = c.slot[i]!;
			if (region[slot] !== s.region) continue;
			const low = offset[slot]!;
			if (s.offset) {
				if (low >= s.offset[1] || low + bytes <= s.offset[0]) continue;
				if (l.grain === "element" && !inside(s, glyphIn(c, i))) continue;
			}
			out.push(i);
		}
	}
	return out;
}

/*
 * Glyphs that selected references touched lately: for a selected line of code, function,
 * kind or serving level, and not (only) data.
 */
export function glyphsOfSelection(c: Cloud, s: Selection, cursor: number): number[] {
	const { region: _region, offset: _offset, ...rest } = s;
	const first = Math.max(0, cursor + 1 - CHUNK);
	const used = new Set<number>(); // addresses, in units of the shortest line
	const out: number[] = [];
	const unit = Math.min(...c.lines.held.levels.map((l) => l.line));

	if (isNothing(rest)) return glyphsOfData(c, s);
	for (const k of refsOf(first, cursor + 1) ?? [])
		for (let i = Math.max(0, first - k.from); i < k.count && k.from + i <= cursor; i++) {
			const at = k.sites[k.site[i]!];
			const kind = ["read", "write", "fetch"][kindOf(k.what[i]!)];
			const fits =
				(s.line === undefined || (at?.line === s.line && at.file === (s.file ?? 0))) &&
				(s.func === undefined || at?.func === s.func) &&
				(s.kind === undefined || kind === s.kind) &&
				(s.level === undefined || servedOf(k.outcome[i]!) === s.level) &&
				(s.region === undefined || k.region[i] === s.region);
			const last = k.addr[i]! + sizeOf(k.what[i]!) - 1;
			for (let a = Math.floor(k.addr[i]! / unit); fits && a <= last / unit; a++)
				used.add(a);
		}
	for (const l of c.place.rings.rings)
		for (let i = c.first[l.level]!; i < c.first[l.level + 1]!; i++) {
			const a = c.lines.address[c.slot[i]!]! / unit;
			for (let n = 0; n < l.info.line / unit; n++)
				if (used.has(a + n)) {
					out.push(i);
					break;
				}
		}
	return out;
}

/** Glyphs of the first level that the reference touches. */
export function touchedGlyphs(q: Picture, phase: number): Glyph[] {
	const c = phase < 1 ? q.flight : q.settled;
	const out: Glyph[] = [];
	const a = q.access;

	for (let i = 0; a && i < (c.first[1] ?? 0); i++) {
		const line = c.lines.address[c.slot[i]!]!;
		if (a.addr + a.bytes <= line || a.addr >= line + q.held.levels[0]!.line) continue;
		const g = glyphIn(c, i);
		if (touches(g, a)) out.push(g);
	}
	if (phase < 1)
		for (const g of c.moving) if (g.motion !== "leave" && touches(g, a)) out.push(g);
	return out;
}

export function glyphWords(q: Picture, g: Glyph): string[] {
	const { info } = q.place.rings.rings[g.level]!;
	const r = regionOf(g.region);
	const known = r && g.offset < UNKNOWN;
	const instance = Math.floor(g.arm / info.sets);
	const which = info.instances > 1 ? `${info.name} ${instance}` : info.name;
	const out = [known ? datumName(r, g.offset) : names.region(g.region)];

	out.push(`region ${names.region(g.region)}`);
	out.push(`line 0x${g.line.toString(16)}, ${which} set ${g.arm % info.sets}`);
	out.push(`number ${info.ways - g.rank} of its set to leave`);
	if (g.ghost) out.push("also nearer to the core");
	if (g.dirty) out.push("dirty: must be written back");
	return out;
}

/** The bundle whose line is under the pointer; the narrowest, where several are. */
export function bundleAt(q: Picture, x: number, y: number): Bundle | null {
	const max = Math.max(1, ...(q.bundles ?? []).map((b) => b.count));
	let best: Bundle | null = null;

	for (const b of q.bundles ?? []) {
		const wide = bundleWidth(b.count, max, q.place.rings.radius);
		const reach = Math.max(4, wide / 2 + 1);
		if (best && best.count <= b.count) continue;
		let [x0, y0] = bundleWay(b, 0);
		for (let i = 1; i <= 24; i++) {
			const [x1, y1] = bundleWay(b, i / 24);
			const [dx, dy] = [x1 - x0, y1 - y0];
			const long = dx * dx + dy * dy || 1;
			const [px, py] = [x - q.x - x0, y - q.y - y0];
			const t = Math.max(0, Math.min(1, (px * dx + py * dy) / long));
			if (Math.hypot(px - t * dx, py - t * dy) <= reach) {
				best = b;
				break;
			}
			[x0, y0] = [x1, y1];
		}
	}
	return best;
}

export function bundleWords(q: Picture, b: Bundle): string[] {
	const lines = b.count === 1 ? "1 line" : `${exact(b.count)} lines`;
	const verb = !b.leaves ? "came" : b.kind === MOVE.writeBack ? "written back" : "left";
	const out = [
		`${lines} ${verb} from ${names.level(b.source)} to ${names.level(b.target)}`,
	];

	if (b.region >= 0) out.push(`most of region ${names.region(b.region)}`);
	out.push(
		b.newest === b.oldest
			? `${exact(b.newest)} references ago`
			: `${exact(b.newest)} to ${exact(b.oldest)} references ago`,
	);
	out.push(
		`of ${exact(q.paths.length)} movements in the last ${exact(q.tail)} references`,
	);
	return out;
}

export function ringAt(q: Picture, x: number, y: number): Ring | null {
	const r = Math.hypot(x - q.x, y - q.y);

	return q.place.rings.rings.find((k) => r >= k.r0 && r < k.r1) ?? null;
}

/** Sets of the arm or wedge at a place of a ring. */
export function setsAt(q: Picture, l: Ring, x: number, y: number): [number, number] {
	const arm = armAt(l, x - q.x, y - q.y);

	if (!l.info.group) return [arm % l.info.sets, (arm % l.info.sets) + 1];
	const first = (arm % (l.arms / l.info.instances)) * l.info.group;
	return [first, Math.min(l.info.sets, first + l.info.group)];
}

export function ringWords(q: Picture, l: Ring, x: number, y: number): string[] {
	const [first, end] = setsAt(q, l, x, y);

	if (!l.info.group) {
		const arm = armAt(l, x - q.x, y - q.y);
		const from = l.info.first + arm * l.info.ways;
		let n = 0;
		for (let i = from; i < from + l.info.ways; i++) if (!q.settled.lines.empty(i)) n++;
		return [
			`${l.info.name} set ${first}`,
			`${exact(n)} of ${exact(l.info.ways)} lines`,
			"click: this set alone; shift: add it",
		];
	}
	const slot = l.info.first + armAt(l, x - q.x, y - q.y);
	const out = [
		`${l.info.name} sets ${first}–${end - 1}`,
		`${exact(q.held.held[slot]!)} lines held, ${exact(q.held.dirty[slot]!)} dirty`,
	];
	if (q.held.held[slot]) out.push(`most of them ${names.region(q.held.owner[slot]!)}`);
	out.push(`${exact(heldOf(q.held, l)[0])} in the whole level`);
	return out;
}
