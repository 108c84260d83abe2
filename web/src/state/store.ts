// The part of the store that every kind of document shares: plain values, each a signal.
// Views and panels read and write these; nothing here fetches, and no value is kept
// twice. Each kind has a store of its own (kinds/KIND/state). link.ts puts both into the
// URL.
import { computed, signal } from "@preact/signals";
import type { Connection } from "../api";
import type { Open } from "../model/types";

/** The answer of /api/open; null until it is there. */
export const open = signal<Open | null>(null);
export const connection = signal<Connection>("ok");
/** A sentence for the person; the shell shows it for as long as reading it takes. */
export const message = signal<string>("");

/** The id of the view in the middle ("": the first), and options by "view.option". */
export const view = signal("");
export const options = signal<Record<string, string>>({});

export const theme = signal<"light" | "dark" | "system">("system");
export const systemDark = signal(false);
export const dark = computed(
	() => theme.value === "dark" || (theme.value === "system" && systemDark.value),
);

/** The overlay that is open: "search", "help", or one that a kind brings; "": none. */
export const overlay = signal("");

/** An option of a view, or `otherwise` while the person has not chosen. */
export function option(key: string, otherwise: string): string {
	return options.value[key] ?? otherwise;
}

export function setOption(key: string, value: string): void {
	options.value = { ...options.value, [key]: value };
}
