// The page with one more kind of document.
import { kinds } from "../../src/kinds/registry";
import { start } from "../../src/shell/start";
import { toyKind } from "./toy";

start([...kinds, toyKind]);
