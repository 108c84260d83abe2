// Groups of samples and axes by their meaning: what the command search knows by name. A
// group has an axis, and a selection if it is a set of samples. To add one, add a row.
import { equals, word } from "./selection";
import { isNames, roleColumn, type SamplesInfo } from "./table";

export interface Group {
	name: string; // as it is shown: "L1 cache miss"
	phrases: string[]; // other names for it
	axis: number; // column
	select: string | null; // the samples; null: the group is an axis
	weight: number; // how likely it is meant, 0 to 1
	about: string; // a sentence of help
}

/** Values that have names of their own: data objects, functions, lines. */
export interface NamedValue {
	kind: string; // "data object"
	name: string;
	select: string;
	axis: number;
}

/** A flag of AMD IBS by its name without signs: ibs_dc_miss and IbsDcMiss are the same. */
function flag(info: SamplesInfo, ...names: string[]): number {
	return info.columns.findIndex((c) =>
		names.includes(c.column.toLowerCase().replace(/[^a-z0-9]/g, "")),
	);
}

interface Meaning {
	name: string;
	phrases: string[];
	about: string;
	weight: number;
	flags: string[]; // columns that are 1 for these samples
	levels?: string[]; // or else samples that these levels served
}

const MEANINGS: Meaning[] = [
	{
		name: "L1 cache miss",
		phrases: ["L1 misses", "L1 data cache miss", "dc miss"],
		about: "Samples that the first-level cache did not serve.",
		weight: 1,
		flags: ["ibsdcmiss"],
		levels: ["L2", "L2 or L3", "L3", "L3 or RAM", "RAM", "remote cache", "remote RAM"],
	},
	{
		name: "L2 cache miss",
		phrases: ["L2 misses"],
		about: "Samples that neither the first nor the second level served.",
		weight: 0.95,
		flags: ["ibsl2miss"],
		levels: ["L3", "L3 or RAM", "RAM", "remote cache", "remote RAM"],
	},
	{
		name: "L3 cache miss",
		phrases: ["L3 misses", "last level cache miss", "LLC miss"],
		about: "Samples that memory served, or a cache of another socket.",
		weight: 0.9,
		flags: [],
		levels: ["RAM", "remote cache", "remote RAM"],
	},
	{
		name: "L1 TLB miss",
		phrases: ["L1 data TLB miss", "DTLB miss"],
		about: "Samples whose page was not in the first translation buffer.",
		weight: 0.92,
		flags: ["ibsdcl1tlbmiss", "ibsdcl1tlbmis", "ibsl1tlbmiss"],
	},
	{
		name: "L2 TLB miss",
		phrases: ["second-level TLB miss", "STLB miss", "TLB miss", "page walk"],
		about: "Samples whose page was not in the second translation buffer: a page walk.",
		weight: 0.91,
		flags: ["ibsdcl2tlbmiss", "ibsdcl2tlbmis", "ibsl2tlbmiss", "tlbmiss", "missestlb"],
	},
	{
		name: "mispredicted branches",
		phrases: ["branch misprediction", "brn misp", "mispredict branch"],
		about: "Operations that were branches, predicted wrongly.",
		weight: 0.88,
		flags: ["ibsopbrnmisp", "ibsbrnmisp", "ibsbrnmisprd", "opbrnmisp"],
	},
	{
		name: "taken branches",
		phrases: ["branch taken", "brn taken"],
		about: "Operations that were branches and were taken.",
		weight: 0.6,
		flags: ["ibsopbrntaken", "ibsbrntaken"],
	},
	{
		name: "remote memory",
		phrases: ["remote RAM", "remote NUMA", "other socket"],
		about: "Samples that memory or a cache of another socket served.",
		weight: 0.86,
		flags: ["ibsnbreqdstnode", "ibsremotenode"],
		levels: ["remote RAM", "remote cache"],
	},
	{
		name: "main memory",
		phrases: ["memory", "RAM", "DRAM"],
		about: "Samples that memory served.",
		weight: 0.85,
		flags: [],
		levels: ["RAM", "remote RAM", "L3 or RAM"],
	},
	{
		name: "loads",
		phrases: ["load operation", "reads"],
		about: "Operations that read memory.",
		weight: 0.55,
		flags: ["ibsldop"],
	},
	{
		name: "stores",
		phrases: ["store operation", "writes"],
		about: "Operations that wrote memory.",
		weight: 0.55,
		flags: ["ibsstop"],
	},
	{
		name: "locked accesses",
		phrases: ["atomic operation", "lock"],
		about: "Accesses with a lock.",
		weight: 0.5,
		flags: ["ibsdclockedop", "locked"],
	},
	{
		name: "misaligned accesses",
		phrases: ["unaligned access"],
		about: "Accesses that were not aligned.",
		weight: 0.5,
		flags: ["ibsdcmisacc", "ibsdcmisalign"],
	},
	{
		name: "line fill buffer",
		phrases: ["LFB", "fill buffer hit"],
		about: "Samples whose line was on its way to L1 already.",
		weight: 0.6,
		flags: [],
		levels: ["LFB"],
	},
];

/** Names of axes by role, as people say them. */
const ROLES: [role: string, name: string, phrases: string[], weight: number][] = [
	["line", "source line", ["line of code", "code line"], 0.84],
	["cpu", "CPU core", ["processor", "core"], 0.8],
	["level", "data source", ["memory level", "cache level", "served by"], 0.8],
	["latency", "load latency", ["latency", "access cycles"], 0.83],
	["time", "timestamp", ["time"], 0.82],
	["thread", "thread", ["tid"], 0.6],
	["variable", "data object", ["variable", "data symbol", "array"], 0.7],
	["index", "access index", ["element index"], 0.6],
	["function", "function", ["symbol"], 0.7],
	["file", "source file", ["file"], 0.6],
	["address", "data address", ["address"], 0.55],
	["ip", "instruction pointer", ["ip"], 0.5],
];

/** What people call columns that have no role, by their heading. */
const HEADINGS: Record<string, string> = {
	instruction: "instruction uid", // Mitos
};

function levelText(info: SamplesInfo, levels: string[], known: string[]): string | null {
	const column = roleColumn(info, "level");
	const there = levels.filter((l) => known.includes(l));

	if (column < 0 || !there.length) return null;
	const parts = there.map((l) => equals(info.columns[column]!.column, l));
	return parts.length > 1 ? parts.join(" or ") : parts[0]!;
}

function meaningGroup(m: Meaning, info: SamplesInfo, levels: string[]): Group[] {
	const at = flag(info, ...m.flags);
	const base = { name: m.name, phrases: m.phrases, weight: m.weight, about: m.about };

	if (at >= 0)
		return [{ ...base, axis: at, select: `${word(info.columns[at]!.column)} >= 1` }];
	const select = m.levels ? levelText(info, m.levels, levels) : null;
	return select ? [{ ...base, axis: roleColumn(info, "level"), select }] : [];
}

/** Axes by the names of their columns, and by what their role is called. */
function axisGroups(info: SamplesInfo): Group[] {
	return info.columns.map((c, axis) => {
		const role = ROLES.find((r) => r[0] === c.role);
		const plain = c.column.replace(/^ibs_?/i, "").replace(/_/g, " ");
		const derived = c.role === "datasource" && roleColumn(info, "level") >= 0;

		return {
			name: role?.[1] ?? HEADINGS[c.column.toLowerCase()] ?? (plain || c.column),
			phrases: [c.column, plain, ...(role?.[2] ?? [])],
			axis,
			select: null,
			weight: role?.[3] ?? (derived ? 0.3 : info.single.includes(axis) ? 0.2 : 0.45),
			about: `${c.column}: ${isNames(c) ? `${c.names} names` : `${c.min} to ${c.max}`}${c.role ? `; the ${c.role} of a sample` : ""}.`,
		};
	});
}

/** Low, middle and high latency: thirds of the samples. */
function latencyGroups(info: SamplesInfo, thirds: [number, number] | null): Group[] {
	const axis = roleColumn(info, "latency");

	if (axis < 0 || !thirds) return [];
	const name = word(info.columns[axis]!.column);
	const [a, b] = thirds;
	const make = (which: string, select: string, phrases: string[]): Group => ({
		name: `${which} latency`,
		phrases,
		axis,
		select,
		weight: 0.81,
		about: `A third of all samples: ${select}.`,
	});

	return [
		make("low", `${name} <= ${a}`, ["fast accesses"]),
		make("mid", `${name} > ${a} and ${name} <= ${b}`, [
			"middle latency",
			"medium latency",
		]),
		make("high", `${name} > ${b}`, ["slow accesses"]),
	];
}

export function groupsOf(
	info: SamplesInfo,
	levels: string[],
	thirds: [number, number] | null,
	values: NamedValue[] = [],
): Group[] {
	const level = roleColumn(info, "level");

	return [
		...MEANINGS.flatMap((m) => meaningGroup(m, info, levels)),
		...latencyGroups(info, thirds),
		...axisGroups(info),
		...levels.map((l) => ({
			name: `served by ${l}`,
			phrases: [`${l} hit`, l],
			axis: level,
			select: equals(info.columns[level]?.column ?? "level", l),
			weight: 0.65,
			about: `Samples that ${l} served.`,
		})),
		...values.map((v) => ({
			name: v.name,
			phrases: [`${v.kind} ${v.name}`],
			axis: v.axis,
			select: v.select,
			weight: 0.4,
			about: `Samples of the ${v.kind} ${v.name}.`,
		})),
	];
}
