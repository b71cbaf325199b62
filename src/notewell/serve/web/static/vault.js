// The state of the vault: what is indexed, background work, and problems in notes.

import { address, ask, lines, noteAddress, send } from "/web/api.js";
import { announce, count, fill, h } from "/web/dom.js";

// Milliseconds between two requests for the progress, while there is any.
const LOOK = 2000;
const SHOWN = 50;

class Vault {
  keys = [];

  async show(place) {
    document.title = "Vault · Notewell";
    this.progress = h("section", { "aria-label": "Progress" });
    this.state = h("section", {});
    this.findings = h("section", {});
    const frame = h("div", { class: "vault" }, h("h1", {}, "Your vault"), this.state, this.progress, this.findings);
    await this.showState();
    fill(place, frame);
    this.showFindings();
    this.timer = setInterval(() => document.hidden || this.look(), LOOK);
    return () => clearInterval(this.timer);
  }

  async showState() {
    const [status, health] = await Promise.all([ask("/status"), ask("/health")]);
    this.status = status;
    const facts = [
      ["Notes", status.notes.toLocaleString("en")], ["Passages", status.chunks.toLocaleString("en")],
      ["Links", status.links.toLocaleString("en")], ["Tags", status.tags.toLocaleString("en")],
      ["Store", size(status.store_bytes)], ["Indexed", status.indexed_at ? when(status.indexed_at) : "never"],
    ];
    fill(this.state,
      h("p", { class: "where" }, status.vault),
      h("dl", { class: "facts" }, facts.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))),
      h("p", {}, status.stale ? `${count(status.stale, "changed file")} not indexed yet. ` : "Everything is indexed. ",
        h("button", { onclick: () => this.index() }, "Index now")));
    this.showProgress(health);
  }

  async look() {
    if (!this.active) return;
    try {
      this.showProgress(await ask("/health"));
    } catch (error) {
      fill(this.progress, h("p", { class: "error" }, `${error.message}. ${error.hint ?? ""}`));
    }
  }

  showProgress({ filling, paused }) {
    const total = filling.filled + filling.unread + filling.left;
    this.active = Boolean(filling.encoder) && filling.left > 0;
    if (!filling.encoder || !total) {
      fill(this.progress);
      return;
    }
    const done = total - filling.left;
    const state = !filling.left ? "Done" : paused ? "Paused" : filling.under_way ? "Working" : "Waiting";
    fill(this.progress, h("h2", {}, "Improving results in the background"),
      h("p", {}, `${filling.encoder.split("/")[0]} has encoded ${done.toLocaleString("en")} of ${count(total, "passage")}. ${state}.`),
      h("progress", { max: total, value: done, "aria-label": "Encoded passages" }),
      filling.problem ? h("p", { class: "error" }, filling.problem) : "",
      filling.left ? h("p", {}, h("button", { onclick: () => this.turn(paused) }, paused ? "Resume" : "Pause")) : "");
  }

  async turn(paused) {
    await ask(paused ? "/resume" : "/pause", { method: "POST" });
    this.showProgress(await ask("/health"));
    announce(paused ? "Resumed" : "Paused");
  }

  async index() {
    const bar = h("progress", { "aria-label": "Indexing" });
    const said = h("p", {}, "Indexing …");
    fill(this.state, said, bar);
    try {
      for await (const line of lines(await send("/reload", { method: "POST" }))) {
        if (line.error) throw new Error(`${line.error}. ${line.hint}`);
        if ("total" in line) Object.assign(bar, { max: line.total || 1, value: line.done });
        if ("total" in line) said.textContent = `Indexing: ${line.done.toLocaleString("en")} of ${count(line.total, "file")}`;
      }
      await this.showState();
      this.showFindings();
      announce("Indexed");
    } catch (error) {
      fill(this.state, h("p", { class: "error", role: "alert" }, error.message), h("button", { onclick: () => this.index() }, "Try again"));
    }
  }

  async showFindings() {
    const [found, links] = await Promise.allSettled([ask("/findings"), ask(address("/links", { broken: true }))]);
    const { secrets = [], largest = [] } = found.value ?? {};
    const broken = links.value?.links ?? [];
    fill(this.findings,
      list("Files that could not be read", this.status.skipped, (one) => [one.path, one.reason]),
      list("Secrets in your notes", secrets, (one) => [link(one.path, one.line), one.rule]),
      list("Broken links", broken, (one) => [link(one.path, one.line), `${one.written} (${one.problem})`]),
      list("Largest notes", largest, (one) => [link(one.path), size(one.bytes)]),
      list("Files in other formats", Object.entries(this.status.others), ([suffix, number]) => [suffix, count(number, "file")]));
  }
}

function list(name, things, row) {
  if (!things.length) return "";
  const rows = things.slice(0, SHOWN).map((one) => h("li", {}, row(one).map((part) => h("span", {}, part))));
  const more = things.length > SHOWN ? h("p", { class: "where" }, `and ${(things.length - SHOWN).toLocaleString("en")} more`) : "";
  return h("details", { class: "findings", open: things.length <= 10 }, h("summary", {}, `${name} `, h("span", { class: "number" }, things.length.toLocaleString("en"))), h("ul", {}, rows), more);
}

function link(path, line) {
  return h("a", { href: noteAddress(path, line ? { lines: line } : {}) }, line ? `${path}:${line}` : path);
}

function size(bytes) {
  const units = ["bytes", "KB", "MB", "GB"];
  let step = 0;
  for (; bytes >= 1000 && step < units.length - 1; step += 1) bytes /= 1000;
  return `${step ? bytes.toFixed(1) : bytes} ${units[step]}`;
}

function when(text) {
  const date = new Date(text);
  return Number.isNaN(date.valueOf()) ? text : date.toLocaleString(undefined, { dateStyle: "short", timeStyle: "short" });
}

export const vaultView = new Vault();
