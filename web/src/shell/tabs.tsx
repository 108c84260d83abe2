// The tabs of all views. Tabs that there is no room for are in a list behind the last one, which
// says how many there are, or which of them is shown.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { listedViews, shownView, whyDisabled } from "../kinds/documents";
import { fitting } from "../model/fitting";
import { view } from "../state/store";
import type { ViewKind } from "../views/view";

function titleOf(v: ViewKind, number: number): string {
	return whyDisabled(v) || `${v.description} (${number})`;
}

/** The tabs that there is no room for. */
function OtherTabs({ of }: { of: ViewKind[] }) {
	const shown = of.find((v) => v === shownView.value);

	return (
		<label class={shown ? "select tabs-more shown" : "select tabs-more"}>
			<select
				aria-label="more views"
				title={`more views: ${of.map((v) => v.title).join(", ")}`}
				value={shown?.id ?? ""}
				onChange={(e) => (view.value = e.currentTarget.value)}
			>
				{!shown && <option value="">{of.length} more</option>}
				{of.map((v) => (
					<option key={v.id} value={v.id} disabled={!!whyDisabled(v)}>
						{v.title}
					</option>
				))}
			</select>
		</label>
	);
}

export function Tabs() {
	const row = useRef<HTMLDivElement>(null);
	const [count, setCount] = useState(Infinity);
	const listed = listedViews.value;

	useLayoutEffect(() => {
		const measure = () => {
			const tabs = [...row.current!.querySelectorAll<HTMLElement>("[role=tab]")];
			setCount(
				fitting(
					tabs.map((t) => t.offsetWidth),
					row.current!.clientWidth,
				),
			);
		};
		const watch = new ResizeObserver(measure);

		measure();
		watch.observe(row.current!);
		return () => watch.disconnect();
	}, [listed, shownView.value]);
	return (
		<div class="tab-row" ref={row}>
			<nav class="tabs" role="tablist">
				{listed.map((v, i) => (
					<button
						key={v.id}
						role="tab"
						class={i < count ? "" : "left-out"}
						aria-selected={v === shownView.value}
						disabled={!!whyDisabled(v)}
						title={titleOf(v, i + 1)}
						onClick={() => (view.value = v.id)}
					>
						{v.title}
					</button>
				))}
			</nav>
			{count < listed.length && <OtherTabs of={listed.slice(count)} />}
		</div>
	);
}
