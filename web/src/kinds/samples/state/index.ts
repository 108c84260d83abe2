// The store of the samples kind: choices, selection, and the answers of the server to them.
export * from "./store";
export * from "./axes";
export * from "./hardware";
export * from "./code";
export * from "./names";
export * from "./along";
export * from "./beside";
export * from "./moves";
