// The pane beside the results: the selected note, around its lines.

import { ask, noteAddress } from "/web/api.js";
import { fill, h, sentence } from "/web/dom.js";
import { pageAddress, renderedOf } from "/web/rendered.js";

// The note is fetched when the selection rests for a moment, so that holding an arrow key fetches little.
const REST = 40;
// While somebody types, the first result changes with every letter, and the server has searches to do.
const TYPING = 200;
const KEPT = 50;

export class Preview {
  constructor(go) {
    this.element = h("aside", { class: "preview", "aria-label": "Preview", tabindex: "0" });
    this.pages = new Map();
    this.go = go;
    this.timer = 0;
  }

  /** Show the note of a hit; nothing without one. A note that is `typed` for may be another one in a moment. */
  show(hit, { typed = false } = {}) {
    clearTimeout(this.timer);
    this.asked?.abort();
    if (!hit) this.clear();
    else if (!isSame(hit, this.shown)) this.timer = setTimeout(() => this.load(hit), typed ? TYPING : this.shown ? REST : 0);
  }

  clear() {
    this.shown = null;
    this.element.setAttribute("aria-busy", "false");
    fill(this.element);
  }

  end() {
    clearTimeout(this.timer);
    this.asked?.abort();
  }

  async load(hit) {
    const { signal } = (this.asked = new AbortController());
    const { line } = hit.excerpt;
    this.element.setAttribute("aria-busy", "true");
    try {
      let page = this.pages.get(hit.path);
      if (!page || !isIn(page, line)) page = await ask(pageAddress(hit.path, { lines: line || null, refresh: false }), { signal });
      this.keep(hit.path, page);
      this.draw(page, hit);
    } catch (error) {
      // A newer note is under way.
      if (error.name === "AbortError") return;
      this.shown = null;
      fill(this.element, h("p", { class: "error" }, sentence(`${error.message}. ${error.hint ?? ""}`)));
    }
    this.element.setAttribute("aria-busy", "false");
  }

  keep(path, page) {
    this.pages.delete(path);
    this.pages.set(path, page);
    if (this.pages.size > KEPT) this.pages.delete(this.pages.keys().next().value);
  }

  draw(page, hit) {
    this.shown = hit;
    const { line, end_line: last } = hit.excerpt;
    const from = h("a", { href: noteAddress(hit.path, line ? { lines: `${line}-${last}` } : {}) }, hit.path);
    fill(this.element, h("p", { class: "from" }, from), renderedOf(page, { line, last }));
    const lines = this.element.querySelector(".matched");
    this.element.scrollTop = lines ? lines.offsetTop - this.element.clientHeight / 4 : 0;
  }
}

/** Tell whether a page shows a line: of a very long note, it has only a part. */
function isIn(page, line) {
  return !(page.lines_above && line < page.first_line) && !(page.lines_below && line > page.last_line);
}

function isSame(hit, other) {
  return hit.path === other?.path && hit.excerpt.line === other.excerpt.line && hit.excerpt.end_line === other.excerpt.end_line;
}
