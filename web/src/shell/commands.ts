// The commands that keys and the search run: of the page, of the kind that is shown, and
// of the other open kinds.
import { activeKind, openKinds } from "../kinds/documents";
import type { Command } from "../kinds/kind";
import { redo, undo } from "../state/history";
import { overlay } from "../state/store";
import { toggleTheme } from "../state/theme";
import { beginTour } from "./tour";

const ofPage: Command[] = [
	{ title: "Undo selection", keys: ["Ctrl+z"], group: "Selection", run: undo },
	{
		title: "Redo selection",
		keys: ["Ctrl+Shift+z", "Ctrl+y"],
		group: "Selection",
		run: redo,
	},
	{
		title: "Search",
		keys: ["/", "Ctrl+k"],
		group: "Page",
		run: () => (overlay.value = "search"),
	},
	{ title: "Take the tour", keys: [], group: "Page", run: beginTour },
	{ title: "Light or dark", keys: ["t"], group: "Page", run: toggleTheme },
	{
		title: "Help",
		keys: ["?"],
		group: "Page",
		run: () => (overlay.value = overlay.value === "help" ? "" : "help"),
	},
];

/** Commands that keys run: of the page and of the kind that is shown. */
export function keyCommands(): Command[] {
	return [...ofPage, ...(activeKind.value?.commands ?? [])];
}

/** All commands; of several with the same title, that of the kind that is shown. */
export function allCommands(): Command[] {
	const active = activeKind.value;
	const others = openKinds.value.filter((k) => k !== active);
	const list = [active, ...others].flatMap((k) => k?.commands ?? []);
	const seen = new Set<string>();

	return [...list, ...ofPage].filter((c) => !seen.has(c.title) && seen.add(c.title));
}

/** Commands with keys under their headings; those of the page come first under each. */
export function commandGroups(): { title: string; commands: Command[] }[] {
	const all = allCommands().filter((c) => c.keys.length);
	const others = all.filter((c) => !ofPage.includes(c));

	return [...new Set(all.map((c) => c.group))].map((title) => ({
		title,
		commands: [...ofPage, ...others].filter((c) => c.group === title),
	}));
}
