// Findings: the problems that memlamp sees. One is open, the top one at first; a click on
// another one opens it and leads to its place.
import { signal } from "@preact/signals";
import { percent } from "../../../model/format";
import { Icon } from "../../../panels/icon";
import { Section } from "../../../panels/section";
import type { Row } from "../model/types";
import { fileOfRow, findings, goToRow, ownFindings } from "../state/findings";
import { names, ready } from "../state/store";
import { showMe } from "./showMe";

const EVIDENCE = 2; // sentences of it

/** The row that is open: an object of the answer, so a new answer begins with its first. */
const open = signal<Row | null>(null);

function text(row: Row, ...keys: string[]): string {
	for (const k of keys) {
		const v = row[k];
		if (typeof v === "string" && v) return v;
	}
	return "";
}

/** Evidence, advice, gain and place. */
function Body({ row }: { row: Row }) {
	const file = fileOfRow(row["file"]);
	const evidence = (row["evidence"] as string[] | undefined) ?? [];
	const gain = row["gain"];

	return (
		<>
			{evidence.slice(0, EVIDENCE).map((e) => (
				<span key={e}>{e}</span>
			))}
			{text(row, "advice") && <em>{text(row, "advice")}</em>}
			{typeof gain === "number" && gain > 0 && (
				<span>
					could save {percent(gain)} of all cycles ({text(row, "predicted")})
				</span>
			)}
			{file !== undefined && (
				<small class="mono">
					{names.file(file)}:{String(row["line"] ?? "")}
				</small>
			)}
		</>
	);
}

export function Findings() {
	const rows = findings.value;

	if (!rows)
		return ready.value ? (
			<section class="section">
				<p class="note">Looking for problems …</p>
			</section>
		) : null;
	const own = rows.slice(0, ownFindings.value);
	const others = rows.slice(own.length);
	const shown = rows.includes(open.value!) ? open.value : own[0];
	return (
		<Section title="Findings" side={<span class="muted">{own.length || "none"}</span>}>
			{own.length === 0 && (
				<p class="note">Nothing that you can change stands out on this machine.</p>
			)}
			<List rows={own} shown={shown ?? null} />
			{others.length > 0 && (
				<details open={others.includes(shown!)}>
					<summary class="note">{others.length} about the loader and libraries</summary>
					<List rows={others} shown={shown ?? null} />
				</details>
			)}
		</Section>
	);
}

function List({ rows, shown }: { rows: Row[]; shown: Row | null }) {
	return (
		<ol class="findings">
			{rows.map((row, i) => (
				<li key={i} class={row === shown ? "open" : ""}>
					<button
						aria-expanded={row === shown}
						title="select it and go to where it happens"
						onClick={() => {
							open.value = row;
							goToRow(row);
						}}
					>
						<b>{text(row, "title", "kind")}</b>
						{row === shown && <Body row={row} />}
					</button>
					<button
						class="show-me"
						title="play a few of its misses slowly, with captions"
						aria-label={`show me: ${text(row, "title", "kind")}`}
						onClick={() => {
							open.value = row;
							void showMe(row);
						}}
					>
						<Icon name="play" solid /> {row === shown && "Show me"}
					</button>
				</li>
			))}
		</ol>
	);
}
