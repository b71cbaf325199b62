// Makes elements. Text is always text: nothing here parses HTML, so no note can add markup.

/** Return an element; properties that begin with `on` are listeners, the others attributes. */
export function h(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== undefined && child !== null && child !== ""));
  return element;
}

/** Replace what an element contains. */
export function fill(element, ...children) {
  element.replaceChildren(...children.flat().filter((child) => child !== undefined && child !== null && child !== ""));
}

/** Return a sentence as nodes, its `commands` as code. */
export function sentence(text) {
  return text.split(/(`[^`]+`)/).map((part) => (part.startsWith("`") ? h("code", {}, part.slice(1, -1)) : part));
}

/** Return a link that opens a note in the program it was written with; a browser follows no `file:` link of a page. */
export function openerOf(uri) {
  const program = { obsidian: "Obsidian", vscode: "VS Code" }[uri.split(":")[0]];
  return program ? h("a", { class: "quiet", href: uri, rel: "noreferrer" }, `Open in ${program}`) : "";
}

/** Tell people who listen to the page instead of looking at it. */
export function announce(text) {
  document.getElementById("announcer").textContent = text;
}

/** Return a count with its noun: 1 note, 2 notes. */
export function count(number, one, many = `${one}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}
