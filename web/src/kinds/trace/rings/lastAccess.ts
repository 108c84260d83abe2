// The last access to some bytes of a region up to a moment, with its line of code.
import { api } from "../api";
import { UNKNOWN } from "../model/ringsGlyphs";
import { kindOf, servedOf, sizeOf, WRITE } from "../model/trail";
import { CHUNK, refsOf } from "../state/nearbyRefs";
import { names, ready } from "../state/store";

export interface Access {
	time: number;
	write: boolean;
	file: number | null;
	line: number;
	served: number;
}

/** The last access from references that the page has; null: the server must be asked. */
function nearby(
	region: number,
	[low, high]: [number, number],
	cursor: number,
): Access | null {
	const first = Math.max(0, cursor + 1 - CHUNK);

	for (const c of [...(refsOf(first, cursor + 1) ?? [])].reverse())
		for (let i = Math.min(c.count, cursor + 1 - c.from) - 1; i >= 0; i--) {
			const offset = c.offset[i]!;
			if (c.region[i] !== region || offset >= UNKNOWN || offset >= high) continue;
			if (offset + sizeOf(c.what[i]!) <= low) continue;
			const place = c.sites[c.site[i]!];
			return {
				time: c.from + i,
				write: kindOf(c.what[i]!) === WRITE,
				file: place?.file ?? null,
				line: place?.line ?? 0,
				served: servedOf(c.outcome[i]!),
			};
		}
	return null;
}

/*
 * Calls `then` at once or, if the server must be asked, later; or never, if nothing is
 * found.
 */
export function lastAccess(
	region: number,
	bytes: [number, number],
	cursor: number,
	then: (u: Access) => void,
): void {
	const here = nearby(region, bytes, cursor);
	const s = ready.peek();

	if (here) return then(here);
	if (!s) return;
	const q = { region, offset: bytes[0], size: bytes[1] - bytes[0], around: cursor + 1 };
	api
		.datum(s.sim, q)
		.then((d) => {
			const a = d.accesses.filter((x) => x.time <= cursor).at(-1);
			if (a) then({ ...a, write: a.kind === "write" });
		})
		.catch(() => {});
}

export function accessWords(u: Access, cursor: number): string {
	const ago = cursor - u.time;
	const when = ago ? `${ago.toLocaleString("en")} references ago` : "just now";
	const where = u.file !== null && u.line ? ` at ${names.file(u.file)}:${u.line}` : "";

	return `${u.write ? "written" : "read"} ${when}${where}, served by ${names.level(u.served)}`;
}
