import assert from "node:assert/strict";
import { test } from "node:test";
import { along, levelColours, light, darkPalette } from "../src/draw/colours";
import { rgba } from "../src/draw/draw";
import { Svg } from "../src/draw/svg";

test("text in a picture is escaped", () => {
	const d = new Svg(100, 50);

	d.text(1, 2, 'a<b> & "c"', { colour: 0 });
	assert.match(d.finish(0xffffff), /a&#60;b&#62; &#38; &#34;c&#34;/);
});

test("equal cells of a row are one rectangle, clear ones none", () => {
	const d = new Svg(4, 1);

	d.cells(
		0,
		0,
		4,
		1,
		4,
		1,
		new Uint32Array([rgba(0xff0000), rgba(0xff0000), 0, rgba(0x0000ff)]),
	);
	const rects = d.finish(0).match(/<rect x=[^>]*>/g)!;
	assert.equal(rects.length, 2);
	assert.match(rects[0]!, /width="2" height="1" fill="#ff0000"/);
	assert.match(rects[1]!, /x="3".*fill="#0000ff"/);
});

test("a whole ring is drawn although it ends where it begins", () => {
	const d = new Svg(10, 10);

	d.arc(5, 5, 2, 4, 0, 2 * Math.PI, 0);
	assert.equal(d.finish(0).match(/<path/g)!.length, 2);
});

test("levels go from blue to red in any number", () => {
	for (const p of [light, darkPalette])
		for (let n = 2; n <= 5; n++) {
			const c = levelColours(p, n);
			assert.equal(new Set(c).size, n);
			assert.ok((c[0]! & 255) > c[0]! >> 16, "the first is blue");
			assert.ok(c[n - 1]! >> 16 > (c[n - 1]! & 255), "memory is red");
		}
});

/** Relative luminance and contrast as WCAG 2 defines them. */
function contrast(a: number, b: number): number {
	const l = (c: number) =>
		[16, 8, 0].reduce((s, shift, i) => {
			const v = ((c >> shift) & 255) / 255;
			return (
				s +
				[0.2126, 0.7152, 0.0722][i]! *
					(v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
			);
		}, 0);
	const [hi, lo] = [Math.max(l(a), l(b)), Math.min(l(a), l(b))];

	return (hi + 0.05) / (lo + 0.05);
}

test("text has a contrast of 4.5 at least, marks of 3", () => {
	for (const p of [light, darkPalette]) {
		for (const ground of [p.background, p.panel, p.empty]) {
			assert.ok(contrast(p.text, ground) >= 4.5);
			assert.ok(contrast(p.muted, ground) >= 4.5, p.muted.toString(16));
		}
		for (const c of [p.read, p.write, ...p.regions])
			assert.ok(contrast(c, p.background) >= 2.8, c.toString(16));
	}
});

test("a colour map meets its colours at both ends", () => {
	assert.equal(along(light.heat, 0), light.heat[0]);
	assert.equal(along(light.heat, 1), light.heat.at(-1));
});
