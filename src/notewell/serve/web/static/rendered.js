// A note as the server rendered it. Only here does a text become HTML: the server has sanitised it.

import { addressBelow } from "/web/api.js";
import { h } from "/web/dom.js";

const policy = window.trustedTypes?.createPolicy("notewell", { createHTML: (html) => html }) ?? { createHTML: (html) => html };

/** Return the address of a note's rendered form. */
export function pageAddress(path, parameters = {}) {
  return addressBelow("/page", path, parameters);
}

/** Return a rendered note as an element, with the lines from `line` to `last` marked. */
export function renderedOf(page, { line = 0, last = line } = {}) {
  const article = h("article", { class: `note kind-${page.kind}` });
  article.innerHTML = policy.createHTML(page.html);
  if (!page.html.trim() && page.kind !== "file") article.append(h("p", { class: "where" }, "This note has no text."));
  // Wide tables and code can be scrolled with the keys too.
  for (const wide of article.querySelectorAll(".scroll, pre, .embed")) wide.tabIndex = 0;
  for (const image of article.querySelectorAll("img")) describe(image);
  article.addEventListener("click", followFootnote);
  if (line) markLines(article, line, last);
  return article;
}

/** Show the text of an image that is not shown; one without a text says nothing to those who listen. */
function describe(image) {
  if (!image.hasAttribute("src")) image.replaceWith(image.alt);
  else if (!image.hasAttribute("alt")) image.alt = "";
}

/** Return the element of a note that shows a line: the smallest one, or the first one below the line. */
export function elementAt(article, line) {
  let found = null;
  for (const one of article.querySelectorAll("[data-line]")) {
    const [from, to = from] = linesOf(one);
    if (from <= line && to >= line) found = one;
    else if (from > line) return found ?? one;
  }
  return found;
}

/** Return the first and the last line of an element. */
export function linesOf(element) {
  return element.dataset.line.split("-").map(Number);
}

/** Mark the smallest elements that contain the lines, and unfold what hides them. */
function markLines(article, line, last) {
  const within = [...article.querySelectorAll("[data-line]")].filter((one) => {
    const [from, to = from] = linesOf(one);
    return from <= last && to >= line;
  });
  const inner = new Set(within);
  for (const one of within) for (let above = one.parentElement; above && above !== article; above = above.parentElement) inner.delete(above);
  // A blank line is in no element: then the next one below it is marked.
  if (!inner.size) inner.add(elementAt(article, line));
  inner.delete(null);
  for (const one of inner) {
    one.classList.add("matched");
    for (let folded = one.closest("details"); folded; folded = folded.parentElement.closest("details")) folded.open = true;
  }
}

/** Go to a footnote or back; the address stays, since it names the note. */
function followFootnote(event) {
  const link = event.target.closest('a[href^="#note-"]');
  const target = link && event.currentTarget.querySelector(`[id="${CSS.escape(link.hash.slice(1))}"]`);
  if (!link) return;
  event.preventDefault();
  target?.scrollIntoView({ block: "center" });
  target?.setAttribute("tabindex", "-1");
  target?.focus({ preventScroll: true });
}
