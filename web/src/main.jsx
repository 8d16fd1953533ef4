// Reads the tree that the page carries and shows it.
import { render } from "preact";
import { App } from "./app.jsx";
import { readTree } from "./tree.js";
import { answerOf } from "./walk.js";
import "./page.css";

export const tree = readTree(JSON.parse(document.getElementById("tree-data").textContent));
render(<App tree={tree} />, document.getElementById("page"));

// For whoever wants to ask the page from a script: numbers and level codes, NaN for missing.
export const answer = (values) => answerOf(tree, values);
