// Matrices outside the outer ring, as in the regions view: the upper half of a cell shows
// its last access, the lower half the level that served it, fading with age. Each matrix
// stands beside the arc of its region and carries its name.
import type { Box } from "../../../model/box";
import { signal } from "@preact/signals";
import { layMemory, polar } from "../model/rings";
import {
	layAround,
	nearest,
	TITLE_ROOM,
	type Around,
	type Wanted,
} from "../model/ringsAround";
import {
	bytesOf,
	cellAt,
	cellOf,
	datumName,
	fit,
	gridKey,
	placeOf,
	shapeOf,
	type Shape,
} from "../model/shape";
import { exact } from "../../../model/format";
import type { Selection } from "../model/selection";
import type { Region } from "../model/types";
import { rowBytes } from "../state/rows";
import { names, regionOf } from "../state/store";
import type { Palette } from "../../../draw/colours";
import type { Colour, Draw } from "../../../draw/draw";
import {
	shownRegions,
	wishOf,
	type Frame,
	type Picture as Cells,
} from "../regions/frames";
import { Light } from "../regions/litCells";
import { paintTrail } from "../regions/paint";
import type { Access, Picture } from "./paint";

const MIN = 2; // pixels of a cell
const LARGEST = 22;

/** The shape of a region whose rows have a meaning; null for others. */
function matrixShape(r: Region): Shape | null {
	const s = shapeOf(r, wishOf(r.region), rowBytes(r.region));

	return s.wrapped || s.row < 2 || s.lines < 2 ? null : s;
}

function wanted(): Wanted[] {
	const shown = shownRegions().map((n) => regionOf(n)!);
	const { arcs } = layMemory(shown);

	return arcs.flatMap((a) => {
		const shape = matrixShape(a.region);
		if (!shape) return [];
		return {
			region: a.region.region,
			arc: [a.a0, a.a1],
			size: (room: number) => {
				const f = fit(a.region, shape, room, room, MIN, LARGEST);
				return { w: f.nx * f.cw, h: f.ny * f.ch };
			},
		};
	});
}

/** Regions that have a matrix if there is room. */
export function shaped(): number[] {
	return shownRegions().filter((n) => matrixShape(regionOf(n)!));
}

/** Rings and matrices in a room; words stand in `taken`. */
export function layMatrices(
	usual: { x: number; y: number; r: number },
	inside: Box,
	margin: { x: number; y: number },
	taken: Box[],
): Around {
	return layAround(wanted(), usual, inside, margin, taken);
}

export class Matrices {
	private readonly frames = signal<Frame[]>([]);
	private readonly light: Light;

	constructor(changed: () => void) {
		this.light = new Light(this.frames, changed);
	}

	/** Puts the matrices into their places. */
	set(boxes: Around["boxes"]): void {
		const old = this.frames.peek();
		const frames = boxes.map((b) => {
			const region = regionOf(b.region)!;
			const shape = matrixShape(region)!;
			const f = fit(region, shape, b.room, b.room, MIN, LARGEST);
			const matrix: Cells = { ...f, x: Math.round(b.x), y: Math.round(b.y + TITLE_ROOM) };
			return { region, box: b, folded: false, shape, strip: null, matrix };
		});

		if (
			JSON.stringify(frames.map((f) => f.matrix)) !==
			JSON.stringify(old.map((f) => f.matrix))
		)
			this.frames.value = frames;
	}

	boxes(): Box[] {
		return this.frames.peek().map((f) => f.box);
	}

	named(): Set<number> {
		return new Set(this.frames.peek().map((f) => f.region.region));
	}

	draw(d: Draw, p: Palette, q: Picture, marks: Selection[]): void {
		const lit = this.frames.peek().length ? this.light.now() : null;

		for (const f of this.frames.peek()) {
			const n = f.region.region;
			const pic = f.matrix!;
			const colour = q.colour(p, n);
			const [w, h] = [pic.nx * pic.cw, pic.ny * pic.ch];
			const arc = q.place.arcs.get(n);
			if (arc) {
				// A line from the arc to the nearest point of the matrix.
				const angle = nearest(q.x, q.y, [arc.a0, arc.a1], f.box);
				const [ax, ay] = polar(q.place.rings.radius + 2, angle);
				const [x, y] = [q.x + ax, q.y + ay];
				const to = [
					Math.max(pic.x - 2, Math.min(x, pic.x + w + 2)),
					Math.max(pic.y - TITLE_ROOM, Math.min(y, pic.y + h + 2)),
				] as const;
				d.line(x, y, to[0], to[1], colour, 1, 0.6);
			}
			const last = lit?.last.get(gridKey(pic.grid));
			const light = {
				cursor: lit?.cursor ?? 0,
				length: lit?.trail ?? 1,
				levels: q.levels,
			};
			if (last) paintTrail(d, p, pic, last, { ...light, chosen: null });
			else d.rect(pic.x, pic.y, w, h, p.empty);
			d.frame(pic.x - 2, pic.y - 2, w + 4, h + 4, colour, 1, 0.8);
			d.text(pic.x - 1, pic.y - 9, names.region(f.region.region), {
				colour,
				size: 11,
				bold: true,
			});
			this.mark(d, pic, n, q.access, p.cursor);
			marks.forEach((s, i) => this.box(d, pic, n, s, i ? p.text : p.muted));
		}
	}

	private box(d: Draw, pic: Cells, region: number, s: Selection, c: Colour): void {
		if (s.region !== region || !s.offset) return;
		const n = pic.grid.across * pic.grid.down;
		const first = cellOf(pic.grid, s.offset[0]);
		const last = cellOf(pic.grid, Math.max(s.offset[0], s.offset[1] - 1));

		// An element or a line: several neighbouring cells.
		for (let cell = first; cell <= last && cell < n && cell < first + 64; cell++) {
			const [x, y] = placeOf(pic.grid, cell);
			d.frame(
				pic.x + x * pic.cw - 1,
				pic.y + y * pic.ch - 1,
				pic.cw + 1,
				pic.ch + 1,
				c,
				1.5,
			);
		}
	}

	private mark(d: Draw, pic: Cells, region: number, a: Access | null, c: Colour): void {
		if (a?.region !== region) return;
		const [x, y] = placeOf(pic.grid, cellOf(pic.grid, a.offset));
		d.frame(pic.x + x * pic.cw - 2, pic.y + y * pic.ch - 2, pic.cw + 3, pic.ch + 3, c, 2);
	}

	/** Region and bytes of the cell at a place. */
	at(x: number, y: number): { selection: Selection; words: string[] } | null {
		for (const f of this.frames.peek()) {
			const pic = f.matrix!;
			const cx = Math.floor((x - pic.x) / pic.cw);
			const cy = Math.floor((y - pic.y) / pic.ch);
			if (cx < 0 || cy < 0 || cx >= pic.nx || cy >= pic.ny) continue;
			const cell = cellAt(pic.grid, cx, cy);
			const offset = bytesOf(pic.grid, cell);
			if (offset[0] >= offset[1]) return null;
			return {
				selection: { region: f.region.region, offset },
				words: this.words(f, pic, cell, offset[0]),
			};
		}
		return null;
	}

	private words(f: Frame, pic: Cells, cell: number, offset: number): string[] {
		const [along, over] = pic.grid.elements;
		const out = [datumName(f.region, offset)];
		const lit = this.light.lit;
		const l = lit?.last.get(gridKey(pic.grid));
		const time = l ? Math.max(l.read[cell]!, l.write[cell]!) - 1 : -1;

		if (along * over > 1) out.push(`and others: a cell is ${along * over} elements`);
		if (!l || time < 0) return [...out, "not touched within the trail"];
		const verb = l.write[cell]! - 1 === time ? "written" : "read";
		out.push(
			`${verb} ${exact(lit!.cursor - time)} references ago`,
			`served by ${names.level(l.served[cell]!)}`,
		);
		return out;
	}
}
