// Marks the words of a query in a text.

import { h } from "/web/dom.js";

/** Return a text as nodes, with marks where `spans` say; spans count characters, not UTF-16 units. */
export function marked(text, spans) {
  const characters = [...text];
  const nodes = [];
  let at = 0;
  for (const [from, to] of spans) {
    if (from < at) continue;
    if (from > at) nodes.push(characters.slice(at, from).join(""));
    nodes.push(h("mark", {}, characters.slice(from, to).join("")));
    at = to;
  }
  if (at < characters.length) nodes.push(characters.slice(at).join(""));
  return nodes;
}
