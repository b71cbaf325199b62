// A server that is gone: said below the header until it is back, and then the view goes on.

import { announce, fill, h } from "/web/dom.js";

// Milliseconds between two attempts to reach it.
const AGAIN = 2000;

export class Connection {
  /** `back` is called when the server answers again. */
  constructor(place, back) {
    this.place = place;
    this.back = back;
    this.timer = 0;
    addEventListener("notewell-gone", () => this.lost());
  }

  lost() {
    if (this.timer) return;
    fill(this.place, h("p", { class: "error", role: "alert" }, "The server does not answer. Start it again with ", h("code", {}, "notewell serve"), "; this page then continues by itself."));
    this.timer = setInterval(() => document.hidden || this.look(), AGAIN);
  }

  async look() {
    // Any answer will do, also that of a server which wants a token.
    if (!await fetch("/health", { headers: { accept: "application/json" } }).catch(() => null)) return;
    clearInterval(this.timer);
    this.timer = 0;
    fill(this.place);
    announce("The server is back");
    this.back();
  }
}
