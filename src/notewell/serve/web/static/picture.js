// Draws a map on a canvas. A frame is drawn when something changed, and none at rest.

import { Labels, shortened } from "/web/labels.js";
import { assignColours, readPalette } from "/web/palette.js";

// A scene of more circles and lines is moved as an image, and drawn again after a rest. Counted, not timed: a browser
// draws later than it says.
const FEW = 1200;
const REST = 140;
// How much more than the view an image has on each side.
const BESIDE = 0.25;
// How many times an image is enlarged before the scene is drawn again.
const BLURRED = 2.5;
// With more links than this, those between communities are drawn as one line for each two communities.
const MANY_LINKS = 3000;
const PIXELS_PER_NAME = 9000;
const MOST_TRIED = 1500;
const LINES_AT_ONCE = 400;
const NAME = "12px system-ui, sans-serif";
const BOLD = "600 13px system-ui, sans-serif";
const TITLE = "650 14px system-ui, sans-serif";
const SMALL_TITLE = "650 12px system-ui, sans-serif";
// The least radius of a community with a name, and of one with a large name, in pixels.
const NAMED = 16;
const LARGE = 34;
// The width of a name above its community, where it has room.
const ALONE = 150;
// No name covers a note of this radius.
const BIG = 6;

export class Picture {
  constructor(canvas, map, camera) {
    Object.assign(this, { canvas, map, camera, frames: 0, lit: null, names: [] });
    this.context = canvas.getContext("2d");
    // The scene as last drawn, and as drawn with all of the map in view: it fills what the first does not have.
    this.layer = { image: document.createElement("canvas") };
    this.whole = { image: document.createElement("canvas") };
    this.colours = assignColours(map.communities);
    this.themed();
  }

  /** Read the colours of the theme. */
  themed() {
    this.palette = readPalette();
    if (this.whole) this.whole.seen = null;
    this.changed();
  }

  /** Draw the scene again: its size, colours or content changed. */
  changed() {
    this.stale = true;
    this.request();
  }

  /** Draw the present view: the camera moved. */
  moved() {
    this.request();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.changed(), REST);
  }

  /** Light up notes, and dim all others; `main` is the one they belong to, if any. */
  light(notes, main = -1) {
    this.lit = notes ? { notes, main } : null;
    this.nameNotes();
    this.request();
  }

  end() {
    clearTimeout(this.timer);
    cancelAnimationFrame(this.asked);
    this.ended = true;
  }

  request() {
    if (!this.ended) this.asked ??= requestAnimationFrame(() => this.draw());
  }

  resize(width, height) {
    const ratio = Math.min(devicePixelRatio || 1, 2);
    Object.assign(this, { width, height, ratio });
    this.whole.seen = null;
    Object.assign(this.canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    this.changed();
  }

  colourOf(community) {
    return community < 0 ? this.palette.soft : this.palette.communities[this.colours.get(community)];
  }

  radiusOf(at) {
    const { length, size, hops } = this.map;
    // The distance between two notes of an evenly filled map.
    const room = this.camera.scale / Math.sqrt(Math.max(length, 12));
    const share = size[at] / 100;
    const grown = hops.length && hops[at] === 0 ? 1.5 : 1;
    return Math.min(Math.max(room * (0.12 + 0.4 * share), 0.7), 5 + 11 * share) * grown;
  }

  draw() {
    this.asked = null;
    if (!this.width || this.ended) return;
    if (this.stale || this.marks <= FEW || this.camera.scale > BLURRED * this.layer.seen.scale) this.drawLayer();
    if (this.stale) this.nameNotes();
    this.stale = false;
    const { context, ratio, palette } = this;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = palette.paper;
    context.fillRect(0, 0, this.width, this.height);
    if (this.marks > FEW) this.blit(this.whole);
    this.blit(this.layer);
    if (this.lit) this.drawLit();
    this.drawNames();
    this.frames += 1;
    this.canvas.dataset.frames = this.frames;
    // The second frame from now begins when this one is on the screen.
    if (this.frames === 1) requestAnimationFrame(() => requestAnimationFrame(() => performance.mark("graph-drawn")));
  }

  drawLayer() {
    const { ratio, width, height, camera } = this;
    const { image } = this.layer;
    const [wide, high] = [width * (1 + 2 * BESIDE), height * (1 + 2 * BESIDE)];
    Object.assign(image, { width: Math.round(wide * ratio), height: Math.round(high * ratio) });
    const context = image.getContext("2d", { alpha: false });
    context.fillStyle = this.palette.paper;
    context.fillRect(0, 0, image.width, image.height);
    context.setTransform(ratio, 0, 0, ratio, width * BESIDE * ratio, height * BESIDE * ratio);
    const view = { left: -width * BESIDE, top: -height * BESIDE, right: width * (1 + BESIDE), bottom: height * (1 + BESIDE) };
    this.layer.seen = { x: camera.x, y: camera.y, scale: camera.scale };
    this.project();
    if (!this.map.note) this.drawCommunities(context);
    this.marks = this.drawLinks(context, view) + this.drawNotes(context, view);
    if (camera.scale <= camera.least * 1.01) this.keepWhole(image);
  }

  keepWhole(image) {
    Object.assign(this.whole.image, { width: image.width, height: image.height });
    this.whole.image.getContext("2d", { alpha: false }).drawImage(image, 0, 0);
    this.whole.seen = this.layer.seen;
  }

  /** Compute where each note is on the screen. */
  project() {
    const { map, camera } = this;
    this.left ??= new Float32Array(map.length);
    this.top ??= new Float32Array(map.length);
    for (let at = 0; at < map.length; at += 1) {
      this.left[at] = (map.x[at] - camera.x) * camera.scale + camera.width / 2;
      this.top[at] = (map.y[at] - camera.y) * camera.scale + camera.height / 2;
    }
  }

  blit({ image, seen }) {
    if (!seen) return;
    const { camera, ratio } = this;
    const factor = camera.scale / seen.scale;
    const [wide, high] = [image.width / ratio * factor, image.height / ratio * factor];
    const [x, y] = camera.toScreen(seen.x, seen.y);
    this.context.drawImage(image, x - wide / 2, y - high / 2, wide, high);
  }

  drawCommunities(context) {
    const { map, camera, palette } = this;
    if (this.bundled()) this.drawBridges(context);
    for (const one of map.communities) {
      const [x, y] = camera.toScreen(one.x, one.y);
      context.globalAlpha = palette.dark ? 0.1 : 0.075;
      context.fillStyle = this.colourOf(one.number);
      context.beginPath();
      context.arc(x, y, one.reach * camera.scale + this.radiusOf(one.notes[0]) + 6, 0, 7);
      context.fill();
    }
    context.globalAlpha = 1;
  }

  /** Tell whether the links between two communities are one line. */
  bundled() {
    return this.map.links.length > 2 * MANY_LINKS && !this.roomy();
  }

  drawBridges(context) {
    const { camera, palette } = this;
    context.strokeStyle = palette.soft;
    for (const { ends: [one, other], count } of this.map.bridges) {
      if (!one || !other) continue;
      context.globalAlpha = Math.min(0.3, 0.03 + count / 400);
      context.lineWidth = Math.min(7, 0.5 + Math.sqrt(count) / 3);
      const [[x, y], [toX, toY]] = [camera.toScreen(one.x, one.y), camera.toScreen(other.x, other.y)];
      context.beginPath();
      context.moveTo(x, y);
      context.quadraticCurveTo((x + toX) / 2 + (toY - y) / 8, (y + toY) / 2 - (toX - x) / 8, toX, toY);
      context.stroke();
    }
    context.globalAlpha = 1;
  }

  /** Draw the links of a view, and return how many. */
  drawLinks(context, view) {
    const { map, palette, left, top } = this;
    const { links, community } = map;
    const many = links.length > 2 * MANY_LINKS;
    const bundled = this.bundled();
    const byColour = new Map();
    let count = 0;
    for (let at = 0; at < links.length; at += 2) {
      const [one, other] = [links[at], links[at + 1]];
      const same = community[one] === community[other];
      if (bundled && !same) continue;
      if (left[one] < view.left && left[other] < view.left || left[one] > view.right && left[other] > view.right) continue;
      if (top[one] < view.top && top[other] < view.top || top[one] > view.bottom && top[other] > view.bottom) continue;
      const colour = same ? this.colourOf(community[one]) : palette.soft;
      if (!byColour.has(colour)) byColour.set(colour, []);
      byColour.get(colour).push(one, other);
      count += 1;
    }
    context.lineWidth = many ? 0.6 : 1;
    for (const [colour, ends] of byColour) {
      context.strokeStyle = colour;
      context.globalAlpha = (many ? 0.2 : 0.34) * (colour === palette.soft ? 0.6 : 1);
      // Not all at once, so that crossing lines are darker.
      for (let first = 0; first < ends.length; first += 2 * LINES_AT_ONCE) {
        context.beginPath();
        for (let at = first; at < Math.min(first + 2 * LINES_AT_ONCE, ends.length); at += 2) {
          context.moveTo(left[ends[at]], top[ends[at]]);
          context.lineTo(left[ends[at + 1]], top[ends[at + 1]]);
        }
        context.stroke();
      }
    }
    context.globalAlpha = 1;
    return count;
  }

  /** Draw the notes of a view, and return how many. */
  drawNotes(context, view) {
    const { map, left, top } = this;
    const byColour = new Map();
    let count = 0;
    for (let at = map.length - 1; at >= 0; at -= 1) {
      if (left[at] < view.left || left[at] > view.right || top[at] < view.top || top[at] > view.bottom) continue;
      const colour = this.colourOf(map.community[at]);
      if (!byColour.has(colour)) byColour.set(colour, []);
      byColour.get(colour).push(at);
      count += 1;
    }
    for (const [colour, notes] of byColour) {
      context.fillStyle = colour;
      context.globalAlpha = colour === this.palette.soft ? 0.45 : 1;
      this.drawCircles(context, notes);
    }
    context.globalAlpha = 1;
    return count;
  }

  drawCircles(context, notes) {
    const { left, top } = this;
    context.beginPath();
    for (const at of notes) {
      const radius = this.radiusOf(at);
      // A square of three pixels looks like a circle, and is drawn far quicker.
      if (radius < 1.6) context.rect(left[at] - radius, top[at] - radius, 2 * radius, 2 * radius);
      else {
        context.moveTo(left[at] + radius, top[at]);
        context.arc(left[at], top[at], radius, 0, 7);
      }
    }
    context.fill();
  }

  /** Draw what is lit up over everything else, which pales. */
  drawLit() {
    const { context, palette, map, lit } = this;
    this.project();
    context.globalAlpha = 0.78;
    context.fillStyle = palette.paper;
    context.fillRect(0, 0, this.width, this.height);
    context.globalAlpha = 0.75;
    if (lit.main >= 0) {
      context.lineWidth = 1.2;
      context.strokeStyle = this.colourOf(map.community[lit.main]);
      context.beginPath();
      for (const at of map.neighbours(lit.main)) {
        context.moveTo(this.left[lit.main], this.top[lit.main]);
        context.lineTo(this.left[at], this.top[at]);
      }
      context.stroke();
    }
    context.globalAlpha = 1;
    for (const at of lit.notes) {
      const radius = Math.max(this.radiusOf(at), 3.5);
      context.fillStyle = this.colourOf(map.community[at]);
      context.strokeStyle = at === lit.main ? palette.ink : palette.paper;
      context.lineWidth = at === lit.main ? 2 : 1;
      context.beginPath();
      context.arc(this.left[at], this.top[at], radius, 0, 7);
      context.fill();
      context.stroke();
    }
  }

  /** Choose the names that fit, the most important first. */
  nameNotes() {
    if (!this.width) return;
    const { map, lit } = this;
    this.project();
    const labels = new Labels(this.context, this.width, this.height);
    if (lit) {
      if (lit.main >= 0) this.name(labels, lit.main, BOLD, true);
      for (const at of [...lit.notes].sort((one, other) => one - other)) if (at !== lit.main) this.name(labels, at, NAME);
    } else {
      const near = map.note ? map.places.get(map.note) : -1;
      if (near >= 0) this.name(labels, near, BOLD, true);
      else this.nameCommunities(labels);
      this.keepFree(labels);
      this.nameOthers(labels, near);
    }
    this.names = labels.placed;
  }

  nameCommunities(labels) {
    const { map, camera } = this;
    for (const one of map.communities) {
      const reach = one.reach * camera.scale;
      // Over small circles, or where notes have names, above all of them.
      const above = this.roomy() ? one.reach + (this.radiusOf(one.notes[0]) + 18) / camera.scale : 0;
      const key = { x: one.x, y: one.y - above };
      const [x, y] = camera.toScreen(key.x, key.y);
      if (reach > NAMED && reach < this.width) {
        const colour = above ? this.colourOf(one.number) : "";
        const font = reach < LARGE ? SMALL_TITLE : TITLE;
        const over = above ? Math.max(2 * reach, Math.min(ALONE, 3 * reach)) : Math.max(2 * reach - 8, 60);
        labels.add(shortened(one.names[0], 40), { x, y, radius: 0, font, over, key, colour });
      }
    }
  }

  keepFree(labels) {
    for (let at = 0; at < this.map.length; at += 1) {
      const radius = this.radiusOf(at) * 0.8;
      if (radius < BIG) continue;
      labels.boxes.push([this.left[at] - radius, this.top[at] - radius, this.left[at] + radius, this.top[at] + radius]);
    }
  }

  /** Tell whether notes are so far apart that many can have their names. */
  roomy() {
    return this.camera.scale / Math.sqrt(Math.max(this.map.length, 12)) >= 22;
  }

  nameOthers(labels, near) {
    const { map } = this;
    const most = labels.placed.length + this.width * this.height / PIXELS_PER_NAME;
    let tried = 0;
    for (let at = 0; at < map.length && labels.placed.length < most && tried < MOST_TRIED; at += 1) {
      const [x, y] = [this.left[at], this.top[at]];
      if (at === near || x < 0 || y < 0 || x > this.width || y > this.height) continue;
      // A name belongs to a circle that one can see.
      if (!map.note && !this.roomy() && this.radiusOf(at) < 4) continue;
      tried += 1;
      this.name(labels, at, NAME);
    }
  }

  name(labels, at, font, always = false) {
    const { map, left, top } = this;
    const given = { x: left[at], y: top[at], radius: this.radiusOf(at), font, always, key: { x: map.x[at], y: map.y[at] } };
    labels.add(shortened(map.names[at]), given);
  }

  drawNames() {
    const { context, camera, palette } = this;
    Object.assign(context, { textAlign: "center", textBaseline: "middle", lineJoin: "round" });
    context.strokeStyle = palette.paper;
    for (const { text, font, key, across, down, colour } of this.names) {
      const [x, y] = camera.toScreen(key.x, key.y);
      context.fillStyle = colour || palette.ink;
      context.font = font;
      context.lineWidth = font === NAME ? 3 : 4;
      context.strokeText(text, x + across, y + down);
      context.fillText(text, x + across, y + down);
    }
  }
}
