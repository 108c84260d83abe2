// The accesses to the selected bytes.
import { exact } from "../../../model/format";
import { datumName } from "../model/shape";
import { datum, datumFresh } from "../state/datum";
import { cursor, names, regionOf, selection, setCursor, showLine } from "../state/store";
import { Bar, LevelMark } from "./bar";
import { Section } from "../../../panels/section";

export function DatumHistory() {
	const d = datum.value;
	const { region, offset } = selection.value;
	const r = region !== undefined ? regionOf(region) : undefined;

	if (!d || !r || !offset) return null;
	const first = datumName(r, offset[0]);
	const last = datumName(r, Math.max(offset[0], offset[1] - 1));
	return (
		<Section
			title="History"
			side={<span class="digits">{exact(d.references)}</span>}
			old={!datumFresh.value}
		>
			<p class="mono">{first === last ? first : `${first} to ${last}`}</p>
			<Bar parts={d.served} of={d.references || 1} />
			<p class="note">
				{exact(d.reads)} reads, {exact(d.writes)} writes
			</p>
			<table class="history">
				<tbody>
					{d.accesses.map((a) => (
						<tr key={a.time} class={a.time === cursor.value ? "chosen" : ""}>
							<td class="digits">
								<button class="link" onClick={() => setCursor(a.time)}>
									{exact(a.time)}
								</button>
							</td>
							<td>
								<LevelMark level={a.served} /> {a.kind}
							</td>
							<td class="mono">
								{a.file !== null && a.line > 0 && (
									<button class="link" onClick={() => showLine(a.file!, a.line)}>
										{names.file(a.file)}:{a.line}
									</button>
								)}
							</td>
						</tr>
					))}
				</tbody>
			</table>
		</Section>
	);
}
