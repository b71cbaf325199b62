// The latest queries, kept in this browser only.

const KEY = "notewell.recent";
const MOST = 8;

/** Return the latest queries, the newest first. */
export function recent() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "[]").filter((text) => typeof text === "string").slice(0, MOST);
  } catch {
    return [];
  }
}

/** Remember a query; one that only grew by typing replaces its beginning. */
export function remember(text) {
  const others = recent().filter((one) => one !== text && !text.startsWith(one));
  keep([text, ...others]);
}

/** Forget all queries. */
export function forget() {
  keep([]);
}

function keep(texts) {
  try {
    localStorage.setItem(KEY, JSON.stringify(texts.slice(0, MOST)));
  } catch {
    // Storage is off or full: the page works without it.
  }
}
