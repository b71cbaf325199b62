// The review queue: tick, decline, apply with its result, and undo. The same boxes stand in a note of the vault.

import { ask, noteAddress } from "/web/api.js";
import { announce, count, fill, h, sentence } from "/web/dom.js";

const KINDS = { tag: "Tags", link: "Broken links", duplicate: "Near-duplicates", intake: "New" };
// What a proposal's text has in it: code, a note, an address.
const PARTS = /(`[^`]+`|\[\[[^\]]+\]\]|\[[^\]]+\]\(https?:\/\/[^\s)]+\))/;

export class Queue {
  constructor(changed) {
    this.element = h("section", { class: "queue", "aria-label": "Review queue" });
    this.changed = changed;
    // What was chosen here and is not applied yet, by the ids of proposals.
    this.ticks = new Map();
    this.declined = new Set();
    this.result = "";
  }

  async refresh() {
    try {
      this.show(await ask("/queue"));
    } catch (error) {
      fill(this.element, h("h2", {}, "Review queue"), problem(error));
    }
  }

  show({ items, path }) {
    this.items = items;
    // Domains may have queues of their own.
    const notes = [...new Set(items.map(({ queue }) => queue ?? path))];
    const links = notes.flatMap((note, at) => [at ? ", " : "", h("a", { href: noteAddress(note) }, note)]);
    const ids = new Set(items.map(({ id }) => id));
    for (const id of this.ticks.keys()) if (!ids.has(id)) this.ticks.delete(id);
    for (const id of this.declined) if (!ids.has(id)) this.declined.delete(id);
    this.apply = h("button", { onclick: () => this.promote() }, "Apply");
    const look = h("button", { onclick: (event) => this.send(event.target, "/review", {}) }, "Find proposals");
    const groups = Object.entries(KINDS).map(([kind, name]) => {
      const rows = items.filter((item) => item.kind === kind).map((item) => this.row(item));
      return rows.length ? h("fieldset", {}, h("legend", {}, name), rows) : "";
    });
    const focused = this.result && this.result === document.activeElement;
    fill(this.element, h("h2", {}, "Review queue"), this.result,
      h("p", { class: "where" }, items.length ? ["Also in ", ...links] : "No proposals."),
      groups, h("p", { class: "fresh" }, items.length ? this.apply : "", look));
    // What is moved loses the focus.
    if (focused) this.result.focus();
    this.mark();
  }

  row(item) {
    const box = h("input", { type: "checkbox", id: `tick-${item.id}`, onchange: () => this.tick(item, box.checked) });
    const decline = h("button", { onclick: () => this.decline(item), "aria-label": `Decline: ${plain(item.text)}` }, "Decline");
    const row = h("div", { class: "proposal" }, box, h("label", { for: box.id }, shown(item.text)), decline);
    Object.assign(item, { box, decline, row });
    return row;
  }

  tick(item, ticked) {
    this.ticks.set(item.id, ticked);
    this.declined.delete(item.id);
    this.mark();
  }

  decline(item) {
    if (!this.declined.delete(item.id)) this.declined.add(item.id);
    if (this.declined.has(item.id)) this.ticks.set(item.id, false);
    this.mark();
  }

  /** Show what is chosen, without making the rows anew, so that the focus stays. */
  mark() {
    for (const item of this.items) {
      const declined = this.declined.has(item.id);
      item.box.checked = this.isTicked(item);
      item.decline.setAttribute("aria-pressed", String(declined));
      item.row.classList.toggle("declined", declined);
    }
    const ticked = this.items.filter((item) => this.isTicked(item)).length;
    const said = [ticked && `apply ${ticked}`, this.declined.size && `decline ${this.declined.size}`].filter(Boolean).join(", ");
    this.apply.disabled = !said;
    this.apply.textContent = said ? said[0].toUpperCase() + said.slice(1) : "Apply";
  }

  isTicked(item) {
    return this.ticks.get(item.id) ?? item.ticked;
  }

  promote() {
    const chosen = (wanted) => [...this.ticks].filter(([, ticked]) => ticked === wanted).map(([id]) => id);
    const decline = [...this.declined];
    return this.send(this.apply, "/promote", { tick: chosen(true), untick: chosen(false).filter((id) => !this.declined.has(id)), decline });
  }

  async send(button, address, body) {
    const label = button.textContent;
    Object.assign(button, { disabled: true, textContent: "Working …" });
    try {
      const found = await ask(address, { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } });
      this.result = address === "/review" ? said(found) : this.report(found, body.undo);
      // A failure keeps what was chosen.
      if (address !== "/review") { this.ticks.clear(); this.declined.clear(); }
      await this.refresh();
      announce(this.result.querySelector("p").firstChild.textContent);
      // The button that was pressed is another one now.
      this.result.focus();
      if (address !== "/review") this.changed();
    } catch (error) {
      Object.assign(button, { disabled: false, textContent: label });
      this.element.querySelector("[role=alert]")?.remove();
      this.element.append(problem(error));
    }
  }

  report({ done, left, notices }, undone) {
    const undo = done.length && !undone ? h("button", { onclick: (event) => this.send(event.target, "/promote", { undo: true }) }, "Undo") : "";
    return h("div", { class: "outcome", tabindex: "-1" },
      h("p", {}, `${count(done.length, "proposal")} ${undone ? "taken back" : "applied"}. `, undo),
      left.length ? h("ul", {}, left.map(({ path, reason }) => h("li", {}, `${path}: ${reason}`))) : "",
      notices.map((notice) => h("p", {}, notice)));
  }
}

function said({ items, new: found, notices }) {
  return h("div", { class: "outcome", tabindex: "-1" }, h("p", {}, `${count(items.length, "proposal")}, ${found} new.`), notices.map((notice) => h("p", {}, notice)));
}

function problem(error) {
  return h("p", { class: "error", role: "alert" }, sentence(`${error.message}. ${error.hint ?? ""}`));
}

/** Return a proposal's text as elements: code, links to notes, links to the web. */
function shown(text) {
  return text.split(PARTS).map((part) => {
    if (part.startsWith("`")) return h("code", {}, part.slice(1, -1));
    if (part.startsWith("[[")) return linkTo(part.slice(2, -2));
    const web = /^\[(.+)\]\((https?:.+)\)$/.exec(part);
    return web ? h("a", { href: web[2], rel: "noopener noreferrer", target: "_blank" }, web[1]) : part;
  });
}

function linkTo(name) {
  return h("a", { href: noteAddress(/\.(md|markdown)$/.test(name) ? name : `${name}.md`) }, name);
}

function plain(text) {
  return text.replaceAll(/[`[\]]/g, "");
}
