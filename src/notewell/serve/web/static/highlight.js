// Shows text of notes in one line of reading: without the signs of Markdown, with marks on the words of a query.

import { h } from "/web/dom.js";

// Signs that a text is read without, each with what stands in their place; `keep` is the part that stays.
const SIGNS = [
  [/^[ \t]*(?:```|~~~)[^\n]*\n?/gm, ""],
  [/^[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-{2,}:?[ \t]*)+\|?[ \t]*\n?/gm, ""],
  [/^(?:[ \t]*>)+[ \t]?/gm, ""],
  [/^[ \t]*#{1,6}[ \t]+/gm, ""],
  [/^[ \t]*[-*+][ \t]+(?:\[(?<box>.)\][ \t]+)?/gm, ({ groups }) => ({ undefined: "• ", " ": "☐ " })[groups.box] ?? "☑ "],
  [/^[ \t]*\|[ \t]?|[ \t]*\|[ \t]*$/gm, ""],
  [/ \| /g, " · "],
  [/\[![\w-]+\][+-]?[ \t]?/g, ""],
  [/(?<=\[\[[^[\]|#\n]+)#\^?(?=[^[\]|\n]+\]\])/g, " › "],
  [/!?\[\[(?:[^[\]|\n]*\|)?(?<keep>[^[\]|\n]*)(?:\|[^[\]\n]*)?\]\]/dg, ""],
  [/!?\[(?<keep>[^[\]\n]*)\]\((?:[^()\n]|\([^()\n]*\))*\)/dg, ""],
  [/<\/?[a-zA-Z][^<>\n]*>/g, ""],
  [/%%[^%\n]*%%/g, ""],
  [/[ \t]\^[\w-]+$/gm, ""],
  [/(?<!\*)\*\*(?=\S)(?<keep>[^*\n]*?\S)\*\*/dg, ""],
  [/(?<![\w*])\*(?=[^\s*])(?<keep>[^*\n]*?[^\s*])\*(?![\w*])/dg, ""],
  [/(?<!\w)__(?=\S)(?<keep>[^_\n]*? [^_\n]*?\S)__(?!\w)/dg, ""],
  [/(?<![\w\\])_(?=[^\s_])(?<keep>[^_\n]*?[^\s_])_(?!\w)/dg, ""],
  [/==(?=\S)(?<keep>[^=\n]*?\S)==/dg, ""],
  [/~~(?=\S)(?<keep>[^~\n]*?\S)~~/dg, ""],
];
const CODE = /(?<!`)(`{1,3})(?!`)([^\n]*?[^`\n])\1(?!`)/g;
const ENTITY = /&(?:#(\d{1,6})|#x([0-9a-f]{1,5})|(amp|lt|gt|quot|apos|nbsp));/gi;
const HIDDEN = /\p{C}/u;
const NAMED = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

/** Return a text as nodes, with marks where `spans` say; spans count characters, not UTF-16 units. */
export function marked(text, spans = []) {
  const places = /[\ud800-\udfff]/.test(text) ? placesOf(text) : null;
  const shown = read(text);
  const unit = (place) => (places ? places[Math.min(place, places.length - 1)] : place);
  const part = (from, to) => shown.slice(unit(from), to === undefined ? undefined : unit(to)).join("");
  const nodes = [];
  let at = 0;
  for (const [from, to] of spans) {
    // A word inside of a sign, such as the address of a link, is not shown.
    if (from < at || !part(from, to).trim()) continue;
    nodes.push(part(at, from), h("mark", {}, part(from, to)));
    at = to;
  }
  nodes.push(part(at));
  return nodes.filter((node) => node !== "");
}

/** Return a text without the signs of Markdown. */
export function plain(text) {
  return read(text).join("");
}

/** Return a function that returns a part of a text without its signs, which are those of the whole text. */
export function plainParts(text) {
  const shown = read(text);
  return (from, to) => shown.slice(from, to).join("");
}

/** Return what is shown for each UTF-16 unit of a text: itself, nothing, or what stands for a sign. */
function read(text) {
  const shown = text.split("");
  const code = new Array(text.length).fill(false);
  for (const match of text.matchAll(CODE)) {
    const { index } = match;
    const ticks = match[1].length;
    code.fill(true, index, index + match[0].length);
    replace(shown, index, index + ticks, "");
    replace(shown, index + match[0].length - ticks, index + match[0].length, "");
  }
  for (const [sign, instead] of SIGNS) {
    for (const match of text.matchAll(sign)) if (!code[match.index] && shown[match.index]) drop(shown, match, typeof instead === "function" ? instead(match) : instead);
  }
  for (const match of text.matchAll(ENTITY)) {
    const [whole, decimal, hexadecimal, name] = match;
    const said = name ? NAMED[name.toLowerCase()] : String.fromCodePoint(Math.min(0x10ffff, parseInt(decimal ?? hexadecimal, decimal ? 10 : 16)));
    // A character that hides or turns text stays as it is written.
    if (!code[match.index] && shown[match.index] && !HIDDEN.test(said)) replace(shown, match.index, match.index + whole.length, said);
  }
  return shown;
}

function drop(shown, match, instead) {
  const end = match.index + match[0].length;
  const [from, to] = match.indices?.groups?.keep ?? [end, end];
  replace(shown, match.index, from, instead);
  replace(shown, to, end, "");
}

function replace(shown, from, to, instead) {
  shown.fill("", from, to);
  if (to > from) shown[from] = instead;
}

/** Return where each character of a text begins in UTF-16 units, and where the last ends. */
function placesOf(text) {
  const places = [0];
  for (const character of text) places.push(places.at(-1) + character.length);
  return places;
}
