// Keys of the page: each command names its own; digits choose views.
import { keyCommands } from "./commands";
import { overlay, view } from "../state/store";
import { whyDisabled, listedViews } from "../kinds/documents";

/*
 * "Ctrl+Shift+z": modifiers in this order; Shift is left out of keys that are signs, such
 * as "?".
 */
export function keyOf(e: KeyboardEvent): string {
	const name = e.key === " " ? "Space" : e.key.length === 1 ? e.key.toLowerCase() : e.key;
	const sign = e.key.length === 1 && !/[a-z]/i.test(e.key);

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

export function listenKeys(): void {
	// After a choice in a list the page has the keys again.
	document.addEventListener("change", (e) => {
		if (e.target instanceof HTMLSelectElement && !e.target.closest(".dialog"))
			e.target.blur();
	});
	window.addEventListener("keydown", (e) => {
		const typing =
			e.target instanceof HTMLElement &&
			/^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName);
		const key = keyOf(e);

		if (overlay.value && key === "Escape") {
			overlay.value = "";
			e.preventDefault();
			return;
		}
		if (e.altKey || typing || (overlay.value && key !== "?")) return;
		// The space bar presses a button that has the focus, and does nothing else then.
		if (
			key === "Space" &&
			e.target instanceof HTMLButtonElement &&
			e.target.matches(":focus-visible")
		)
			return;
		const digit = key.match(/^[1-9]$/) && listedViews.value[Number(key) - 1];
		if (digit) {
			if (!whyDisabled(digit)) view.value = digit.id;
			return;
		}
		const command = keyCommands().find((c) => c.keys.includes(key));
		if (!command) return;
		e.preventDefault();
		command.run();
	});
}
