// Search as you type: results by note on the left, the selected one on the right.

import { address, ask, noteAddress, send } from "/web/api.js";
import { chips, choices, written } from "/web/chips.js";
import { announce, count, fill, h, sentence } from "/web/dom.js";
import { knownOf } from "/web/known.js";
import { groupsOf, resultOf } from "/web/results.js";
import { Preview } from "/web/preview.js";
import { forget, recent, remember } from "/web/recent.js";

// Hits that come with each letter: a screen of notes. More follow where the list ends within the window.
const PAGE = 10;
// Notes that the start shows, and those that they are chosen from: a search has other reasons than days, too.
const NEWEST = 8;
const DATED = 50;
// Hits up to which more are fetched without a click.
const BY_ITSELF = 100;
// The most hits that a search returns, as the server has it.
const MOST = 1000;
// Milliseconds before a search looks for changed files again; not every letter needs that.
const LOOK_AGAIN = 3000;
// Milliseconds after which an unchanged query counts as meant, and is remembered.
const MEANT = 1500;
// Milliseconds without a letter, after which the address follows, and a list that is too short fetches more. A browser
// loads and draws the icon of a page again whenever its address changes.
const SETTLED = 250;
const WORD = /^\p{L}{2,14}$/u;
// Notices that name an option of other surfaces; here it is a button.
const HIDDEN = ["weak_hidden", "only_weak"];

class Search {
  keys = [["↑ ↓", "Select a note"], ["↵", "Open it"], ["Shift ↵", "Open it in a new tab"], ["Esc", "Clear the search"]];

  show(place, url, go, { back = false } = {}) {
    const text = url.searchParams.get("text") ?? "";
    const { limit, all, path } = back && this.left?.text === text.trim() ? this.left : { limit: PAGE, all: false, path: null };
    Object.assign(this, { go, limit, all, return: path, groups: [], selected: -1, looked: -Infinity, asked: null, timers: [], follows: 0, here: location.href });
    this.box = h("input", {
      type: "search", value: text, "data-search": true, "aria-label": "Search your notes", "aria-describedby": "hint",
      placeholder: "Search your notes", dir: "auto", autocomplete: "off", spellcheck: "false", enterkeyhint: "search",
      oninput: () => this.typed(), onchange: () => this.writeAddress(), onkeydown: (event) => this.pressed(event),
    });
    this.notices = h("div", { class: "notices" });
    this.list = h("ol", { class: "results", "aria-label": "Results" });
    this.known = h("div");
    this.more = h("p", { class: "more" });
    // The end of the list is on the screen: the reader has got there, or a note that the query names took all places.
    this.end = new IntersectionObserver(([end]) => end.isIntersecting && this.later(() => this.showMore(), SETTLED));
    this.preview = new Preview(go);
    this.chips = chips(this.box, () => this.typed({ settled: true }));
    fill(place, h("div", { class: "search" }, h("h1", { class: "unseen" }, "Search your notes"),
      h("form", { role: "search", onsubmit: (event) => event.preventDefault() }, this.box, this.chips.element),
      h("div", { class: "columns" }, h("div", {}, this.notices, this.known, this.list, this.more), this.preview.element)));
    this.box.focus();
    this.box.setSelectionRange(text.length, text.length);
    const searched = this.search();
    return () => {
      this.left = { text: this.text, limit: this.limit, all: this.all, path: this.groups[this.selected]?.path };
      this.asked?.abort();
      this.rest();
      // A form that asks for the token leads back here; other views have their address by now.
      if (location.href === this.here) this.writeAddress();
      clearTimeout(this.follows);
      this.follows = 0;
      this.end.disconnect();
      this.preview.end();
      return searched;
    };
  }

  /** Search again, and offer the filters that the vault has now. */
  refresh() {
    this.chips.load(true);
    this.looked = -Infinity;
    this.search();
  }

  get text() {
    return this.box.value.trim();
  }

  typed({ settled = false } = {}) {
    Object.assign(this, { limit: PAGE, all: false, return: null, typing: true });
    this.search();
    clearTimeout(this.follows);
    this.follows = setTimeout(() => this.writeAddress(), SETTLED);
    if (settled) this.writeAddress();
  }

  /** Let the address say what is searched for, if it does not yet; at the latest before somebody goes on from here. */
  writeAddress() {
    if (!this.follows) return;
    clearTimeout(this.follows);
    this.follows = 0;
    this.go(this.text ? address("/search", { text: this.text }) : "/", { replace: true, quiet: true });
    this.here = location.href;
  }

  async search({ keep = false } = {}) {
    this.asked?.abort();
    this.rest();
    this.chips.read();
    document.title = this.text ? `${this.text} · Notewell` : "Notewell";
    if (!this.text) {
      this.showStart();
      return;
    }
    const { signal } = (this.asked = new AbortController());
    this.list.setAttribute("aria-busy", "true");
    const now = performance.now();
    const refresh = now - this.looked > LOOK_AGAIN;
    const asked = { text: this.text, limit: this.limit, all: this.all || null, refresh };
    try {
      const response = await send(address("/search", asked), { signal });
      const found = await response.json();
      // A search that was stopped did not look for changed files.
      if (refresh) this.looked = now;
      this.showFound(found, response.headers.get("notewell-notices").split(","), keep);
    } catch (error) {
      // A newer search is under way.
      if (error.name === "AbortError") return;
      // A vault that is being indexed is no mistake: the search comes again by itself.
      const waits = error.status === 503 ? {} : { class: "error", role: "alert" };
      // A server that is gone is said above.
      fill(this.notices, error.status === 0 ? "" : h("p", waits, sentence(`${error.message}. ${error.hint ?? ""}`)));
    }
    this.list.setAttribute("aria-busy", "false");
    this.later(() => remember(this.text), MEANT);
  }

  /** Do something unless another letter is typed until then. */
  later(act, milliseconds) {
    this.timers.push(setTimeout(act, milliseconds));
  }

  rest() {
    for (const timer of this.timers.splice(0)) clearTimeout(timer);
  }

  /** Show the notes that were found; more of the same search `keep` what is selected. */
  showFound(found, codes, keep) {
    const before = keep ? this.groups[this.selected]?.path : this.return;
    const rows = new Map(keep ? this.groups.map((group, place) => [group.path, this.list.children[place]]) : []);
    this.groups = groupsOf(found.hits);
    const selected = Math.max(this.groups.findIndex((group) => group.path === before), this.groups.length ? 0 : -1);
    const notices = found.notices.filter((_, place) => !HIDDEN.includes(codes[place]));
    fill(this.notices, notices.map((notice) => h("p", {}, sentence(notice))));
    // A note that is there already stays as it is: somebody may be reading why it was found.
    fill(this.list, this.groups.map((group, place) => rows.get(group.path) ?? resultOf(group, {
      query: found.query, like: () => this.likeThis(group), select: (event) => this.touched(place, event),
    })));
    // A duplicate that is folded into another hit took one of the places.
    const more = found.hits.reduce((sum, hit) => sum + 1 + hit.also.length, 0) >= this.limit;
    fill(this.more, more && this.limit < MOST ? h("button", { onclick: () => this.showMore() }, "Show more") : "",
      more && this.limit >= MOST ? h("span", { class: "where" }, `These are the best ${count(MOST, "hit")}. Add a word or a filter to see others.`) : "",
      found.hidden ? h("button", { onclick: () => this.showWeak() }, `Show ${count(found.hidden, "weaker result")}`) : "");
    const nothing = this.groups.length ? "" : h("p", { class: "nothing" }, `Nothing found for “${found.query}”.`);
    if (nothing) this.notices.prepend(nothing);
    announce(this.groups.length ? `${count(this.groups.length, "note")} found` : "Nothing found");
    // Back from a note that was far down the list, one is there again.
    this.select(selected, { scroll: Boolean(this.return) });
    Object.assign(this, { typing: false, return: null });
    fill(this.known, knownOf(found.entities));
    this.end.disconnect();
    if (more && this.limit < BY_ITSELF) this.end.observe(this.more);
  }

  showStart() {
    this.groups = [];
    this.selected = -1;
    this.preview.clear();
    fill(this.more);
    fill(this.known);
    fill(this.list);
    this.list.setAttribute("aria-busy", "false");
    const [syntax, topics, newest] = [h("section", {}, syntaxOf()), h("section"), h("section", { class: "newest" })];
    fill(this.notices, h("div", { class: "start" }, this.recentQueries(), syntax, topics, newest));
    this.showVault(syntax, topics, newest);
  }

  recentQueries() {
    const texts = recent();
    if (!texts.length) return "";
    return h("section", { class: "recent" }, h("h2", {}, "Recent"),
      h("ul", {}, texts.map((text) => h("li", {}, h("a", { href: address("/search", { text }) }, text)))),
      h("button", { class: "quiet", onclick: () => { forget(); this.showStart(); } }, "Forget them"));
  }

  /** Show the newest notes, and examples from the vault itself: a moment later than the rest, in one step. */
  async showVault(syntax, topics, newest) {
    const { signal } = (this.asked = new AbortController());
    const dated = ask(address("/search", { text: "after:1970", limit: DATED, refresh: false }), { signal });
    // Only what this view cannot do without is said.
    const [found, { hits }] = await Promise.all([choices().catch(() => ({ topics: [] })), dated.catch(() => ({ hits: [] }))]);
    fill(syntax, syntaxOf(found));
    fill(topics, topicsOf(found));
    fill(newest, newestOf(hits));
  }

  showMore() {
    this.limit = Math.min(MOST, this.limit * 3);
    this.search({ keep: true });
  }

  showWeak() {
    this.all = true;
    this.search();
  }

  likeThis(group) {
    this.go(address("/search", { text: `like:"${group.path}"` }));
  }

  select(place, { scroll = true } = {}) {
    this.list.children[this.selected]?.removeAttribute("aria-current");
    this.selected = place;
    const shown = this.list.children[place];
    shown?.setAttribute("aria-current", "true");
    if (scroll) {
      shown?.scrollIntoView({ block: "nearest" });
      const group = this.groups[place];
      if (group) announce(`${place + 1} of ${this.groups.length}: ${group.title}`);
    }
    this.preview.show(this.groups[place]?.hits[0], { typed: this.typing });
  }

  /** Select a note that was clicked on; without a preview beside it, open it. */
  touched(place, { target }) {
    this.select(place, { scroll: false });
    if (this.preview.element.offsetParent || target.closest("a, button, summary, .why")) return;
    // Whoever marks words wants to copy them.
    if (getSelection().isCollapsed) this.go(this.list.children[place].querySelector("a.title").href);
  }

  pressed(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && this.groups.length) {
      event.preventDefault();
      this.select(Math.max(0, Math.min(this.groups.length - 1, this.selected + step)));
    } else if (event.key === "Enter" && this.groups[this.selected]) {
      event.preventDefault();
      this.writeAddress();
      remember(this.text);
      const { href } = this.list.children[this.selected].querySelector("a.title");
      if (event.shiftKey || event.metaKey || event.ctrlKey) window.open(href, "_blank", "noopener");
      else this.go(href);
    } else if (event.key === "Escape" && this.box.value) {
      event.preventDefault();
      this.box.value = "";
      this.typed({ settled: true });
    }
  }
}

/** Return the notes of some hits, the newest first. */
function newestOf(hits) {
  const byDay = groupsOf(hits).map((group) => group.hits[0]).sort((one, other) => other.date.localeCompare(one.date));
  const rows = byDay.slice(0, NEWEST).map((hit) => h("li", {}, h("a", { href: noteAddress(hit.path) }, hit.title || hit.path), h("time", { datetime: hit.date }, hit.date)));
  return rows.length ? [h("h2", {}, "Newest notes"), h("ul", {}, rows)] : [];
}

/** Return the notes that many others link to, as searches to begin with. */
function topicsOf({ topics }) {
  if (!topics.length) return [];
  return [h("h2", {}, "Most linked notes"), h("ul", {}, topics.map((text) => h("li", {}, h("a", { href: address("/search", { text }) }, text))))];
}

/** Return the query language by examples, with values of the vault where it has some. */
function syntaxOf(found = {}) {
  const { tags = [], folders = [], properties = {} } = found;
  // A word says more than a value that has to be quoted.
  const [[key, value] = ["status", "open"]] = Object.entries(properties).flatMap(([name, values]) => values.filter((one) => WORD.test(one)).map((one) => [name, one]));
  const rows = [
    ['"as written"', "a phrase"],
    ["-word", "without this word"],
    ["auth*", "words that begin with auth"],
    [written("tag", tags[0] ?? "bees"), "notes with this tag"],
    [written("path", folders[0] ?? "Garden"), "notes in this folder"],
    ["after:30d", "notes of the last 30 days"],
    [written(key, value), "notes with this property"],
  ];
  return [h("h2", {}, "How to search"), h("dl", { class: "syntax", id: "hint" },
    rows.map(([sign, what]) => h("div", {}, h("dt", {}, h("code", {}, sign)), h("dd", {}, what))))];
}

export const searchView = new Search();
