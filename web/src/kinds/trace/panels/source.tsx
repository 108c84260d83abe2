// The source pane: text with the cost of each line beside it. Only the lines on the
// screen exist as elements, so a file of 100,000 lines scrolls like a short one.
import { computed, effect, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { api } from "../api";
import { costParts, metrics, missesOf, sum, type LineCost } from "../model/cost";
import { count, exact, percent, shortPath } from "../../../model/format";
import { turnsText } from "../model/cycles";
import { current } from "../state/currentReference";
import { lineTurns } from "../state/cycles";
import {
	costsFresh,
	fileCosts,
	fileOf,
	jumpToWorst,
	lineCosts,
	metric,
	worstRank,
} from "../state/costs";
import {
	ELSEWHERE,
	select,
	counts,
	cursor,
	file,
	hover,
	levelNames,
	pathOf,
	playing,
	ready,
	reveal,
	selection,
	showLine,
	trace,
} from "../state/store";
import { latest } from "../../../state/latest";
import { inWindow, touchedLines, windowFresh } from "../state/windowCounts";
import { option, setOption } from "../../../state/store";
import { Bar, kindColours } from "./bar";
import { editorLink } from "../../../panels/editor";
import { SourceText } from "../../../panels/highlight";
import { Icon } from "../../../panels/icon";

const ROW = 20; // height of a line, as in app.css
const WIDE = 560; // pixels from which on the gutter has numbers

const kept = computed(
	() => trace.value?.files.find((f) => f.file === file.value)?.kept ?? false,
);

const text = latest<SourceText>(() => {
	const [t, f, k] = [trace.value?.trace, file.value, kept.value];
	const path = pathOf(f);

	return t !== undefined && k
		? async (abort) => new SourceText(await api.source(t, f, abort), path)
		: null;
});

const top = signal(0);
const size = signal({ width: 400, height: 600 });
const tip = signal(-1); // the row whose numbers are shown

interface Row {
	line: number; // 0: the line is not known
	func: string;
	object: string;
	cost: LineCost | undefined;
	kinds: boolean; // the cost is reads and writes, not levels
}

/** Costs of functions without a known line, in the window. */
const functionCosts = computed<Map<string, LineCost>>(() => {
	const [s, all] = [ready.value, inWindow.value];
	const out = new Map<string, LineCost>();

	for (const l of (s && all?.lines) || []) {
		if (l.file !== null) continue;
		const parts = costParts(l, metric.value);
		out.set(l.func ?? "", {
			file: ELSEWHERE,
			line: 0,
			references: l.references,
			served: l.served,
			parts,
			cost: sum(parts),
		});
	}
	return out;
});

/*
 * Rows for a file without text: its lines with references, or functions if no line is
 * known.
 */
const sites = computed<Row[]>(() =>
	counts.value
		.filter((l) => fileOf(l) === file.value)
		.sort((a, b) => (file.value < 0 ? b.references - a.references : a.line - b.line))
		.map((l) => {
			const cost = l.line ? lineCosts.value.get(l.line) : functionCosts.value.get(l.func);
			const plain = {
				file: file.value,
				line: l.line,
				references: l.references,
				served: [],
				parts: [l.reads, l.writes],
				cost: l.references,
			};
			return {
				line: l.line,
				func: l.func,
				object: l.object ?? "",
				cost: cost ?? plain,
				kinds: !cost,
			};
		}),
);

/** Rows to show: all lines of the text, or the sites when there is none. */
const rows = computed<{ count: number; at(i: number): Row }>(() => {
	const t = kept.value ? text.value.value : null;

	if (!t) return { count: sites.value.length, at: (i) => sites.value[i]! };
	return {
		count: t.lines.length,
		at: (i) => ({
			line: i + 1,
			func: "",
			object: "",
			cost: lineCosts.value.get(i + 1),
			kinds: false,
		}),
	};
});

const max = computed(() => {
	let n = 0;

	for (const l of lineCosts.value.values()) n = Math.max(n, l.cost);
	if (!kept.value) for (const s of sites.value) n = Math.max(n, s.cost?.cost ?? 0);
	return n;
});
/** Whether costs and their whole belong to the window that is shown. */
const fresh = computed(() => costsFresh.value && (!ready.value || windowFresh.value));
/** The whole that shares refer to: everything in the window, other code included. */
const total = computed(() => {
	const [s, all] = [ready.value, inWindow.value];

	return s && all
		? sum(costParts(all, metric.value))
		: sum(counts.value.map((l) => l.references));
});

const currentLine = computed(() =>
	current.value?.file === file.value ? current.value.line : 0,
);
const selectedLine = computed(() =>
	selection.value.file === file.value ? (selection.value.line ?? 0) : 0,
);
const hoverLine = computed(() =>
	hover.value.file === file.value ? (hover.value.line ?? 0) : 0,
);

function Gutter({ row, i }: { row: Row; i: number }) {
	const { cost, line } = row;
	const wide = size.value.width >= WIDE;

	return (
		<span
			class="gutter"
			onPointerEnter={() => cost && (tip.value = i)}
			onPointerLeave={() => (tip.value = -1)}
		>
			{cost ? (
				<Bar
					parts={cost.parts}
					of={max.value}
					colours={row.kinds ? kindColours() : undefined}
				/>
			) : (
				<span class="bar" />
			)}
			{wide && <span class="figure">{cost ? count(cost.references) : ""}</span>}
			{wide &&
				levelNames.value.slice(0, -1).map((name, i) => (
					<span key={name} class="figure">
						{cost?.served.length ? count(missesOf(cost.served, i)) : ""}
					</span>
				))}
			<span class="share">
				{cost &&
				!row.kinds &&
				fresh.value &&
				total.value &&
				cost.cost / total.value >= 0.001
					? percent(cost.cost, total.value)
					: ""}
			</span>
			<span class="lineno">{line || "–"}</span>
		</span>
	);
}

function Line({ i }: { i: number }) {
	const row = rows.value.at(i);
	const n = row.line;
	const t = kept.value ? text.value.value : null;
	const cost = row.cost;
	const pick = n && file.value >= 0 ? { file: file.value, line: n } : { func: row.func };
	const turns = n > 0 ? lineTurns.value.get(`${pathOf(file.value)}:${n}`) : undefined;
	const classes = [
		"line",
		cost && "costs",
		n > 0 && touchedLines.value.has(`${file.value}:${n}`) && "touched",
		n > 0 && n === currentLine.value && "now",
		(n
			? n === selectedLine.value
			: row.func !== "" && row.func === selection.value.func) && "selected",
		n > 0 && n === hoverLine.value && "hovered",
	];

	return (
		<div
			class={classes.filter(Boolean).join(" ")}
			style={{ top: `${i * ROW}px` }}
			data-line={n}
			onPointerEnter={() => cost && (hover.value = pick)}
			onPointerLeave={() => (hover.value = {})}
			onClick={() => {
				if (getSelection()?.toString() || !cost) return;
				select(pick, true);
			}}
		>
			<Gutter row={row} i={i} />
			<code>
				{t ? (
					t.spans(n).map((s, k) =>
						s.type ? (
							<span key={k} class={`token ${s.type}`}>
								{s.text}
							</span>
						) : (
							s.text
						),
					)
				) : (
					<span>
						{row.func ? `${row.func}()` : "no function is known"}{" "}
						<span class="token comment">{shortPath(row.object)}</span>
					</span>
				)}
			</code>
			{turns !== undefined && (
				<span class="turns" title="of the chosen cycle">
					{turnsText(turns)}
				</span>
			)}
			{t && (
				<a
					class="edit"
					href={editorLink(pathOf(file.value), n)}
					title="open in the editor"
					onClick={(e) => e.stopPropagation()}
				>
					<Icon name="edit" />
				</a>
			)}
		</div>
	);
}

function Tip() {
	const row =
		tip.value >= 0 && tip.value < rows.value.count ? rows.value.at(tip.value) : undefined;
	const cost = row?.cost;

	if (!row || !cost) return null;
	const y = tip.value * ROW - top.value + ROW + (size.value.width >= WIDE ? 58 : 36);
	const above = y > size.value.height - 150;

	return (
		<div
			class="tooltip"
			style={{
				transform: `translate(70px, ${above ? y - ROW - 8 : y + 4}px)${above ? " translateY(-100%)" : ""}`,
			}}
		>
			<div>{row.line ? `line ${row.line}` : `${row.func}()`}</div>
			<div>{exact(cost.references)} references</div>
			{cost.served.map((v, i) => (
				<div key={i}>
					{exact(v)} from {levelNames.value[i]} ({percent(v, cost.references)})
				</div>
			))}
			{!row.kinds && fresh.value && (
				<div>
					{percent(cost.cost, total.value)} of all{" "}
					{metrics(ready.value?.levels ?? []).find(([m]) => m === metric.value)?.[1]}
				</div>
			)}
		</div>
	);
}

function Head() {
	const costs = fileCosts.value;
	const files = trace.value?.files ?? [];
	const listed = new Set(costs.map((c) => c.file));
	const all = costs.reduce((n, c) => n + c.cost, 0);
	const levels = ready.value?.levels ?? [];

	return (
		<header class="pane-head">
			<label class="select grow" title={pathOf(file.value)}>
				<select
					aria-label="file"
					value={file.value}
					onChange={(e) => (file.value = Number(e.currentTarget.value))}
				>
					{costs.map((c) => (
						<option key={c.file} value={c.file}>
							{shortPath(pathOf(c.file))}
							{all > 0 && ` · ${percent(c.cost, all)}`}
						</option>
					))}
					{files
						.filter((f) => !listed.has(f.file))
						.map((f) => (
							<option key={f.file} value={f.file}>
								{shortPath(f.path)}
							</option>
						))}
				</select>
			</label>
			{levels.length > 0 && (
				<label class="select" title="measure of the bars">
					<select
						aria-label="metric"
						value={metric.value}
						onChange={(e) => setOption("source.metric", e.currentTarget.value)}
					>
						{metrics(levels).map(([m, label]) => (
							<option key={m} value={m}>
								{label}
							</option>
						))}
					</select>
				</label>
			)}
			<button
				class="quiet"
				title="jump to the worst line, then the next one (g)"
				onClick={() => jumpToWorst(1)}
			>
				<Icon name="flame" /> worst{worstRank.value >= 0 ? ` ${worstRank.value + 1}` : ""}
			</button>
		</header>
	);
}

function Columns() {
	if (size.value.width < WIDE) return null;
	return (
		<div class="columns">
			<span class="bar" />
			<span class="figure">refs</span>
			{levelNames.value.slice(0, -1).map((n) => (
				<span key={n} class="figure">
					{n} miss
				</span>
			))}
			<span class="share">share</span>
			<span class="lineno">line</span>
		</div>
	);
}

// Created once: they follow their signals, and new lines do not render them again.
const head = <Head />;
const columns = <Columns />;
const tooltip = <Tip />;

export function Source() {
	const scroller = useRef<HTMLDivElement>(null);

	useEffect(() => {
		const box = scroller.current!;
		const observer = new ResizeObserver(
			() => (size.value = { width: box.clientWidth, height: box.clientHeight }),
		);
		const show = (line: number) => {
			const i = kept.value ? line - 1 : sites.value.findIndex((s) => s.line === line);
			const y = i * ROW;
			const visible =
				y >= box.scrollTop + ROW && y < box.scrollTop + box.clientHeight - 2 * ROW;
			if (!visible) box.scrollTop = y - box.clientHeight / 3;
		};
		observer.observe(box);
		// Scrolling to a line waits until the text is there.
		const stopReveal = effect(() => {
			const wish = reveal.value;
			if (!wish || (kept.value && !text.value.value)) return;
			requestAnimationFrame(() => show(wish.line));
		});
		// The pane follows the line of the current reference while the cursor moves.
		let last = -1;
		const stopFollow = effect(() => {
			const now = current.value;
			if (!now || option("source.follow", "yes") !== "yes") return;
			const moved = last >= 0 && cursor.peek() !== last;
			last = cursor.peek();
			if (!moved && !playing.peek()) return;
			if (now.file === null) return;
			if (now.file !== file.peek()) {
				if (trace.peek()?.files.find((f) => f.file === now.file)?.kept)
					showLine(now.file, now.line);
			} else {
				show(now.line);
			}
		});
		return () => {
			observer.disconnect();
			stopReveal();
			stopFollow();
		};
	}, []);

	const n = rows.value.count;
	const from = Math.max(0, Math.floor(top.value / ROW) - 4);
	const to = Math.min(n, Math.ceil((top.value + size.value.height) / ROW) + 4);
	const visible = [];

	// Rows that leave on one side come back on the other: elements are used again.
	for (let i = from; i < to; i++) visible.push(<Line key={i % (to - from)} i={i} />);
	return (
		<section class={fresh.value ? "source left-pane" : "source left-pane waits"}>
			{head}
			{columns}
			{!kept.value && trace.value && n > 0 && (
				<p class="note">
					{file.value < 0
						? "Code without known source, by function."
						: `The text of ${shortPath(pathOf(file.value))} is not in the trace. These are its lines that made references.`}
				</p>
			)}
			<div
				class="scroll"
				ref={scroller}
				onScroll={(e) => (top.value = e.currentTarget.scrollTop)}
			>
				<div
					class="lines"
					style={{
						height: `${n * ROW}px`,
						minWidth: `calc(${text.value.value?.longest ?? 0}ch + ${size.value.width >= WIDE ? 400 : 190}px)`,
					}}
				>
					{visible}
				</div>
			</div>
			{tooltip}
		</section>
	);
}
