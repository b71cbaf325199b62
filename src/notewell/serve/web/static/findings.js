// What deserves a look: skipped files, secrets, broken links, near-duplicates, the largest notes.

import { ask, noteAddress } from "/web/api.js";
import { count, fill, h } from "/web/dom.js";
import { size } from "/web/figures.js";

const SHOWN = 50;
// A list this short is open at first.
const FEW = 5;

export class Findings {
  constructor() {
    this.element = h("section", { "aria-label": "Things to check" });
  }

  /** Show each list as soon as it is there: broken links of a large vault take seconds. */
  refresh(status) {
    const found = ask("/findings");
    fill(this.element,
      later("Files that could not be read", status, ({ skipped }) => skipped.map((one) => [link(one.path), one.reason])),
      later("Secrets in your notes", found, ({ secrets }) => secrets.map((one) => [link(one.path, one.line), one.rule])),
      later("Broken links", ask("/broken-links"), ({ links }) => links.map((one) => [link(one.path, one.line), `${one.written} (${one.problem})`]), ({ count: all }) => all),
      later("Notes that say nearly the same", ask("/duplicates"), ({ pairs }) => pairs.map((one) => [link(one.path), h("span", {}, `${Math.floor(one.similarity * 100)} % as `, link(one.of))])),
      later("Largest notes", found, ({ largest }) => largest.map((one) => [link(one.path), size(one.bytes)])),
      later("Files in other formats", status, ({ others }) => Object.entries(others).map(([suffix, number]) => [suffix || "no suffix", count(number, "file")])));
  }
}

/** Return a list that is filled when its data is there. */
function later(name, asked, rowsOf, numberOf) {
  const place = h("div", {}, h("p", { class: "findings waits" }, h("b", {}, name), " …"));
  asked.then((found) => fill(place, listOf(name, rowsOf(found), numberOf?.(found)))).catch((error) => fill(place, h("p", { class: "findings error" }, `${name}: ${error.message}`)));
  return place;
}

function listOf(name, rows, number = rows.length) {
  if (!rows.length) return "";
  const shown = rows.slice(0, SHOWN).map((row) => h("li", {}, row.map((part) => h("span", {}, part))));
  const more = number > shown.length ? h("p", { class: "where" }, `and ${(number - shown.length).toLocaleString("en")} more`) : "";
  return h("details", { class: "findings", open: number <= FEW }, h("summary", {}, `${name} `, h("span", { class: "number" }, number.toLocaleString("en"))), h("ul", {}, shown), more);
}

function link(path, line) {
  return h("a", { href: noteAddress(path, line ? { lines: line } : {}) }, line ? `${path}:${line}` : path);
}
