// The chosen view in the middle: tabs, its controls, its picture, export.
import { useEffect, useRef } from "preact/hooks";
import { activeKind, whyDisabled, listedViews, shownView } from "../kinds/documents";
import { savePicture, saveText } from "../kinds/save";
import { Icon } from "../panels/icon";
import { option, options, setOption, view } from "../state/store";
import { mounted } from "../views/mounted";
import type { ViewKind } from "../views/view";

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

/** Buttons that save the picture, its numbers, or whatever else the kind offers. */
function Exports({ of }: { of: ViewKind }) {
	const more = activeKind.value?.buttons?.(of) ?? [];

	return (
		<>
			<button
				class="quiet"
				title="save the picture as SVG"
				onClick={() => void savePicture(mounted["view"], of.id, "svg")}
			>
				<Icon name="save" /> SVG
			</button>
			<button
				class="quiet"
				title="save the picture as PNG"
				onClick={() => void savePicture(mounted["view"], of.id, "png")}
			>
				PNG
			</button>
			{more.map((b) => (
				<button key={b.label} class="quiet" title={b.title} onClick={b.run}>
					{b.label}
				</button>
			))}
			{of.tables &&
				(["csv", "json"] as const).map((ending) => (
					<button
						key={ending}
						class="quiet"
						title={`save the numbers as ${ending.toUpperCase()}`}
						onClick={() => saveText(mounted["view"], of.id, ending)}
					>
						{ending.toUpperCase()}
					</button>
				))}
		</>
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
				<nav class="tabs" role="tablist">
					{listedViews.value.map((v, i) => (
						<button
							key={v.id}
							role="tab"
							aria-selected={v === shown}
							disabled={!!whyDisabled(v)}
							title={whyDisabled(v) || `${v.description} (${i + 1})`}
							onClick={() => (view.value = v.id)}
						>
							{v.title}
						</button>
					))}
				</nav>
				<span class="grow" />
				{shown && <Exports of={shown} />}
			</header>
			{Bar ? <Bar /> : shown && <Controls of={shown} />}
			<div class="canvas" ref={host} />
		</main>
	);
}
