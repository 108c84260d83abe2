// Prism's core and the grammars of the languages that programs under memlamp are written
// in. Without `manual` it would look for code to highlight by itself.
const host = globalThis as unknown as { Prism?: { manual: boolean } };
host.Prism = { manual: true };
export {};
