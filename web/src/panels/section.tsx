// A part of the details, with a heading and room for a button beside it.
import type { ComponentChildren } from "preact";

export function Section({
	title,
	side,
	children,
}: {
	title: string;
	side?: ComponentChildren;
	children: ComponentChildren;
}) {
	return (
		<section class="section">
			<h3>
				{title}
				{side && <span class="side">{side}</span>}
			</h3>
			{children}
		</section>
	);
}
