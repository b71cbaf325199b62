// How far the encoder is, and the button that pauses it.

import { ask } from "/web/api.js";
import { announce, count, fill, h, sentence } from "/web/dom.js";

// Milliseconds between two requests for the progress, while there is any.
const LOOK = 2000;

export class Encoder {
  constructor() {
    this.element = h("section", { class: "encoder", "aria-label": "Progress" });
    this.timer = setInterval(() => this.active && !document.hidden && this.refresh(), LOOK);
  }

  end() {
    clearInterval(this.timer);
  }

  async refresh() {
    try {
      this.draw(await ask("/health"));
    } catch (error) {
      this.fail(error);
    }
  }

  draw({ filling, paused }) {
    const total = filling.filled + filling.unread + filling.left;
    this.active = Boolean(filling.encoder) && filling.left > 0;
    this.paused = paused;
    if (!filling.encoder || !total) {
      fill(this.element);
      return;
    }
    const done = total - filling.left;
    // The button keeps the focus while the numbers around it change.
    const button = this.element.querySelector("button") ?? h("button", { onclick: () => this.turn() });
    button.textContent = paused ? "Resume" : "Pause";
    const said = h("p", {}, `${filling.encoder.split("/")[0]} has encoded ${done.toLocaleString("en")} of ${count(total, "passage")}. ${stateOf(filling, paused)}.`);
    if (button.isConnected && filling.left && !filling.problem) {
      this.element.querySelector("p").replaceWith(said);
      Object.assign(this.element.querySelector("progress"), { max: total, value: done });
      return;
    }
    fill(this.element, h("h2", {}, "Improving results in the background"), said,
      filling.left ? h("progress", { max: total, value: done, "aria-label": "Encoded passages" }) : "",
      filling.problem ? h("p", { class: "error" }, sentence(filling.problem)) : "", filling.left ? button : "");
  }

  async turn() {
    const { paused } = this;
    try {
      await ask(paused ? "/resume" : "/pause", { method: "POST" });
      await this.refresh();
      announce(paused ? "Resumed" : "Paused");
    } catch (error) {
      this.fail(error);
    }
  }

  fail(error) {
    fill(this.element, h("p", { class: "error", role: "alert" }, sentence(`${error.message}. ${error.hint ?? ""}`)));
  }
}

function stateOf({ left, under_way: underWay }, paused) {
  if (!left) return "Done";
  if (paused) return "Paused";
  return underWay ? "Working" : "Waiting";
}
