import assert from "node:assert/strict";
import { test } from "node:test";
import { languageOf, lineStates } from "../src/model/lexer";

const states = (text: string, path: string) => [
	...lineStates(text.split("\n"), languageOf(path)),
];

test("a line inside a block comment begins inside it", () => {
	assert.deepEqual(
		states("int a; /* one\ntwo\nthree */ int b;\nint c;", "a.c"),
		[0, 1, 1, 0, 0],
	);
});

test("comment signs in strings and behind // are none", () => {
	assert.deepEqual(
		states('char *s = "/*";\n// /*\nchar c = \'"\'; /*\n*/', "a.cpp"),
		[0, 0, 0, 1, 0],
	);
	assert.deepEqual(states('s = "a\\"/*b";\nx', "a.c"), [0, 0, 0]);
});

test("long strings of Python", () => {
	assert.deepEqual(
		states('x = """a\n# b\n"""\ny = \'\'\'\nz', "a.py"),
		[0, 2, 2, 0, 3, 3],
	);
	assert.deepEqual(states('# """\nx', "a.py"), [0, 0, 0]);
});

test("a lifetime of Rust does not open a string", () => {
	assert.deepEqual(states("fn f<'a>(x: &'a str) { /*\n*/ }", "a.rs"), [0, 1, 0]);
});

test("headers of the C++ library have no ending", () => {
	assert.equal(languageOf("/usr/include/c++/12/vector"), "cpp");
	assert.equal(languageOf("solver.F90"), "fortran");
	assert.equal(languageOf("notes.txt"), "none");
});
