// The command search of samples on the inputs of table 3.1 of Schenk's thesis (the IBS
// extension of MemAxes): where the intended command stands, and after how many letters.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, type World } from "../src/kinds/samples/model/ask";
import { groupsOf } from "../src/kinds/samples/model/groups";
import type { SampleColumn, SamplesInfo } from "../src/kinds/samples/model/table";
import { edits, phraseScore, wordsOf } from "../src/kinds/samples/model/words";

const ROLES: Record<string, string> = {
	source: "file",
	line: "line",
	variable: "variable",
	time: "time",
	cpu: "cpu",
	tid: "thread",
	addr: "address",
	ip: "ip",
	latency: "latency",
	level: "level",
};
const NAMES = ["source", "instruction", "variable", "level"];

function column(name: string): SampleColumn {
	const names = NAMES.includes(name);

	return {
		column: name,
		type: names ? "names" : "unsigned",
		role: ROLES[name] ?? null,
		min: names ? null : "0",
		max: names ? null : name === "latency" ? "1200" : "1",
		names: names ? 10 : null,
		missing: 0,
		bytes: 1,
	};
}

// the columns of an IBS op table as Mitos of TUM writes it, and ours
const COLUMNS = `source line instruction bytes ip variable buffer_size dims xidx yidx zidx
pid tid time addr cpu latency ibs_op_cur_cnt ibs_op_rip ibs_comp_to_ret_ctr
ibs_tag_to_ret_ctr ibs_op_brn_resync ibs_op_mispred_return ibs_op_return ibs_op_brn_taken
ibs_op_brn_misp ibs_op_brn_ret ibs_rip_invalid ibs_op_brn_fuse ibs_op_microcode
ibs_nb_req_src ibs_nb_req_dst_node ibs_nb_req_cache_hit_st ibs_ld_op ibs_st_op
ibs_dc_l1_tlb_miss ibs_dc_l2_tlb_miss ibs_dc_l1_tlb_hit_2m ibs_dc_l1_tlb_hit_1g
ibs_dc_l2_tlb_hit_2m ibs_dc_miss ibs_dc_mis_acc ibs_dc_ld_bank_con ibs_dc_st_bank_con
ibs_dc_st_to_ld_fwd ibs_dc_st_to_ld_can ibs_dc_wc_mem_acc ibs_dc_uc_mem_acc
ibs_dc_locked_op ibs_dc_no_mab_alloc ibs_lin_addr_valid ibs_phy_addr_valid
ibs_dc_l2_tlb_hit_1g ibs_l2_miss ibs_sw_pf ibs_op_mem_width ibs_op_dc_miss_open_mem_reqs
ibs_dc_miss_lat ibs_tlb_refill_lat ibs_dc_lin_ad ibs_dc_phy_ad ibs_br_target level`
	.split(/\s+/)
	.filter(Boolean);

const info = {
	columns: COLUMNS.map(column),
	single: [] as number[],
} as unknown as SamplesInfo;
const at = (name: string) => COLUMNS.indexOf(name);
const ibs: World = {
	info,
	shown: ["line", "time", "cpu", "latency", "level", "variable"].map(at),
	groups: groupsOf(info, ["L1", "L2", "L3 or RAM"], [20, 200]),
};

const LISTED = 10; // what is on the screen without scrolling

/** Letters after which a command is in the list; Infinity: never. */
function appears(input: string, wanted: string): number {
	for (let n = 1; n <= input.length; n++)
		if (ask(input.slice(0, n), ibs, LISTED).some((a) => a.title === wanted)) return n;
	return Infinity;
}

const L1 = "select L1 cache miss";
const BRANCHES = "select mispredicted branches";
const TLB_LINE = "correlate L1 TLB miss with source line";
const UID = "correlate instruction uid with data source";
const TLB_LATENCY = "correlate L2 TLB miss with load latency";
// intended command, input, letters that MemAxes needed until it appeared
const TABLE: [string, string, number][] = [
	[L1, "L1 misses", 2],
	[L1, "L1 cache miss", 2],
	[L1, "miss L1", Infinity],
	["hide timestamp", "timestamp", 1],
	["hide timestamp", "hide timestamp", 6],
	[TLB_LINE, "correlate L1 TLB miss with source line", 12],
	[TLB_LINE, "L1 TLB with source line", 15],
	[UID, "correlate instruction UID with data source", 14],
	[UID, "instruction UID with data source", 23],
	[TLB_LATENCY, "correlate L2 TLB miss with load latency", 28],
	[TLB_LATENCY, "L2 TLB with latency", 14],
	[BRANCHES, "brn misp", Infinity],
	[BRANCHES, "select brn misp", Infinity],
	[BRANCHES, "misp brn", 4],
];

test("every input of table 3.1 has the intended command first", () => {
	for (const [wanted, input] of TABLE)
		assert.equal(ask(input, ibs, LISTED)[0]?.title, wanted, input);
});

test("intended commands appear after fewer letters than in table 3.1", () => {
	let [ours, theirs] = [0, 0];

	for (const [wanted, input, before] of TABLE) {
		const now = appears(input, wanted);

		if (process.env["TABLE"]) console.log(`${wanted} | ${input} | ${before} | ${now}`);
		// one letter is the least there is
		assert.ok(now < before || now === 1, `${input}: ${now} letters, MemAxes ${before}`);
		if (before !== Infinity) [ours, theirs] = [ours + now, theirs + before];
	}
	assert.ok(2 * ours < theirs, `${ours} letters in all, MemAxes ${theirs}`);
});

const first = (text: string) => ask(text, ibs)[0];

test("numbers are ranges, and signs compare", () => {
	assert.equal(first("latency 100 200")?.select, "latency 100..200");
	assert.equal(first("select latency 100..200")?.select, "latency 100..200");
	assert.equal(first("latency > 1k")?.select, "latency > 1000");
	assert.equal(first("cpu 3")?.select, "cpu = 3");
	assert.deepEqual(
		ask("latency 500", ibs)
			.map((a) => a.select)
			.slice(0, 2),
		["latency = 500", "latency >= 500"],
	);
	const pair = first("latency 100 200 with cpu");
	assert.equal(pair?.title, "correlate load latency 100 to 200 with CPU core");
	assert.equal(pair?.select, "latency 100..200");
	assert.deepEqual(pair?.axes, [at("latency"), at("cpu")]);
});

test("typing errors, abbreviations and other orders are understood", () => {
	assert.equal(first("mispedicted branches")?.title, BRANCHES);
	assert.equal(first("branch mispredicted")?.title, BRANCHES);
	assert.equal(first("brnach misp")?.title, BRANCHES);
	assert.equal(first("tlb l2")?.title, "select L2 TLB miss");
	assert.equal(first("hide lateny")?.title, "hide load latency");
	assert.equal(first("latency high")?.title, "select high latency");
	assert.equal(first("show micocode")?.title, "show op microcode");
	assert.equal(first("help l2 tlb")?.verb, "help");
});

test("what is visible is hidden, what is hidden is shown", () => {
	assert.equal(first("xidx")?.title, "show xidx");
	assert.equal(
		first("hide xidx")?.verb === "hide" && first("hide xidx")?.axes[0] === at("xidx"),
		false,
	);
	assert.equal(first("data object")?.title, "hide data object");
});

test("a group needs what it is made of", () => {
	const few = {
		columns: ["time", "latency"].map(column),
		single: [],
	} as unknown as SamplesInfo;
	const w = { info: few, shown: [], groups: groupsOf(few, [], null) };

	assert.deepEqual(
		ask("L1 cache miss", w).filter((a) => a.verb === "select"),
		[],
	);
	assert.equal(ask("time", w)[0]?.title, "show timestamp");
});

test("words are compared letter by letter", () => {
	assert.equal(edits("brnach", "branch"), 1); // two swapped
	assert.equal(edits("miss", "misses"), 2);
	assert.deepEqual(wordsOf("ibs_dc_L1TlbMiss"), ["ibs", "dc", "l1", "tlb", "miss"]);
	assert.equal(phraseScore(["l1"], ["l2", "miss"]), 0);
	assert.ok(phraseScore(["miss", "l1"], ["l1", "miss"]) > 0.9);
});
