// The text of an answer: paragraphs, quotes, lists and code, with numbers that open their source.

import { h } from "/web/dom.js";
import { plainParts } from "/web/highlight.js";

// What begins and ends a block of code.
const FENCE = /^(`{3,}|~{3,})/;
// The end of a row of a table, before the number of its source.
const ROW_END = /[ \t]*\|[ \t]*(?=\[\d{1,3}\]$)/gm;
const INLINE = /(\[\d{1,3}\]|`[^`\n]+`|\*\*[^*\n]+\*\*)/;

/** Return a text as elements; `open` is called with a citation. */
export function formatted(text, citations, open) {
  return blocksOf(text.split("\n"));

  /** Return lines as paragraphs, quotes and code; a quote has blocks of its own. */
  function blocksOf(rows) {
    const made = [];
    while (rows.length) {
      const fence = FENCE.exec(rows[0])?.[1];
      if (fence) made.push(...codeOf(rows, fence));
      else if (rows[0].startsWith(">")) made.push(h("blockquote", {}, blocksOf(taken(rows, (row) => row.startsWith(">")).map((row) => row.replace(/^> ?/, "")))));
      else if (rows[0].trim()) made.push(h("p", {}, inline(taken(rows, (row) => row.trim() && !row.startsWith(">") && !FENCE.test(row)).join("\n"))));
      else rows.shift();
    }
    return made;
  }

  /** Return a block of code, and what follows in its last line: the number of a source. */
  function codeOf(rows, fence) {
    rows.shift();
    const code = h("pre", { tabindex: "0" }, h("code", {}, taken(rows, (row) => !row.startsWith(fence)).join("\n")));
    const after = rows.shift()?.slice(fence.length).trim();
    return after ? [code, h("p", {}, inline(after))] : [code];
  }

  function inline(written) {
    const row = written.replace(ROW_END, " ");
    const part = plainParts(row);
    let at = 0;
    return row.split(INLINE).map((words) => piece(words, part(at, (at += words.length))));
  }

  function piece(words, read) {
    const cited = citations.find((citation) => `[${citation.number}]` === words);
    if (cited) return h("button", { class: "number", "aria-label": `Show source ${cited.number}`, onclick: () => open(cited) }, words);
    if (/^`.+`$/.test(words)) return h("code", {}, words.slice(1, -1));
    return /^\*\*.+\*\*$/.test(words) ? h("strong", {}, read) : read;
  }
}

/** Take lines from the beginning of a list, as long as they belong together. */
function taken(rows, belongs) {
  const end = rows.findIndex((row) => !belongs(row));
  return rows.splice(0, end < 0 ? rows.length : end);
}

/** Return an answer as Markdown with footnotes, which name the places it cites. */
export function asFootnotes({ text, citations }) {
  const noted = citations.filter((one) => one.number && one.path);
  const numbers = new Set(noted.map((one) => one.number));
  const body = text.replace(/\[(\d{1,3})\]/g, (written, number) => (numbers.has(Number(number)) ? `[^${number}]` : written));
  const notes = noted.map((one) => `[^${one.number}]: ${one.path}:${one.line}`);
  return notes.length ? `${body}\n\n${notes.join("\n")}\n` : `${body}\n`;
}
