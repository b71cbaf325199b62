// Colours of communities, for light and dark paper: as different as eleven can be, each legible on both.

const LIGHT = ["#2f6db3", "#d2691e", "#2e8b57", "#c0406a", "#7d57b5", "#998417", "#1d8f9c", "#95603f", "#5f8420", "#b04c9b", "#4b5fd0"];
const DARK = ["#79b0ee", "#f29a5c", "#6cc998", "#f07f9f", "#b496ea", "#d3bd52", "#5ccbd6", "#cf9b76", "#a3c765", "#e28fd1", "#96a4ff"];
export const COLOURS = LIGHT.length;

/** Return the colours of the page and of communities, as the present theme has them. */
export function readPalette() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue(`--${name}`).trim();
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  return { paper: of("paper"), ink: of("ink"), soft: of("soft"), line: of("line"), accent: of("accent"), dark, communities: dark ? DARK : LIGHT };
}

/** Give each community a colour, by number: among its nearest ones, the least used. */
export function assignColours(communities) {
  const given = new Map();
  for (const one of communities) {
    const used = new Array(LIGHT.length).fill(0);
    for (const [other, colour] of given) used[colour] += 1 / Math.max(0.01, Math.hypot(one.x - other.x, one.y - other.y) - one.reach - other.reach) ** 2;
    given.set(one, used.indexOf(Math.min(...used)));
  }
  return new Map([...given].map(([one, colour]) => [one.number, colour]));
}
