// The pane at the left: the outline of the program, and its source.
import { computed, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { css } from "../../../draw/draw";
import { bytes, count, shortPath } from "../../../model/format";
import { editorLink } from "../../../panels/editor";
import { SourceText } from "../../../panels/highlight";
import { Icon } from "../../../panels/icon";
import { latest } from "../../../state/latest";
import { palette } from "../../../views/palette";
import { api } from "../api";
import { nodeTitle, type FlowNode, type ListingLine } from "../model/program";
import * as s from "../state/store";
import { heatColour } from "../views/scene";

const ROW = 22;

const tab = computed(() =>
	s.opt("left", "outline") === "source" ? "source" : "outline",
);

/** Nodes whose children the outline shows; those of few children to begin with. */
const opened = signal<{ program: unknown; open: Set<number> }>({
	program: null,
	open: new Set(),
});
const open = computed(() => {
	const t = s.tree.value;

	if (opened.value.program === t) return opened.value.open;
	const all = new Set<number>();
	let shown = 1;
	for (const n of t?.nodes ?? []) {
		const below = t!.children[n.number]!.length;
		if (!below || shown > 200) continue;
		all.add(n.number);
		shown += below;
	}
	return all;
});
function toggle(n: number): void {
	const next = new Set(open.value);

	if (next.has(n)) next.delete(n);
	else next.add(n);
	opened.value = { program: s.tree.value, open: next };
}

interface Row {
	node: FlowNode;
	depth: number;
	below: boolean;
}
const rows = computed<Row[]>(() => {
	const t = s.tree.value;
	const out: Row[] = [];
	const add = (n: number, depth: number) => {
		const below = t!.children[n]!;

		out.push({ node: t!.nodes[n]!, depth, below: below.length > 0 });
		if (open.value.has(n)) for (const c of below) add(c, depth + 1);
	};

	if (t?.nodes.length) add(0, 0);
	return out;
});

function OutlineRow({ row, at }: { row: Row; at: number }) {
	const { node, depth } = row;
	const m = s.metrics.value;
	const metric = s.nodeMetric.value;
	const value = m ? s.nodeValue(m, node.number) : NaN;
	const t = s.scales.value?.node.at(value) ?? NaN;
	const p = s.picked.value;
	const on = p?.kind === "node" && p.node === node.number;

	return (
		<div
			class={`flow-row ${node.kind}${on ? " on" : ""}`}
			style={{ top: `${at * ROW}px`, paddingLeft: `${6 + depth * 12}px` }}
			data-node={node.number}
			title={nodeTitle(node)}
			onClick={() => s.goTo({ kind: "node", node: node.number })}
			onPointerEnter={() => (s.hovered.value = { kind: "node", node: node.number })}
			onPointerLeave={() => (s.hovered.value = null)}
		>
			<button
				class={`flow-twist${row.below ? "" : " none"}${open.value.has(node.number) ? " open" : ""}`}
				aria-label="open"
				onClick={(e) => {
					e.stopPropagation();
					toggle(node.number);
				}}
			>
				▸
			</button>
			<span class="grow">{nodeTitle(node)}</span>
			{metric !== "none" && Number.isFinite(value) && (
				<>
					<span class="digits muted">
						{metric === "bytes" || metric === "footprint"
							? bytes(value)
							: metric === "intensity"
								? value.toPrecision(2)
								: count(value)}
					</span>
					<i
						class="mark"
						style={{ background: css(heatColour(palette.value, s.colours.value, t)) }}
					/>
				</>
			)}
		</div>
	);
}

const top = signal(0);
const height = signal(600);

/** Only the rows on the screen exist as elements. */
function Outline() {
	const box = useRef<HTMLDivElement>(null);

	useEffect(() => {
		const e = box.current!;
		const observer = new ResizeObserver(() => (height.value = e.clientHeight));

		observer.observe(e);
		return () => observer.disconnect();
	}, []);
	const from = Math.max(0, Math.floor(top.value / ROW) - 2);
	const to = Math.min(rows.value.length, Math.ceil((top.value + height.value) / ROW) + 2);
	const visible = [];
	for (let i = from; i < to; i++)
		visible.push(<OutlineRow key={i} row={rows.value[i]!} at={i} />);
	return (
		<div
			class="scroll flow-outline"
			ref={box}
			onScroll={(e) => (top.value = e.currentTarget.scrollTop)}
		>
			<div class="lines" style={{ height: `${rows.value.length * ROW}px` }}>
				{visible}
			</div>
		</div>
	);
}

/** The text of the left pane: a source file, or the program as the graph has it. */
interface Text {
	source: SourceText;
	file: string | null; // that the editor can open
	nodes: Map<number, number>; // by line, from 1
	marked: Map<number, number>; // the same, without the further lines of a node
	lineOf(node: number): number; // 0: none
}

const sourceText = latest<SourceText>(
	() => {
		const [n, file, w] = [s.number.value, s.file.value, s.which.value];

		return n === null || !file || tab.value !== "source"
			? null
			: async (abort) => new SourceText(await api.source(n, { ...w, file }, abort), file);
	},
	0,
	true,
).value;

/** Nodes by the line that they are on, the outermost first. */
const byLine = computed(() => {
	const map = new Map<number, number>();

	for (const n of s.tree.value?.nodes ?? [])
		if (n.line && (n.file ?? s.path.value) === s.file.value && n.number)
			if (!map.has(n.line) || n.kind === "work") map.set(n.line, n.number);
	return map;
});

/** An .sdfg contains the code of its tasklets; a C file is its own text. */
const listing = latest<Text>(
	() => {
		const [n, w, p] = [s.number.value, s.which.value, s.program.value];

		if (n === null || !p || p.dialect === "C" || tab.value !== "source") return null;
		return async (abort) => asText(await api.listing(n, w, abort));
	},
	0,
	true,
).value;

function asText(lines: ListingLine[]): Text {
	const [nodes, marked] = [new Map<number, number>(), new Map<number, number>()];
	const first = new Map<number, number>();

	lines.forEach(({ node }, i) => {
		nodes.set(i + 1, node);
		if (first.has(node)) return;
		first.set(node, i + 1);
		marked.set(i + 1, node);
	});
	const text = lines.map((l) => "  ".repeat(l.depth) + l.text).join("\n");
	return {
		source: new SourceText(text, "listing.py"),
		file: null,
		nodes,
		marked,
		lineOf: (node) => first.get(node) ?? 0,
	};
}

const shownText = computed<Text | null>(() => {
	const [source, nodes, file] = [sourceText.value, byLine.value, s.file.value];

	return source
		? {
				source,
				file,
				nodes,
				marked: nodes,
				lineOf: (node) => s.tree.value?.nodes[node]?.line ?? 0,
			}
		: listing.value;
});

function SourceLine({ n, of }: { n: number; of: Text }) {
	const node = of.nodes.get(n);
	const m = s.metrics.value;
	const marked = of.marked.get(n);
	const value = marked !== undefined && m ? s.nodeValue(m, marked) : NaN;
	const share = s.scales.value?.node.at(value) ?? NaN;

	return (
		<div
			class={`line${node !== undefined ? " costs" : ""}${n === pickedLine(of) ? " selected" : ""}`}
			style={{ top: `${(n - 1) * 20}px` }}
			data-line={n}
			onClick={() => node !== undefined && s.goTo({ kind: "node", node })}
		>
			<span class="gutter">
				<i
					class="mark"
					style={{
						background: Number.isFinite(share)
							? css(heatColour(palette.value, s.colours.value, share))
							: "transparent",
					}}
				/>
				<span class="lineno">{n}</span>
			</span>
			<code>
				{of.source.spans(n).map((x, k) =>
					x.type ? (
						<span key={k} class={`token ${x.type}`}>
							{x.text}
						</span>
					) : (
						x.text
					),
				)}
			</code>
			{of.file && (
				<a class="edit" href={editorLink(of.file, n)} title="open in the editor">
					<Icon name="edit" />
				</a>
			)}
		</div>
	);
}

function pickedLine(t: Text): number {
	const p = s.picked.value;

	return p && p.kind !== "container" ? t.lineOf(p.node) : 0;
}

/** Why the pane shows the listing of a program that has a source somewhere. */
function ListingNote() {
	const file = s.file.value;

	return (
		<p class="note flow-pad flow-listing">
			{file ? (
				<>
					<b>{shortPath(file)}</b> is not on this machine, and not beside the graph.
				</>
			) : (
				"The graph names no source file."
			)}{" "}
			This is the code that the graph contains: <code>{"<<"}</code> reads,{" "}
			<code>{">>"}</code> writes.
		</p>
	);
}

const sourceTop = signal(0);

function Source() {
	const box = useRef<HTMLDivElement>(null);
	const t = shownText.value;
	const line = t ? pickedLine(t) : 0;

	useEffect(() => {
		const e = box.current;
		const y = (line - 1) * 20;

		if (e && line && t && (y < e.scrollTop || y > e.scrollTop + e.clientHeight - 40))
			e.scrollTop = y - e.clientHeight / 3;
	}, [line, t]);
	if (!t)
		return (
			<p class="note flow-pad">
				The text of {shortPath(s.file.value ?? s.path.value)} cannot be read.
			</p>
		);
	const lines = t.source.lines.length;
	const from = Math.max(0, Math.floor(sourceTop.value / 20) - 4);
	const to = Math.min(lines, from + 90);
	const visible = [];
	for (let i = from; i < to; i++) visible.push(<SourceLine key={i} n={i + 1} of={t} />);
	return (
		<>
			{!t.file && <ListingNote />}
			<div
				class="scroll"
				ref={box}
				onScroll={(e) => (sourceTop.value = e.currentTarget.scrollTop)}
			>
				<div
					class="lines"
					style={{
						height: `${lines * 20}px`,
						minWidth: `calc(${t.source.longest}ch + 90px)`,
					}}
				>
					{visible}
				</div>
			</div>
		</>
	);
}

export function FlowLeft() {
	return (
		<section class="source left-pane">
			<header class="pane-head">
				<nav class="tabs">
					{(["outline", "source"] as const).map((id) => (
						<button
							key={id}
							role="tab"
							aria-selected={tab.value === id}
							onClick={() => s.choose({ left: id === "outline" ? null : id })}
						>
							{id === "outline" ? "Outline" : "Source"}
						</button>
					))}
				</nav>
				<span class="grow" />
				{(s.program.value?.functions.length ?? 0) > 1 && (
					<label class="select" title="function of the file">
						<select
							aria-label="function"
							value={s.program.value!.function}
							onChange={(e) =>
								s.choose({
									function: e.currentTarget.value,
									pick: null,
									folds: null,
									root: null,
									at: null,
									layout: null,
								})
							}
						>
							{s.program.value!.functions.map((f) => (
								<option key={f}>{f}</option>
							))}
						</select>
					</label>
				)}
			</header>
			{tab.value === "source" ? <Source /> : <Outline />}
		</section>
	);
}
