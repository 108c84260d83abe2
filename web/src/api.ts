// The transport: the only file that calls the server. It knows /api/open and the events;
// the routes of each kind of document are in kinds/KIND/api.ts.
import { decodeColumns, type Columns } from "./model/columns";
import type { Open, Params, Window } from "./model/types";

/** An error as a sentence: the server's own, or one about the connection. */
export class ApiError extends Error {
	constructor(
		readonly status: number, // HTTP status; 0: no answer came
		readonly kind: string,
		text: string,
	) {
		super(text);
	}
}

export type Connection = "ok" | "lost" | "ended" | "refused";

const TOKEN = "memlamp.token";

/*
 * The token comes with the printed address. It moves from there into the session's
 * storage, so that it is in no bookmark or screenshot and a reload still has it.
 */
function takeToken(): string {
	const url = new URL(location.href);
	const given = url.searchParams.get("token");

	if (given) {
		sessionStorage.setItem(TOKEN, given);
		url.searchParams.delete("token");
		history.replaceState(null, "", url);
	}
	return given ?? sessionStorage.getItem(TOKEN) ?? "";
}

const token = takeToken();
let tellConnection: (c: Connection) => void = () => {};

/** The address that opens this page as it is in another tab or browser. */
export function shareable(): string {
	const url = new URL(location.href);

	url.searchParams.set("token", token);
	return url.href;
}

function address(route: string, params: Params = {}): string {
	const query = Object.entries(params)
		.filter(([, v]) => v !== undefined)
		.map(([k, v]) => `${k}=${encodeURIComponent(String(v))}`)
		.join("&");

	return `/api/${route}${query ? `?${query}` : ""}`;
}

/** Asks a route, which is named without /api/. Throws ApiError, or AbortError. */
export async function request(
	method: "GET" | "POST" | "DELETE",
	route: string,
	params?: Params,
	signal?: AbortSignal,
): Promise<Response> {
	let answer: Response;

	try {
		answer = await fetch(address(route, params), {
			method,
			signal,
			headers: { "X-Memlamp-Token": token },
		});
	} catch (e) {
		if ((e as Error).name === "AbortError") throw e;
		tellConnection("lost");
		throw new ApiError(0, "io", "memlamp does not answer");
	}
	if (answer.ok) return answer;
	const body = await answer.json().catch(() => undefined);
	if (answer.status === 403) tellConnection("refused");
	throw new ApiError(
		answer.status,
		body?.error?.kind ?? "io",
		body?.error?.text ?? `/api/${route}: the server answers ${answer.status}`,
	);
}

export async function json<T>(
	route: string,
	params?: Params,
	signal?: AbortSignal,
): Promise<T> {
	return (await request("GET", route, params, signal)).json() as Promise<T>;
}

export async function columns(
	route: string,
	params?: Params,
	signal?: AbortSignal,
): Promise<Columns> {
	return decodeColumns(await (await request("GET", route, params, signal)).arrayBuffer());
}

/** A window as parameters. */
export function times(w?: Window): Params {
	return w ? { from: w.from, to: w.to } : {};
}

export function askOpen(signal?: AbortSignal): Promise<Open> {
	return json<Open>("open", {}, signal);
}

/** True for the exception of a request that was aborted, which is no error. */
export function isAbort(e: unknown): boolean {
	return e instanceof Error && e.name === "AbortError";
}

export interface Listener {
	/** Functions for server-sent events, by name; the data are parsed JSON. */
	events: Record<string, (data: unknown) => void>[];
	connection(c: Connection): void;
	back(): void; // the server answers again after it was lost
}

/*
 * Listens for the rest of the page's life. When the server goes away the page asks again
 * every second; EventSource alone gives up after an answer that is no stream.
 */
export function listen(l: Listener): void {
	let lost = false;
	let source: EventSource | undefined;

	const again = async () => {
		try {
			await askOpen();
			source?.close();
			connect();
			l.connection("ok");
			if (lost) l.back();
			lost = false;
		} catch (e) {
			if (e instanceof ApiError && e.status === 403) return;
			setTimeout(again, 1000);
		}
	};
	const gone = (c: Connection) => {
		l.connection(c);
		if (lost || c === "refused") return;
		lost = true;
		source?.close();
		setTimeout(again, 1000);
	};
	const connect = () => {
		source = new EventSource(address("events", { token }));
		for (const [name, then] of l.events.flatMap(Object.entries))
			source.addEventListener(name, (e) => then(JSON.parse((e as MessageEvent).data)));
		source.addEventListener("bye", () => gone("ended"));
		source.onerror = () => gone("lost");
	};

	tellConnection = (c) => (c === "refused" ? l.connection(c) : gone(c));
	connect();
}
