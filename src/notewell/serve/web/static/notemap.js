// The map that the server sends, as typed arrays: positions from 0 to 1, neighbours of each note, centres of communities.

const FARTHEST = 9999;
// Notes are found by the cell they are in; on average, a cell has two.
const NOTES_PER_CELL = 2;

/** Return the name of a file without its folder and suffix. */
export function stem(path) {
  const file = path.slice(path.lastIndexOf("/") + 1);
  const dot = file.lastIndexOf(".");
  return dot > 0 ? file.slice(0, dot) : file;
}

export class NoteMap {
  constructor(data) {
    this.note = data.note;
    this.paths = data.paths;
    this.names = data.paths.map((path, at) => data.titles[at] || stem(path));
    this.size = data.size;
    this.community = data.community;
    this.hops = data.hops;
    this.x = Float32Array.from(data.x, (value) => value / FARTHEST);
    this.y = Float32Array.from(data.y, (value) => value / FARTHEST);
    this.links = Uint32Array.from(data.links);
    this.places = new Map(data.paths.map((path, at) => [path, at]));
    this.collectNeighbours();
    this.communities = data.communities.map((one) => ({ ...one, notes: [], x: 0, y: 0, reach: 0 }));
    this.measureCommunities();
    this.collectCells();
  }

  get length() {
    return this.paths.length;
  }

  /** Return the notes that a note is linked with. */
  neighbours(at) {
    return this.ends.subarray(this.starts[at], this.starts[at + 1]);
  }

  collectNeighbours() {
    this.starts = new Uint32Array(this.length + 1);
    for (const end of this.links) this.starts[end + 1] += 1;
    for (let at = 0; at < this.length; at += 1) this.starts[at + 1] += this.starts[at];
    const next = this.starts.slice();
    this.ends = new Uint32Array(this.links.length);
    for (let at = 0; at < this.links.length; at += 2) {
      const [one, other] = [this.links[at], this.links[at + 1]];
      this.ends[next[one]++] = other;
      this.ends[next[other]++] = one;
    }
  }

  measureCommunities() {
    const byNumber = new Map(this.communities.map((one) => [one.number, one]));
    for (let at = 0; at < this.length; at += 1) byNumber.get(this.community[at])?.notes.push(at);
    for (const one of this.communities) {
      const count = one.notes.length;
      one.x = one.notes.reduce((sum, at) => sum + this.x[at], 0) / count;
      one.y = one.notes.reduce((sum, at) => sum + this.y[at], 0) / count;
      one.reach = one.notes.reduce((most, at) => Math.max(most, Math.hypot(this.x[at] - one.x, this.y[at] - one.y)), 0);
    }
    this.byNumber = byNumber;
    this.bridges = this.countBridges();
  }

  /** Return the pairs of communities with their numbers of links. */
  countBridges() {
    const counts = new Map();
    for (let at = 0; at < this.links.length; at += 2) {
      const both = [this.community[this.links[at]], this.community[this.links[at + 1]]].sort((one, other) => one - other);
      if (both[0] !== both[1]) counts.set(both.join(), (counts.get(both.join()) ?? 0) + 1);
    }
    return [...counts].map(([both, count]) => ({ ends: both.split(",").map((number) => this.byNumber.get(Number(number))), count }));
  }

  collectCells() {
    this.cells = Math.max(1, Math.ceil(Math.sqrt(this.length / NOTES_PER_CELL)));
    this.inCell = new Map();
    for (let at = 0; at < this.length; at += 1) {
      const cell = this.cellOf(this.x[at], this.y[at]);
      if (!this.inCell.has(cell)) this.inCell.set(cell, []);
      this.inCell.get(cell).push(at);
    }
  }

  cellOf(x, y) {
    const bound = (value) => Math.min(this.cells - 1, Math.max(0, Math.floor(value * this.cells)));
    return bound(x) * this.cells + bound(y);
  }

  /** Return the note nearest to a position, within a distance; -1 if there is none. */
  nearest(x, y, within) {
    let [found, least] = [-1, within];
    const reach = Math.min(this.cells, Math.ceil(within * this.cells));
    const [column, row] = [Math.floor(x * this.cells), Math.floor(y * this.cells)];
    for (let i = Math.max(0, column - reach); i <= Math.min(this.cells - 1, column + reach); i += 1) {
      for (let j = Math.max(0, row - reach); j <= Math.min(this.cells - 1, row + reach); j += 1) {
        for (const at of this.inCell.get(i * this.cells + j) ?? []) {
          const far = Math.hypot(this.x[at] - x, this.y[at] - y);
          if (far < least) [found, least] = [at, far];
        }
      }
    }
    return found;
  }
}
