// The view that answers questions: sources first, then the answer, then a mark for each quote.

import { ask, lines, noteAddress, send } from "/web/api.js";
import { announce, fill, h } from "/web/dom.js";
import { Preview } from "/web/preview.js";

const KEY = "notewell.conversation";
// Characters of a question that are shown.
const LONGEST = 500;
const MARKS = {
  match: ["✓", "proven", "in your notes, word for word"],
  not_found: ["✗", "absent", "not in your notes"],
};
const UNCHECKED = ["·", "unchecked", "cannot be checked"];

class Ask {
  keys = [["↵", "Ask"], ["Shift ↵", "New line"], ["Esc", "Stop the answer"]];

  show(place, url, go) {
    document.title = "Ask · Notewell";
    this.conversation = loadConversation();
    this.asked = null;
    this.list = h("ol", { class: "turns", "aria-label": "Conversation" });
    this.box = h("textarea", {
      rows: "1", "data-search": true, "aria-label": "Ask your notes", placeholder: "Ask your notes", onkeydown: (event) => this.pressed(event),
    });
    this.button = h("button", { class: "main" }, "Ask");
    this.meter = h("p", { class: "memory" });
    this.scope = h("select", { class: "chip", "aria-label": "Which folder may answer" }, h("option", { value: "" }, "All notes"));
    this.preview = new Preview(go);
    fill(place, h("div", { class: "asking" },
      h("div", { class: "talk" }, h("h1", { class: "unseen" }, "Ask your notes"), this.list,
        h("form", { class: "question", onsubmit: (event) => this.submitted(event) }, this.box,
          h("div", { class: "row" }, this.scope, this.meter,
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

  /** Offer the folders that the vault has now, and ask again what it could not answer before. */
  refresh() {
    const { turns } = this.conversation;
    if (turns.at(-1)?.waits && !this.asked) this.answer(turns.pop().question);
    ask("/filters").then(({ folders }) => {
      const chosen = this.scope.value;
      fill(this.scope, h("option", { value: "" }, "All notes"), folders.map((one) => h("option", { value: one }, one)));
      this.scope.value = chosen;
    }).catch(() => {});
  }

  draw() {
    fill(this.list, this.conversation.turns.map((turn, number) => this.turnOf(turn, number)));
    this.showMemory();
  }

  begin() {
    this.asked?.abort();
    this.conversation = { session: newSession(), turns: [] };
    saveConversation(this.conversation);
    this.preview.clear();
    this.draw();
    this.box.focus();
  }

  pressed(event) {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      this.submitted(event);
    } else if (event.key === "Escape" && this.asked) {
      event.preventDefault();
      this.asked.abort();
    }
  }

  submitted(event) {
    event.preventDefault();
    if (this.asked) {
      this.asked.abort();
      return;
    }
    const question = this.box.value.trim();
    if (!question) return;
    this.box.value = "";
    this.answer(question);
  }

  /** Ask a question; with `edit`, it replaces that earlier one, and those after it are forgotten. */
  async answer(question, edit = null) {
    const { turns, session } = this.conversation;
    if (edit !== null) turns.splice(edit);
    const turn = { question, sources: [], thinking: "", text: "" };
    turns.push(turn);
    this.draw();
    const place = this.list.lastElementChild;
    place.scrollIntoView({ block: "start" });
    this.asked = new AbortController();
    this.button.textContent = "Stop";
    announce("Searching your notes");
    try {
      const body = { question, session, under: this.scope.value, ...(edit === null ? {} : { edit: edit + 1 }) };
      const response = await send("/rag", {
        method: "POST", signal: this.asked.signal, body: JSON.stringify(body), headers: { "content-type": "application/json", accept: "application/x-ndjson" },
      });
      for await (const line of lines(response)) this.take(turn, line, place);
    } catch (error) {
      turn.stopped = error.name === "AbortError" ? "Stopped" : `${error.message}. ${error.hint ?? ""}`;
      turn.waits = error.status === 503;
    }
    this.asked = null;
    this.button.textContent = "Ask";
    fill(place, this.partsOf(turn, turns.indexOf(turn)));
    saveConversation(this.conversation);
    this.showMemory();
    announce(turn.answer ? "Answered" : turn.stopped ?? "");
    const first = turn.answer?.citations[0] ?? turn.sources[0];
    if (first?.line) this.open(first);
  }

  /** Take one line of the stream, and draw what it changes. */
  take(turn, line, place) {
    if (line.type === "metadata") turn.sources.push(line.citation);
    else if (line.type === "thinking") turn.thinking += line.text;
    else if (line.type === "text") turn.text += line.text;
    else if (line.type === "memory") turn.memory = line;
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
      !answer && turn.sources.length ? this.sourcesOf(turn.sources, "Looking at") : "",
      turn.thinking ? h("details", { class: "thinking" }, h("summary", {}, "Thinking"), h("p", {}, turn.thinking)) : "",
      // The notice about it says whether passages follow.
      answer && !answer.answered ? h("p", { class: "refused" }, answer.notices.join(". ")) : "",
      h("div", { class: "answer", "aria-busy": String(!answer && !turn.stopped) }, this.textOf(answer?.text ?? turn.text, citations)),
      citations.length ? this.sourcesOf(citations, "Sources", answer.answered) : "",
      answer?.unsupported?.length ? h("p", { class: "unsupported" }, `Not in the cited notes: ${answer.unsupported.join(", ")}`) : "",
      answer?.answered ? answer.notices.map((notice) => h("p", { class: "where" }, notice)) : "",
      turn.stopped ? h("p", { class: "error" }, turn.stopped) : "",
      answer ? h("p", { class: "by" }, answer.model ? `Written by ${answer.model} at ${answer.server}. ` : "Quoted from your notes, without a model. ",
        answer.model ? "" : h("span", {}, "Start Ollama, or set llm.model, to let a model write the answer. "),
        h("button", { class: "quiet", onclick: (event) => this.copy(turn, event.currentTarget) }, "Copy")) : "",
    ];
  }

  sourcesOf(citations, name, marked = false) {
    return h("section", { class: "sources", "aria-label": name }, h("ol", {}, citations.map((one) => {
      const [sign, kind, meaning] = MARKS[one.citation_reason] ?? UNCHECKED;
      const where = one.line ? `${one.path}:${one.line}` : one.path;
      return h("li", {}, marked ? h("span", { class: kind, title: meaning, role: "img", "aria-label": meaning }, sign) : "",
        h("a", { href: noteAddress(one.path, one.line ? { lines: `${one.line}-${one.end_line}` } : {}), onclick: (event) => this.follow(event, one) },
          one.number ? `[${one.number}] ${where}` : `“${one.quote}” ${where}`), h("span", { class: "where" }, one.heading.split(" > ").at(-1)));
    })));
  }

  /** Return an answer's text as paragraphs and quotes, with numbers that open their source. */
  textOf(text, citations) {
    return text.split(/\n{2,}/).filter(Boolean).map((part) => {
      const quoted = part.startsWith("> ");
      const words = quoted ? part.replace(/^> ?/gm, "") : part;
      const nodes = words.split(/(\[\d{1,3}\])/).map((piece) => {
        const one = citations.find((citation) => `[${citation.number}]` === piece);
        return one ? h("button", { class: "number", "aria-label": `Show source ${one.number}`, onclick: () => this.open(one) }, piece) : piece;
      });
      return h(quoted ? "blockquote" : "p", {}, nodes);
    });
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
    const box = h("textarea", { rows: "2", "aria-label": "Edit the question" });
    box.value = turn.question;
    const again = (event) => {
      event.preventDefault();
      if (box.value.trim()) this.answer(box.value.trim(), number);
    };
    fill(this.list.children[number], h("form", { class: "question", onsubmit: again }, box,
      h("div", { class: "row" }, h("button", { type: "button", class: "quiet", onclick: () => this.draw() }, "Cancel"), h("button", { class: "main" }, "Ask again"))));
    box.focus();
  }

  async copy(turn, button) {
    const notes = turn.answer.citations.map((one) => `[${one.number}] ${one.path}:${one.line}`).join("\n");
    await navigator.clipboard.writeText(`${turn.answer.text}\n\n${notes}\n`);
    button.textContent = "Copied";
  }

  showMemory() {
    const memory = this.conversation.turns.at(-1)?.memory;
    fill(this.meter, memory ? h("meter", { min: 0, max: memory.budget, value: memory.used, "aria-label": "Memory of this conversation" }) : "",
      memory ? ` ${Math.round((100 * memory.used) / memory.budget)} % of memory used` : "");
  }
}

function newSession() {
  return `page ${crypto.randomUUID()}`;
}

function loadConversation() {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY));
    if (kept?.session && Array.isArray(kept.turns)) return kept;
  } catch {
    // The stored value is not ours: start a new conversation.
  }
  return { session: newSession(), turns: [] };
}

function saveConversation(conversation) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(conversation));
  } catch {
    // Storage is off or full: the conversation ends with the page.
  }
}

export const askView = new Ask();
