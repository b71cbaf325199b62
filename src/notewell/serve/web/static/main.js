// Routing: each address has a view, links change the address, back and forward work.

import { gone, Refused } from "/web/api.js";
import { askView } from "/web/ask.js";
import { Connection } from "/web/connection.js";
import { announce, fill, h, sentence } from "/web/dom.js";
import { Indexing } from "/web/indexing.js";
import { showKeys } from "/web/keys.js";
import { enterCode, showLogin } from "/web/login.js";
import { noteView } from "/web/note.js";
import { searchView } from "/web/search.js";
import { vaultView } from "/web/vault.js";

// Loaded on demand, so that a search does not wait for it.
const graphView = {
  async show(...given) {
    // A module cannot be loaded if the server is gone; browsers differ in how they say so.
    const { graphView: loaded } = await import("/web/graph.js").catch((error) => { throw error instanceof TypeError ? gone() : error; });
    this.keys = loaded.keys;
    return loaded.show(...given);
  },
};

// A view has `show(place, url, go, { back })`, which may return a function that ends it; `back` says that somebody comes
// back to it, or goes forward. `keys` lists its keys for `?`. After the first indexing, one with `refresh()` takes over
// what is new by itself, and others are shown again.
const VIEWS = [
  { name: "Search", path: "/search", at: (path) => path === "/" || path === "/search", view: searchView },
  { at: (path) => path.startsWith("/node/"), view: noteView },
  { name: "Ask", path: "/ask", at: (path) => path === "/ask" || path === "/sessions" || path.startsWith("/sessions/"), view: askView },
  { name: "Graph", path: "/graph", at: (path) => path === "/graph", view: graphView },
  { name: "Vault", path: "/status", at: (path) => path === "/status", view: vaultView },
];

const place = document.getElementById("view");
let end = () => {};
let current = null;
let failed = false;
let shown = 0;
// Milliseconds after which a view that is not there yet is said to be loading; most come sooner.
const SLOW = 250;

const indexing = new Indexing(document.getElementById("indexing"), () => (current?.refresh && !failed ? current.refresh() : show()));
// What is on the screen stays there: only a view that could not be shown, or one that can take over what is new, asks again.
new Connection(document.getElementById("connection"), () => (failed ? show() : current?.refresh?.()));

/** Show the view of the present address. What was there stays until the new view has its data. */
async function show(event) {
  const mine = (shown += 1);
  const url = new URL(location.href);
  const found = VIEWS.find((one) => one.at(url.pathname));
  const frame = h("div", { class: "frame" });
  showNames(found);
  end();
  end = () => {};
  current = found?.view;
  failed = false;
  indexing.watch();
  // Above what was there, so that a place in it keeps its height when that goes.
  place.prepend(frame);
  let finish;
  const slow = setTimeout(() => showLoading(true), SLOW);
  try {
    if (!found) throw new Refused(404, "There is no such page", "Go back, or search your notes");
    finish = await found.view.show(frame, url, go, { back: event?.type === "popstate" });
  } catch (error) {
    failed = mine === shown;
    showProblem(frame, error);
  }
  clearTimeout(slow);
  if (mine === shown) {
    showLoading(false);
    end = finish ?? end;
    // The frame stays where it is: what is moved loses the focus.
    // Without it, the form that asks for the token took its place.
    if (frame.isConnected) for (const other of [...place.children]) if (other !== frame) other.remove();
    keepFocus();
  } else {
    // The user has left meanwhile.
    finish?.();
    frame.remove();
  }
}

/** Go to an address; `replace` leaves no step to go back to. In the history, what is `inside` came after another view. */
export function go(address, { replace = false, quiet = false } = {}) {
  if (replace) history.replaceState(history.state, "", address);
  else history.pushState({ inside: true }, "", address);
  if (!quiet) {
    scrollTo(0, 0);
    show();
  }
}

/** Go on from the new view if the link or button that led to it took the focus along; a page that just opened has none. */
function keepFocus() {
  if (shown > 1 && document.activeElement === document.body) place.focus({ preventScroll: true });
}

/** Show a line at the top of the window while a view loads. */
function showLoading(loads) {
  document.documentElement.classList.toggle("loads", loads);
  place.setAttribute("aria-busy", String(loads));
}

function showNames(found) {
  const names = VIEWS.filter((one) => one.name);
  fill(document.getElementById("views"), names.map((one) =>
    h("a", { href: one.path, "aria-current": one === found ? "page" : null }, one.name)));
}

function showProblem(frame, error) {
  if (error.name === "AbortError") return;
  if (error.status === 401) {
    if (frame.isConnected) showLogin(frame, show);
    return;
  }
  const known = error instanceof Refused;
  if (!known) console.error(error);
  announce(error.message);
  fill(frame, h("section", { class: "problem" },
    h("h1", {}, known ? error.message : "Something went wrong in this page"),
    h("p", {}, known ? sentence(error.hint) : String(error)),
    h("p", {}, h("button", { onclick: show }, "Try again"))));
}

addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  const other = event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey;
  if (!link || other || link.origin !== location.origin || link.target) return;
  if (link.getAttribute("href").startsWith("#") || !VIEWS.some((one) => one.at(link.pathname))) return;
  event.preventDefault();
  go(link.href);
});

addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
  if (event.key === "?" && !typing) showKeys(current?.keys ?? []);
  else if (event.key === "/" && !typing && !event.metaKey && !event.ctrlKey) {
    event.preventDefault();
    const box = document.querySelector("[data-search]");
    if (box) box.focus();
    else go("/");
  }
});

addEventListener("popstate", show);
// A request of a view that is shown already needs a login: the cookie ended with another server, or there was none.
addEventListener("notewell-login", () => {
  if (place.querySelector("input[name=token]")) return;
  end();
  end = () => {};
  const frame = h("div", { class: "frame" });
  fill(place, frame);
  showLogin(frame, show);
});
// A vault that is not indexed yet answers no question.
addEventListener("notewell-busy", () => indexing.watch());
// Modules are done before any key arrives; a code in the address logs this browser in, and leaves the address.
await enterCode();
await show();
