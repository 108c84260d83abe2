// Starts the page with a list of kinds of documents.
import { effect } from "@preact/signals";
import { render } from "preact";
import { ApiError, askOpen, listen } from "../api";
import { activeDocument, openKinds, register, shownView } from "../kinds/documents";
import type { DocumentKind } from "../kinds/kind";
import { followLink } from "../state/link";
import * as store from "../state/store";
import { followTheme } from "../state/theme";
import { mounted } from "../views/mounted";
import { listenKeys } from "./keys";
import { Shell } from "./shell";
import { offerTour } from "./tour";

function fault(e: unknown): void {
	if (e instanceof ApiError && (e.status === 0 || e.status === 403)) return; // the banner says it
	store.message.value = (e as Error).message;
}

/** Asks what is open, and lets each kind begin with its documents. */
async function begin(link: URLSearchParams): Promise<void> {
	const open = (store.open.value = await askOpen());

	store.view.value ||= shownView.value?.id ?? "";
	await Promise.all(openKinds.value.map((k) => k.begin(open, link)));
}

/** The server is back. It may be another one, which knows nothing of this page. */
async function reconnect(): Promise<void> {
	if (!store.open.value) return begin(new URLSearchParams());
	const open = (store.open.value = await askOpen());

	await Promise.all(openKinds.value.map((k) => k.reconnect?.(open)));
}

export function start(kinds: readonly DocumentKind[]): void {
	register(kinds);
	followTheme();
	const link = followLink(kinds.flatMap((k) => k.link ?? []));
	render(<Shell />, document.body);
	listenKeys();
	for (const k of kinds) k.start?.();
	effect(() => {
		const name = activeDocument.value?.name;
		document.title = name ? `${name} – memlamp` : "memlamp";
	});
	listen({
		events: kinds.map((k) => k.events ?? {}),
		connection: (c) => (store.connection.value = c),
		back: () => void reconnect().catch(fault),
	});
	void begin(link).then(offerTour, fault);

	// For tests and for people with a console: the stores, and the views that are mounted.
	const states = Object.fromEntries(kinds.map((k) => [k.id, k.state]));
	Object.assign(globalThis, { memlamp: { ...states, store, mounted } });
}
