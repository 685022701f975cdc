// Points in square cells: what lies near a place, in time that doesn't grow with the map.

class Grid {
  constructor(x, y) {
    const n = x.length;
    let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let i = 0; i < n; i++) {
      left = Math.min(left, x[i]); right = Math.max(right, x[i]);
      low = Math.min(low, y[i]); high = Math.max(high, y[i]);
    }
    Object.assign(this, { x, y, left, low });
    this.side = Math.max(right - left, high - low, 1e-9) / Math.max(1, Math.sqrt(n / 6));
    this.columns = Math.floor((right - left) / this.side) + 1;
    this.rows = Math.floor((high - low) / this.side) + 1;
    const cell = new Uint32Array(n);
    this.ends = new Uint32Array(this.columns * this.rows + 1);
    for (let i = 0; i < n; i++) {
      cell[i] = this.column(x[i]) + this.columns * this.row(y[i]);
      this.ends[cell[i] + 1]++;
    }
    for (let c = 1; c < this.ends.length; c++) this.ends[c] += this.ends[c - 1];
    const next = this.ends.slice();
    this.points = new Uint32Array(n);
    for (let i = 0; i < n; i++) this.points[next[cell[i]]++] = i;
  }

  column(x) { return Math.min(this.columns - 1, Math.max(0, Math.floor((x - this.left) / this.side))); }
  row(y) { return Math.min(this.rows - 1, Math.max(0, Math.floor((y - this.low) / this.side))); }

  *within(left, low, right, high) {
    for (let row = this.row(low); row <= this.row(high); row++) {
      for (let column = this.column(left); column <= this.column(right); column++) {
        const cell = column + this.columns * row;
        for (let k = this.ends[cell]; k < this.ends[cell + 1]; k++) {
          const i = this.points[k];
          if (this.x[i] >= left && this.x[i] <= right && this.y[i] >= low && this.y[i] <= high) yield i;
        }
      }
    }
  }

  nearest(x, y, radius) {
    let best = -1, least = radius * radius;
    for (const i of this.within(x - radius, y - radius, x + radius, y + radius)) {
      const away = (this.x[i] - x) ** 2 + (this.y[i] - y) ** 2;
      if (away <= least) [best, least] = [i, away];
    }
    return best;
  }
}
