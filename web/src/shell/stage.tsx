// The chosen view in the middle: tabs, its controls, its picture, export.
import { useEffect, useRef } from "preact/hooks";
import { activeKind, shownView } from "../kinds/documents";
import { option, options, setOption } from "../state/store";
import { mounted } from "../views/mounted";
import type { ViewKind } from "../views/view";
import { Captions } from "./captions";
import { Exports } from "./exports";
import { Tabs } from "./tabs";

function Controls({ of }: { of: ViewKind }) {
	void options.value;
	const controls = of.controls?.() ?? [];

	if (!controls.length) return null;
	return (
		<div class="view-bar">
			{controls.map((c) => (
				<label key={c.option} class="select" title={c.label}>
					<span>{c.label}</span>
					<select
						aria-label={c.label}
						value={option(c.option, c.otherwise)}
						onChange={(e) => setOption(c.option, e.currentTarget.value)}
					>
						{c.choices.map(([v, label]) => (
							<option key={v} value={v}>
								{label}
							</option>
						))}
					</select>
				</label>
			))}
		</div>
	);
}

export function Stage() {
	const host = useRef<HTMLDivElement>(null);
	const shown = shownView.value;
	const Bar = activeKind.value?.Bar;

	useEffect(() => {
		const v = shown?.create();

		if (!v) return;
		v.mount(host.current!);
		mounted["view"] = v;
		return () => {
			mounted["view"] = null;
			v.destroy();
		};
	}, [shown]);
	return (
		<main class="stage">
			<header class="pane-head">
				<Tabs />
				{shown && <Exports of={shown} />}
			</header>
			{Bar ? <Bar /> : shown && <Controls of={shown} />}
			<Captions />
			<div class="canvas" ref={host} />
		</main>
	);
}
