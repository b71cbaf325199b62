// The text of an answer: paragraphs, quotes, lists and code, with numbers that open their source.

import { h } from "/web/dom.js";
import { plain } from "/web/highlight.js";

// Blocks of code, and the paragraphs between them.
const FENCED = /```[^\n]*\n([\s\S]*?)(?:\n```|$)/;
const INLINE = /(\[\d{1,3}\]|`[^`\n]+`|\*\*[^*\n]+\*\*)/;

/** Return a text as elements; `open` is called with a citation. */
export function formatted(text, citations, open) {
  const made = [];
  let rest = text;
  for (let code = FENCED.exec(rest); code; code = FENCED.exec(rest)) {
    made.push(...paragraphs(rest.slice(0, code.index)), h("pre", { tabindex: "0" }, h("code", {}, code[1])));
    rest = rest.slice(code.index + code[0].length);
  }
  return [...made, ...paragraphs(rest)];

  function paragraphs(part) {
    return part.split(/\n{2,}/).filter((one) => one.trim()).map((one) => {
      const quoted = one.startsWith("> ");
      const words = quoted ? one.replace(/^> ?/gm, "") : one;
      return h(quoted ? "blockquote" : "p", {}, words.split(INLINE).map(piece));
    });
  }

  function piece(words) {
    const cited = citations.find((citation) => `[${citation.number}]` === words);
    if (cited) return h("button", { class: "number", "aria-label": `Show source ${cited.number}`, onclick: () => open(cited) }, words);
    if (/^`.+`$/.test(words)) return h("code", {}, words.slice(1, -1));
    if (/^\*\*.+\*\*$/.test(words)) return h("strong", {}, plain(words.slice(2, -2)));
    return plain(words);
  }
}

/** Return an answer as Markdown with footnotes, which name the places it cites. */
export function asFootnotes({ text, citations }) {
  const noted = citations.filter((one) => one.number && one.path);
  const numbers = new Set(noted.map((one) => one.number));
  const body = text.replace(/\[(\d{1,3})\]/g, (written, number) => (numbers.has(Number(number)) ? `[^${number}]` : written));
  const notes = noted.map((one) => `[^${one.number}]: ${one.path}:${one.line}`);
  return notes.length ? `${body}\n\n${notes.join("\n")}\n` : `${body}\n`;
}
