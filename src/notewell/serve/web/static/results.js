// Hits as a list of notes, each with its best lines.

import { address, ask, noteAddress } from "/web/api.js";
import { count, fill, h, openerOf } from "/web/dom.js";
import { marked, plain } from "/web/highlight.js";

// Places of a note that a result shows beside its best one, until more are wanted.
const OTHERS = 2;

/** Return hits grouped by note, in the order of each note's best hit. */
export function groupsOf(hits) {
  const groups = new Map();
  for (const hit of hits) {
    const group = groups.get(hit.path) ?? { path: hit.path, title: hit.title || hit.path, hits: [] };
    group.hits.push(hit);
    groups.set(hit.path, group);
  }
  return [...groups.values()];
}

/** Return a note of the results as an element. */
export function resultOf(group, { query, like, select }) {
  const [best, ...others] = group.hits;
  const why = h("div", { class: "why", hidden: true });
  const rest = others.slice(OTHERS);
  return h("li", { class: "result", onclick: select },
    h("div", { class: "head" },
      h("a", { class: "title", href: placeOf(best), title: group.title }, group.title),
      h("span", { class: "tools" },
        h("button", { class: "quiet", "aria-expanded": "false", onclick: (event) => showWhy(event, why, best, query) }, "Why this?"),
        h("button", { class: "quiet", onclick: like }, "More like this"),
        openerOf(best.uri)),
      best.date ? h("time", { datetime: best.date }, best.date) : ""),
    h("p", { class: "where" }, `${best.path}:${best.excerpt.line}`, best.place ? ` · ${best.place}` : "", crumbs(best)),
    h("p", { class: "excerpt" }, marked(best.excerpt.text, best.excerpt.highlights)),
    others.slice(0, OTHERS).map(lineOf),
    rest.length ? h("button", { class: "quiet rest", onclick: (event) => showRest(event, rest) }, count(rest.length, "more line")) : "",
    best.also.length ? h("details", { class: "also" }, h("summary", {}, `The same in ${count(best.also.length, "other place")}`),
      h("ul", {}, best.also.map((place) => h("li", {}, h("a", { href: addressOf(place) }, place))))) : "",
    why);
}

function lineOf(hit) {
  return h("a", { class: "other", href: placeOf(hit) },
    h("span", { class: "line" }, `:${hit.excerpt.line}`), " ", marked(hit.excerpt.text, hit.excerpt.highlights));
}

/** Show the other lines of a note in place of the button that offers them. */
function showRest(event, rest) {
  event.stopPropagation();
  const lines = rest.map(lineOf);
  event.currentTarget.replaceWith(...lines);
  lines[0].focus();
}

/** Return the address of a place such as `Bees.md:12`. */
function addressOf(place) {
  const [, path, line] = /^(.*?)(?::(\d+))?$/s.exec(place);
  return noteAddress(path, line ? { lines: line } : {});
}

/** Return the address of the lines that a hit shows. */
export function placeOf(hit) {
  const { line, end_line: last } = hit.excerpt;
  return noteAddress(hit.path, { lines: last > line ? `${line}-${last}` : `${line}` });
}

function crumbs(hit) {
  const [, ...headings] = hit.heading.split(" > ");
  return headings.length ? h("span", { class: "crumbs" }, headings.map((one) => ` › ${plain(one).trim()}`)) : "";
}

async function showWhy(event, why, hit, query) {
  const button = event.currentTarget;
  event.stopPropagation();
  why.hidden = !why.hidden;
  button.setAttribute("aria-expanded", String(!why.hidden));
  if (why.hidden || why.childElementCount) return;
  fill(why, "…");
  try {
    const found = await ask(address("/search", { text: query, limit: 200, explain: true, refresh: false }));
    const same = found.hits.find((one) => one.path === hit.path && one.line === hit.line);
    fill(why, same ? contributions(same) : "The note has changed. Search again.");
  } catch (error) {
    fill(why, error.message);
  }
}

// What a retriever or a step is called on the page.
const NAMES = { lexical: "words", note: "words of the note", vector: "meaning", exact: "exact string", fine: "encoder" };

function contributions(hit) {
  const steps = hit.trace.slice(1).map((step, place) => [step.by, step.score - hit.trace[place].score, step.why]);
  const parts = (hit.votes ?? []).map((vote) => [NAMES[vote.retriever] ?? vote.retriever, vote.part, rankOf(vote)]);
  const largest = Math.max(...[...parts, ...steps].map(([, part]) => Math.abs(part)), 1e-9);
  return h("dl", { class: "bars" }, [...parts, ...steps].map(([name, part, reason]) => h("div", {},
    h("dt", {}, name),
    h("dd", {},
      h("meter", { min: 0, max: 1, value: Math.abs(part) / largest, class: part < 0 ? "less" : "", "aria-label": `${name}: ${part.toFixed(3)}` }),
      h("span", { class: "number" }, `${part < 0 ? "−" : "+"}${Math.abs(part).toFixed(3)}`), h("span", {}, reason)))),
    h("div", { class: "sum" }, h("dt", {}, "score"), h("dd", {}, hit.score.toFixed(3))));
}

function rankOf(vote) {
  return vote.rank ? `rank ${vote.rank}` : vote.guessed ? "estimated" : "";
}
