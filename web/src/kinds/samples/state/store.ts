// The choices, which are options so that the URL restores them, the file that is shown, and
// the selection and pre-selection as texts.
import { computed, signal } from "@preact/signals";
import { choices } from "../../../state/history";
import { latest } from "../../../state/latest";
import { activeKind, documentsOf, shownView } from "../../documents";
import { api } from "../api";
import { combine, invert, tidy, type Mode } from "../model/selection";
import { roleColumn, type SamplesInfo } from "../model/table";

export const KIND = "samples";

export const active = computed(() => activeKind.value?.id === KIND);

const { chosen: opt, choose } = choices(KIND, ["bins", "windows", "clusters"]);
export { choose, opt };

/** Whether one of these views is shown: questions for the others wait. */
export function shows(...views: string[]): boolean {
	return active.value && views.includes(shownView.value?.id ?? "");
}

/** The number of the samples that are shown. */
export const number = computed(() => {
	const all = documentsOf(KIND);
	const wanted = Number(opt("of", "0"));

	return (all.find((d) => d.number === wanted) ?? all[0])?.number ?? null;
});

/** Grows when the file was read anew. */
export const version = signal(0);

export const info = latest<SamplesInfo>(() => {
	const n = number.value;

	void version.value;
	return n === null ? null : (abort) => api.info(n, abort);
}).value;

export function columnOf(role: string): number {
	return info.value ? roleColumn(info.value, role) : -1;
}

export function columnNamed(name: string): number {
	const lower = name.toLowerCase();

	return info.value?.columns.findIndex((c) => c.column.toLowerCase() === lower) ?? -1;
}

export const selected = computed(() => opt("select", ""));
/** The pre-selection; views write it freely. */
export const hover = signal("");
export const mode = computed<Mode>(() => {
	const m = opt("mode", "narrow");

	return ["new", "add", "xor"].includes(m) ? (m as Mode) : "narrow";
});

export function setSelection(text: string): void {
	choose({ select: text || null });
}

/** Selects as the mode says; `with` overrides it. */
export function select(text: string | null, how?: Mode): void {
	if (text === null) return;
	setSelection(combine(selected.value, tidy(text), how ?? mode.value));
}

export function invertSelection(): void {
	setSelection(invert(selected.value));
}

/** The mode that the keys under a click ask for. */
export function modeOf(e: {
	shiftKey: boolean;
	ctrlKey: boolean;
	altKey: boolean;
}): Mode {
	if (e.shiftKey) return "add";
	if (e.altKey) return "xor";
	return e.ctrlKey ? "new" : mode.value;
}

export const measureBy = computed<"cycles" | "samples">(() =>
	opt("by", "cycles") === "samples" || columnOf("latency") < 0 ? "samples" : "cycles",
);
