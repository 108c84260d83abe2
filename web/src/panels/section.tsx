// A part of the details, with a heading and room for a button beside it.
import type { ComponentChildren } from "preact";

export function Section({
	title,
	side,
	old = false,
	children,
}: {
	title: string;
	side?: ComponentChildren;
	old?: boolean; // the content is not yet that of the heading: it is greyed
	children: ComponentChildren;
}) {
	return (
		<section class="section">
			<h3>
				{title}
				{side && <span class="side">{side}</span>}
			</h3>
			<div class={old ? "old" : ""} aria-busy={old}>
				{children}
			</div>
		</section>
	);
}
