// The page with all kinds of documents.
import { kinds } from "./kinds/registry";
import { start } from "./shell/start";

start(kinds);
