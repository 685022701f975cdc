// Where one looks, and how what is there is dressed.

const MOST_GLOWING = 40000; // beyond, glow and smooth edges cost more frames than they give
const MOST_RADIUS = 44;
const calm = matchMedia('(prefers-reduced-motion: reduce)');

class View {
  constructor(atlas, canvas, moved) {
    Object.assign(this, { atlas, canvas, moved });
    this.look = { level: 0, theme: 'dark', community: NOWHERE, point: -1 };
    this.fit = this.whole();
    this.state = { ...this.fit };
    this.open();
    canvas.addEventListener('webglcontextlost', (event) => event.preventDefault());
    canvas.addEventListener('webglcontextrestored', () => { this.open(); this.redraw(); });
  }

  open() {
    this.drawing = new Drawing(this.canvas, this.atlas.n <= MOST_GLOWING);
    this.draws = Boolean(this.drawing.gl);
    this.painted = false;
    this.prepare();
  }

  // Radii in pixels at the first zoom; places on the graphics card.
  prepare() {
    const { n, x, y, size, source, target } = this.atlas;
    const narrow = Math.min(1, Math.sqrt((this.width * this.height) / 700000));
    const least = Math.min(4.5, Math.max(0.8, 9 / n ** 0.22)) * narrow;
    const largest = size.reduce((a, b) => Math.max(a, b), 1);
    this.radius = Float32Array.from(size, (s) => least * (1 + 2.8 * Math.sqrt(Math.max(0, s) / largest)));
    if (!this.draws) return;
    const positions = new Float32Array(n * 2), ends = new Float32Array(source.length * 4);
    for (let i = 0; i < n; i++) positions.set([x[i], y[i]], 2 * i);
    for (let k = 0; k < source.length; k++) ends.set([x[source[k]], y[source[k]], x[target[k]], y[target[k]]], 4 * k);
    this.drawing.load('positions', positions, 2);
    this.drawing.load('radii', this.radius, 1);
    this.drawing.load('ends', ends, 2);
  }

  get width() { return this.canvas.clientWidth || innerWidth; }
  get height() { return this.canvas.clientHeight || innerHeight; }

  // The middle and extent of points, without a share of strays at each side.
  spread(xs, ys, strays) {
    const ends = (values) => {
      const sorted = Float32Array.from(values).sort();
      const at = (share) => sorted[Math.round(share * (sorted.length - 1))];
      return [at(strays), at(1 - strays)];
    };
    const [left, right] = ends(xs), [low, high] = ends(ys);
    return { middle: [(left + right) / 2, (low + high) / 2], wide: right - left, tall: high - low };
  }

  // Nearly everything in sight: a few strays don't shrink the map.
  whole() {
    const { middle, wide, tall } = this.spread(this.atlas.x, this.atlas.y, 0.002);
    // The header covers the left, on narrow screens the top.
    const narrow = this.width <= 700, covered = this.width > 1000 ? 300 : 0;
    const margin = narrow ? { x: 50, y: 300 } : { x: 160 + covered, y: 110 };
    const scale = Math.min(Math.max(this.width - margin.x, 200) / Math.max(wide, 1e-6), Math.max(this.height - margin.y, 200) / Math.max(tall, 1e-6));
    return {
      target: [middle[0] - covered / 2 / scale, middle[1] + (narrow ? 70 / scale : 0)],
      zoom: Math.min(Math.log2(scale), 9),
    };
  }

  within(zoom) { return Math.min(this.fit.zoom + 10, Math.max(this.fit.zoom - 1.5, zoom)); }

  show({ target, zoom }) {
    this.state = { target: [target[0], target[1]], zoom: this.within(zoom) };
    this.redraw();
    this.moved();
  }

  // Go there, in a quarter of a second; the target comes to the middle of what isn't covered.
  fly({ target, zoom }, covered = { left: 0, right: 0, top: 0, bottom: 0 }) {
    cancelAnimationFrame(this.flight);
    const scale = 2 ** (zoom + 1);
    const to = { target: [target[0] + (covered.right - covered.left) / scale, target[1] - (covered.bottom - covered.top) / scale], zoom };
    if (calm.matches || document.hidden) return this.show(to);
    const from = this.state, began = performance.now();
    const step = (now) => {
      const t = Math.min(1, Math.max(0, (now - began) / 280)), ease = 1 - (1 - t) ** 3;
      const mix = (a, b) => a + (b - a) * ease;
      this.show({
        target: [mix(from.target[0], to.target[0]), mix(from.target[1], to.target[1])],
        zoom: mix(from.zoom, to.zoom),
      });
      if (t < 1) this.flight = requestAnimationFrame(step);
    };
    this.flight = requestAnimationFrame(step);
  }

  zoomBy(steps) { this.fly({ target: this.state.target, zoom: this.state.zoom + steps }); }
  panBy(dx, dy) {
    const scale = 2 ** this.state.zoom;
    this.show({ target: [this.state.target[0] + dx / scale, this.state.target[1] - dy / scale], zoom: this.state.zoom });
  }

  // World -> screen and back, in CSS pixels.
  screen(x, y) {
    const scale = 2 ** this.state.zoom;
    return [this.width / 2 + (x - this.state.target[0]) * scale, this.height / 2 - (y - this.state.target[1]) * scale];
  }
  world(left, top) {
    const scale = 2 ** this.state.zoom;
    return [this.state.target[0] + (left - this.width / 2) / scale, this.state.target[1] - (top - this.height / 2) / scale];
  }

  // How points look: level, theme, an open community or point.
  dress(look) {
    Object.assign(this.look, look);
    this.painted = false;
    this.redraw();
  }

  paint() {
    const { atlas, look } = this, { n } = atlas, homes = atlas.homes[look.level];
    const colours = palette(atlas, look.theme), alone = TONES[look.theme].alone;
    const inside = look.community === NOWHERE ? null : this.membersOf(look.community);
    const rgba = new Uint8Array(n * 4);
    for (let i = 0; i < n; i++) {
      const [r, g, b] = homes[i] === NOWHERE ? alone : colours.subarray(homes[i] * 3, homes[i] * 3 + 3);
      rgba.set([r, g, b, inside && !inside(i) ? 38 : 228], i * 4);
    }
    this.drawing.load('colours', rgba, 4);
    this.drawing.load('shades', this.paintLines(homes, colours, inside), 4);
    this.painted = true;
  }

  // Lines inside a community have its colour, others are hardly there; each end has its vertex.
  paintLines(homes, colours, inside) {
    const { source, target } = this.atlas, { theme, point } = this.look;
    const rgba = new Uint8Array(source.length * 8);
    const few = Math.min(2.2, Math.max(1, 3000 / (source.length + 1)));
    const faint = (theme === 'dark' ? 46 : 60) * few, fainter = (theme === 'dark' ? 8 : 11) * few;
    for (let k = 0; k < source.length; k++) {
      const s = source[k], t = target[k], same = homes[s] === homes[t] && homes[s] !== NOWHERE;
      const mine = s === point || t === point, hidden = inside && !(inside(s) && inside(t));
      const c = homes[s === point ? t : s];
      const [r, g, b] = (same || mine) && c !== NOWHERE ? colours.subarray(c * 3, c * 3 + 3) : [140, 150, 165];
      const shade = [r, g, b, mine ? 215 : hidden ? 3 : same ? faint : fainter];
      rgba.set(shade, k * 8);
      rgba.set(shade, k * 8 + 4);
    }
    return rgba;
  }

  // Whether a point is in a community, at whichever level that stands.
  membersOf(community) {
    const homes = this.atlas.homes[Math.min(this.atlas.level[community], this.atlas.homes.length - 1)];
    return (i) => homes[i] === community;
  }

  get grown() { return 2 ** (0.38 * (this.state.zoom - this.fit.zoom)); }

  redraw() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.draw());
  }

  draw() {
    this.circle();
    if (!this.draws || this.drawing.gl.isContextLost()) return;
    if (!this.painted) this.paint();
    const { n, source } = this.atlas, few = n <= MOST_GLOWING;
    this.drawing.begin(this.state, this.width, this.height, few ? Math.min(devicePixelRatio, 2) : 1);
    this.drawing.drawLines(source.length);
    if (few && this.look.theme === 'dark') this.drawing.drawPoints(n, { grown: this.grown * 3.4, most: 110, glow: 0.42 });
    this.drawing.drawPoints(n, { grown: this.grown, most: MOST_RADIUS });
  }

  // The ring around the point that is open.
  circle() {
    const ring = byId('ring'), { point } = this.look;
    ring.hidden = point < 0;
    if (point < 0) return;
    const [x, y] = this.screen(this.atlas.x[point], this.atlas.y[point]);
    const radius = Math.min(MOST_RADIUS, this.radius[point] * this.grown) + 6;
    Object.assign(ring.style, { width: 2 * radius + 'px', height: 2 * radius + 'px', transform: `translate(${x - radius}px, ${y - radius}px)` });
  }
}
