// Which regions must not share a colour: those that are shown, then those that the program
// waits for most.
import { effect } from "@preact/signals";
import { option } from "../../../state/store";
import { parseList } from "../model/boxes";
import { byWeight, usualRegions } from "../model/usualRegions";
import { weight } from "./findings";
import { regionOrder, regions } from "./store";

export function followRegionOrder(): void {
	effect(() => {
		const [all, w] = [regions.value, weight.value];
		const next = [
			...parseList(option("regions.show", "")),
			...usualRegions(all, w),
			...[...all].sort(byWeight(w)).map((r) => r.region),
		];
		if (next.join() !== regionOrder.peek().join()) regionOrder.value = next;
	});
}
