// Everything that has a name in a search space.
import type { SearchItem } from "../kind";
import { share } from "./model/space";
import * as s from "./state";

export function searchItems(): SearchItem[] {
	const space = s.space.value;

	return (space?.constraints ?? []).map((c) => ({
		kind: "constraint",
		title: c.name,
		side: `${c.kind}, eliminates ${share(c.eliminated, space!.variants)}`,
		run: () => s.pick([{ name: c.name, fails: true }]),
	}));
}
