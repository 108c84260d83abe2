// Shapes that every kind of document uses (docs/api.md).
import type { RoleTable } from "./figure";

/** A document that the server has open. Kinds add fields of their own. */
export interface OpenDocument {
	kind: string; // id of its DocumentKind
	number: number; // counts the documents of its kind, from 0
	path: string;
	name: string;
}

/** A machine that can be chosen by its name. */
export interface Preset {
	name: string;
	text: string;
	what: string;
}

/** The answer of /api/open: open documents, and lists to choose from. */
export interface Open {
	version: string;
	documents: OpenDocument[];
	machines: Preset[];
	policies: { name: string; future: boolean }[]; // future: it must know later accesses
	prefetchers: string[];
	causes: string[]; // of misses
	colours: { light: RoleTable; dark: RoleTable }; // of roles
	host: string | null; // the machine that the server runs on, as text
	machine: string; // the machine to begin with, as text
}

/** Part of a run: references, or a share of a common time. */
export interface Window {
	from: number; // included
	to: number; // excluded
}

/** Parameters of a request. */
export type Params = Record<string, string | number | undefined>;

/*
 * A place in a document, in words that documents of several kinds share. A kind goes to
 * what it understands of it and leaves out the rest.
 */
export interface Place {
	view?: string; // id of the view that shows it
	machine?: string; // text of the machine to simulate
	moment?: number; // position in the run
	window?: Window | null; // null: the whole run
	line?: { path: string; line: number };
	func?: string; // name
	region?: string; // name
	phase?: string; // name
	against?: { machine: string; number?: number }; // laid over it, to compare
}
