// The chosen view in the middle: tabs, its controls, its picture, export.
import { useEffect, useRef } from "preact/hooks";
import { VIEW } from "../kinds/ensemble/state";
import { option, options, overlay, setOption, view } from "../state/store";
import { lacking, shownViews, views } from "../kinds/registry";
import type { View, ViewKind } from "../views/view";
import { EnsembleBar } from "../kinds/ensemble/panels/bar";
import { Icon } from "../panels/icon";
import { savePicture, saveText } from "../panels/save";

/** The views that are mounted, for export and for tests. */
export const mounted: { view: View | null; timeline: View | null } = {
	view: null,
	timeline: null,
};

function Controls({ id }: { id: string }) {
	void options.value;
	const controls = views.find((v) => v.id === id)?.controls?.() ?? [];

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

/** The view that is shown: the chosen one if there is anything for it to show. */
export function shownKind(): ViewKind {
	const list = shownViews();
	const usual = list.find((v) => v.id === "overview") ?? list[0]!;

	return list.find((v) => v.id === view.value) ?? usual;
}

export function Stage() {
	const host = useRef<HTMLDivElement>(null);
	const kind = shownKind();

	useEffect(() => {
		const v = kind.create();

		v.mount(host.current!);
		mounted.view = v;
		return () => {
			mounted.view = null;
			v.destroy();
		};
	}, [kind]);
	return (
		<main class="stage">
			<header class="pane-head">
				<nav class="tabs" role="tablist">
					{shownViews().map((v, i) => (
						<button
							key={v.id}
							role="tab"
							aria-selected={v === kind}
							disabled={!!lacking(v)}
							title={lacking(v) || `${v.what} (${i + 1})`}
							onClick={() => (view.value = v.id)}
						>
							{v.title}
						</button>
					))}
				</nav>
				<span class="grow" />
				<button
					class="quiet"
					title="save the picture as SVG"
					onClick={() => void savePicture(mounted.view, kind.id, "svg")}
				>
					<Icon name="save" /> SVG
				</button>
				<button
					class="quiet"
					title="save the picture as PNG"
					onClick={() => void savePicture(mounted.view, kind.id, "png")}
				>
					PNG
				</button>
				{kind.plays && (
					<button
						class="quiet"
						title="save a movie of the window"
						onClick={() => (overlay.value = "movie")}
					>
						Movie…
					</button>
				)}
				{kind.tables &&
					(["csv", "json"] as const).map((ending) => (
						<button
							key={ending}
							class="quiet"
							title={`save the numbers as ${ending.toUpperCase()}`}
							onClick={() => saveText(mounted.view, kind.id, ending)}
						>
							{ending.toUpperCase()}
						</button>
					))}
			</header>
			{kind.id === VIEW ? <EnsembleBar /> : <Controls id={kind.id} />}
			<div class="canvas" ref={host} />
		</main>
	);
}
