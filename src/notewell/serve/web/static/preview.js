// The pane beside the results: the selected note, around its lines.

import { ask } from "/web/api.js";
import { fill, h } from "/web/dom.js";
import { pageAddress, renderedOf } from "/web/rendered.js";

// The note is fetched when the selection rests for a moment, so that holding an arrow key fetches little.
const REST = 40;
const KEPT = 50;

export class Preview {
  constructor(go) {
    this.element = h("aside", { class: "preview", "aria-label": "Preview", tabindex: "0" });
    this.pages = new Map();
    this.go = go;
    this.timer = 0;
  }

  /** Show the note of a hit; nothing without one. */
  show(hit) {
    clearTimeout(this.timer);
    this.asked?.abort();
    if (!hit) this.clear();
    else if (this.pages.has(hit.path)) this.draw(this.pages.get(hit.path), hit);
    else this.timer = setTimeout(() => this.load(hit), this.shown ? REST : 0);
  }

  clear() {
    this.shown = null;
    fill(this.element);
  }

  end() {
    clearTimeout(this.timer);
    this.asked?.abort();
  }

  async load(hit) {
    const { signal } = (this.asked = new AbortController());
    try {
      let page = await ask(pageAddress(hit.path), { signal });
      const { line } = hit.excerpt;
      // Of a very long note, a page has only a part.
      if (line > page.last_line) page = await ask(pageAddress(hit.path, { lines: line }), { signal });
      else this.pages.set(hit.path, page);
      if (this.pages.size > KEPT) this.pages.delete(this.pages.keys().next().value);
      this.draw(page, hit);
    } catch (error) {
      if (error.name !== "AbortError") fill(this.element, h("p", { class: "error" }, `${error.message}. ${error.hint ?? ""}`));
    }
  }

  draw(page, hit) {
    this.shown = hit;
    fill(this.element, renderedOf(page, { line: hit.excerpt.line, last: hit.excerpt.end_line }));
    const lines = this.element.querySelector(".matched");
    this.element.scrollTop = lines ? lines.offsetTop - this.element.clientHeight / 4 : 0;
  }
}
