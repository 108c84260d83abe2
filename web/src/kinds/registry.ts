// The kinds of documents, in the order of their tabs. Adding one is one folder and one line.
import { ensembleKind } from "./ensemble/index";
import { flowKind } from "./flow/index";
import type { DocumentKind } from "./kind";
import { pruneKind } from "./prune/index";
import { samplesKind } from "./samples/index";
import { traceKind } from "./trace/index";

export const kinds: DocumentKind[] = [
	pruneKind,
	samplesKind,
	flowKind,
	ensembleKind,
	traceKind,
];
