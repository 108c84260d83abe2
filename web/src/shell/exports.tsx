// Buttons that save the picture, its numbers, or what else the kind offers; one list of them
// where there is little room.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { activeKind } from "../kinds/documents";
import { savePicture, saveText } from "../kinds/save";
import { Icon } from "../panels/icon";
import { mounted } from "../views/mounted";
import type { ViewKind } from "../views/view";

const ROOMY = 760; // pixels of the header from which on each has a button of its own

interface Choice {
	label: string;
	title: string;
	run: () => void;
}

function choices(of: ViewKind): Choice[] {
	const picture = (ending: "svg" | "png"): Choice => ({
		label: ending.toUpperCase(),
		title: `save the picture as ${ending.toUpperCase()}`,
		run: () => void savePicture(mounted["view"], of.id, ending),
	});
	const numbers = (ending: "csv" | "json"): Choice => ({
		label: ending.toUpperCase(),
		title: `save the numbers as ${ending.toUpperCase()}`,
		run: () => saveText(mounted["view"], of.id, ending),
	});

	return [
		picture("svg"),
		picture("png"),
		...(activeKind.value?.buttons?.(of) ?? []),
		...(of.tables ? [numbers("csv"), numbers("json")] : []),
	];
}

function SaveList({ of }: { of: Choice[] }) {
	return (
		<label class="select" title="save the picture or its numbers">
			<select
				aria-label="save"
				value=""
				onChange={(e) => {
					const chosen = of.find((c) => c.label === e.currentTarget.value);
					e.currentTarget.value = "";
					chosen?.run();
				}}
			>
				<option value="" hidden>
					Save
				</option>
				{of.map((c) => (
					<option key={c.label} value={c.label} title={c.title}>
						{c.label}
					</option>
				))}
			</select>
		</label>
	);
}

export function Exports({ of }: { of: ViewKind }) {
	const host = useRef<HTMLDivElement>(null);
	const [roomy, setRoomy] = useState(true);
	const all = choices(of);

	useLayoutEffect(() => {
		const header = host.current!.parentElement!;
		const watch = new ResizeObserver(() => setRoomy(header.clientWidth >= ROOMY));

		setRoomy(header.clientWidth >= ROOMY);
		watch.observe(header);
		return () => watch.disconnect();
	}, []);
	return (
		<div class="exports" ref={host}>
			{roomy ? (
				all.map((c, i) => (
					<button key={c.label} class="quiet" title={c.title} onClick={c.run}>
						{i === 0 && <Icon name="save" />} {c.label}
					</button>
				))
			) : (
				<SaveList of={all} />
			)}
		</div>
	);
}
