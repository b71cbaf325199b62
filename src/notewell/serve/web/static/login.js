// Logs the browser in: exchanges the token, or the code from `notewell serve --open`, for a cookie.

import { ask } from "/web/api.js";
import { announce, fill, h } from "/web/dom.js";

const CODE = "#login=";

/** Log in with the code in the address, and remove it from the address and the history at once. */
export async function enterCode() {
  if (!location.hash.startsWith(CODE)) return;
  const code = location.hash.slice(CODE.length);
  history.replaceState(null, "", location.pathname + location.search);
  // A code that was used before leads to the form below.
  await logIn(code).catch(() => {});
}

function logIn(token) {
  return ask("/login", { method: "POST", headers: { authorization: `Bearer ${token}` } });
}

/** Ask for the token, then call `done`. */
export function showLogin(place, done) {
  const problem = h("p", { class: "error", role: "alert" });
  const token = h("input", { type: "password", name: "token", autocomplete: "current-password", required: true });
  const enter = async (event) => {
    event.preventDefault();
    try {
      await logIn(token.value.trim());
      done();
    } catch (error) {
      problem.textContent = `${error.message}. ${error.hint}`;
    }
  };
  fill(place, h("section", { class: "problem" },
    h("h1", {}, "This server needs a token"),
    h("p", {}, "It was printed once by: notewell serve --new-token"),
    h("form", { onsubmit: enter }, h("label", {}, "Token ", token), " ", h("button", {}, "Log in")),
    problem));
  document.title = "Log in · Notewell";
  announce("This server needs a token");
  token.focus();
}
