// The URL follows the store, and the store follows the URL. The common part is here; each
// kind of document prints and reads its own.
import { batch, effect } from "@preact/signals";
import { parseLink, printLink } from "../model/link";
import { open, options, view } from "./store";

/** The part of the URL that belongs to a kind. */
export interface LinkPart {
	/** Adds the keys of the kind. Reads signals: the URL follows them. */
	print(p: URLSearchParams): void;
	/*
	 * Sets those values of the store that need no answer of the server. Nothing may be open
	 * yet.
	 */
	apply(p: URLSearchParams): void;
	/*
	 * The person changed the URL: opens the document that it names. apply() comes after it.
	 */
	open?(p: URLSearchParams): Promise<void>;
	/** False while the store does not yet hold what the URL asked for. Reads signals. */
	settled?(): boolean;
}

const WAIT = 250; // ms after the last change

/** The parts of all kinds and the common one; no two may have the same key. */
export function printParts(parts: LinkPart[]): URLSearchParams {
	const all = new URLSearchParams();
	const common: LinkPart["print"] = (p) =>
		printLink({ view: view.value, options: options.value }, p);

	for (const print of [common, ...parts.map((x) => x.print)]) {
		const own = new URLSearchParams();
		print(own);
		for (const [k, v] of own) {
			if (all.has(k)) throw new Error(`two parts of the URL have the key ${k}`);
			all.set(k, v);
		}
	}
	return all;
}

export function applyParts(parts: LinkPart[], p: URLSearchParams): void {
	const common = parseLink(p);

	batch(() => {
		if (common.view) view.value = common.view;
		options.value = common.options;
		for (const part of parts) part.apply(p);
	});
}

function current(): URLSearchParams {
	return new URLSearchParams(location.hash.replace(/^#/, ""));
}

/*
 * Sets the store from the URL, and keeps the two in step from then on. Returns the first
 * link.
 */
export function followLink(parts: LinkPart[]): URLSearchParams {
	const first = current();
	let written = "";
	let timer = 0;

	applyParts(parts, first);
	effect(() => {
		const text = printParts(parts).toString();

		clearTimeout(timer);
		if (!open.value || !parts.every((x) => x.settled?.() ?? true)) return;
		timer = window.setTimeout(() => {
			written = `#${text}`;
			if (location.hash !== written) history.replaceState(null, "", written);
		}, WAIT);
	});
	window.addEventListener("hashchange", async () => {
		const p = current();

		if (location.hash === written) return;
		for (const x of parts) await x.open?.(p);
		applyParts(parts, p);
	});
	return first;
}
