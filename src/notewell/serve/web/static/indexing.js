// The first indexing of a vault: shown below the header until it is done, whatever view is open.

import { ask } from "/web/api.js";
import { announce, count, fill, h, sentence } from "/web/dom.js";

// Milliseconds between two questions about the progress.
const LOOK = 500;

export class Indexing {
  /** `changed` is called when there is more to find: after the first notes, and after the last. */
  constructor(place, changed) {
    this.place = place;
    this.changed = changed;
    this.watching = false;
    this.finished = false;
  }

  /** Show the progress as long as there is any; asking again meanwhile changes nothing. */
  async watch() {
    if (this.watching || this.finished) return;
    this.watching = true;
    let before = null;
    try {
      while (true) {
        const now = await ask("/progress");
        if (before && (now.indexed !== before.indexed || (now.finished && !before.finished))) this.changed();
        this.draw(now);
        this.finished = now.finished;
        if (now.finished || now.problem || (now.indexed && !now.run)) break;
        before = now;
        await new Promise((go) => setTimeout(go, LOOK));
      }
      if (before && !this.place.childElementCount) announce("Your notes are indexed");
    } catch {
      // The server is gone, or wants a token: the view says so.
      fill(this.place);
    }
    this.watching = false;
  }

  draw({ indexed, finished, run, problem }) {
    if (problem && !finished) fill(this.place, h("p", { class: "error", role: "alert" }, sentence(problem)));
    else if (finished || !run) fill(this.place);
    else {
      this.place.firstElementChild?.matches(".first") || fill(this.place, firstFace());
      const [said, bar] = this.place.firstElementChild.children;
      said.textContent = progressOf(run, indexed);
      if (run.total) Object.assign(bar, { max: run.total, value: run.done });
    }
  }
}

function firstFace() {
  return h("div", { class: "first" }, h("p", {}), h("progress", { "aria-label": "Indexing your notes" }));
}

function progressOf({ done, total }, indexed) {
  if (!total) return "Indexing your notes for the first time …";
  if (done >= total) return `${count(total, "note")} read; now their links …`;
  const searchable = indexed ? " You can search those already." : "";
  return `Indexing your notes for the first time: ${done.toLocaleString("en")} of ${total.toLocaleString("en")}.${searchable}`;
}
