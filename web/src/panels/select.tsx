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
	choices: [value: string, text: string][];
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
				{choices.map(([v, text]) => (
					<option key={v} value={v}>
						{text}
					</option>
				))}
			</select>
		</label>
	);
}
