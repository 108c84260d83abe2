// The range of the run that the person dragged, and what it adds up to.
import { bytes, count, exact, percent } from "../../../model/format";
import { Icon } from "../../../panels/icon";
import { Section } from "../../../panels/section";
import { range } from "../state/store";
import { sums, sumsFresh, sumsOfAll, zoomToRange } from "../state/range";
import { LevelMark } from "./bar";

function Sums() {
	const s = sums.value;

	if (!s) return <p class="note">adding up …</p>;
	return (
		<>
			<table class="levels">
				<thead>
					<tr>
						<th>level</th>
						<th>missed</th>
						<th>ratio</th>
						<th title="lines that these misses need, in bytes">fetched</th>
					</tr>
				</thead>
				<tbody>
					{s.levels.map((l, i) => (
						<tr key={l.name}>
							<th>
								<LevelMark level={i + 1} /> {l.name}
							</th>
							<td>{count(l.missed)}</td>
							<td>{percent(l.missed, s.references)}</td>
							<td>{bytes(l.bytes)}</td>
						</tr>
					))}
				</tbody>
			</table>
			<p class="note">
				{exact(s.references)} references, {count(s.waiting)} cycles waiting,{" "}
				{s.references ? (s.waiting / s.references).toFixed(2) : "–"} each on average
			</p>
		</>
	);
}

export function Range() {
	const r = range.value;

	if (!r) return null;
	return (
		<Section
			title="Range"
			old={!sumsFresh.value}
			side={
				<>
					<span class="muted">{sumsOfAll() ? "all references" : "selection"}</span>
					<button class="quiet small" title="make it the window" onClick={zoomToRange}>
						<Icon name="search" />
					</button>
					<button
						class="quiet small"
						title="no range (Esc)"
						onClick={() => (range.value = null)}
					>
						<Icon name="close" />
					</button>
				</>
			}
		>
			<p class="digits">
				{exact(r.from)} – {exact(r.to - 1)}
			</p>
			<Sums />
		</Section>
	);
}
