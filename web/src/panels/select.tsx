// A list of which one entry is chosen, with its label before it.

export function Select({
	label,
	title = label,
	value,
	choices,
	set,
}: {
	label: string; // may be empty
	title?: string;
	value: string;
	choices: [value: string, text: string, whyNot?: string][]; // a reason disables an entry
	set(value: string): void;
}) {
	return (
		<label class="select" title={title}>
			{label && <span>{label}</span>}
			<select
				aria-label={title}
				value={value}
				onChange={(e) => set(e.currentTarget.value)}
			>
				{choices.map(([v, text, whyNot]) => (
					<option key={v} value={v} disabled={!!whyNot} title={whyNot}>
						{whyNot ? `${text} (${whyNot})` : text}
					</option>
				))}
			</select>
		</label>
	);
}
