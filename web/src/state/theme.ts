// Light or dark: the system's choice until the person makes one; kept between visits.
import { effect } from "@preact/signals";
import { dark, systemDark, theme } from "./store";

const KEY = "memlamp.theme";

export function followTheme(): void {
	const query = matchMedia("(prefers-color-scheme: dark)");
	const kept = localStorage.getItem(KEY);

	systemDark.value = query.matches;
	query.addEventListener("change", () => (systemDark.value = query.matches));
	if (kept === "light" || kept === "dark") theme.value = kept;
	effect(() => {
		document.documentElement.dataset["theme"] = dark.value ? "dark" : "light";
		if (theme.value === "system") localStorage.removeItem(KEY);
		else localStorage.setItem(KEY, theme.value);
	});
}

export function toggleTheme(): void {
	theme.value = dark.value ? "light" : "dark";
}
