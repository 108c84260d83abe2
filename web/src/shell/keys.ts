// Keys of the page: each command names its own; digits choose views.
import { keyCommands } from "./commands";
import { endTalk, talk, toggleTalk, turnCaption } from "../state/captions";
import { overlay, view } from "../state/store";
import { whyDisabled, listedViews } from "../kinds/documents";

/*
 * "Ctrl+Shift+z": modifiers in this order; Shift is left out of keys that are signs, such
 * as "?".
 */
export function keyOf(e: KeyboardEvent): string {
	const name = e.key === " " ? "Space" : e.key.length === 1 ? e.key.toLowerCase() : e.key;
	const sign = e.key.length === 1 && !/[a-z ]/i.test(e.key);

	return `${e.ctrlKey || e.metaKey ? "Ctrl+" : ""}${e.shiftKey && !sign ? "Shift+" : ""}${name}`;
}

/** A key as keyboards print it. */
export function shownKey(key: string | undefined): string {
	return (key ?? "")
		.replace("ArrowRight", "→")
		.replace("ArrowLeft", "←")
		.replace("Escape", "Esc")
		.split("+")
		.map((k) => (k.length === 1 && /[a-z]/.test(k) ? k.toUpperCase() : k))
		.join(" ");
}

/** Whether the person types text: then no key is a command. */
function typesText(at: EventTarget | null): boolean {
	if (!(at instanceof HTMLElement)) return false;
	if (at instanceof HTMLInputElement)
		return !/^(button|checkbox|radio|range|color|file|reset|submit)$/.test(at.type);
	return at instanceof HTMLTextAreaElement || at.isContentEditable;
}

/** Whether an element has a use of its own for a key, as a slider has for arrows. */
function usesKey(at: EventTarget | null, key: string): boolean {
	if (key === "Space") return false; // the space bar is the page's, wherever the focus is
	return at instanceof HTMLInputElement || at instanceof HTMLSelectElement;
}

/** Keys of a talk, while there is one. */
const talkKeys: Record<string, () => void> = {
	Space: toggleTalk,
	ArrowRight: () => turnCaption(1),
	ArrowLeft: () => turnCaption(-1),
	Escape: endTalk,
};

export function listenKeys(): void {
	// After a choice in a list the page has the keys again.
	document.addEventListener("change", (e) => {
		if (e.target instanceof HTMLSelectElement && !e.target.closest(".dialog"))
			e.target.blur();
	});
	window.addEventListener("keydown", (e) => {
		const key = keyOf(e);
		const typing = typesText(e.target) || usesKey(e.target, key);

		if (overlay.value && key === "Escape") {
			overlay.value = "";
			e.preventDefault();
			return;
		}
		if (e.altKey || typing || (overlay.value && key !== "?")) return;
		if (talk.value && talkKeys[key]) {
			e.preventDefault();
			if (!e.repeat) talkKeys[key]();
			return;
		}
		const digit = key.match(/^[1-9]$/) && listedViews.value[Number(key) - 1];
		if (digit) {
			if (!whyDisabled(digit)) view.value = digit.id;
			return;
		}
		const command = keyCommands().find((c) => c.keys.includes(key));
		if (!command) return;
		e.preventDefault();
		if (e.key === " " && e.repeat) return; // held down, it is pressed once
		command.run();
	});
	// A button is pressed when the space bar goes up: a command has had that key.
	window.addEventListener("keyup", (e) => {
		const ours = e.key === " " && !overlay.value && !typesText(e.target);
		if (ours && keyCommands().some((c) => c.keys.includes("Space"))) e.preventDefault();
	});
}
