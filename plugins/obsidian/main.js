// Built from src by `npm run build`; do not edit.
"use strict";
var __create = Object.create;
var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __getProtoOf = Object.getPrototypeOf;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toESM = (mod, isNodeMode, target) => (target = mod != null ? __create(__getProtoOf(mod)) : {}, __copyProps(
  // If the importer is in node compatibility mode or this is not an ESM
  // file that has been converted to a CommonJS file using a Babel-
  // compatible transform (i.e. "__esModule" has not been set), then set
  // "default" to the CommonJS "module.exports" for node compatibility.
  isNodeMode || !mod || !mod.__esModule ? __defProp(target, "default", { value: mod, enumerable: true }) : target,
  mod
));
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);

// src/main.ts
var main_exports = {};
__export(main_exports, {
  default: () => NotewellPlugin
});
module.exports = __toCommonJS(main_exports);
var import_obsidian8 = require("obsidian");

// src/ask_view.ts
var import_obsidian2 = require("obsidian");

// src/found.ts
function byNote(hits) {
  const notes = /* @__PURE__ */ new Map();
  for (const hit of hits) notes.set(hit.path, [...notes.get(hit.path) ?? [], hit]);
  return [...notes.values()].flatMap((own) => own.map((hit, place) => ({ hit, first: place === 0 })));
}
function pieces(text, highlights) {
  const characters = Array.from(text);
  const cut = [];
  let at = 0;
  for (const [from, to] of highlights) {
    if (from < at || to <= from) continue;
    cut.push({ text: characters.slice(at, from).join(""), marked: false });
    cut.push({ text: characters.slice(from, to).join(""), marked: true });
    at = to;
  }
  cut.push({ text: characters.slice(at).join(""), marked: false });
  return cut.filter((piece) => piece.text);
}

// src/draw.ts
function drawExcerpt(parent, excerpt) {
  const box = parent.createDiv({ cls: "notewell-excerpt" });
  for (const { text, marked } of pieces(excerpt.text, excerpt.highlights)) {
    if (marked) box.createEl("mark", { text });
    else box.appendText(text);
  }
}
function splitPath(path) {
  const slash = path.lastIndexOf("/");
  return { folder: path.slice(0, Math.max(slash, 0)), name: path.slice(slash + 1).replace(/\.md$/, "") };
}
function drawNote(parent, path) {
  const { folder, name } = splitPath(path);
  const box = parent.createDiv({ cls: "notewell-note" });
  box.createSpan({ cls: "notewell-name", text: name });
  if (folder) box.createSpan({ cls: "notewell-folder", text: folder });
}
function opens(box, open) {
  box.setAttrs({ role: "link", tabindex: "0" });
  box.addEventListener("click", open);
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter") open(event);
  });
}

// src/latest.ts
var Latest = class {
  running = null;
  newest = 0;
  /** Run it once nothing else runs, unless a newer one has come by then. */
  async run(work) {
    const mine = ++this.newest;
    while (this.running) {
      await this.running;
      if (mine !== this.newest) return void 0;
    }
    const job = work();
    const settled = job.then(
      () => void 0,
      () => void 0
    );
    this.running = settled;
    try {
      const result = await job;
      return mine === this.newest ? result : void 0;
    } finally {
      this.running = null;
    }
  }
  /** Overtake what runs: nobody waits for it any more. */
  forget() {
    this.newest++;
  }
};

// src/open.ts
var import_obsidian = require("obsidian");
function fileAt(app, path) {
  return app.vault.getFileByPath(path) ?? app.vault.getFileByPath(asShown(path));
}
function asShown(path) {
  return path.replace(/[\u00a0\u202f]/g, " ").normalize("NFC");
}
async function openPlace(app, { path, line, place }, pane) {
  const file = fileAt(app, path);
  if (!file) {
    new import_obsidian.Notice(`${path} is not in this vault any more`);
    return;
  }
  const page = /^page (\d+)/.exec(place ?? "")?.[1];
  const state = page ? { subpath: `#page=${page}` } : line > 0 ? { line: line - 1 } : {};
  await app.workspace.getLeaf(pane).openFile(file, { active: true, eState: state });
}
function insertLink(app, path) {
  const file = fileAt(app, path);
  const active = app.workspace.activeEditor;
  if (!file || !active?.editor) {
    new import_obsidian.Notice(file ? "Open a note to insert the link into" : `${path} is not in this vault any more`);
    return;
  }
  active.editor.replaceSelection(app.fileManager.generateMarkdownLink(file, active.file?.path ?? ""));
}

// src/problem.ts
var Problem = class extends Error {
  constructor(fact, hint = "") {
    super(hint ? `${fact}. ${hint}` : fact);
    this.fact = fact;
    this.hint = hint;
    this.name = "Problem";
  }
};
var Gone = class extends Problem {
  constructor(address) {
    super(`No Notewell server answers at ${address}`, "Start it, or let the plugin start one (settings of Notewell)");
    this.name = "Gone";
  }
};
var Missing = class extends Problem {
};
function worded(error) {
  return error instanceof Error ? error.message : String(error);
}

// src/ask_view.ts
var ASK = "notewell-ask";
var AskView = class extends import_obsidian2.ItemView {
  constructor(leaf, connection) {
    super(leaf);
    this.connection = connection;
    this.icon = "message-circle-question";
  }
  latest = new Latest();
  answerEl;
  getViewType() {
    return ASK;
  }
  getDisplayText() {
    return "Ask your notes";
  }
  async onOpen() {
    this.contentEl.addClass("notewell-ask");
    const form = this.contentEl.createEl("form");
    const input = form.createEl("input", { type: "search", placeholder: "Ask your notes…" });
    this.answerEl = this.contentEl.createDiv();
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (input.value.trim()) void this.ask(input.value.trim());
    });
    input.focus();
  }
  /** Ask, and show the answer or what went wrong. */
  async ask(question) {
    this.say("Looking through your notes…");
    this.connection.retry();
    try {
      const answer = await this.latest.run(() => this.connection.ask((client) => client.answer(question)));
      if (answer) this.draw(answer);
    } catch (error) {
      this.say(worded(error));
    }
  }
  draw(answer) {
    const box = this.answerEl;
    box.empty();
    for (const notice of answer.notices) box.createDiv({ cls: "notewell-notice", text: notice });
    if (answer.model) box.createDiv({ cls: "notewell-text", text: answer.text });
    if (answer.unsupported.length > 0) {
      box.createDiv({ cls: "notewell-notice", text: `Not in the notes: ${answer.unsupported.join(", ")}` });
    }
    if (!answer.answered) box.createDiv({ cls: "notewell-empty", text: "The nearest passages:" });
    for (const citation of answer.citations) this.drawQuote(box, citation);
  }
  drawQuote(parent, citation) {
    const box = parent.createDiv({ cls: "notewell-quote notewell-link" });
    drawNote(box, citation.path);
    if (citation.quote) box.createEl("blockquote", { text: citation.quote });
    const proven = citation.citation_verified;
    const mark = proven ? `✓ in the note, line ${citation.line}` : "This quote was not found in the note";
    box.createDiv({ cls: proven ? "notewell-proven" : "notewell-unproven", text: `[${citation.number}] ${mark}` });
    opens(box, (event) => void openPlace(this.app, citation, import_obsidian2.Keymap.isModEvent(event)));
  }
  say(text) {
    this.answerEl.empty();
    this.answerEl.createDiv({ cls: "notewell-empty", text });
  }
};

// src/client.ts
var PATIENCE_MS = 6e4;
var MODEL_MS = 6e5;
var TOKEN_HINT = "Choose the token in the settings of Notewell";
var Client = class {
  constructor(send, address, token = "") {
    this.send = send;
    this.address = address;
    this.token = token;
  }
  /** Find the lines that answer a text; `refresh` indexes changed notes first. */
  search(text, options) {
    return this.ask("GET", "/search", { text, ...options });
  }
  /** Find the notes most like the lines of a note around a line, counted from 1. */
  related(path, line, limit) {
    const place = `${path}:${line}`.split("/").map(encodeURIComponent).join("/");
    return this.ask("GET", `/related/${place}`, { limit });
  }
  /** Answer a question in one piece: `requestUrl` cannot hand on a stream. */
  answer(question) {
    return this.ask("GET", "/ask", { question }, MODEL_MS);
  }
  /** Return what the server is and serves; another program at the address is an error. */
  async health() {
    const health = await this.ask("GET", "/health").catch((error) => {
      throw error instanceof Missing ? this.stranger() : error;
    });
    if (typeof health.version !== "string") throw this.stranger();
    return { ...health, version: health.version };
  }
  /** Return how far indexing is. */
  progress() {
    return this.ask("GET", "/progress");
  }
  /** Pause background work, or resume it. */
  async pause(paused) {
    await this.ask("POST", paused ? "/pause" : "/resume");
  }
  async ask(method, path, values = {}, limit = PATIENCE_MS) {
    const query = new URLSearchParams(Object.entries(values).map(([name, value]) => [name, String(value)]));
    const url = `${this.address}${path}${query.size ? `?${query.toString()}` : ""}`;
    const headers = { Accept: "application/json", ...this.token ? { Authorization: `Bearer ${this.token}` } : {} };
    const response = await this.within(limit, this.send({ url, method, headers }));
    return this.read(response);
  }
  async within(limit, sent) {
    let timer = 0;
    const late = new Promise((_, reject) => {
      const problem = new Problem(`Notewell at ${this.address} does not answer`, "Connect again, or restart it");
      timer = window.setTimeout(() => reject(problem), limit);
    });
    const gone = sent.catch(() => {
      throw new Gone(this.address);
    });
    return Promise.race([gone, late]).finally(() => window.clearTimeout(timer));
  }
  read({ status, text }) {
    let value;
    try {
      value = JSON.parse(text);
    } catch {
      throw this.stranger();
    }
    if (typeof value !== "object" || value === null) throw this.stranger();
    if (status < 400) return value;
    const { error, hint } = value;
    if (typeof error !== "string") throw this.stranger();
    if (status === 401) throw new Problem(error, TOKEN_HINT);
    throw new (status === 404 ? Missing : Problem)(error, typeof hint === "string" ? hint : "");
  }
  stranger() {
    return new Problem(`The program at ${this.address} is not Notewell`, "Check the address in the settings");
  }
};

// src/computer.ts
var import_obsidian3 = require("obsidian");
async function thisComputer() {
  if (!import_obsidian3.Platform.isDesktop) {
    throw new Problem("Notewell needs a computer", "Its server does not run on phones and tablets");
  }
  const { spawn } = await Promise.resolve().then(() => __toESM(require("node:child_process"), 1));
  const { realpathSync, statSync } = await Promise.resolve().then(() => __toESM(require("node:fs"), 1));
  const { homedir, platform } = await Promise.resolve().then(() => __toESM(require("node:os"), 1));
  const { env } = await Promise.resolve().then(() => __toESM(require("node:process"), 1));
  const machine = { windows: platform() === "win32", home: homedir(), environment: env };
  return {
    machine,
    /** Tell whether there is such a file; a folder of that name, such as a clone, is none. */
    has: (file) => {
      try {
        return statSync(file).isFile();
      } catch {
        return false;
      }
    },
    /** Run a program. No shell: the name of a folder is only a name. */
    run: (program, words) => spawn(program, words, { stdio: "pipe", windowsHide: true }),
    /** Return a path without links, in the spelling of the disk; as it is, if there is no such file. */
    real: (path) => {
      try {
        return realpathSync.native(path);
      } catch {
        return path;
      }
    }
  };
}

// src/options.ts
var DEFAULTS = {
  starts: false,
  program: "",
  address: "http://127.0.0.1:8483",
  tokenName: "",
  limit: 20
};
function readOptions(saved) {
  const given = typeof saved === "object" && saved !== null ? saved : {};
  const known = Object.entries(DEFAULTS).map(([name, usual]) => [
    name,
    typeof given[name] === typeof usual ? given[name] : usual
  ]);
  return Object.fromEntries(known);
}
function loopback(address) {
  try {
    const url = new URL(address.trim());
    const here = ["127.0.0.1", "[::1]", "localhost"].includes(url.hostname);
    return here && url.protocol === "http:" && url.pathname === "/" && !url.username ? url.origin : null;
  } catch {
    return null;
  }
}

// src/program.ts
function candidates(named, machine) {
  const { windows, home, environment } = machine;
  const slash = windows ? "\\" : "/";
  const name = windows ? "notewell.exe" : "notewell";
  if (named) return [named.replace(/^~(?=[\\/])/, home)];
  const path = (environment.PATH ?? environment.Path ?? "").split(windows ? ";" : ":").filter(Boolean);
  const local = [home, ".local", "bin"].join(slash);
  const usual = windows ? [local] : [local, "/opt/homebrew/bin", "/usr/local/bin"];
  return [.../* @__PURE__ */ new Set([...path, ...usual])].map((folder) => `${folder.replace(/[\\/]$/, "")}${slash}${name}`);
}
function serveArguments(folder, token) {
  return ["serve", "--vault", folder, "--port", "0", "--json", "--until-eof", ...token ? ["--token"] : []];
}
function printedAddress(printed) {
  const line = printed.split("\n").slice(0, -1).find((one) => one.startsWith("{")) ?? "{}";
  try {
    return JSON.parse(line).addresses?.[0] ?? null;
  } catch {
    return null;
  }
}
function lastWords(said) {
  const lines = said.split("\n").filter((line) => /^(error|hint): /.test(line));
  return lines.map((line) => line.replace(/^(error|hint): /, "")).join(". ");
}

// src/own_server.ts
var START_MS = 12e4;
var KEPT = 4e3;
var OwnServer = class {
  child = null;
  /** Start `notewell serve` for a folder, and return its address. */
  async start(named, folder, token) {
    const computer = await thisComputer();
    const child = computer.run(find(named, computer), serveArguments(folder, token));
    this.end();
    this.child = child;
    try {
      return await announced(child);
    } catch (error) {
      if (this.child === child) this.end();
      throw error;
    }
  }
  /** End it: it stops when its stdin closes, which also happens if the app crashes. */
  end() {
    this.child?.stdin.end();
    this.child = null;
  }
};
function find(named, computer) {
  const found = candidates(named, computer.machine).find((file) => computer.has(file));
  if (found) return found;
  const fact = named ? `There is no program ${named}` : "The program notewell was not found";
  throw new Problem(fact, "Install it (pip install 'notewell[all]'), or name it in the settings");
}
function announced(child) {
  return new Promise((resolve, reject) => {
    let printed = "";
    let said = "";
    const fail = (fact) => reject(new Problem(fact, lastWords(said)));
    const timer = window.setTimeout(() => fail("Notewell did not start in time"), START_MS);
    const read = (data) => {
      printed += String(data);
      const address = printedAddress(printed);
      if (address) {
        window.clearTimeout(timer);
        resolve(address);
      }
    };
    child.stdout.on("data", read);
    child.stderr.on("data", (data) => said = (said + String(data)).slice(-KEPT));
    child.stdin.on("error", () => void 0);
    child.once("error", (error) => fail(`Notewell cannot be started: ${error.message}`));
    child.once("close", () => {
      window.clearTimeout(timer);
      fail("Notewell stopped right after it started");
    });
  });
}

// src/connection.ts
var Connection = class {
  constructor(around) {
    this.around = around;
  }
  own = new OwnServer();
  known = null;
  failed = null;
  ended = false;
  /** Ask the server; one of our own that has gone is started again, once. */
  async ask(work) {
    const known = this.known ??= this.connecting();
    try {
      return await work(await known);
    } catch (error) {
      if (!(error instanceof Gone)) throw error;
      if (this.known === known) this.known = null;
      if (this.ended || !this.around.options().starts) throw error;
      return await work(await (this.known ??= this.connecting()));
    }
  }
  /** Forget a failed attempt to connect: somebody asks anew, and may have mended what was wrong. */
  retry() {
    if (this.known === this.failed) this.known = null;
    this.recheck();
  }
  /** Look again at a server that somebody else runs: by now, another vault's may be at its address. */
  recheck() {
    if (!this.around.options().starts) this.known = null;
  }
  /** Forget the server, and what went wrong; the next request connects again. */
  reset() {
    this.own.end();
    this.known = null;
  }
  /** End what was started, for good. */
  end() {
    this.ended = true;
    this.reset();
  }
  connecting() {
    const connecting = this.connect();
    connecting.catch(() => {
      this.failed = connecting;
    });
    return connecting;
  }
  async connect() {
    const { folder, send } = this.around;
    const { starts, program, address } = this.around.options();
    const token = this.around.token();
    const { real } = await thisComputer();
    if (!starts) return this.attach(address, token, real(folder), real);
    const client = new Client(send, await this.own.start(program, folder, token !== ""), token);
    if (this.ended) this.own.end();
    return client;
  }
  async attach(address, token, folder, real) {
    const origin = loopback(address);
    if (!origin) throw this.forget(new Problem(`${address} is not on this computer`, "Use http://127.0.0.1:8483"));
    const client = new Client(this.around.send, origin, token);
    try {
      const { vault } = await client.health();
      if (vault === void 0) {
        throw new Problem(token ? "The token is not that of the server" : "The server requires its token", TOKEN_HINT);
      }
      if (real(vault) !== folder) {
        throw new Problem(`The server at ${origin} serves ${vault}`, "Let the plugin start one for this vault");
      }
    } catch (error) {
      throw this.forget(error);
    }
    return client;
  }
  forget(error) {
    this.known = null;
    return error;
  }
};

// src/related_view.ts
var import_obsidian4 = require("obsidian");
var RELATED = "notewell-related";
var LOOK_MS = 400;
var AGAIN_MS = 5e3;
var SHOWN = 8;
var RelatedView = class extends import_obsidian4.ItemView {
  constructor(leaf, connection) {
    super(leaf);
    this.connection = connection;
    this.icon = "links-coming-in";
  }
  latest = new Latest();
  seen = "";
  asked = "";
  due = Infinity;
  last = null;
  getViewType() {
    return RELATED;
  }
  getDisplayText() {
    return "Related notes";
  }
  async onOpen() {
    this.contentEl.addClass("notewell-related");
    this.say("Open a note to see which others are like it.");
    this.registerInterval(window.setInterval(() => void this.look(), LOOK_MS));
    await this.look();
  }
  /** Ask about the place at hand once the cursor rests there. */
  async look() {
    const at = this.at();
    const key = at ? `${at.path}:${at.line}` : "";
    const rests = key === this.seen;
    this.seen = key;
    const again = Date.now() >= this.due;
    if (!at || !rests || key === this.asked && !again || !this.contentEl.isShown()) return;
    this.asked = key;
    this.due = Infinity;
    await this.show(at);
  }
  at() {
    const { activeEditor } = this.app.workspace;
    const file = activeEditor?.file ?? this.app.workspace.getActiveFile();
    const cursor = activeEditor?.editor?.getCursor();
    const line = cursor ? cursor.line + 1 : file?.path === this.last?.path ? this.last?.line ?? 1 : 1;
    return this.last = file && { path: file.path, line };
  }
  async show({ path, line }) {
    try {
      const find2 = () => this.connection.ask((client) => client.related(path, line, SHOWN));
      const results = await this.latest.run(find2);
      if (results) this.draw(results.hits.filter((hit) => asShown(hit.path) !== path));
    } catch (error) {
      this.say(error instanceof Missing ? "This file is not indexed." : worded(error));
      this.due = Date.now() + AGAIN_MS;
    }
  }
  draw(hits) {
    if (hits.length === 0) {
      this.say("No other note is like this one.");
      return;
    }
    this.contentEl.empty();
    for (const hit of hits) {
      const box = this.contentEl.createDiv({ cls: "notewell-hit notewell-link" });
      drawNote(box, hit.path);
      drawExcerpt(box, { ...hit.excerpt, highlights: [] });
      opens(box, (event) => void openPlace(this.app, hit, import_obsidian4.Keymap.isModEvent(event)));
    }
  }
  say(text) {
    this.contentEl.empty();
    this.contentEl.createDiv({ cls: "notewell-empty", text });
  }
};

// src/search_modal.ts
var import_obsidian5 = require("obsidian");
var EMPTY = "Type what you are looking for, in any words";
var SearchModal = class extends import_obsidian5.SuggestModal {
  constructor(app, connection, hits) {
    super(app);
    this.connection = connection;
    this.hits = hits;
    connection.retry();
    this.limit = hits;
    this.emptyStateText = EMPTY;
    this.modalEl.addClass("notewell-search");
    this.setPlaceholder("Search by words and by meaning…");
    this.setInstructions([
      { command: "↑↓", purpose: "to look at a passage" },
      { command: "↵", purpose: "to open it" },
      { command: "⌘/ctrl ↵", purpose: "to open it in a new tab" },
      { command: "⇧↵", purpose: "to insert a link" }
    ]);
    for (const modifier of ["Shift", "Mod"]) {
      this.scope.register([modifier], "Enter", (event) => {
        this.selectActiveSuggestion(event);
        return false;
      });
    }
  }
  latest = new Latest();
  shown = [];
  refreshed = false;
  /** Return the hits; those shown stay while newer ones are on their way. */
  async getSuggestions(query) {
    const text = query.trim();
    if (!text) {
      this.latest.forget();
      this.emptyStateText = EMPTY;
      return this.shown = [];
    }
    try {
      const found = await this.latest.run(() => this.search(text));
      if (found) this.shown = found;
    } catch (error) {
      this.emptyStateText = worded(error);
      this.shown = [];
    }
    return this.shown;
  }
  renderSuggestion({ hit, first }, parent) {
    parent.addClass("notewell-hit");
    if (first) drawNote(parent, hit.path);
    const above = hit.heading.split(" > ").slice(1).join(" › ");
    if (above || hit.place) parent.createDiv({ cls: "notewell-heading", text: hit.place || above });
    drawExcerpt(parent, hit.excerpt);
    parent.createDiv({ cls: "notewell-preview", text: hit.text });
  }
  onChooseSuggestion({ hit }, event) {
    if (event.shiftKey) insertLink(this.app, hit.path);
    else void openPlace(this.app, { ...hit, line: hit.excerpt.line || hit.line }, import_obsidian5.Keymap.isModEvent(event));
  }
  async search(text) {
    const refresh = !this.refreshed;
    const results = await this.connection.ask((client) => client.search(text, { limit: this.hits, refresh }));
    this.refreshed = true;
    this.emptyStateText = results.notices[0] ?? "Nothing found";
    return byNote(results.hits);
  }
};

// src/settings_tab.ts
var import_obsidian6 = require("obsidian");
var USUAL = "~/.local/bin/notewell";
var ADDRESS = "The address of a running server on this computer that serves this vault.";
var SettingsTab = class extends import_obsidian6.PluginSettingTab {
  constructor(app, owner) {
    super(app, owner);
    this.owner = owner;
  }
  display() {
    this.containerEl.empty();
    this.drawServer();
    if (this.owner.options.starts) this.drawProgram();
    else this.drawAddress();
    this.drawToken();
    this.drawLimit();
  }
  drawServer() {
    new import_obsidian6.Setting(this.containerEl).setName("Start Notewell for this vault").setDesc("Starts the server when this vault opens, and stops it when the vault closes. If off, the plugin uses a running server.").addToggle(
      (toggle) => toggle.setValue(this.owner.options.starts).onChange(async (starts) => {
        await this.save({ starts });
        this.display();
      })
    );
  }
  drawProgram() {
    new import_obsidian6.Setting(this.containerEl).setName("Program").setDesc("The program's full path. If empty, the plugin looks in the usual places.").addText(
      (text) => text.setPlaceholder(USUAL).setValue(this.owner.options.program).onChange((program) => this.save({ program: program.trim() }))
    );
  }
  drawAddress() {
    const setting = new import_obsidian6.Setting(this.containerEl).setName("Address").setDesc(ADDRESS);
    setting.addText(
      (text) => text.setPlaceholder(DEFAULTS.address).setValue(this.owner.options.address).onChange(async (address) => {
        const here = loopback(address) !== null;
        setting.setDesc(here ? ADDRESS : `Not saved: ${address} is not an address on this computer.`);
        if (here) await this.save({ address: address.trim() });
      })
    );
  }
  drawToken() {
    new import_obsidian6.Setting(this.containerEl).setName("Token").setDesc("Only for a server that requires one. Obsidian stores it, not this plugin.").addComponent(
      (element) => new import_obsidian6.SecretComponent(this.app, element).setValue(this.owner.options.tokenName).onChange((tokenName) => this.save({ tokenName }))
    );
  }
  drawLimit() {
    new import_obsidian6.Setting(this.containerEl).setName("Results").setDesc("How many results a search shows.").addSlider(
      (slider) => slider.setLimits(5, 50, 5).setValue(this.owner.options.limit).onChange((limit) => this.save({ limit }))
    );
  }
  save(changed) {
    return this.owner.change(changed);
  }
};

// src/status_item.ts
var import_obsidian7 = require("obsidian");
var BUSY_MS = 3e3;
var CALM_MS = 3e4;
function shownState(health, progress) {
  const { run, indexed, problem } = progress;
  const notes = health.notes ?? 0;
  const left = health.filling?.left ?? 0;
  if (run) return { text: `Notewell: indexing ${run.done.toLocaleString("en")} of ${run.total.toLocaleString("en")}`, busy: true };
  if (problem) return { text: `Notewell: ${problem}`, busy: false };
  if (!indexed) return { text: "Notewell: not indexed", busy: true };
  const count = `Notewell: ${notes.toLocaleString("en")} ${notes === 1 ? "note" : "notes"}`;
  if (left === 0) return { text: count, busy: false };
  if (health.paused) return { text: `${count}, paused`, busy: false };
  return { text: `${count}, improving (${left.toLocaleString("en")} left)`, busy: true };
}
var StatusItem = class {
  constructor(element, connection) {
    this.element = element;
    this.connection = connection;
    element.addClass("mod-clickable");
    element.addEventListener("click", (event) => this.menu().showAtMouseEvent(event));
  }
  paused = false;
  due = 0;
  /** Show the state now, and again for as long as the plugin is loaded. */
  follow(owner) {
    void this.look();
    owner.registerInterval(window.setInterval(() => void this.lookIfDue(), BUSY_MS));
  }
  /** Ask the server, and show its state. */
  async look() {
    let shown = { text: "Notewell: off", busy: false };
    let why = "";
    this.connection.recheck();
    try {
      shown = await this.connection.ask(async (client) => {
        const [health, progress] = await Promise.all([client.health(), client.progress()]);
        this.paused = health.paused ?? false;
        return shownState(health, progress);
      });
    } catch (error) {
      why = worded(error);
    }
    this.due = Date.now() + (shown.busy ? BUSY_MS : CALM_MS) - BUSY_MS / 2;
    this.element.setText(shown.text);
    this.element.setAttr("aria-label", why || "Notewell");
  }
  async lookIfDue() {
    if (Date.now() >= this.due && this.element.isShown()) await this.look();
  }
  menu() {
    const menu = new import_obsidian7.Menu();
    const turn = this.paused ? "Resume background work" : "Pause background work";
    menu.addItem((item) => item.setTitle(turn).onClick(() => void this.turn(!this.paused)));
    menu.addItem((item) => item.setTitle("Connect again").onClick(() => void this.again()));
    return menu;
  }
  async turn(paused) {
    try {
      await this.connection.ask((client) => client.pause(paused));
    } catch (error) {
      new import_obsidian7.Notice(worded(error));
    }
    await this.look();
  }
  /** Forget the server, and connect again. */
  async again() {
    this.connection.reset();
    await this.look();
  }
};

// src/main.ts
async function sendWithApp({ url, method, headers }) {
  const { status, text } = await (0, import_obsidian8.requestUrl)({ url, method, headers, throw: false });
  return { status, text };
}
var NotewellPlugin = class extends import_obsidian8.Plugin {
  options = DEFAULTS;
  connection;
  status = null;
  async onload() {
    this.options = readOptions(await this.loadData());
    this.connection = new Connection({
      folder: this.folder(),
      send: sendWithApp,
      options: () => this.options,
      token: () => this.token()
    });
    this.register(() => this.connection.end());
    this.registerView(RELATED, (leaf) => new RelatedView(leaf, this.connection));
    this.registerView(ASK, (leaf) => new AskView(leaf, this.connection));
    this.addCommands();
    this.addSettingTab(new SettingsTab(this.app, this));
    if (!import_obsidian8.Platform.isMobile) {
      const status = this.status = new StatusItem(this.addStatusBarItem(), this.connection);
      this.app.workspace.onLayoutReady(() => status.follow(this));
    }
  }
  /** Change options, and save them. */
  async change(changed) {
    this.use({ ...this.options, ...changed });
    await this.saveData(this.options);
  }
  /** Use what another device or program has saved. */
  async onExternalSettingsChange() {
    this.use(readOptions(await this.loadData()));
  }
  /** Use options, and connect again if they say where the server is. */
  use(options) {
    const before = this.options;
    this.options = options;
    if (JSON.stringify({ ...before, limit: 0 }) !== JSON.stringify({ ...options, limit: 0 })) this.connection.reset();
    if (before.starts !== options.starts) void this.status?.look();
  }
  /** Return the token from the app's secret storage; it may have been pasted with a line break. */
  token() {
    const name = this.options.tokenName;
    return name && this.app.secretStorage.getSecret(name)?.trim() || "";
  }
  /** Return the vault's folder; a phone's vault has none that another program could read. */
  folder() {
    const adapter = this.app.vault.adapter;
    return adapter instanceof import_obsidian8.FileSystemAdapter ? adapter.getBasePath() : "";
  }
  addCommands() {
    const search = () => new SearchModal(this.app, this.connection, this.options.limit).open();
    this.addRibbonIcon("search", "Search with Notewell", search);
    this.addCommand({ id: "search", name: "Search", callback: search });
    this.addCommand({ id: "related", name: "Show related notes", callback: () => void this.reveal(RELATED) });
    this.addCommand({ id: "ask", name: "Ask a question", callback: () => void this.reveal(ASK) });
    this.addCommand({ id: "connect", name: "Connect again", callback: () => this.connectAgain() });
  }
  /** Forget the server, connect again, and show at once how that went. */
  connectAgain() {
    this.connection.reset();
    void this.status?.look();
  }
  async reveal(type) {
    const { workspace } = this.app;
    const open = workspace.getLeavesOfType(type)[0];
    const leaf = open ?? workspace.getRightLeaf(false);
    if (!leaf) return;
    if (!open) await leaf.setViewState({ type, active: true });
    await workspace.revealLeaf(leaf);
  }
};
