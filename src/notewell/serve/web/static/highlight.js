// Marks the words of a query in a text.

import { h } from "/web/dom.js";

// Signs of Markdown that an excerpt is read without.
const SIGNS = /!?\[\[[^[\]|\n]*\||!?\[\[|\]\]|\[![\w-]+\][+-]?|\*\*|__|==|^> |(?<=\s|^)\*(?=\S)|(?<=\S)\*(?=\s|[.,;:!?)]|$)/gm;

/** Return a text as nodes, with marks where `spans` say; spans count characters, not UTF-16 units. */
export function marked(text, spans) {
  const characters = [...text];
  const unread = signsIn(text);
  const part = (from, to) => characters.slice(from, to).filter((_, place) => !unread.has(from + place)).join("");
  const nodes = [];
  let at = 0;
  for (const [from, to] of spans) {
    if (from < at) continue;
    nodes.push(part(at, from), h("mark", {}, part(from, to)));
    at = to;
  }
  nodes.push(part(at));
  return nodes.filter((node) => node !== "");
}

/** Return the places of characters that belong to signs. */
function signsIn(text) {
  const places = new Set();
  for (const match of text.matchAll(SIGNS)) {
    const start = [...text.slice(0, match.index)].length;
    for (let place = start; place < start + [...match[0]].length; place += 1) places.add(place);
  }
  return places;
}
