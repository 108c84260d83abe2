// A kind of document: everything that the page knows about traces, or about ensembles, is
// one DocumentKind. The shell, the search box, the keys, the help and the URL know a list of
// kinds and nothing of any kind. To add one: a folder kinds/KIND, a line in registry.ts.
import type { ComponentType } from "preact";
import type { Open, OpenDocument, Place } from "../model/types";
import type { Colour } from "../draw/draw";
import type { Palette } from "../draw/colours";
import type { Caption } from "../state/captions";
import type { LinkPart } from "../state/link";
import type { ViewKind } from "../views/view";

export interface DocumentKind {
	/** The `kind` of its documents in /api/open. Its options and CSS classes begin with it. */
	id: string;
	/** A document in a word, in lists and messages: "trace". */
	title: string;
	/** Its views in the order of their tabs. Ids are unique among all kinds. */
	views: ViewKind[];
	/** Kinds into whose documents this one leads: their tabs are listed, if need be disabled. */
	leadsTo?: string[];

	/** Called once when the page starts: effects that follow the store. */
	start?(): void;
	/** Called when /api/open has documents of this kind; the link is the first URL. */
	begin(open: Open, link: URLSearchParams): Promise<void>;
	/** Called when the server is back: it may have lost all that this page asked of it. */
	reconnect?(open: Open): Promise<void>;
	/** Server-sent events that this kind listens to, by name; the data are parsed JSON. */
	events?: Record<string, (data: unknown) => void>;

	/** The document that its views show; null while there is none. Reads signals. */
	shown(): OpenDocument | null;
	/** Shows a document, at a place if one is given. False: it could not be shown. */
	show(number: number, place?: Place): Promise<boolean>;

	/** Its part of the URL. Keys of a new kind begin with its id and a dot. */
	link?: LinkPart;
	/** Keys run these while a view of this kind is shown; the search always lists them. */
	commands?: Command[];
	/** Everything that has a name in its documents. Reads signals. */
	searchItems?(): SearchItem[];
	/** Places that the text in the search box itself names: "matmul.c:33". */
	searchText?(text: string): SearchItem[];

	/** Panes around the view; a pane that is left out gives its room to the view. */
	Left?: ComponentType; // its element has the class left-pane
	Side?: ComponentType; // at the right: right-pane
	Bottom?: ComponentType; // bottom-pane
	/** Above the view, instead of the controls that the view lists. */
	Bar?: ComponentType;
	/** In the top bar, also while a view of another kind is shown. */
	Top?: ComponentType<{ active: boolean }>;
	/** Buttons beside those that save a picture of the view. */
	buttons?(v: ViewKind): Button[];
	/** Dialogs by the names that `overlay` of the store takes. */
	overlays?: Record<string, ComponentType>;
	help?: KindHelp;

	/** Its store, for tests and for people with a console: globalThis.memlamp[id]. */
	state?: object;
}

export interface Command {
	title: string;
	keys: string[]; // as keyOf() in shell/keys.ts names them; the help shows the first
	group: string; // heading in the help
	run(): void;
}

export interface SearchItem {
	kind: string; // a word for the item: "region", "line"
	title: string;
	side: string; // details, in small letters
	run(): void;
}

export interface Button {
	label: string;
	title: string;
	run(): void;
}

export interface KindHelp {
	intro?: string; // a paragraph
	/** A tour for people who see the page for the first time: the captions of a talk. */
	tour?: Caption[];
	gestures?: { title: string; rows: [what: string, how: string][] };
	colours?(p: Palette): [name: string, colour: Colour][];
}
