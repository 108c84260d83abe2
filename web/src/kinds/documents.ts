// The kinds that the page was started with, the documents that are open, and the view,
// kind and document that are shown.
import { computed, signal } from "@preact/signals";
import type { OpenDocument, Place } from "../model/types";
import { open, view } from "../state/store";
import type { ViewKind } from "../views/view";
import type { DocumentKind } from "./kind";

const registered = signal<readonly DocumentKind[]>([]);

/** Called once, by the start of the page. */
export function register(list: readonly DocumentKind[]): void {
	registered.value = list;
}

/** Open documents of a kind. */
export function documentsOf(kind: string): OpenDocument[] {
	return open.value?.documents.filter((d) => d.kind === kind) ?? [];
}

/** Kinds with open documents, in the order of the registry. */
export const openKinds = computed(() =>
	registered.value.filter((k) => documentsOf(k.id).length > 0),
);

/** Kinds that have tabs: those with open documents, and those that they lead to. */
const listedKinds = computed(() => {
	const led = openKinds.value.flatMap((k) => k.leadsTo ?? []);

	return registered.value.filter(
		(k) => openKinds.value.includes(k) || led.includes(k.id),
	);
});

export function kindOf(v: ViewKind): DocumentKind | undefined {
	return registered.value.find((k) => k.views.includes(v));
}

/** Views that have tabs, in their order. */
export const listedViews = computed<ViewKind[]>(() =>
	listedKinds.value.flatMap((k) => k.views.filter((v) => v.when?.() ?? true)),
);

/** Why a view that is listed cannot be opened, or "". */
export function whyDisabled(v: ViewKind): string {
	const kind = kindOf(v);
	const from = openKinds.value.find((k) => k.leadsTo?.includes(kind?.id ?? ""));

	if (!kind || openKinds.value.includes(kind)) return "";
	return `no ${kind.title} is open: the files that the ${from?.title} leads to were not found`;
}

/** The view that is shown: the chosen one, or else the first of its kind, or else any. */
export const shownView = computed<ViewKind | null>(() => {
	const can = listedViews.value.filter((v) => !whyDisabled(v));
	const kind = registered.value.find((k) => k.views.some((v) => v.id === view.value));

	return (
		can.find((v) => v.id === view.value) ??
		can.find((v) => kind?.views.includes(v)) ??
		can[0] ??
		null
	);
});

/** The kind of the view that is shown. */
export const activeKind = computed<DocumentKind | null>(
	() => (shownView.value && kindOf(shownView.value)) ?? null,
);

export const activeDocument = computed<OpenDocument | null>(
	() => activeKind.value?.shown() ?? null,
);

/*
 * Shows a document of any kind at a place: the one way from a document of one kind into that
 * of another. Kinds name each other; they do not import each other.
 */
export async function openDocument(
	kind: string,
	number: number,
	place: Place = {},
): Promise<boolean> {
	const k = registered.value.find((x) => x.id === kind);

	if (!k || !(await k.show(number, place))) return false;
	if (place.view) view.value = place.view;
	else if (activeKind.value !== k) view.value = k.views[0]!.id;
	return true;
}
