// The tour of the page, for people who see it for the first time. The kind of document that is
// shown brings the captions. The browser remembers that somebody has seen or dismissed it.
import { effect, untracked } from "@preact/signals";
import { activeDocument, activeKind } from "../kinds/documents";
import { beginTalk, talk } from "../state/captions";
import { keep, kept } from "../state/kept";
import { overlay } from "../state/store";

const KEY = "memlamp.tour";

export function hasTour(): boolean {
	return !!activeKind.value?.help?.tour?.length;
}

export function beginTour(): void {
	const captions = activeKind.peek()?.help?.tour;

	if (!captions?.length) return;
	overlay.value = "";
	beginTalk({
		title: "A tour of the page",
		captions,
		plays: false,
		ended: () => keep(KEY, "seen"),
	});
}

/** Begins the tour by itself on the first visit. */
export function offerTour(): void {
	const stop = effect(() => {
		if (!activeDocument.value || !hasTour()) return;
		untracked(() => {
			if (kept(KEY) === null && !talk.value) beginTour();
		});
		queueMicrotask(() => stop());
	});
}
