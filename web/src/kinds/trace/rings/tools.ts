// Elements over the rings' picture: the chosen sets, and the scores of the cache
// temperature. They are no part of the exported picture.
import { element } from "../../../views/element";
import { parseScores, printScores } from "../model/temperature";
import { wrongSets } from "../model/ringsSets";
import { cacheLevels } from "../state/scores";
import { option, setOption } from "../../../state/store";
import { ready } from "../state/store";

function field(label: string, value: string, set: (text: string) => void) {
	const row = element("label", "row");
	const input = element("input", "mono");

	input.value = value;
	input.setAttribute("aria-label", label);
	input.addEventListener("change", () => set(input.value.trim()));
	input.addEventListener("keydown", (e) => e.stopPropagation());
	row.append(element("span", "", label), input);
	return { row, input };
}

export function setsOption(level: number): string {
	return `rings.sets.${level + 1}`;
}

export class RingsTools {
	private readonly bar = element("div", "rings-bar");
	private readonly form = element("form", "popover rings-form");
	private open = "";

	constructor(host: HTMLElement) {
		for (const [what, title] of [
			["Sets", "choose the sets to show"],
			["Temperature", "scores of the cache temperature"],
		] as const) {
			const b = element("button", "small", what);
			b.type = "button";
			b.title = title;
			b.addEventListener("click", () => this.show(this.open === what ? "" : what));
			this.bar.append(b);
		}
		this.form.hidden = true;
		this.form.addEventListener("submit", (e) => e.preventDefault());
		host.append(this.bar, this.form);
	}

	close(): void {
		if (this.open) this.show("");
	}

	private show(what: string): void {
		this.open = what;
		this.form.hidden = !what;
		this.form.replaceChildren();
		if (what === "Sets") this.sets();
		else if (what) this.scores();
		this.form.querySelector("input")?.focus();
	}

	/** Enter or leaving the field takes the typed text. */
	private sets(): void {
		const word = element("p", "faint");

		this.form.append(element("p", "", "Sets to show, such as 0-7,32; empty: all."));
		ready.value?.levels.forEach((l, i) => {
			if (l.kind !== "cache") return;
			const label = `${l.name}, ${l.sets} sets`;
			const { row } = field(label, option(setsOption(i), ""), (text) => {
				word.textContent = wrongSets(text, l.sets!);
				if (!word.textContent) setOption(setsOption(i), text);
			});
			this.form.append(row);
		});
		this.form.append(
			word,
			element("p", "faint", "A click on an arm shows it alone; with shift it adds it."),
		);
	}

	private scores(): void {
		const levels = cacheLevels();
		const now = () => parseScores(option("temperature.scores", ""), levels);
		const set = (change: (s: ReturnType<typeof now>) => void) => {
			const s = now();
			change(s);
			setOption("temperature.scores", printScores(s));
		};
		const number = (label: string, value: number, put: (v: number) => void) => {
			const { row, input } = field(label, String(value), (text) => {
				if (text && Number.isFinite(Number(text))) put(Number(text));
			});
			input.inputMode = "decimal";
			this.form.append(row);
		};

		this.form.append(
			element(
				"p",
				"",
				"The score of a reference in each level; the temperature is their average.",
			),
		);
		ready.value?.levels.forEach((l, i) => {
			if (l.kind !== "cache") return;
			number(`hit in ${l.name}`, now().hit[i]!, (v) => set((s) => (s.hit[i] = v)));
			number(`miss in ${l.name}`, now().miss[i]!, (v) => set((s) => (s.miss[i] = v)));
		});
		number("last references", now().window, (v) => set((s) => (s.window = v)));
		const usual = element("button", "small", "As usual");
		usual.type = "button"; // not submit: Enter in a field must not press it
		usual.addEventListener("click", () => {
			setOption("temperature.scores", "");
			this.show("Temperature");
		});
		this.form.append(usual);
	}
}
