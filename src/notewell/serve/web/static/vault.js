// The state of the vault, in sections: one file for each.

import { ask } from "/web/api.js";
import { announce, fill, h } from "/web/dom.js";
import { Encoder } from "/web/encoder.js";
import { Facts } from "/web/facts.js";
import { Findings } from "/web/findings.js";
import { Queue } from "/web/queue.js";

// A section has an `element`, and `refresh(status)`, which gets a promise of `/status` and fills the element; the view
// waits for that of the first section. `end()`, if there is one, stops its timers. A section calls the function that it
// is made with when it has changed the vault.
const SECTIONS = [Facts, Encoder, Queue, Findings];

class Vault {
  keys = [];

  async show(place) {
    document.title = "Vault · Notewell";
    this.sections = SECTIONS.map((Section) => new Section(() => this.load()));
    await this.load();
    fill(place, h("div", { class: "vault" }, h("h1", {}, "Your vault"), this.sections.map((one) => one.element)));
    return () => this.sections.forEach((one) => one.end?.());
  }

  /** Show everything anew, also after a server was gone; whatever fails then is said above. */
  refresh() {
    this.load().catch((error) => announce(error.message));
  }

  /** Fill all sections; settled when the first one is there. */
  load() {
    const status = ask("/status");
    return this.sections.map((one) => one.refresh(status))[0];
  }
}

export const vaultView = new Vault();
