// Elements that a view puts over its canvas.

export function element<K extends keyof HTMLElementTagNameMap>(
	tag: K,
	className: string,
	text = "",
): HTMLElementTagNameMap[K] {
	const e = document.createElement(tag);

	e.className = className;
	e.textContent = text;
	return e;
}
