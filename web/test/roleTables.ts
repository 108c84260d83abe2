// Colours of roles that tests can tell apart; the real ones are the server's.
import type { RoleTable } from "../src/model/figure";

const table: RoleTable = {
	text: "#000001",
	muted: "#000002",
	word: ["#0a0000", "#0b0000"],
	number: ["#000000", "#640000", "#c80000"],
	heat: ["#000000", "#000064"],
};

export const roleTables = {
	light: table,
	dark: { ...table, word: ["#1a0000", "#1b0000"] },
};
