// What a view is to the shell. To add one: write a class in views/NAME.ts (mostly by
// extending CanvasView in canvas.ts), and add a line to registry.ts.

export interface View {
	/** Puts itself into the host, which is empty, and fills it. */
	mount(host: HTMLElement): void;
	/** The picture as it is, as the text of an SVG file. */
	exportSvg(): string;
	exportPng(): Promise<Blob>;
	destroy(): void;
}

/** A choice in the bar above the view, kept in the store's options under "view.option". */
export interface Control {
	option: string; // "regions.mode"
	label: string;
	choices: [value: string, label: string][];
	otherwise: string; // the value when nobody chose
}

export interface ViewKind {
	id: string;
	title: string;
	what: string; // a sentence, for the help and the search
	/** May change with the store; read inside a component. */
	controls?: () => Control[];
	create(): View;
}
