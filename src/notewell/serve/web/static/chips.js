// Filters as chips: the menus offer the vault's own folders, tags and properties, and add them to the query.

import { ask } from "/web/api.js";
import { fill, h } from "/web/dom.js";

const FILTER = /(?:^|\s)((?:path|tag|type|after|before):(?:"[^"]*"|\S+))/g;
const OFFERED = [
  ["Folder", "path", "folders"],
  ["Tag", "tag", "tags"],
  ["Type", "type", "types"],
];
const DAY = /^\d{4}-\d\d-\d\d/;
const AGES = [["Past week", "7d"], ["Past month", "30d"], ["Past year", "365d"]];

/** Return the row of chips below a search box, and a way to read the box again. */
export function chips(box, changed) {
  const element = h("div", { class: "chips", role: "group", "aria-label": "Filters" });
  const set = h("span", { class: "set" });
  const menus = h("span", { class: "menus" });
  element.append(set, menus);
  load();

  function load() {
    ask("/filters").then((choices) => fill(menus, menusOf(choices, add))).catch(() => {});
  }

  function add(filter) {
    box.value = `${box.value.trim()} ${filter}`.trim();
    changed();
    box.focus();
  }

  function remove(filter) {
    box.value = box.value.replace(filter, "").replace(/\s+/g, " ").trim();
    changed();
    box.focus();
  }

  function read() {
    const filters = [...box.value.matchAll(FILTER)].map(([, filter]) => filter);
    fill(set, filters.map((filter) => h("button", {
      type: "button", class: "chip on", "aria-label": `Remove ${filter}`, onclick: () => remove(filter),
    }, filter, h("span", { "aria-hidden": "true" }, " ×"))));
  }
  return { element, read, load };
}

function menusOf(choices, add) {
  // Days are chosen by their age, not one by one.
  const worded = Object.entries(choices.properties).filter(([, values]) => !values.every((value) => DAY.test(value)));
  const properties = worded.map(([key, values]) => [key, key, values]);
  const lists = [...OFFERED.map(([name, key, of]) => [name, key, choices[of]]), ...properties];
  const menus = lists.filter(([, , values]) => values.length).map(([name, key, values]) =>
    menuOf(name, values.map((value) => [value, written(key, value)]), add));
  return [...menus, menuOf("Date", AGES.map(([label, value]) => [label, `after:${value}`]), add)];
}

function menuOf(name, options, add) {
  const choose = (event) => {
    if (event.target.value) add(event.target.value);
    event.target.value = "";
  };
  return h("select", { class: "chip", "aria-label": `Filter by ${name.toLowerCase()}`, onchange: choose },
    h("option", { value: "" }, name), options.map(([label, value]) => h("option", { value }, label)));
}

function written(key, value) {
  return /[\s"]/.test(value) ? `${key}:"${value.replaceAll('"', "")}"` : `${key}:${value}`;
}
