// Names of regions that can be told apart: regions that are called the same (blocks of one
// allocating function) get their size, and a number where the size is the same too.
import { bytes } from "../../../model/format";
import { extentOf } from "./shape";
import type { Region } from "./types";

function groups<T>(list: T[], key: (t: T) => string): T[][] {
	const by = new Map<string, T[]>();

	for (const one of list) {
		const alike = by.get(key(one));
		if (alike) alike.push(one);
		else by.set(key(one), [one]);
	}
	return [...by.values()];
}

/** The label of each region, by its number. Regions of one size count from the first used. */
export function regionLabels(regions: Region[]): Map<number, string> {
	const labels = new Map<number, string>();

	for (const alike of groups(regions, (r) => r.name)) {
		if (alike.length === 1) {
			labels.set(alike[0]!.region, alike[0]!.name);
			continue;
		}
		for (const same of groups(alike, (r) => bytes(extentOf(r)))) {
			const inTime = [...same].sort((a, b) => a.first - b.first || a.region - b.region);
			for (const [i, r] of inTime.entries()) {
				const size = extentOf(r) ? ` ${bytes(extentOf(r))}` : "";
				const number = same.length > 1 ? ` #${i + 1}` : "";
				labels.set(r.region, `${r.name}${size}${number}`);
			}
		}
	}
	return labels;
}

/** A name cut in the middle: both of its ends tell it from others. */
export function cutMiddle(
	text: string,
	width: number,
	measure: (text: string) => number,
): string {
	if (measure(text) <= width) return text;
	let [low, high] = [0, text.length];

	while (low < high) {
		const mid = Math.ceil((low + high) / 2);
		if (measure(cutTo(text, mid)) <= width) low = mid;
		else high = mid - 1;
	}
	return cutTo(text, low);
}

function cutTo(text: string, letters: number): string {
	const end = Math.floor(letters / 2);

	return `${text.slice(0, letters - end)}…${end ? text.slice(-end) : ""}`;
}
