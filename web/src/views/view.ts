// A view as the shell sees it. To add one to a kind of document: write a class in its
// folder, mostly by extending CanvasView of canvas.ts, and add a line to the kind's list
// of views.

export interface View {
	/** Fills the host, which is empty. */
	mount(host: HTMLElement): void;
	/** The picture as it is, as the text of an SVG file. */
	exportSvg(): string;
	exportPng(): Promise<Blob>;
	/** The numbers of the picture, for views that have them. */
	exportText?(kind: "csv" | "json"): string;
	/*
	 * The canvas and the moment that it shows, for views that play; null: it is not drawn
	 * yet.
	 */
	still?(): { canvas: HTMLCanvasElement; shown: number } | null;
	/** Holds every movement at a phase from 0 to 1; null: movements follow the clock. */
	pose?(phase: number | null): void;
	destroy(): void;
}

/** A choice in the bar above the view, kept in the store's options under "view.option". */
export interface Control {
	option: string; // "regions.mode"
	label: string;
	choices: [value: string, label: string][];
	otherwise: string; // the value until the person chooses
}

export interface ViewKind {
	id: string;
	title: string;
	description: string; // a sentence, for the help and the search
	/** Choices in the bar above the view. May read signals: it runs inside a component. */
	controls?: () => Control[];
	/** Whether the view has anything to show; left out: always. */
	when?: () => boolean;
	/** The view has exportText(): the numbers of its picture. */
	tables?: boolean;
	/** The picture is that of one moment of a run: movies can be made of it. */
	plays?: boolean;
	create(): View;
}
