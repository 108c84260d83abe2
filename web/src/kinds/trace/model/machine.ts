// The text of a machine (lib/cache/machine/machine.h) as fields of a form, and back. Words that
// the form does not know are kept where they stand, so that no text is lost by editing.
import { parseBytes } from "../../../model/format";

export interface LevelForm {
	name: string; // L1 to L4, L1i, TLB, TLB2, memory, walk, transfer
	size: string; // "32K"; of a TLB "64e"; of memory, walk and transfer ""
	ways?: string; // "8" or "full"; left out: the default
	line?: string; // "64"
	policy?: string;
	write?: string; // wb, wt
	allocate?: string; // wa, nwa
	inclusion?: string; // neither, inclusive, exclusive
	share?: string; // private, shared, share=4
	prefetch?: string; // "next", "stride*4"
	cycles?: string;
	rest: string[];
}

export interface MachineForm {
	cores: number;
	levels: LevelForm[]; // as they stand
	rest: string[]; // parts that are no level: "seed 7", a preset's name
}

/** Whether a level is a cache of data; the other levels have fewer fields. */
export function isCache(l: LevelForm): boolean {
	return /^L\d$/i.test(l.name);
}

const words: [RegExp, keyof LevelForm][] = [
	[/^(\d+)w$|^(full)$/, "ways"],
	[/^(\d+)B$/i, "line"],
	[/^(\d+)c$/, "cycles"],
	[/^(wb|wt)$/, "write"],
	[/^(n?wa)$/, "allocate"],
	[/^(neither|inclusive|exclusive)$/, "inclusion"],
	[/^(private|shared|share=\d+)$/, "share"],
	[/^prefetch=(.+)$/, "prefetch"],
];

function parseLevel(part: string[], policies: string[]): LevelForm {
	const sized = !/^(memory|walk|transfer)$/i.test(part[0]!);
	const l: LevelForm = { name: part[0]!, size: sized ? (part[1] ?? "") : "", rest: [] };

	for (const w of part.slice(sized ? 2 : 1)) {
		const known = words.find(([pattern]) => pattern.test(w));
		const m = known && w.match(known[0]);

		if (policies.includes(w)) l.policy = w;
		else if (known && m) l[known[1]] = (m[1] ?? m[2]) as never;
		else l.rest.push(w);
	}
	return l;
}

/*
 * The form of a text, with the names of the policies that the server knows. Undefined where
 * the text is no list of levels (a preset's name, "host").
 */
export function parseMachine(text: string, policies: string[]): MachineForm | undefined {
	const m: MachineForm = { cores: 1, levels: [], rest: [] };

	for (const part of text.split("|")) {
		const split = part.trim().split(/\s+/).filter(Boolean);
		const cores = part.trim().match(/^cores (\d+)$|^(\d+) cores?$/i);

		if (!split.length) continue;
		if (cores) m.cores = Number(cores[1] ?? cores[2]);
		else if (/^(L\d|L1i|TLB2?|memory|walk|transfer)$/i.test(split[0]!))
			m.levels.push(parseLevel(split, policies));
		else m.rest.push(split.join(" "));
	}
	return m.levels.some(isCache) ? m : undefined;
}

export function printMachine(m: MachineForm): string {
	const parts = m.levels.map((l) =>
		[
			l.name,
			l.size,
			l.ways && (l.ways === "full" ? "full" : `${l.ways}w`),
			l.line && `${l.line}B`,
			l.policy,
			l.write,
			l.allocate,
			l.inclusion,
			l.share,
			l.prefetch && `prefetch=${l.prefetch}`,
			l.cycles && `${l.cycles}c`,
			...l.rest,
		]
			.filter(Boolean)
			.join(" "),
	);

	if (m.cores > 1) parts.unshift(`cores ${m.cores}`);
	// A preset comes first, because the parts after it change it; a seed comes last.
	const presets = m.rest.filter((r) => !/^seed /.test(r));
	const seeds = m.rest.filter((r) => /^seed /.test(r));
	return [...presets, ...parts, ...seeds].join(" | ");
}

/** 32768 is "32K". */
export function sizeText(size: number): string {
	for (const [unit, factor] of [
		["G", 1073741824],
		["M", 1048576],
		["K", 1024],
	] as const)
		if (size >= factor && (size * 100) % factor === 0) return `${size / factor}${unit}`;
	return String(size);
}

/** A machine in a few words: "L1 32K · L2 1M". */
export function shortMachine(
	levels: { name: string; size?: number; kind: string }[],
): string {
	return levels
		.filter((l) => l.kind === "cache")
		.map((l) => `${l.name} ${sizeText(l.size ?? 0)}`)
		.join(" · ");
}

/** Faults of a machine that the page can see; the server has the last word. */
export function machineFaults(m: MachineForm): string[] {
	const faults: string[] = [];
	let line = 64;

	for (const l of m.levels.filter(isCache)) {
		const size = parseBytes(l.size);
		const ways = l.ways === "full" ? 1 : Number(l.ways ?? 8);

		line = Number(l.line ?? line);
		if (!(size > 0)) faults.push(`${l.name}: "${l.size}" is no size`);
		else if (!(line > 0) || (line & (line - 1)) !== 0)
			faults.push(`${l.name}: a line of ${line} bytes is no power of two`);
		else if (!(ways > 0) || size % (ways * line))
			faults.push(`${l.name}: ${l.size} is no multiple of ${ways} ways of ${line} bytes`);
	}
	return faults;
}
