// The SVG back end: the same calls as text. Numbers are rounded to 1/100 pixel.
import {
	css,
	font,
	MONO,
	SANS,
	type Band,
	type Colour,
	type Dots,
	type Draw,
	type Segments,
	type TextStyle,
} from "./draw";

function n(v: number): string {
	return String(Math.round(v * 100) / 100);
}

function escape(text: string): string {
	return text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
}

export class Svg implements Draw {
	private out: string[] = [];
	private clips = 0;

	/** `ruler` measures text where there is a canvas; without one it is estimated. */
	constructor(
		readonly width: number,
		readonly height: number,
		private readonly ruler?: CanvasRenderingContext2D,
	) {}

	rect(x: number, y: number, w: number, h: number, fill: Colour, alpha = 1): void {
		this.out.push(
			`<rect x="${n(x)}" y="${n(y)}" width="${n(Math.max(0, w))}" height="${n(Math.max(0, h))}" fill="${css(fill)}"${opacity(alpha)}/>`,
		);
	}

	frame(
		x: number,
		y: number,
		w: number,
		h: number,
		colour: Colour,
		thick = 1,
		alpha = 1,
	): void {
		this.out.push(
			`<rect x="${n(x + thick / 2)}" y="${n(y + thick / 2)}" width="${n(Math.max(0, w - thick))}" height="${n(Math.max(0, h - thick))}" fill="none" stroke="${css(colour)}" stroke-width="${n(thick)}"${opacity(alpha)}/>`,
		);
	}

	line(
		x1: number,
		y1: number,
		x2: number,
		y2: number,
		colour: Colour,
		thick = 1,
		alpha = 1,
	): void {
		this.path([x1, y1, x2, y2], colour, thick, alpha);
	}

	path(points: ArrayLike<number>, colour: Colour, thick?: number, alpha = 1): void {
		let d = "";

		for (let i = 0; i + 1 < points.length; i += 2)
			d += `${i ? "L" : "M"}${n(points[i]!)} ${n(points[i + 1]!)}`;
		const paint =
			thick === undefined
				? `fill="${css(colour)}"`
				: `fill="none" stroke="${css(colour)}" stroke-width="${n(thick)}"`;
		this.out.push(
			`<path d="${d}${thick === undefined ? "Z" : ""}" ${paint}${opacity(alpha)}/>`,
		);
	}

	segments(list: readonly Segments[]): void {
		for (const { ends, colour, thick } of list) {
			let d = "";

			for (let i = 0; i + 3 < ends.length; i += 4)
				d += `M${n(ends[i]!)} ${n(ends[i + 1]!)}L${n(ends[i + 2]!)} ${n(ends[i + 3]!)}`;
			this.out.push(
				`<path d="${d}" fill="none" stroke="${css(colour)}" stroke-width="${n(thick)}"/>`,
			);
		}
	}

	arc(
		x: number,
		y: number,
		r0: number,
		r1: number,
		a0: number,
		a1: number,
		fill: Colour,
		alpha = 1,
	): void {
		// A whole turn has the same point at both ends, which SVG draws as nothing.
		if (a1 - a0 >= 2 * Math.PI - 1e-6) {
			this.arc(x, y, r0, r1, a0, a0 + Math.PI, fill, alpha);
			this.arc(x, y, r0, r1, a0 + Math.PI, a0 + 2 * Math.PI - 1e-6, fill, alpha);
			return;
		}
		const p = (r: number, a: number) =>
			`${n(x + r * Math.sin(a))} ${n(y - r * Math.cos(a))}`;
		const large = a1 - a0 > Math.PI ? 1 : 0;
		this.out.push(
			`<path d="M${p(r1, a0)}A${n(r1)} ${n(r1)} 0 ${large} 1 ${p(r1, a1)}L${p(r0, a1)}${r0 > 0 ? `A${n(r0)} ${n(r0)} 0 ${large} 0 ${p(r0, a0)}` : ""}Z" fill="${css(fill)}"${opacity(alpha)}/>`,
		);
	}

	text(x: number, y: number, text: string, s: TextStyle): void {
		const anchor = { left: "start", center: "middle", right: "end" }[s.align ?? "left"];
		const size = s.size ?? 11;
		// Readers differ in dominant-baseline; a shift of the baseline is the same in all.
		const dy = { top: 0.8, middle: 0.35, bottom: -0.2 }[s.baseline ?? "middle"] * size;

		this.out.push(
			`<text x="${n(x)}" y="${n(y + dy)}" font-size="${size}" fill="${css(s.colour)}"` +
				(anchor !== "start" ? ` text-anchor="${anchor}"` : "") +
				(s.bold ? ' font-weight="600"' : "") +
				(s.mono ? ' class="m"' : "") +
				`${opacity(s.alpha ?? 1)}>${escape(text)}</text>`,
		);
	}

	splat(x: number, y: number, w: number, h: number, fill: Colour, alpha = 1): void {
		if (alpha > 0) this.rect(x, y, w, h, fill, alpha);
	}

	dots(o: Dots): void {
		for (let i = o.first; i < o.end; i++) {
			const [x, y] = [o.dx + o.x[i]!, o.dy + o.y[i]!];
			if (x < -o.radius || y < -o.radius) continue;
			if (x > this.width + o.radius || y > this.height + o.radius) continue;
			this.out.push(
				`<circle cx="${n(x)}" cy="${n(y)}" r="${n(o.radius)}" fill="${css(o.colour[i]!)}"/>`,
			);
		}
	}

	curve(points: ArrayLike<number>, colour: Colour, thick = 1, alpha = 1): void {
		let d = "";
		let drawing = false;

		for (let i = 0; i + 1 < points.length; i += 2) {
			const [x, y] = [points[i]!, points[i + 1]!];
			if (y === y) d += `${drawing ? "L" : "M"}${n(x)} ${n(y)}`;
			drawing = y === y;
		}
		this.out.push(
			`<path d="${d}" fill="none" stroke="${css(colour)}" stroke-width="${n(thick)}"${opacity(alpha)}/>`,
		);
	}

	/** Neighbours that look the same are one piece. */
	band(o: Band): void {
		for (let i = 0; i < o.colour.length; ) {
			const word = o.colour[i]!;
			let end = i + 1;

			while (end < o.colour.length && o.colour[end] === word) end++;
			const [a0, a1] = [o.a0 + i * o.step, Math.min(o.a1, o.a0 + end * o.step)];
			const c = ((word & 255) << 16) | (word & 0xff00) | ((word >> 16) & 255);
			if (word >>> 24) this.arc(o.x, o.y, o.r0, o.r1, a0, a1, c, (word >>> 24) / 255);
			i = end;
		}
	}

	layer(_name: string, _key: string, paint: () => void, alpha = 1): void {
		if (alpha < 1) this.out.push(`<g${opacity(alpha)}>`);
		paint();
		if (alpha < 1) this.out.push("</g>");
	}

	/** Runs of equal cells in a row become one rectangle. */
	cells(
		x: number,
		y: number,
		w: number,
		h: number,
		columns: number,
		rows: number,
		fill: Uint32Array,
	): void {
		const [cw, ch] = [w / columns, h / rows];

		this.out.push('<g shape-rendering="crispEdges">');
		for (let r = 0; r < rows; r++)
			for (let i = 0; i < columns; ) {
				const word = fill[r * columns + i]!;
				let end = i + 1;

				while (end < columns && fill[r * columns + end] === word) end++;
				if (word >>> 24) {
					const colour = ((word & 255) << 16) | (word & 0xff00) | ((word >> 16) & 255);
					this.rect(
						x + i * cw,
						y + r * ch,
						(end - i) * cw,
						ch,
						colour,
						(word >>> 24) / 255,
					);
				}
				i = end;
			}
		this.out.push("</g>");
	}

	clip(x: number, y: number, w: number, h: number, inside: () => void): void {
		const id = `clip${++this.clips}`;

		this.out.push(
			`<clipPath id="${id}"><rect x="${n(x)}" y="${n(y)}" width="${n(w)}" height="${n(h)}"/></clipPath><g clip-path="url(#${id})">`,
		);
		inside();
		this.out.push("</g>");
	}

	measure(text: string, style: TextStyle): number {
		if (!this.ruler) return text.length * (style.size ?? 11) * (style.mono ? 0.6 : 0.55);
		this.ruler.font = font(style);
		return this.ruler.measureText(text).width;
	}

	finish(background: Colour): string {
		const quote = (f: string) => f.replace(/"/g, "'");

		return (
			`<svg xmlns="http://www.w3.org/2000/svg" width="${n(this.width)}" height="${n(this.height)}" viewBox="0 0 ${n(this.width)} ${n(this.height)}" font-family="${quote(SANS)}">` +
			`<style>.m{font-family:${quote(MONO)}}</style>` +
			`<rect width="100%" height="100%" fill="${css(background)}"/>` +
			this.out.join("\n") +
			"</svg>\n"
		);
	}
}

function opacity(alpha: number): string {
	return alpha >= 1 ? "" : ` opacity="${n(alpha)}"`;
}
