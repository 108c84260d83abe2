// What the browser remembers of the person from one start to the next. Each start has a port of
// its own and so a storage of its own; a cookie belongs to all ports of the machine.
const YEAR = 365 * 24 * 3600; // seconds

/** Null: nothing is kept. */
export function kept(key: string): string | null {
	const start = `${key}=`;
	const found = document.cookie.split("; ").find((c) => c.startsWith(start));

	return found === undefined ? null : decodeURIComponent(found.slice(start.length));
}

/** Keeps a text, or nothing any more. */
export function keep(key: string, text: string | null): void {
	const [value, age] = text === null ? ["", 0] : [encodeURIComponent(text), YEAR];

	document.cookie = `${key}=${value}; path=/; max-age=${age}; SameSite=Strict`;
}
