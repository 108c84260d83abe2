// The kinds of documents, in the order of their tabs. Adding one is one folder and one line.
import { ensembleKind } from "./ensemble";
import type { DocumentKind } from "./kind";
import { traceKind } from "./trace";

export const kinds: DocumentKind[] = [ensembleKind, traceKind];
