// The page with all kinds of documents. The styles of the page come after those of the kinds.
import { kinds } from "./kinds/registry";
import { start } from "./shell/start";
import "./app.css";

start(kinds);
