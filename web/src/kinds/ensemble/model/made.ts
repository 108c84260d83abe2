// What an ensemble was made with: the options of `memlamp ensemble`, as choices of the page.
import type { Ensemble } from "./ensemble";

/** Names of options that are those of the choices, and those that have other names. */
const SAME = [
	...["measure", "level", "weights", "time", "volume", "peaks"],
	...["size", "total", "shift", "colour", "facet"],
];
const OTHER: Record<string, string> = { as: "plot", window: "smooth", shared: "threads" };

/** The member with this number or label, or the only one whose label has all these words. */
function memberNamed(e: Ensemble, text: string): string | undefined {
	const words = text.split(" ").filter(Boolean);
	const exact = e.members.find((m) => m.label === text || String(m.member) === text);
	const some = e.members.filter((m) =>
		words.every((w) => m.label.split(" ").includes(w)),
	);
	const found = exact ?? (some.length === 1 ? some[0] : undefined);

	return found && String(found.member);
}

/** Rows that mean all marks or all phases name no milestone. */
function matchNamed(text: string): string | undefined {
	const rows = text.split(";");

	return rows.some((r) => r === "marks" || r === "phases") ? undefined : text;
}

/** The choices that hold until a person chooses. */
export function choicesOf(e: Ensemble): Record<string, string> {
	const { made } = e;
	const base = e.traces.findIndex((t) => t.label === made["base"]);
	const out: Record<string, string | undefined> = {
		match: made["match"] && matchNamed(made["match"]),
		base: base < 0 ? undefined : String(base),
		against: made["against"] && memberNamed(e, made["against"]),
		real: made["real"] && memberNamed(e, made["real"]),
		deviation: made["envelope"] === "deviation" ? "on" : undefined,
	};

	for (const name of SAME) out[name] = made[name];
	for (const [name, choice] of Object.entries(OTHER)) out[choice] = made[name];
	return Object.fromEntries(
		Object.entries(out).filter((x): x is [string, string] => x[1] !== undefined),
	);
}
