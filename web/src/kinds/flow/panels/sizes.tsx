// A size: a slider with a logarithmic scale, and its number.

export function SizeSlider({
	name,
	value,
	most,
	least = 1,
	set,
	title,
}: {
	name: string;
	value: number;
	most: number;
	least?: number;
	set(v: number): void;
	title?: string;
}) {
	const span = Math.log(most / least);
	const clean = (v: number) => Math.max(0, Math.round(v));

	return (
		<label class="flow-slider" title={title ?? name}>
			<span class="mono">{name}</span>
			<input
				type="range"
				aria-label={`slider of ${name}`}
				min="0"
				max="1"
				step="any"
				value={Math.log(Math.max(least, Math.min(most, value)) / least) / span}
				onInput={(e) =>
					set(clean(least * Math.exp(Number(e.currentTarget.value) * span)))
				}
				onChange={(e) => e.currentTarget.blur()}
			/>
			<input
				type="number"
				aria-label={name}
				min="0"
				value={value}
				onChange={(e) => {
					const v = Number(e.currentTarget.value);
					if (Number.isFinite(v)) set(clean(v));
					e.currentTarget.blur();
				}}
			/>
		</label>
	);
}
