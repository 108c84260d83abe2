// What a view is to the shell. To add one: write a class in views/NAME.ts (mostly by
// extending CanvasView in canvas.ts), and add a line to registry.ts.

export interface View {
	/** Puts itself into the host, which is empty, and fills it. */
	mount(host: HTMLElement): void;
	/** The picture as it is, as the text of an SVG file. */
	exportSvg(): string;
	exportPng(): Promise<Blob>;
	/** The numbers of the picture, where a view has them. */
	exportText?(kind: "csv" | "json"): string;
	/** The canvas and the moment that it shows, where the view plays; null: not yet. */
	still?(): { canvas: HTMLCanvasElement; shown: number } | null;
	/** Draws with what moves held at a phase from 0 to 1; null: it moves with the clock. */
	pose?(phase: number | null): void;
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
	/** Whether there is anything for it to show; without it there always is. */
	when?: () => boolean;
	/** Its pictures have numbers behind them: exportText(). */
	tables?: boolean;
	/** Its picture is that of the cursor's moment: movies can be made of it. */
	plays?: boolean;
	create(): View;
}
