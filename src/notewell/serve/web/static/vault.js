// The state of the vault: what is indexed, background work, and problems in notes.

import { ask, lines, noteAddress, send } from "/web/api.js";
import { announce, count, fill, h } from "/web/dom.js";

// Milliseconds between two requests for the progress, while there is any.
const LOOK = 2000;
const SHOWN = 50;
// A list this short is open at first.
const FEW = 5;

class Vault {
  keys = [];

  async show(place) {
    document.title = "Vault · Notewell";
    this.progress = h("section", { "aria-label": "Progress" });
    this.state = h("section", {});
    this.findings = h("div", {});
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
      ["Notes", status.notes], ["Passages", status.chunks], ["Links", status.links], ["Tags", status.tags],
    ].map(([name, number]) => [name, number.toLocaleString("en")]);
    const at = status.indexed_at ? h("time", { datetime: status.indexed_at, title: dayAndTime(status.indexed_at) }, ago(status.indexed_at)) : "never";
    fill(this.state,
      h("p", { class: "where" }, status.vault),
      h("dl", { class: "facts" }, [...facts, ["Store", size(status.store_bytes)], ["Indexed", at]].map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))),
      h("p", { class: "fresh" }, status.stale ? `${count(status.stale, "changed file")} not indexed yet.` : "Everything is indexed.",
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
    // The button keeps the focus while the numbers around it change.
    const button = this.progress.querySelector("button") ?? h("button", { onclick: () => this.turn() });
    button.textContent = paused ? "Resume" : "Pause";
    this.paused = paused;
    const said = h("p", {}, `${filling.encoder.split("/")[0]} has encoded ${done.toLocaleString("en")} of ${count(total, "passage")}. ${state}.`);
    if (button.isConnected && filling.left && !filling.problem) {
      this.progress.querySelector("p").replaceWith(said);
      Object.assign(this.progress.querySelector("progress"), { max: total, value: done });
      return;
    }
    fill(this.progress, h("h2", {}, "Improving results in the background"), said,
      h("progress", { max: total, value: done, "aria-label": "Encoded passages" }),
      filling.problem ? h("p", { class: "error" }, filling.problem) : "", filling.left ? button : "");
  }

  async turn() {
    const { paused } = this;
    try {
      await ask(paused ? "/resume" : "/pause", { method: "POST" });
      this.showProgress(await ask("/health"));
      announce(paused ? "Resumed" : "Paused");
    } catch (error) {
      fill(this.progress, h("p", { class: "error", role: "alert" }, `${error.message}. ${error.hint ?? ""}`));
    }
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

  /** Show each list as soon as it is there: broken links of a large vault take seconds. */
  showFindings() {
    const { skipped, others } = this.status;
    const found = ask("/findings");
    fill(this.findings,
      listOf("Files that could not be read", skipped.map((one) => [one.path, one.reason])),
      later("Secrets in your notes", found, ({ secrets }) => secrets.map((one) => [link(one.path, one.line), one.rule])),
      later("Broken links", ask("/broken-links"), ({ links }) => links.map((one) => [link(one.path, one.line), `${one.written} (${one.problem})`]), ({ count: all }) => all),
      later("Notes that say nearly the same", ask("/duplicates"), ({ pairs }) => pairs.map((one) => [link(one.path), h("span", {}, `${Math.floor(one.share * 100)} % as `, link(one.other))])),
      later("Largest notes", found, ({ largest }) => largest.map((one) => [link(one.path), size(one.bytes)])),
      listOf("Files in other formats", Object.entries(others).map(([suffix, number]) => [suffix, count(number, "file")])));
  }
}

/** Return a list that is filled when its data is there. */
function later(name, asked, rowsOf, numberOf) {
  const place = h("div", {}, h("p", { class: "findings waits" }, h("b", {}, name), " …"));
  asked.then((found) => fill(place, listOf(name, rowsOf(found), numberOf?.(found)))).catch((error) => fill(place, h("p", { class: "findings error" }, `${name}: ${error.message}`)));
  return place;
}

function listOf(name, rows, number = rows.length) {
  if (!rows.length) return "";
  const shown = rows.slice(0, SHOWN).map((row) => h("li", {}, row.map((part) => h("span", {}, part))));
  const more = number > shown.length ? h("p", { class: "where" }, `and ${(number - shown.length).toLocaleString("en")} more`) : "";
  return h("details", { class: "findings", open: number <= FEW }, h("summary", {}, `${name} `, h("span", { class: "number" }, number.toLocaleString("en"))), h("ul", {}, shown), more);
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

function dayAndTime(text) {
  const date = new Date(text);
  return Number.isNaN(date.valueOf()) ? text : date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

/** Return how long ago something was. */
function ago(text) {
  const minutes = (Date.now() - new Date(text)) / 60_000;
  if (!(minutes >= 1)) return "just now";
  if (minutes < 60) return `${Math.floor(minutes)} min ago`;
  return minutes < 1440 ? `${Math.floor(minutes / 60)} h ago` : `${count(Math.floor(minutes / 1440), "day")} ago`;
}

export const vaultView = new Vault();
