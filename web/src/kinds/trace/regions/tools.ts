// Elements over the regions' picture: the list of regions, the tools of the frame under
// the pointer, a note if there is nothing to see. They are no part of the exported
// picture.
import { element } from "../../../views/element";
import type { Region } from "../model/types";
import { count, exact } from "../../../model/format";
import { byWeight, drawable, inBackground } from "../model/usualRegions";
import { weight } from "../state/findings";
import { names, regionOf, regionRank, regions, setCursor } from "../state/store";
import { regionColour } from "../../../draw/colours";
import { css } from "../../../draw/draw";
import {
	fold,
	isFolded,
	reorder,
	reset,
	resetAll,
	reshape,
	show,
	shownRegions,
	wishOf,
	type Frame,
} from "./frames";
import { palette } from "../../../views/palette";

const ROWS = 200; // of the list; the search finds the rest

function button(text: string, title: string, run: () => void): HTMLButtonElement {
	const b = element("button", "quiet small", text);

	b.type = "button"; // Enter in a form presses none
	b.title = title;
	b.setAttribute("aria-label", title);
	b.addEventListener("click", (e) => {
		e.stopPropagation();
		run();
	});
	return b;
}

export class RegionTools {
	private readonly bar = element("div", "region-bar");
	private readonly word = element("span", "region-word");
	private readonly list = element("div", "popover region-list");
	private readonly tools = element("div", "region-tools");
	private readonly form = element("form", "popover region-form");
	private frame: Frame | null = null;
	private formOf = -1;

	constructor(private readonly host: HTMLElement) {
		const open = button("Regions", "choose which regions are shown", () => {
			this.list.hidden = !this.list.hidden;
			if (!this.list.hidden) this.fillList("");
		});

		open.className = "small";
		this.list.hidden = this.tools.hidden = this.form.hidden = true;
		this.bar.append(open, this.word);
		host.append(this.bar, this.list, this.tools, this.form);
		this.form.addEventListener("submit", (e) => e.preventDefault());
	}

	/** A press outside of the open list closes it. */
	close(): void {
		this.list.hidden = this.form.hidden = true;
		this.formOf = -1;
	}

	/** A sentence beside the button; with `time` it is a link to that moment. */
	say(text: string, time = -1): void {
		const key = `${text}@${time}`;

		if (this.word.dataset["key"] === key) return;
		this.word.dataset["key"] = key;
		this.word.textContent = text;
		if (time < 0) return;
		const go = element("button", "link", `go to ${exact(time)}`);
		go.addEventListener("click", () => setCursor(time));
		this.word.append(" ", go);
	}

	private fillList(filter: string): void {
		const search = element("input", "");
		const rows = element("ul", "");
		const again = button("Usual ones", "show the usual regions again", () => {
			resetAll();
			this.fillList(search.value);
		});
		const fill = () => {
			const p = palette.value;
			const now = new Set(shownRegions());
			const later = (r: Region) => (inBackground(r, weight.value) ? 1 : 0);
			const order = byWeight(weight.value);
			const match = regions.value
				.filter((r) =>
					names.region(r.region).toLowerCase().includes(search.value.toLowerCase()),
				)
				.sort((a, b) => later(a) - later(b) || order(a, b));
			rows.replaceChildren(
				...match.slice(0, ROWS).map((r) => {
					const item = element("li", "");
					const label = element("label", drawable(r) ? "" : "muted");
					const box = element("input", "");
					const mark = element("i", "mark");
					box.type = "checkbox";
					box.checked = now.has(r.region);
					box.disabled = !drawable(r);
					box.addEventListener("change", () => show(r.region, box.checked));
					mark.style.background = css(regionColour(p, regionRank(r.region)));
					label.title = drawable(r) ? "" : "it has no layout to draw";
					label.append(
						box,
						mark,
						element("span", "mono grow", names.region(r.region)),
						element("span", "muted", kindWords(r)),
						element("span", "digits", count(r.references)),
					);
					item.append(label);
					return item;
				}),
			);
			if (match.length > ROWS)
				rows.append(
					element("li", "muted", `and ${exact(match.length - ROWS)} more: search`),
				);
		};

		search.type = "search";
		search.placeholder = "name of a region";
		search.value = filter;
		search.addEventListener("input", fill);
		const head = element("div", "row");
		head.append(search, again);
		this.list.replaceChildren(head, rows);
		fill();
		search.focus();
	}

	/** The tools of a frame at its title's right end; null: none. */
	at(frame: Frame | null): void {
		const n = frame?.region.region ?? -1;

		if (!frame) {
			if (this.formOf < 0) this.tools.hidden = true;
			return;
		}
		this.tools.hidden = false;
		this.tools.style.transform = `translate(${Math.round(frame.box.x + frame.box.w)}px, ${Math.round(frame.box.y)}px) translateX(-100%)`;
		const folded = isFolded(n);
		const key = `${n} ${folded}`;
		this.frame = frame;
		if (this.tools.dataset["key"] === key) return;
		this.tools.dataset["key"] = key;
		const name = frame.region.name;
		this.tools.replaceChildren(
			button("shape", `shape and order of ${name}`, () => this.toggleForm()),
			button(folded ? "+" : "–", folded ? `unfold ${name}` : `fold ${name}`, () =>
				fold(n, !folded),
			),
			button("×", `hide ${name}`, () => {
				show(n, false);
				this.tools.hidden = true;
			}),
		);
	}

	private toggleForm(): void {
		const f = this.frame;

		if (!f) return;
		if (this.formOf === f.region.region) return this.close();
		this.formOf = f.region.region;
		this.fillForm(f);
		this.form.hidden = false;
		const left = Math.max(
			8,
			Math.min(f.box.x + f.box.w - 220, this.host.clientWidth - 228),
		);
		this.form.style.transform = `translate(${Math.round(left)}px, ${Math.round(f.box.y + 24)}px)`;
	}

	private fillForm(f: Frame): void {
		const n = f.region.region;
		const number = (label: string, value: number, usual: number, unit: string) => {
			const row = element("label", "row");
			const input = element("input", "");
			input.type = "number";
			input.min = "1";
			input.value = value ? String(value) : "";
			input.placeholder = String(usual);
			row.append(element("span", "", label), input, element("span", "muted", unit));
			this.form.append(row);
			return input;
		};
		const wish = wishOf(n);

		this.form.replaceChildren(element("b", "", f.region.name));
		const elem = number("element", wish.elem, f.shape.elem, "bytes");
		const row = number("row", wish.row, f.shape.row, "elements");
		const order = element("select", "");
		for (const [value, text] of [
			["rows", "rows lie in memory"],
			["columns", "columns lie in memory"],
		])
			order.append(new Option(text, value));
		order.value = f.shape.order;
		order.setAttribute("aria-label", "order");
		const change = () => {
			const usual = shapeOrder(f);
			reshape(n, {
				elem: Math.max(0, Math.floor(Number(elem.value))),
				row: Math.max(0, Math.floor(Number(row.value))),
				order: order.value === usual ? "" : (order.value as "rows"),
			});
		};
		for (const input of [elem, row, order]) input.addEventListener("change", change);
		const buttons = element("div", "row");
		buttons.append(
			button("earlier", "move it one place forward", () => reorder(n, -1)),
			button("later", "move it one place back", () => reorder(n, 1)),
			element("span", "grow"),
			button("reset", "the usual shape and place", () => {
				reset(n);
				this.close();
			}),
		);
		this.form.append(order, buttons);
	}
}

/** The order of a region until the person chooses. */
function shapeOrder(f: Frame): string {
	return f.region.fields.length > 1 && f.shape.fields.length ? "columns" : "rows";
}

function kindWords(r: Region): string {
	const dims = r.dims.map((d) => `[${d}]`).join("");

	return r.type ? `${r.type}${dims}` : r.kind;
}

export function titleWords(n: number): string {
	const r = regionOf(n);

	return r ? kindWords(r) : "";
}
