// Where one looks at the map from: its middle and scale; moved by dragging, pinching, the wheel and keys.

const CLOSEST = 60;
const WHEEL = 0.0015;
const STEP = 0.12;
// A pointer that moved less than this, in pixels, has clicked.
const STILL = 5;

export class Camera {
  constructor() {
    Object.assign(this, { x: 0.5, y: 0.5, scale: 1, width: 1, height: 1, least: 1 });
  }

  /** Take the size of the view, and what has to be in it: the bounds of the map, from 0 to 1. */
  resize(width, height, bounds) {
    const wasWhole = this.scale <= this.least * 1.001;
    const grown = this.width / width;
    Object.assign(this, { width, height, bounds });
    const margin = Math.min(48, width / 10);
    this.least = Math.min((width - 2 * margin) / bounds.width, (height - 2 * margin) / bounds.height);
    if (wasWhole || !Number.isFinite(grown)) this.fit();
  }

  /** Show everything. */
  fit() {
    Object.assign(this, { x: this.bounds.x, y: this.bounds.y, scale: this.least });
  }

  /** Show the surroundings of a position. */
  show(x, y, reach) {
    const scale = Math.min(this.width, this.height) / (2.4 * Math.max(reach, 0.01));
    Object.assign(this, { x, y, scale: this.bounded(scale) });
  }

  bounded(scale) {
    return Math.min(Math.max(scale, this.least * 0.6), this.least * CLOSEST);
  }

  toScreen(x, y) {
    return [(x - this.x) * this.scale + this.width / 2, (y - this.y) * this.scale + this.height / 2];
  }

  toMap(left, top) {
    return [(left - this.width / 2) / this.scale + this.x, (top - this.height / 2) / this.scale + this.y];
  }

  /** Move by pixels; the map cannot be lost. */
  pan(across, down) {
    const bound = (value) => Math.min(1, Math.max(0, value));
    this.x = bound(this.x - across / this.scale);
    this.y = bound(this.y - down / this.scale);
  }

  /** Zoom by a factor; the position at these pixels stays where it is. */
  zoom(factor, left = this.width / 2, top = this.height / 2) {
    const [x, y] = this.toMap(left, top);
    this.scale = this.bounded(this.scale * factor);
    this.x = x - (left - this.width / 2) / this.scale;
    this.y = y - (top - this.height / 2) / this.scale;
  }
}

/** Let people move a camera over an element. `seen` has `moved`, `hovered(left, top)` and `clicked(left, top, event)`. */
export function steer(element, camera, seen) {
  const pointers = new Map();
  let dragged = 0;
  const at = (event) => {
    const box = element.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const spread = () => {
    const [one, other] = [...pointers.values()];
    return { far: Math.hypot(one[0] - other[0], one[1] - other[1]), middle: [(one[0] + other[0]) / 2, (one[1] + other[1]) / 2] };
  };
  element.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    if (!pointers.size) dragged = 0;
    element.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, at(event));
  });
  element.addEventListener("pointermove", (event) => {
    const now = at(event);
    const was = pointers.get(event.pointerId);
    if (!was) return seen.hovered(...now);
    const before = pointers.size > 1 ? spread() : null;
    pointers.set(event.pointerId, now);
    dragged += Math.hypot(now[0] - was[0], now[1] - was[1]);
    if (before) {
      const after = spread();
      camera.pan(after.middle[0] - before.middle[0], after.middle[1] - before.middle[1]);
      if (before.far) camera.zoom(after.far / before.far, ...after.middle);
    } else if (dragged >= STILL) camera.pan(now[0] - was[0], now[1] - was[1]);
    else return undefined;
    return seen.moved();
  });
  const left = (event) => {
    const was = pointers.get(event.pointerId);
    pointers.delete(event.pointerId);
    if (was && event.type === "pointerup" && dragged < STILL && !pointers.size) seen.clicked(...at(event), event);
  };
  element.addEventListener("pointerup", left);
  element.addEventListener("pointercancel", left);
  // A finger that is lifted leaves, too; what it lit up stays.
  element.addEventListener("pointerleave", (event) => event.pointerType !== "touch" && seen.hovered(-1e6, -1e6));
  element.addEventListener("wheel", (event) => {
    event.preventDefault();
    const pixels = event.deltaMode ? event.deltaY * 30 : event.deltaY;
    camera.zoom(Math.exp(-pixels * (event.ctrlKey ? 6 : 1) * WHEEL), ...at(event));
    seen.moved();
  }, { passive: false });
  element.addEventListener("keydown", (event) => {
    const [across, down] = [camera.width * STEP, camera.height * STEP];
    const moves = {
      ArrowLeft: () => camera.pan(across, 0), ArrowRight: () => camera.pan(-across, 0),
      ArrowUp: () => camera.pan(0, down), ArrowDown: () => camera.pan(0, -down),
      "+": () => camera.zoom(1.4), "=": () => camera.zoom(1.4), "-": () => camera.zoom(1 / 1.4), 0: () => camera.fit(),
    };
    if (!moves[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    moves[event.key]();
    seen.moved();
  });
}
