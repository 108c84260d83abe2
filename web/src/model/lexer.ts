// Where each line of a source file begins: in plain code, in a block comment or in a long
// string. Known for all lines at once (one pass over the text, about 100 MB/s), so that
// any screenful can be highlighted without what stands above it.

export type LineState = 0 | 1 | 2 | 3; // code, /* */, """ """, ''' '''

/** What must be put before a line for the highlighter to be in that state. */
export const statePrefix: Record<LineState, string> = {
	0: "",
	1: "/*",
	2: '"""',
	3: "'''",
};

export type Language =
	| "c"
	| "cpp"
	| "fortran"
	| "python"
	| "rust"
	| "go"
	| "java"
	| "none";

const endings: Record<string, Language> = {
	c: "c",
	h: "c",
	cc: "cpp",
	cpp: "cpp",
	cxx: "cpp",
	hpp: "cpp",
	hh: "cpp",
	hxx: "cpp",
	inl: "cpp",
	cu: "cpp",
	tcc: "cpp",
	f: "fortran",
	for: "fortran",
	f77: "fortran",
	f90: "fortran",
	f95: "fortran",
	f03: "fortran",
	f08: "fortran",
	py: "python",
	pyx: "python",
	rs: "rust",
	go: "go",
	java: "java",
};

export function languageOf(path: string): Language {
	const ending = path.slice(path.lastIndexOf(".") + 1).toLowerCase();

	// The C++ library's headers have no ending.
	if (!path.slice(path.lastIndexOf("/") + 1).includes(".")) return "cpp";
	return endings[ending] ?? "none";
}

export function lineStates(lines: string[], language: Language): Uint8Array {
	const states = new Uint8Array(lines.length + 1);

	if (language === "fortran" || language === "none") return states;
	const python = language === "python";
	let state = 0;

	for (let n = 0; n < lines.length; n++) {
		const s = lines[n]!;

		states[n] = state;
		for (let i = 0; i < s.length; i++) {
			if (state === 1) {
				const end = s.indexOf("*/", i);
				if (end < 0) break;
				i = end + 1;
				state = 0;
			} else if (state > 1) {
				const end = s.indexOf(statePrefix[state as LineState], i);
				if (end < 0) break;
				i = end + 2;
				state = 0;
			} else {
				const c = s[i];
				if (python) {
					if (c === "#") break;
					if (c !== '"' && c !== "'") continue;
					if (s.startsWith(c.repeat(3), i)) {
						state = c === '"' ? 2 : 3;
						i += 2;
						continue;
					}
				} else if (c === "/") {
					if (s[i + 1] === "/") break;
					if (s[i + 1] === "*") {
						state = 1;
						i++;
					}
					continue;
				} else if (c !== '"' && c !== "'") {
					continue;
				}
				// A short string or character ends on its line; a Rust lifetime has no end.
				let j = i + 1;
				while (j < s.length && s[j] !== c) j += s[j] === "\\" ? 2 : 1;
				if (j < s.length) i = j;
				else if (c === '"') break;
			}
		}
	}
	states[lines.length] = state;
	return states;
}
