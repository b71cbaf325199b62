// Asks the server. Every address of a view is also the address of its JSON.

/** An answer that is an error: what is wrong, and what to do. */
export class Refused extends Error {
  constructor(status, fact, hint) {
    super(fact);
    this.status = status;
    this.hint = hint;
  }
}

/** Tell the page that the server is gone, and return the error that says so. */
export function gone() {
  dispatchEvent(new Event("notewell-gone"));
  return new Refused(0, "The server does not answer", "Start it again with `notewell serve`");
}

/** Return the JSON at an address; throw `Refused` for an error, and for a server that is gone. */
export async function ask(address, { signal, method = "GET", headers = {}, body } = {}) {
  const response = await send(address, { signal, method, headers, body });
  return response.status === 204 ? null : response.json();
}

/** Return the response itself, for answers that come line by line. */
export async function send(address, { signal, method = "GET", headers = {}, body } = {}) {
  let response;
  try {
    response = await fetch(address, {
      signal, method, body, headers: { accept: "application/json", ...headers }, credentials: "same-origin",
    });
  } catch (error) {
    throw error.name === "AbortError" ? error : gone();
  }
  if (!response.ok) {
    const problem = await response.json().catch(() => ({}));
    if (response.status === 503) dispatchEvent(new Event("notewell-busy"));
    if (response.status === 401 && address !== "/login") dispatchEvent(new Event("notewell-login"));
    throw new Refused(response.status, problem.error ?? `The server answers ${response.status}`, problem.hint ?? "");
  }
  return response;
}

/** Return an address with parameters, without the empty ones; lists repeat their name. */
export function address(path, parameters = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of [value].flat()) if (one !== undefined && one !== null && one !== "") query.append(name, one);
  }
  return query.size ? `${path}?${query}` : path;
}

/** Return the address of a note below a route, such as `/related`. */
export function addressBelow(route, path, parameters = {}) {
  return address(`${route}/${path.split("/").map(encodeURIComponent).join("/")}`, parameters);
}

/** Return the address of a note, or of a place in it. */
export function noteAddress(path, place = {}) {
  return addressBelow("/node", path, place);
}

/** Yield the JSON values of an answer that comes line by line. */
export async function* lines(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  while (true) {
    const { value, done } = await reader.read();
    if (done) break;
    const parts = (rest + value).split("\n");
    rest = parts.pop();
    for (const part of parts) if (part) yield JSON.parse(part);
  }
  if (rest) yield JSON.parse(rest);
}
