// What is indexed, and the button that indexes.

import { lines, send } from "/web/api.js";
import { announce, count, fill, h, sentence } from "/web/dom.js";
import { ago, dayAndTime, size } from "/web/figures.js";

export class Facts {
  constructor(changed) {
    this.element = h("section", { class: "state", "aria-label": "What is indexed" });
    this.changed = changed;
  }

  async refresh(status) {
    const found = await status;
    const counted = [["Notes", found.notes], ["Passages", found.chunks], ["Links", found.links], ["Tags", found.tags]];
    const at = found.indexed_at ? h("time", { datetime: found.indexed_at, title: dayAndTime(found.indexed_at) }, ago(found.indexed_at)) : "never";
    const facts = [...counted.map(([name, number]) => [name, number.toLocaleString("en")]), ["Store", size(found.store_bytes)], ["Indexed", at]];
    fill(this.element,
      h("p", { class: "where" }, found.vault),
      h("dl", { class: "facts" }, facts.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))),
      h("p", { class: "fresh" }, stateOf(found),
        h("button", { onclick: () => this.index() }, "Index now")));
  }

  async index() {
    const bar = h("progress", { "aria-label": "Indexing" });
    const said = h("p", {}, "Indexing …");
    fill(this.element, said, bar);
    try {
      for await (const line of lines(await send("/reload", { method: "POST" }))) {
        if (line.error) throw new Error(`${line.error}. ${line.hint}`);
        if ("total" in line) Object.assign(bar, { max: line.total || 1, value: line.done });
        if ("total" in line) said.textContent = `Indexing: ${line.done.toLocaleString("en")} of ${count(line.total, "file")}`;
      }
      await this.changed();
      announce("Indexed");
    } catch (error) {
      fill(this.element, h("p", { class: "error", role: "alert" }, sentence(error.message)), h("button", { onclick: () => this.index() }, "Try again"));
    }
  }
}

function stateOf({ stale, indexed_at: at }) {
  if (!at) return "Nothing is indexed yet.";
  return stale ? `${count(stale, "changed file")} not indexed yet.` : "Everything is indexed.";
}
