// A note as the server rendered it. Only here does a text become HTML: the server has sanitised it.

import { address } from "/web/api.js";
import { h } from "/web/dom.js";

const policy = window.trustedTypes?.createPolicy("notewell", { createHTML: (html) => html }) ?? { createHTML: (html) => html };

/** Return the address of a note's rendered form. */
export function pageAddress(path, parameters = {}) {
  return address(`/page/${path.split("/").map(encodeURIComponent).join("/")}`, parameters);
}

/** Return a rendered note as an element, with the lines from `line` to `last` marked. */
export function renderedOf(page, { line = 0, last = line } = {}) {
  const article = h("article", { class: "note", lang: page.lang || null });
  article.innerHTML = policy.createHTML(page.html);
  if (line) markLines(article, line, last);
  return article;
}

/** Mark the smallest elements that contain the lines. */
function markLines(article, line, last) {
  const within = [...article.querySelectorAll("[data-line]")].filter((one) => {
    const [from, to] = one.dataset.line.split("-").map(Number);
    return from <= last && to >= line;
  });
  for (const one of within) if (!within.some((other) => other !== one && one.contains(other))) one.classList.add("matched");
}
