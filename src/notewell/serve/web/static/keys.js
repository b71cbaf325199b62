// The list of keys, on `?`.

import { h } from "/web/dom.js";

const EVERYWHERE = [["/", "Go to the search box"], ["?", "Show these keys"], ["Esc", "Go back, or close"]];

/** Show the keys of a view in a dialog. */
export function showKeys(keys) {
  const others = EVERYWHERE.filter(([key]) => !keys.some(([own]) => own === key));
  const rows = [...keys, ...others].map(([key, what]) => h("div", {}, h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)));
  const dialog = h("dialog", { class: "keys", "aria-labelledby": "keys-title", onclose: () => dialog.remove() },
    h("h2", { id: "keys-title" }, "Keys"),
    h("dl", {}, rows),
    h("form", { method: "dialog" }, h("button", { autofocus: true }, "Close")));
  document.body.append(dialog);
  dialog.showModal();
}
