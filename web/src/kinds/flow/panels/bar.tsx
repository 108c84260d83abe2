// The bar above the view: what heat maps show, their scale and colours, folds.
import { Select } from "../../../panels/select";
import { shownView } from "../../documents";
import { scalings } from "../model/heat";
import * as l from "../state/local";
import * as s from "../state/store";
import { colourMaps } from "../views/scene";

const scales = scalings.map((x): [string, string] => [x, x]);

/** Scale and colours, which both views have. */
function Look() {
	return (
		<>
			<Select
				label="scale"
				value={s.scaling.value}
				choices={scales}
				set={(scaling) => s.choose({ scaling })}
			/>
			<Select
				label="colours"
				value={s.colours.value}
				choices={colourMaps}
				set={(colours) => s.choose({ colours })}
			/>
		</>
	);
}

function GlobalBar() {
	const deepest = Math.max(
		1,
		...[...(s.tree.value?.byId.values() ?? [])].map((b) => b.depth),
	);

	return (
		<>
			<Select
				label="nodes"
				value={s.nodeMetric.value}
				choices={s.nodeMetrics}
				set={(node) => s.choose({ node })}
			/>
			<Select
				label="edges"
				value={s.edgeMetric.value}
				choices={s.edgeMetrics}
				set={(edge) => s.choose({ edge })}
			/>
			<Look />
			<span class="grow" />
			<button
				class="quiet small"
				aria-pressed={s.scalars.value}
				title="draw scalars, which live in registers"
				onClick={() => s.choose({ scalars: s.scalars.value ? "off" : "on" })}
			>
				scalars
			</button>
			<button
				class="quiet small"
				title="fold everything (c)"
				onClick={() => s.foldAll(1)}
			>
				fold all
			</button>
			<button
				class="quiet small"
				title="unfold everything (e)"
				onClick={() => s.foldAll(deepest + 1)}
			>
				unfold all
			</button>
		</>
	);
}

function LocalBar() {
	return (
		<>
			<Select
				label="elements"
				value={l.heat.value}
				choices={l.heats.value}
				set={(heat) => s.choose({ heat })}
			/>
			<Look />
			<span class="grow" />
			<button
				class="quiet small"
				aria-pressed={l.stored.value}
				title="draw dimensions in the order of memory: the contiguous one in rows"
				onClick={() => s.choose({ drawn: l.stored.value ? null : "stored" })}
			>
				memory order
			</button>
			<button
				class="quiet small"
				aria-pressed={l.showLines.value}
				title="mark all elements in the cache line of the element under the pointer and of chosen ones (x)"
				onClick={() => s.choose({ lines: l.showLines.value ? "off" : null })}
			>
				cache lines
			</button>
		</>
	);
}

export function FlowBar() {
	return (
		<div class="view-bar flow-bar">
			{shownView.value?.id === l.LOCAL ? <LocalBar /> : <GlobalBar />}
		</div>
	);
}
