// A bar of parts, one for each serving level, and its colours.
import { costColours } from "../../../draw/colours";
import { css } from "../../../draw/draw";
import { levelNames, ready } from "../state/store";
import { palette } from "../../../views/palette";

export function kindColours(): string[] {
	const p = palette.value;

	return [p.read, p.write].map(css);
}

/*
 * Colours of the parts of a bar: serving levels and what comes on top, or reads and writes
 * without a simulation.
 */
export function partColours(): string[] {
	return ready.value
		? costColours(palette.value, levelNames.value.length).map(css)
		: kindColours();
}

/** The bar is `of` wide when full; parts beyond that are cut. */
export function Bar({
	parts,
	of,
	colours = partColours(),
}: {
	parts: number[];
	of: number;
	colours?: string[];
}) {
	return (
		<span class="bar">
			{parts.map(
				(v, i) =>
					v > 0 && (
						<i key={i} style={{ width: `${(100 * v) / of}%`, background: colours[i] }} />
					),
			)}
		</span>
	);
}

/** A small square in the colour of a serving level (from 1; behind memory: on top). */
export function LevelMark({ level }: { level: number }) {
	const colours = costColours(palette.value, levelNames.value.length);

	return (
		<i
			class="mark"
			style={{ background: css(colours[level - 1] ?? colours[colours.length - 1]!) }}
		/>
	);
}
