// Names on the map: the most important first, each where it covers no other.

const LONGEST = 30;
const HIGH = 15;
const TALL = 19;
const MOST_LINES = 3;
const widths = new Map();

/** Return a name, shortened for a map. */
export function shortened(name, longest = LONGEST) {
  return name.length > longest ? `${name.slice(0, longest - 1).trimEnd()}…` : name;
}

function widthOf(context, text, font) {
  const key = `${font}\n${text}`;
  if (!widths.has(key)) {
    context.font = font;
    if (widths.size > 20_000) widths.clear();
    widths.set(key, context.measureText(text).width);
  }
  return widths.get(key);
}

export class Labels {
  constructor(context, width, height) {
    Object.assign(this, { context, width, height, boxes: [], placed: [] });
  }

  /** Place a name below, above or beside a circle, or on it, in lines as wide as `over`; tell whether there was room. */
  add(text, { x, y, radius, font, over = 0, always = false, key, colour }) {
    const lines = over ? this.wrapped(text, font, over) : [text];
    const wide = Math.max(...lines.map((line) => widthOf(this.context, line, font)));
    const high = over ? TALL * lines.length : HIGH;
    const beside = radius + 4 + wide / 2;
    const below = radius + 3 + high / 2;
    const spots = over ? [[0, 0]] : [[0, below], [0, -below], [beside, 0], [-beside, 0]];
    const free = spots.find(([across, down]) => this.fits(x + across, y + down, wide, high));
    const spot = free ?? (always ? spots[0] : null);
    if (!spot) return false;
    this.boxes.push([x + spot[0] - wide / 2 - 3, y + spot[1] - high / 2, x + spot[0] + wide / 2 + 3, y + spot[1] + high / 2]);
    lines.forEach((line, number) => {
      const down = spot[1] + (number - (lines.length - 1) / 2) * (TALL - 2);
      this.placed.push({ text: line, font, key, colour, across: spot[0], down });
    });
    return true;
  }

  /** Return a text as lines that are not wider than this, if its words allow it. */
  wrapped(text, font, wide) {
    const lines = [];
    for (const word of text.split(" ")) {
      const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
      if (lines.length && widthOf(this.context, longer, font) <= wide) lines[lines.length - 1] = longer;
      else lines.push(word);
    }
    return lines.length > MOST_LINES ? [...lines.slice(0, MOST_LINES - 1), `${lines[MOST_LINES - 1]}…`] : lines;
  }

  fits(x, y, wide, high) {
    const [left, top, right, bottom] = [x - wide / 2 - 3, y - high / 2, x + wide / 2 + 3, y + high / 2];
    if (left < 2 || top < 2 || right > this.width - 2 || bottom > this.height - 2) return false;
    return this.boxes.every((box) => right < box[0] || left > box[2] || bottom < box[1] || top > box[3]);
  }
}
