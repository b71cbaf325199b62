// The graph: the notes around one, or the whole vault by communities; the server has computed every position.

import { address, ask, noteAddress } from "/web/api.js";
import { Camera, steer } from "/web/camera.js";
import { announce, count, fill, h } from "/web/dom.js";
import { NoteMap } from "/web/notemap.js";
import { COLOURS } from "/web/palette.js";
import { Picture } from "/web/picture.js";

// How near a pointer has to be to a note, in pixels.
const NEAR = 14;
const LISTED = 12;
const MATCHES = 50;
const TYPED = 150;

class Graph {
  keys = [["← ↑ → ↓", "Move the map"], ["+ −", "Zoom"], ["0", "Show everything"], ["↵", "Open the highlighted note"]];

  async show(place, url, go) {
    loadStyle();
    const turn = this.turn = (this.turn ?? 0) + 1;
    const note = url.searchParams.get("note") ?? "";
    const hops = Number(url.searchParams.get("hops") ?? 2);
    document.title = "Graph · Notewell";
    fill(place, h("p", { class: "waiting" }, "Loading the map…"));
    const data = await ask(address("/graph/map", { note, hops: note ? hops : "" }));
    performance.mark("graph-data");
    // The user may have left meanwhile, perhaps for another map.
    if (turn !== this.turn || location.pathname !== "/graph") return undefined;
    const face = faceOf(data);
    if (face) {
      fill(place, face);
      return undefined;
    }
    const shown = new Shown(data, hops, go);
    fill(place, shown.element);
    shown.begin();
    shown.lightUp(url.searchParams.get("text") ?? "");
    return () => shown.end();
  }
}

function loadStyle() {
  if (!document.querySelector("link[href='/web/graph.css']")) {
    document.head.append(h("link", { rel: "stylesheet", href: "/web/graph.css" }));
  }
}

/** Return what to show instead of a map that would be empty. */
function faceOf(data) {
  const whole = h("a", { href: "/graph" }, "Show the whole vault");
  if (!data.notes) return faced("This vault has no notes yet", "Add notes to its folder; they appear here once they are indexed.");
  if (data.note && data.paths.length === 1) {
    return faced("This note has no links", "It links to no other note, and no other note links to it.",
      h("p", { class: "ways" }, h("a", { href: noteAddress(data.note) }, "Open the note"), whole));
  }
  if (!data.links.length) {
    return faced("No notes here link to each other", "Write a link as [[Name of a note]]. The map then shows which notes belong together.");
  }
  return null;
}

function faced(title, text, ...more) {
  return h("section", { class: "problem" }, h("h1", {}, title), h("p", {}, text), ...more);
}

class Shown {
  constructor(data, hops, go) {
    Object.assign(this, { data, hops, go, held: -1, matched: null });
    this.map = new NoteMap(data);
    this.camera = new Camera();
    this.canvas = h("canvas", { tabindex: "0", role: "application", "aria-label": this.spoken(), "aria-describedby": "graph-keys" });
    this.picture = new Picture(this.canvas, this.map, this.camera);
    this.card = h("p", { class: "card", hidden: true });
    this.stage = h("div", { class: "stage" }, this.canvas, this.card, this.buttons());
    this.element = h("div", { class: "graph" }, this.stage, this.side());
  }

  begin() {
    steer(this.canvas, this.camera, {
      moved: () => this.picture.moved(),
      hovered: (left, top) => this.hover(this.at(left, top)),
      clicked: (left, top, event) => this.click(this.at(left, top), event),
    });
    this.canvas.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && this.held >= 0) this.go(noteAddress(this.map.paths[this.held]));
      if (event.key === "Escape") this.hover(-1);
    });
    this.watcher = new ResizeObserver(() => this.resize());
    this.watcher.observe(this.stage);
    this.theme = matchMedia("(prefers-color-scheme: dark)");
    this.recolour = () => {
      this.picture.themed();
      this.colourSide();
    };
    this.theme.addEventListener("change", this.recolour);
    this.colourSide();
  }

  end() {
    this.watcher.disconnect();
    this.theme.removeEventListener("change", this.recolour);
    this.asked?.abort();
    clearTimeout(this.timer);
    this.picture.end();
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.stage;
    if (!width || !height) return;
    const { x, y } = this.map;
    const [left, right, top, bottom] = [Math.min(...ends(x)), Math.max(...ends(x)), Math.min(...ends(y)), Math.max(...ends(y))];
    const bounds = { x: (left + right) / 2, y: (top + bottom) / 2, width: right - left || 0.1, height: bottom - top || 0.1 };
    this.camera.resize(width, height, bounds);
    this.picture.resize(width, height);
  }

  at(left, top) {
    const [x, y] = this.camera.toMap(left, top);
    return this.map.nearest(x, y, NEAR / this.camera.scale);
  }

  /** Light up a note and its neighbours; without one, the matches of the search. */
  hover(at) {
    if (at === this.held) return;
    this.held = at;
    this.canvas.classList.toggle("on", at >= 0);
    if (at < 0) this.picture.light(this.matched);
    else this.picture.light(new Set([at, ...this.map.neighbours(at)]), at);
    this.describe(at);
  }

  describe(at) {
    this.card.hidden = at < 0;
    if (at < 0) return;
    const path = this.map.paths[at];
    fill(this.card, h("a", { href: noteAddress(path) }, this.map.names[at]), h("span", {}, `${count(this.map.neighbours(at).length, "linked note")} here · ${path}`),
      h("a", { href: address("/graph", { note: path }) }, "Around it"));
  }

  click(at, event) {
    if (at < 0) this.hover(-1);
    // A finger cannot hover: its first tap lights up the note, whose name is then a link to it.
    else if (event.pointerType === "touch" && at !== this.held) this.hover(at);
    else if (event.metaKey || event.ctrlKey) open(noteAddress(this.map.paths[at]), "_blank", "noopener");
    else this.go(noteAddress(this.map.paths[at]));
  }

  buttons() {
    const act = (name, label, move) => h("button", { "aria-label": label, title: label, onclick: () => {
      move();
      this.picture.moved();
    } }, name);
    return h("div", { class: "zoom" }, act("+", "Zoom in", () => this.camera.zoom(1.5)), act("−", "Zoom out", () => this.camera.zoom(1 / 1.5)),
      act("⤢", "Show everything", () => this.camera.fit()));
  }

  spoken() {
    const { data } = this;
    const around = data.note ? `around ${this.map.names[this.map.places.get(data.note)]}` : "of the vault";
    return `Map ${around}: ${count(data.paths.length, "note")}, ${count(data.links.length / 2, "link")}. The notes are also listed beside it.`;
  }

  side() {
    this.found = h("ul", { class: "listed", "aria-label": "Notes that match" });
    this.box = h("input", { type: "search", "data-search": true, "aria-label": "Highlight matching notes", placeholder: "Highlight notes…", oninput: () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.search(this.box.value.trim()), TYPED);
    } });
    return h("aside", { class: "beside", "aria-label": "About this map" },
      this.heading(), this.box, this.found, this.notes(), this.legend(),
      h("p", { class: "unseen", id: "graph-keys" }, "Arrow keys move, plus and minus zoom, 0 shows everything."));
  }

  heading() {
    const { data, map } = this;
    if (!data.note) {
      return h("header", {}, h("h1", {}, "The vault"),
        h("p", { class: "where" }, `${count(data.notes, "note")} · ${count(data.links.length / 2, "link")} · ${count(map.communities.length, "community", "communities")}`));
    }
    const hop = (number) => h("a", { href: address("/graph", { note: data.note, hops: number }), "aria-current": number === this.hops ? "true" : null }, number);
    return h("header", {}, h("h1", {}, "Around ", h("a", { href: noteAddress(data.note) }, map.names[map.places.get(data.note)])),
      h("p", { class: "where" }, `${count(data.paths.length, "note")} of ${data.notes.toLocaleString("en")}`, data.left_out ? `, ${data.left_out.toLocaleString("en")} more are as near` : ""),
      h("p", { class: "ways" }, h("span", { class: "hops" }, "Links away ", [1, 2, 3].map(hop)), h("a", { href: "/graph" }, "Whole vault")));
  }

  /** Return the notes with the most standing as links: what the picture shows, for those who do not see it. */
  notes() {
    const { map, data } = this;
    const near = data.note ? [...map.neighbours(map.places.get(data.note))].sort((one, other) => one - other) : [...map.paths.keys()];
    const title = data.note ? count(near.length, "linked note") : "Most linked notes";
    const rows = near.slice(0, data.note ? near.length : LISTED).map((at) => this.row(at));
    return h("section", {}, h("h2", {}, title), h("ul", { class: "listed" }, rows));
  }

  row(at) {
    const path = this.map.paths[at];
    const light = () => {
      this.reveal(at);
      this.hover(at);
    };
    const unlight = () => this.hover(-1);
    const dot = h("i", { class: "dot", "data-community": this.map.community[at] });
    return h("li", { onmouseenter: light, onmouseleave: unlight, onfocusin: light, onfocusout: unlight }, dot,
      h("a", { href: noteAddress(path), title: path }, this.map.names[at]),
      h("a", { class: "quiet", href: address("/graph", { note: path }), "aria-label": `Around ${this.map.names[at]}` }, "around"));
  }

  legend() {
    const { map, data } = this;
    const alone = data.community.filter((number) => number < 0).length;
    const rows = map.communities.slice(0, LISTED).map((one) => h("li", {}, h("i", { class: "dot", "data-community": one.number }),
      h("button", { class: "quiet", onclick: () => this.visit(one), title: `Show ${one.names.join(", ")}` }, one.names.join(", ")), h("span", { class: "number" }, one.size.toLocaleString("en"))));
    const rest = map.communities.length - rows.length;
    return h("section", { class: "legend" }, h("h2", {}, "Communities"), h("ul", { class: "listed" }, rows),
      rest > 0 ? h("p", { class: "where" }, `and ${rest.toLocaleString("en")} smaller`) : "",
      h("p", {}, "Colour: the community, a group of notes that link mostly to each other. It is named after its central notes.", map.communities.length > COLOURS ? " Distant communities may share a colour." : ""),
      h("p", {}, "Size: PageRank. A note is large if many notes, or large ones, link to it."),
      alone ? h("p", {}, `Grey, around the others: ${count(alone, "note")} without links.`) : "");
  }

  colourSide() {
    for (const dot of this.element.querySelectorAll(".dot")) dot.style.background = this.picture.colourOf(Number(dot.dataset.community));
  }

  /** Tell whether a note is on the part of the map that is shown. */
  isShown(at) {
    const [left, top] = this.camera.toScreen(this.map.x[at], this.map.y[at]);
    return left > 0 && top > 0 && left < this.camera.width && top < this.camera.height;
  }

  /** Move the map so that a note is on it. */
  reveal(at) {
    if (this.isShown(at)) return;
    Object.assign(this.camera, { x: this.map.x[at], y: this.map.y[at] });
    this.picture.moved();
  }

  visit(one) {
    this.camera.show(one.x, one.y, one.reach);
    this.picture.moved();
  }

  /** Light up what the address asks for, such as the notes that name an entity. */
  lightUp(text) {
    this.box.value = text;
    if (text) this.search(text);
  }

  async search(text) {
    this.asked?.abort();
    this.asked = new AbortController();
    if (!text) return this.match(null, "");
    try {
      const found = await ask(address("/search", { text, limit: MATCHES }), { signal: this.asked.signal });
      const here = found.hits.map((hit) => this.map.places.get(hit.path)).filter((at) => at !== undefined);
      return this.match(new Set(here), `${count(new Set(here).size, "note")} highlighted`);
    } catch (error) {
      if (error.name !== "AbortError") this.match(new Set(), `${error.message}. ${error.hint ?? ""}`);
      return undefined;
    }
  }

  match(notes, said) {
    this.matched = notes;
    this.held = -1;
    this.picture.light(notes);
    // Lit up where nobody looks, a note is not found.
    if (notes?.size && this.camera.bounds && ![...notes].some((at) => this.isShown(at))) {
      this.camera.fit();
      this.picture.moved();
    }
    announce(said);
    fill(this.found, said ? h("li", { class: "where" }, said) : "", [...notes ?? []].slice(0, LISTED).map((at) => this.row(at)));
    this.colourSide();
  }
}

/** Return the least and greatest of many numbers. */
function ends(numbers) {
  let [least, most] = [Infinity, -Infinity];
  for (const one of numbers) [least, most] = [Math.min(least, one), Math.max(most, one)];
  return [least, most];
}

export const graphView = new Graph();
