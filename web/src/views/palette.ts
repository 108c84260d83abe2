// The colours of the theme, with the colours of roles that the server sends.
import { computed } from "@preact/signals";
import { darkPalette, light, type Palette } from "../draw/colours";
import { readRoles } from "../draw/roles";
import { dark, open } from "../state/store";

/** The palette of the page as it is shown. */
export const palette = computed<Palette>(() => {
	const p = dark.value ? darkPalette : light;
	const sent = open.value?.colours[dark.value ? "dark" : "light"];

	return sent ? { ...p, roles: readRoles(sent) } : p;
});
