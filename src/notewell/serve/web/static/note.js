// A note by itself: its text, outline, properties, backlinks and related notes.

import { address, ask, noteAddress } from "/web/api.js";
import { count, fill, h } from "/web/dom.js";
import { pageAddress, renderedOf } from "/web/rendered.js";

class Note {
  keys = [["Esc", "Back to the results"]];

  async show(place, url, go) {
    const path = decodeURIComponent(url.pathname.slice("/node/".length));
    const given = { lines: url.searchParams.get("lines"), part: url.searchParams.get("part") };
    const page = await ask(pageAddress(path, given));
    document.title = `${page.title} · Notewell`;
    const article = renderedOf(page, { line: page.line, last: page.end_line });
    const side = h("aside", { class: "about", "aria-label": "About this note" });
    fill(place, h("div", { class: "reading" }, h("div", {}, headOf(page), article), side));
    fill(side, outlineOf(page, article), propertiesOf(page));
    article.querySelector(".matched")?.scrollIntoView({ block: "center" });
    showLinks(side, page);
    const back = (event) => {
      if (event.key === "Escape" && !event.target.closest?.("input, textarea, dialog")) history.back();
    };
    addEventListener("keydown", back);
    return () => removeEventListener("keydown", back);
  }
}

function headOf(page) {
  return h("header", { class: "notehead" },
    h("p", { class: "where" }, page.path, page.date ? ` · ${page.date}` : ""),
    h("p", { class: "tags" }, page.tags.map((tag) => h("a", { class: "tag", href: address("/search", { text: `tag:${tag}` }) }, `#${tag}`))),
    page.uri ? h("a", { class: "quiet", href: page.uri, rel: "noreferrer" }, page.uri.startsWith("obsidian:") ? "Open in Obsidian" : "Open the file") : "");
}

function outlineOf(page, article) {
  if (page.outline.length < 2) return "";
  const show = (line) => () => article.querySelector(`[data-line^="${line}-"]`)?.scrollIntoView({ block: "start" });
  return h("nav", { "aria-label": "Outline" }, h("h2", {}, "Outline"), h("ul", { class: "outline" }, page.outline.map((heading) =>
    h("li", { class: `level${heading.level}` }, h("button", { class: "quiet", onclick: show(heading.line) }, heading.text)))));
}

function propertiesOf(page) {
  const entries = Object.entries(page.properties);
  if (!entries.length) return "";
  return h("section", {}, h("h2", {}, "Properties"), h("dl", { class: "properties" },
    entries.map(([key, value]) => h("div", {}, h("dt", {}, key), h("dd", {}, value)))));
}

async function showLinks(side, page) {
  const encoded = page.path.split("/").map(encodeURIComponent).join("/");
  const [links, related] = await Promise.allSettled([ask(`/links/${encoded}`), ask(address(`/related/${encoded}`, { limit: 5 }))]);
  if (links.status === "fulfilled" && links.value.backlinks.length) {
    const { backlinks } = links.value;
    side.append(h("section", {}, h("h2", {}, count(backlinks.length, "backlink")), h("ul", { class: "notes" }, backlinks.slice(0, 50).map((link) =>
      h("li", {}, h("a", { href: noteAddress(link.path, { lines: link.line }) }, link.path), h("span", {}, link.written))))));
  }
  if (related.status === "fulfilled" && related.value.hits.length) {
    side.append(h("section", {}, h("h2", {}, "Related"), h("ul", { class: "notes" }, related.value.hits.map((hit) =>
      h("li", {}, h("a", { href: noteAddress(hit.path) }, hit.title), h("span", {}, hit.excerpt.text))))));
  }
}

export const noteView = new Note();
