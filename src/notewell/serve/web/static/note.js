// A note by itself: its text, outline, properties, backlinks and related notes.

import { address, addressBelow, ask, noteAddress } from "/web/api.js";
import { announce, count, fill, h, openerOf, sentence } from "/web/dom.js";
import { plain } from "/web/highlight.js";
import { elementAt, linesOf, pageAddress, renderedOf } from "/web/rendered.js";

class Note {
  keys = [["Esc", "Back"], ["j / k", "Next or previous heading"], ["m", "The matched lines"], ["c", "Copy path:line"]];

  async show(place, url, go) {
    const path = decodeURIComponent(url.pathname.slice("/node/".length));
    const given = { lines: url.searchParams.get("lines"), part: url.searchParams.get("part") };
    let page;
    try {
      page = await ask(pageAddress(path, given));
    } catch (error) {
      if (error.status !== 404) throw error;
      return showMissing(place, path, error);
    }
    return new OpenNote(place, page, { go, heading: Boolean(given.part) }).end;
  }
}

/** A note that is shown, until `end` is called. */
class OpenNote {
  constructor(place, page, { go, heading }) {
    document.title = `${page.title} · Notewell`;
    Object.assign(this, { page, go });
    // Of a part that begins with a heading, the heading is enough.
    const whole = renderedOf(page);
    const isHeading = heading && page.line && elementAt(whole, page.line)?.matches("h1, h2, h3, h4, h5, h6");
    this.article = renderedOf(page, { line: page.line, last: isHeading ? page.line : page.end_line });
    this.side = h("aside", { class: "about", "aria-label": "About this note" });
    this.outline = new Outline(page, this.article);
    fill(place, h("div", { class: "reading" },
      h("div", { class: "page" }, this.head(), this.article, this.rest()), this.side));
    fill(this.side, this.outline.element, propertiesOf(page), backlinksOf(page));
    this.asked = new AbortController();
    this.showRelated();
    addEventListener("keydown", this.pressed);
    this.showMatch();
    announce(page.title);
  }

  end = () => {
    removeEventListener("keydown", this.pressed);
    this.outline.end();
    this.asked.abort();
  };

  head() {
    const { page } = this;
    const folder = page.path.split("/").slice(0, -1).join("/");
    // A note that begins with its own title shows it once.
    const titled = this.article.querySelector("h1, h2, h3, h4, h5, h6, p, li, pre, td")?.matches("h1");
    orderHeadings(this.article, titled ? 0 : 1);
    return h("header", { class: "notehead" },
      h("p", { class: "where" },
        folder ? h("a", { href: address("/search", { text: `path:"${folder}"` }) }, folder) : "", folder ? " / " : "",
        page.path.slice(folder ? folder.length + 1 : 0), page.date ? ` · ${page.date}` : ""),
      titled ? "" : h("h1", {}, page.title),
      h("p", { class: "notetools" },
        page.tags.map((tag) => h("a", { class: "tag", href: address("/search", { text: `tag:${tag}` }) }, `#${tag}`)),
        h("button", { class: "quiet", type: "button", onclick: () => this.copy() }, "Copy path:line"),
        page.kind === "file" ? "" : h("a", { class: "quiet", href: address("/graph", { note: page.path }) }, "Graph"),
        openerOf(page.uri)),
      page.problem ? h("p", { class: "gap", role: "status" }, page.problem) : "",
      page.lines_above ? this.gap(page.lines_above, "above", "Show the beginning", page.first_line - page.lines_above) : "");
  }

  /** Return the way to the rest of a long note. */
  rest() {
    const { lines_below: below, last_line: last } = this.page;
    return below ? this.gap(below, "below", `Continue at line ${(last + 1).toLocaleString("en")}`, last + 1) : "";
  }

  gap(lines, side, label, line) {
    return h("p", { class: "gap" }, `${count(lines, "more line")} ${side}. `, h("a", { href: noteAddress(this.page.path, { lines: line }) }, label));
  }

  showMatch() {
    const match = this.article.querySelector(".matched");
    match?.scrollIntoView({ block: "center", behavior: "instant" });
  }

  pressed = (event) => {
    if (event.target.closest?.("input, textarea, select, dialog") || event.metaKey || event.ctrlKey || event.altKey) return;
    if (event.key === "Escape") this.back();
    else if (event.key === "j") this.outline.step(1);
    else if (event.key === "k") this.outline.step(-1);
    else if (event.key === "m") this.showMatch();
    else if (event.key === "c") this.copy();
  };

  /** Go back to the view before; from an address that was opened by itself, to the start. */
  back() {
    if (history.state?.inside) history.back();
    else this.go("/");
  }

  /** Copy the place of the matched lines, or of the first line on the screen. */
  async copy() {
    const top = [...this.article.querySelectorAll("[data-line]")].find((one) => one.getBoundingClientRect().top > 60);
    const line = this.page.line || (top && scrollY > 0 ? linesOf(top)[0] : 0);
    const written = line ? `${this.page.path}:${line}` : this.page.path;
    try {
      await navigator.clipboard.writeText(written);
      announce(`Copied ${written}`);
      this.say(`Copied ${written}`);
    } catch {
      this.say(written);
    }
  }

  say(text) {
    this.said?.remove();
    this.said = h("p", { class: "said" }, text);
    document.body.append(this.said);
    setTimeout(() => this.said.remove(), 2500);
  }

  async showRelated() {
    if (this.page.kind === "file") return;
    const related = await ask(addressBelow("/related", this.page.path, { limit: 6 }), { signal: this.asked.signal }).catch(() => null);
    if (!related?.hits.length) return;
    this.side.append(h("section", {}, h("h2", {}, "Related"), h("ul", { class: "notes" }, related.hits.map((hit) =>
      h("li", {}, h("a", { href: noteAddress(hit.path) }, hit.title), h("span", {}, plain(hit.excerpt.text)))))));
  }
}

// How a reader moves by hand.
const MOVED = ["wheel", "touchmove", "mousedown"];

/** The headings of a note; the one that is on the screen is marked. */
class Outline {
  constructor(page, article) {
    this.places = page.outline.map((heading) => ({ heading, at: elementAt(article, heading.line) })).filter((one) => one.at);
    this.buttons = this.places.map(({ heading }, index) =>
      h("button", { class: "quiet", type: "button", onclick: () => this.open(index) }, heading.text || "…"));
    const least = Math.min(...page.outline.map((heading) => heading.level));
    const items = this.places.map(({ heading }, index) => h("li", { class: `level${Math.min(4, heading.level - least + 1)}` }, this.buttons[index]));
    this.element = this.places.length < 2 ? "" : h("nav", { class: "contents", "aria-label": "Outline" },
      h("h2", {}, page.kind === "pages" ? "Pages" : page.kind === "turns" ? "Turns" : page.kind === "table" ? "Sheets" : "Outline"), h("ul", { class: "outline" }, items));
    addEventListener("scroll", this.follow, { passive: true });
    for (const moved of MOVED) addEventListener(moved, this.forget, { passive: true });
    requestAnimationFrame(this.follow);
  }

  end = () => {
    removeEventListener("scroll", this.follow);
    for (const moved of MOVED) removeEventListener(moved, this.forget);
  };

  /** Go to a heading. The page takes a while to scroll there: until then, and at its end, this is where one is. */
  open(index) {
    const element = this.places[index].at;
    this.aimed = index;
    element.scrollIntoView({ block: "start" });
    element.setAttribute("tabindex", "-1");
    element.focus({ preventScroll: true });
  }

  forget = () => {
    this.aimed = undefined;
  };

  /** The last heading that is at the top of the screen, below the header, or above; -1 for none. */
  get reached() {
    return this.places.findLastIndex(({ at }) => at.getBoundingClientRect().top < 90);
  }

  follow = () => {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = 0;
      const now = Math.max(0, this.reached);
      if (now === this.shown) return;
      this.buttons[this.shown]?.removeAttribute("aria-current");
      this.shown = now;
      const button = this.buttons[now];
      button?.setAttribute("aria-current", "true");
      const list = button?.closest("ul");
      if (list && list.scrollHeight > list.clientHeight) list.scrollTop = button.offsetTop - list.clientHeight / 2;
    });
  };

  step(by) {
    if (!this.places.length) return;
    const now = this.aimed ?? this.reached;
    this.open(Math.max(0, Math.min(this.places.length - 1, now + by)));
  }
}

/** Give headings that skip a level the next one, for people who go from heading to heading. */
function orderHeadings(article, above) {
  for (const heading of article.querySelectorAll("h1, h2, h3, h4, h5, h6")) {
    const own = Number(heading.localName[1]);
    above = Math.min(own, above + 1);
    if (above < own) heading.setAttribute("aria-level", above);
  }
}

function propertiesOf(page) {
  const entries = Object.entries(page.properties).filter(([key]) => key !== "tags");
  if (!entries.length) return "";
  return h("section", {}, h("h2", {}, "Properties"), h("dl", { class: "properties" },
    entries.map(([key, value]) => h("div", {}, h("dt", {}, key), h("dd", {}, value)))));
}

function backlinksOf(page) {
  if (!page.backlinks.length) return "";
  const more = page.backlink_count - page.backlinks.length;
  return h("section", {}, h("h2", {}, count(page.backlink_count, "backlink")),
    h("ul", { class: "notes" }, page.backlinks.map((link) => h("li", {},
      h("a", { href: noteAddress(link.path, { lines: link.line }) }, link.title), sentenceOf(link)))),
    more ? h("p", { class: "where" }, `and ${more.toLocaleString("en")} more`) : "");
}

/** Return the sentence of a backlink, with the link marked. */
function sentenceOf({ text, label }) {
  const at = label ? text.indexOf(label) : -1;
  if (at < 0) return h("span", {}, plain(text));
  return h("span", {}, plain(text.slice(0, at)), h("b", {}, label), plain(text.slice(at + label.length)));
}

function showMissing(place, path, error) {
  const name = path.split("/").at(-1).replace(/\.\w+$/, "");
  document.title = `${name} · Notewell`;
  announce(error.message);
  fill(place, h("section", { class: "problem" },
    h("h1", {}, error.message.replace(/:\d+(-\d+)?'$/, "'")), h("p", {}, sentence(error.hint ?? "")),
    h("p", {}, "It may have been moved, renamed or deleted, or it is not indexed yet."),
    h("p", {}, h("a", { href: address("/search", { text: name }) }, `Search for “${name}”`))));
  return undefined;
}

export const noteView = new Note();
