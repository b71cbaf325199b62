// Filters as chips: menus offer the vault's own folders, tags, types, properties and dates.

import { ask } from "/web/api.js";
import { fill, h } from "/web/dom.js";
import { plain } from "/web/highlight.js";

// Filters of the query language that every vault has; a vault adds its own properties.
const KEYS = ["path", "tag", "type", "lang", "after", "before", "is", "due", "like", "in"];
const FILTER = /(?:^|\s)(-?([^\s:"]+):(?:"[^"]*"|[^\s"]+))(?=\s|$)/g;
// Menus: their name, the key of the filter, and the field of `/filters` with the values. A list that is not there is left out.
const OFFERED = [
  ["Folder", "path", "folders"],
  ["Tag", "tag", "tags"],
  ["Type", "type", "types"],
  ["Domain", "in", "domains"],
];
const AGES = [["Past week", "7d"], ["Past month", "30d"], ["Past year", "365d"]];

let offered = null;

/** Return what the vault offers; asked once for all views, and again if it may have changed. */
export function choices({ again = false } = {}) {
  if (again || !offered) offered = ask("/filters");
  offered.catch(() => { offered = null; });
  return offered;
}

/** Return the row of chips below a search box, and ways to read the box and the vault again. */
export function chips(box, changed) {
  const set = h("span", { class: "set" });
  const menus = h("span", { class: "menus" });
  const element = h("div", { class: "chips", role: "group", "aria-label": "Filters" }, set, menus);
  let keys = KEYS;
  let shown = "";
  load();

  function load(again = false) {
    choices({ again }).then((found) => {
      keys = [...KEYS, ...found.keys];
      fill(menus, menusOf(found, (key, value) => add(written(key, value))));
      read();
    }).catch(() => {});
  }

  function add(filter) {
    box.value = `${box.value.trim()} ${filter}`.trim();
    changed();
    box.focus();
  }

  function remove(filter) {
    // As a whole: `-tag:a` and `tag:ab` have the text of `tag:a`, too.
    box.value = box.value.replace(FILTER, (found, one) => (one === filter ? "" : found)).replace(/\s+/g, " ").trim();
    changed();
    box.focus();
  }

  function read() {
    const filters = [...box.value.matchAll(FILTER)].filter(([, , key]) => keys.includes(key.replace(/^-/, "").toLowerCase()));
    const now = filters.map(([, filter]) => filter).join(" ");
    // Most letters change no filter.
    if (now === shown) return;
    shown = now;
    fill(set, filters.map(([, filter]) => chipOf(filter, () => remove(filter))));
  }
  return { element, read, load };
}

/** Return a chip with a button that removes it. */
export function chipOf(text, remove) {
  return h("button", { type: "button", class: "chip on", "aria-label": `Remove ${text}`, title: text, onclick: remove }, h("span", {}, text), h("span", { "aria-hidden": "true" }, "×"));
}

/** Return the menus of what the vault offers; `add` gets the key and the value that are chosen. */
export function menusOf(found, add) {
  const lists = OFFERED.filter(([, , of]) => found[of]?.length);
  const menus = lists.map(([name, key, of]) => menuOf(name, found[of].map((value) => [value, key, value]), add));
  const properties = Object.entries(found.properties);
  if (properties.length) menus.push(menuOf("Property", [], add, properties));
  return [...menus, menuOf("Date", AGES.map(([label, age]) => [label, "after", age]), add)];
}

function menuOf(name, options, add, groups = []) {
  const chosen = [...options, ...groups.flatMap(([key, values]) => values.map((value) => [value, key, value]))];
  let at = 0;
  const option = ([label]) => h("option", { value: at++ }, plain(label));
  const choose = ({ target }) => {
    if (target.value !== "") add(...chosen[Number(target.value)].slice(1));
    target.value = "";
  };
  return h("select", { class: "chip", "aria-label": `Filter by ${name.toLowerCase()}`, onchange: choose },
    h("option", { value: "" }, name), options.map(option),
    groups.map(([key, values]) => h("optgroup", { label: key }, values.map((value) => option([value])))));
}

/** Return a filter as one would type it. */
export function written(key, value) {
  return /[\s"]/.test(value) ? `${key}:"${value.replaceAll('"', "")}"` : `${key}:${value}`;
}
