// Light or dark: the system's choice until the person makes one; kept between visits.
import { effect } from "@preact/signals";
import { keep, kept } from "./kept";
import { dark, systemDark, theme } from "./store";

const KEY = "memlamp.theme";

export function followTheme(): void {
	const query = matchMedia("(prefers-color-scheme: dark)");
	const before = kept(KEY);

	systemDark.value = query.matches;
	query.addEventListener("change", () => (systemDark.value = query.matches));
	if (before === "light" || before === "dark") theme.value = before;
	effect(() => {
		document.documentElement.dataset["theme"] = dark.value ? "dark" : "light";
		keep(KEY, theme.value === "system" ? null : theme.value);
	});
}

export function toggleTheme(): void {
	theme.value = dark.value ? "light" : "dark";
}
