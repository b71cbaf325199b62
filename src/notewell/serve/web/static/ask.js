// The view that answers questions: sources first, then the answer, then a mark for each quote.

import { addressBelow, ask, lines, noteAddress, send } from "/web/api.js";
import { asFootnotes, formatted } from "/web/answer.js";
import { chipOf, choices, menusOf } from "/web/chips.js";
import { announce, count, fill, h, sentence } from "/web/dom.js";
import { plain } from "/web/highlight.js";
import { Preview } from "/web/preview.js";

const KEY = "notewell.conversation";
// Characters of a question that are shown.
const LONGEST = 500;
// Characters of the first question that name a conversation.
const NAMED = 60;
// Examples and earlier conversations that the start shows.
const EXAMPLES = 3;
const EARLIER = 6;
// Fields of a question that are the filters of its scope, and those that take several values.
const FIELDS = { path: "under", tag: "tag", type: "type", domain: "domain", after: "after" };
const SEVERAL = ["tag", "type"];
const MARKS = {
  match: ["✓", "proven", "in your notes, word for word"],
  not_found: ["✗", "absent", "not in your notes"],
};
const UNCHECKED = ["·", "unchecked", "cannot be checked"];

class Ask {
  keys = [["↵", "Ask"], ["Shift ↵", "New line"], ["Esc", "Stop the answer"]];

  async show(place, url, go) {
    document.title = "Ask · Notewell";
    const session = decodeURIComponent(url.pathname.slice("/sessions/".length));
    this.conversation = await conversationOf(url.pathname.startsWith("/sessions/") ? session : "");
    Object.assign(this, { go, asked: null, scope: [] });
    this.list = h("ol", { class: "turns", "aria-label": "Conversation" });
    this.box = h("textarea", {
      rows: "1", "data-search": true, "aria-label": "Ask your notes", placeholder: "Ask your notes", dir: "auto", onkeydown: (event) => this.pressed(event),
    });
    this.button = h("button", { class: "main" }, "Ask");
    this.meter = h("p", { class: "memory" });
    this.scopes = h("div", { class: "chips", role: "group", "aria-label": "Which notes may answer" });
    this.start = h("div", { class: "beginning" });
    this.preview = new Preview(go);
    fill(place, h("div", { class: "asking" },
      h("div", { class: "talk" }, h("h1", { class: "unseen" }, "Ask your notes"), this.start, this.list,
        h("form", { class: "question", onsubmit: (event) => this.submitted(event) }, this.box, this.scopes,
          h("div", { class: "row" }, this.meter,
            h("button", { type: "button", class: "quiet", onclick: () => this.begin() }, "New conversation"), this.button))),
      this.preview.element));
    this.refresh();
    this.draw();
    this.box.focus();
    const text = url.searchParams.get("text");
    if (text) {
      // An address means the same whatever was asked before.
      this.begin();
      this.answer(text);
    }
    return () => {
      this.asked?.abort();
      this.preview.end();
    };
  }

  /** Offer what the vault has now, and ask again what it could not answer before. */
  refresh() {
    const { turns } = this.conversation;
    if (turns.at(-1)?.waits && !this.asked) this.answer(turns.pop().question);
    choices({ again: true }).then((found) => {
      this.offered = found;
      this.showScope();
      this.showStart();
    }).catch(() => {});
  }

  draw() {
    fill(this.list, this.conversation.turns.map((turn, number) => this.turnOf(turn, number)));
    this.showMemory();
    this.showScope();
    this.showStart();
  }

  /** Show which notes may answer, and what else the vault could be narrowed to. */
  showScope() {
    // Of the query language, an answer takes these; properties need a search.
    const menus = this.offered ? menusOf({ ...this.offered, properties: {} }, (key, value) => this.narrow(key, value)) : [];
    const chosen = this.scope.map(([key, value], place) => chipOf(`${key}:${value}`, () => {
      this.scope.splice(place, 1);
      this.showScope();
      this.box.focus();
    }));
    fill(this.scopes, chosen.length ? "" : h("span", { class: "where" }, "All notes may answer"), chosen, menus);
  }

  narrow(key, value) {
    const others = this.scope.filter(([one]) => one !== key || SEVERAL.includes(FIELDS[key]));
    this.scope = [...others, [key, value]];
    this.showScope();
    this.box.focus();
  }

  get filters() {
    const body = {};
    for (const [key, value] of this.scope) {
      const field = FIELDS[key];
      body[field] = SEVERAL.includes(field) ? [...body[field] ?? [], value] : value;
    }
    return body;
  }

  /** Show what can be asked, and earlier conversations, until there is a question. */
  async showStart() {
    if (this.conversation.turns.length) {
      fill(this.start);
      return;
    }
    const questions = (this.offered?.topics ?? []).slice(0, EXAMPLES).map((topic) => `What do my notes say about ${topic}?`);
    const earlier = h("div", {});
    fill(this.start,
      h("h2", { class: "large" }, "Ask your notes a question"),
      h("p", {}, "The answer comes from your notes alone. Every quote is checked, and opens its line beside the answer."),
      h("p", { class: "where" }, "Without a language model, the answer is quotes. If Ollama runs on this machine, or ", h("code", {}, "llm.model"), " in ", h("code", {}, "notewell.toml"), " names a model, it writes the answer."),
      questions.length ? h("section", {}, h("h2", {}, "For example"), h("ul", { class: "examples" }, questions.map((text) =>
        h("li", {}, h("button", { onclick: () => this.answer(text) }, text))))) : "", earlier);
    const { sessions: all } = await ask("/sessions").catch(() => ({ sessions: [] }));
    const sessions = all.filter((one, place) => all.findIndex((other) => other.last === one.last) === place);
    if (!sessions.length) return;
    fill(earlier, h("section", {}, h("h2", {}, "Earlier conversations"), h("ul", { class: "examples" }, sessions.slice(0, EARLIER).map((one) =>
      h("li", {}, h("a", { href: addressBelow("/sessions", one.session) }, one.last),
        h("span", { class: "where" }, ` ${count(one.turns, "question")} · ${one.at.slice(0, 10)}`))))));
  }

  begin() {
    this.leave();
    this.conversation = { session: "", turns: [], stored: 0 };
    saveConversation(this.conversation);
    this.preview.clear();
    this.draw();
    if (location.pathname !== "/ask") this.go("/ask", { quiet: true });
    this.box.focus();
  }

  /** Stop the answer under way; what still comes of it is shown nowhere. */
  leave() {
    this.asked?.abort();
    this.asked = null;
  }

  pressed(event) {
    if (isSent(event)) this.submitted(event);
    else if (event.key === "Escape" && this.asked) {
      event.preventDefault();
      this.asked.abort();
    }
  }

  submitted(event) {
    event.preventDefault();
    const question = this.box.value.trim();
    if (this.asked) {
      // Whoever writes the next question meanwhile does not mean to stop this answer.
      if (event.type === "submit" || !question) this.asked.abort();
      return;
    }
    if (!question) return;
    this.box.value = "";
    this.answer(question);
  }

  /** Ask a question; with `edit`, it replaces that earlier one, and those after it are forgotten. */
  async answer(question, edit = null) {
    const { conversation } = this;
    const { turns } = conversation;
    const session = conversation.session ||= newSession(question);
    this.leave();
    if (edit !== null) turns.splice(edit);
    const rewind = rewindOf(conversation);
    const turn = { question, sources: [], thinking: "", text: "", scope: this.scope.map(([key, value]) => `${key}:${value}`).join(" ") };
    turns.push(turn);
    this.draw();
    const place = this.list.lastElementChild;
    place.scrollIntoView({ block: "start" });
    const asked = this.asked = new AbortController();
    this.button.textContent = "Stop";
    announce("Searching your notes");
    try {
      const body = { question, session, ...this.filters, ...rewind };
      const response = await send("/rag", {
        method: "POST", signal: asked.signal, body: JSON.stringify(body), headers: { "content-type": "application/json", accept: "application/x-ndjson" },
      });
      for await (const line of lines(response)) this.take(turn, line, place);
    } catch (error) {
      turn.stopped = error.name === "AbortError" ? "Stopped" : `${error.message}. ${error.hint ?? ""}`;
      turn.waits = error.status === 503;
    }
    // Another question took its place, or another conversation.
    if (this.asked !== asked) return;
    this.asked = null;
    this.button.textContent = "Ask";
    fill(place, this.partsOf(turn, turns.indexOf(turn)));
    saveConversation(conversation);
    // The conversation has an address of its own, which a reload shows again.
    if (turn.answer && place.isConnected) this.go(addressBelow("/sessions", session), { replace: true, quiet: true });
    this.showMemory();
    announce(turn.answer ? "Answered" : turn.stopped ?? "");
    const first = turn.answer?.citations[0] ?? turn.sources[0];
    if (first?.line && place.isConnected) this.open(first);
  }

  /** Take one line of the stream, and draw what it changes. */
  take(turn, line, place) {
    if (line.type === "metadata") turn.sources.push(line.citation);
    else if (line.type === "thinking") turn.thinking += line.text;
    else if (line.type === "text") turn.text += line.text;
    // The server has stored the question: it comes after those that are stored here.
    else if (line.type === "memory") {
      turn.memory = line;
      this.conversation.stored = storedIn(this.conversation.turns);
    }
    // An answer without a model may follow; it says why.
    else if (line.type === "error") Object.assign(turn, { text: "", stopped: `${line.error}. ${line.hint}` });
    else if (line.type === "answer") Object.assign(turn, { answer: line, stopped: null });
    fill(place, this.partsOf(turn, this.conversation.turns.indexOf(turn)));
  }

  turnOf(turn, number) {
    return h("li", { class: "turn" }, this.partsOf(turn, number));
  }

  partsOf(turn, number) {
    const { answer } = turn;
    const citations = answer?.citations ?? [];
    return [
      h("div", { class: "asked" }, h("h2", {}, turn.question.length > LONGEST ? `${turn.question.slice(0, LONGEST)} …` : turn.question), h("button", { class: "quiet", onclick: () => this.edit(turn, number) }, "Edit")),
      turn.scope ? h("p", { class: "where" }, `Only in ${turn.scope}`) : "",
      !answer && turn.sources.length ? this.sourcesOf(turn.sources, turn.earlier ? "Sources" : "Looking at") : "",
      turn.thinking ? h("details", { class: "thinking" }, h("summary", {}, "Thinking"), h("p", {}, turn.thinking)) : "",
      // The notice about it says whether passages follow.
      answer && !answer.answered ? h("p", { class: "refused" }, answer.notices.join(". ")) : "",
      h("div", { class: "answer", "aria-busy": String(!answer && !turn.stopped && !turn.earlier) }, formatted(answer?.text ?? turn.text, citations, (one) => this.open(one))),
      citations.length ? this.sourcesOf(citations, "Sources", answer.answered) : "",
      answer?.unsupported?.length ? h("p", { class: "unsupported" }, `Not in the cited notes: ${answer.unsupported.join(", ")}`) : "",
      answer?.answered ? answer.notices.map((notice) => h("p", { class: "where" }, sentence(notice))) : "",
      turn.stopped ? h("p", { class: "error" }, sentence(turn.stopped)) : "",
      answer ? h("p", { class: "by" }, answer.model ? `Written by ${answer.model} at ${answer.server}. ` : "Quoted from your notes, without a model. ",
        answer.model ? "" : h("span", {}, "Start Ollama, or set llm.model, to let a model write the answer. "),
        h("button", { class: "quiet", onclick: (event) => this.copy(turn, event.currentTarget) }, "Copy with footnotes")) : "",
    ];
  }

  sourcesOf(citations, name, marked = false) {
    return h("section", { class: "sources", "aria-label": name }, h("ol", {}, citations.map((one) => {
      const [sign, kind, meaning] = MARKS[one.citation_reason] ?? UNCHECKED;
      const where = one.line ? `${one.path}:${one.line}` : one.path;
      return h("li", {}, marked ? h("span", { class: kind, title: meaning, role: "img", "aria-label": meaning }, sign) : "",
        h("a", { href: noteAddress(one.path, one.line ? { lines: `${one.line}-${one.end_line}` } : {}), onclick: (event) => this.follow(event, one) },
          one.number ? `[${one.number}] ${where}` : one.quote ? `“${plain(one.quote)}” ${where}` : where), h("span", { class: "where" }, one.heading.split(" > ").at(-1)));
    })));
  }

  follow(event, citation) {
    // On a narrow screen there is no pane beside the answer, so the link leads to the note.
    if (event.metaKey || event.ctrlKey || event.shiftKey || !this.preview.element.offsetParent) return;
    event.preventDefault();
    this.open(citation);
  }

  open(citation) {
    this.preview.show({ path: citation.path, excerpt: { line: citation.line, end_line: citation.end_line } });
  }

  edit(turn, number) {
    const again = (event) => {
      event.preventDefault();
      if (box.value.trim()) this.answer(box.value.trim(), number);
    };
    const pressed = (event) => {
      if (isSent(event)) again(event);
      else if (event.key === "Escape") this.draw();
    };
    const box = h("textarea", { rows: "2", "aria-label": "Edit the question", dir: "auto", onkeydown: pressed });
    box.value = turn.question;
    fill(this.list.children[number], h("form", { class: "question", onsubmit: again }, box,
      h("div", { class: "row" }, h("button", { type: "button", class: "quiet", onclick: () => this.draw() }, "Cancel"), h("button", { class: "main" }, "Ask again"))));
    box.focus();
  }

  async copy(turn, button) {
    const text = asFootnotes(turn.answer);
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
      announce("Copied");
    } catch {
      // Without the clipboard, the text can be copied by hand.
      button.replaceWith(h("textarea", { rows: "6", readonly: true, "aria-label": "The answer with footnotes" }, text));
    }
  }

  showMemory() {
    const memory = this.conversation.turns.at(-1)?.memory;
    fill(this.meter, memory ? h("meter", { min: 0, max: memory.budget, value: memory.used, "aria-label": "Memory of this conversation" }) : "",
      memory ? ` ${Math.round((100 * memory.used) / memory.budget)} % of memory used` : "");
  }
}

function isSent({ key, shiftKey, isComposing }) {
  return key === "Enter" && !shiftKey && !isComposing;
}

/** Return a name by which a person knows the conversation again, also in `notewell chat --list`. */
function newSession(question) {
  return `${[...question.replace(/\s+/g, " ")].slice(0, NAMED).join("")} ${crypto.randomUUID().slice(0, 4)}`;
}

/** Return how many of some turns the server remembers: an answer that was stopped or failed is not. */
function storedIn(turns) {
  return turns.filter((turn) => turn.earlier || turn.memory).length;
}

/** Return what makes the server forget the questions that are no longer in a conversation here. */
function rewindOf({ turns, stored, first = 1 }) {
  const left = storedIn(turns);
  return left < stored ? { edit: first + left } : {};
}

/** Return the conversation of this tab, or the named one, which may be of another tab or program. */
async function conversationOf(session) {
  const kept = loadConversation();
  if (!session || kept.session === session) return kept;
  const found = await ask(addressBelow("/sessions", session));
  const turns = found.turns.map(({ question, answer, paths }) => ({ question, text: answer, thinking: "", scope: "", stopped: null,
    sources: paths.map((path) => ({ path, line: 0, heading: "" })), earlier: true }));
  return { session, first: found.first, turns, stored: turns.length };
}

function loadConversation() {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY));
    if (typeof kept?.session === "string" && Array.isArray(kept.turns)) return { ...kept, stored: kept.stored ?? storedIn(kept.turns) };
  } catch {
    // The stored value is not ours: start a new conversation.
  }
  return { session: "", turns: [], stored: 0 };
}

function saveConversation(conversation) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(conversation));
  } catch {
    // Storage is off or full: the conversation ends with the page.
  }
}

export const askView = new Ask();
