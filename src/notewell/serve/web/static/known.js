// What the vault knows of the people and things that a search names, above its results.

import { address, noteAddress } from "/web/api.js";
import { count, h } from "/web/dom.js";

/** Return a line for each entity that opens; none if `notewell entities` has read nothing. */
export function knownOf(entities) {
  return (entities ?? []).map((one) => h("details", { class: "known" },
    h("summary", {}, h("b", {}, one.name), ` · ${[one.kind, count(one.notes, "note"), days(one)].filter(Boolean).join(", ")}`),
    h("ul", {},
      one.relations.map((relation) => h("li", {}, `${relation.source} → ${relation.relation} → ${relation.target} `, place(relation))),
      one.beside.map((other) => h("li", {}, "with ", h("a", { href: named(other.name) }, other.name), ` (${other.kind}) `, place(other))),
      one.places.map((at) => h("li", {}, "in ", place(at)))),
    h("a", { href: named(one.name) }, `All ${count(one.notes, "note")}`), " · ",
    h("a", { href: named(one.name, "/graph") }, "Show them in the graph")));
}

function days({ first, last }) {
  return first === last ? first : `${first} to ${last}`;
}

/** Return the address of a search for the notes that name an entity, or of the graph with these lit up. */
function named(name, view = "/search") {
  return address(view, { text: `entity:"${name.replaceAll('"', "")}"` });
}

function place({ path, line }) {
  return h("a", { class: "where", href: noteAddress(path, { lines: `${line}` }) }, `${path}:${line}`);
}
