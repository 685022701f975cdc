// Names on the map: communities by size, then points by importance, none over another.

const MOST_LABELS = 48, MOST_TRIED = 900, MOST_NAMES = 70;
const SHIFTS = [0, -0.6, 0.6, -1.1, 1.1]; // heights that a name may stand off its middle

// Break a title into lines of about the same length.
function wrapped(title) {
  const short = title.length > 64 ? title.slice(0, 62).trimEnd() + '…' : title;
  const lines = Math.min(3, Math.ceil(short.length / 20)), goal = short.length / lines;
  const words = short.includes(' ') ? short.split(' ') : short.length > 20 ? short.match(/.{1,14}/gu) : [short];
  const glue = short.includes(' ') ? ' ' : '';
  const found = [''];
  for (const word of words) {
    const last = found.at(-1);
    if (last && last.length + word.length / 2 > goal && found.length < lines) found.push(word);
    else found[found.length - 1] = last ? last + glue + word : word;
  }
  return found.join('\n');
}

class Labels {
  constructor(atlas, view, grid, parent, open) {
    Object.assign(this, { atlas, view, grid, parent, open });
    this.pen = document.createElement('canvas').getContext('2d');
    this.family = getComputedStyle(document.documentElement).fontFamily;
    this.sizes = new Map();
    this.buttons = new Map();
    this.spans = new Map();
  }

  setLevel(level) {
    const shown = new Set(this.atlas.homes[level]);
    shown.delete(NOWHERE);
    this.order = [...shown].sort((a, b) => this.atlas.members[b] - this.atlas.members[a] || a - b);
    this.largest = this.order.length ? this.atlas.members[this.order[0]] : 1;
  }

  box(community) {
    let found = this.sizes.get(community);
    if (!found) {
      const text = wrapped(this.atlas.names[community]);
      const share = Math.sqrt(this.atlas.members[community] / this.largest);
      const pixels = Math.round(Math.min(19, 11.5 + 8 * share) * (this.view.width <= 700 ? 0.86 : 1));
      this.pen.font = `650 ${pixels}px ${this.family}`;
      const lines = text.split('\n');
      const width = Math.max(...lines.map((line) => this.pen.measureText(line).width)) + 12;
      this.sizes.set(community, (found = { text, pixels, width, height: lines.length * pixels * 1.12 + 4 }));
    }
    return found;
  }

  update() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.place());
  }

  place() {
    const boxes = [...document.querySelectorAll('#header, #tools, #notes:not([hidden]), #panel:not([hidden])')].map((card) => card.getBoundingClientRect());
    const free = (box) => !boxes.some((b) => box.left < b.right && b.left < box.right && box.top < b.bottom && b.top < box.bottom);
    const placed = this.communities(boxes, free);
    this.sync(this.buttons, placed, (c) => this.button(c));
    this.sync(this.spans, this.closeUp() ? this.points(boxes, free) : new Map(), (i) => this.span(i));
    document.body.dataset.labels = placed.size;
    document.body.dataset.names = this.spans.size;
  }

  communities(boxes, free) {
    const placed = new Map();
    let tried = 0;
    for (const community of this.order) {
      if (placed.size >= MOST_LABELS || tried >= MOST_TRIED) break;
      const [x, y] = this.view.screen(this.atlas.cx[community], this.atlas.cy[community]);
      if (x < -60 || y < -20 || x > this.view.width + 60 || y > this.view.height + 20) continue;
      tried++;
      const { width, height } = this.box(community);
      const box = SHIFTS.map((shift) => y + (shift - 0.5) * height)
        .map((top) => ({ left: x - width / 2, right: x + width / 2, top, bottom: top + height }))
        .find(free);
      if (!box) continue;
      boxes.push(box);
      placed.set(community, [box.left, box.top]);
    }
    return placed;
  }

  // Names of points appear when few enough points are in sight.
  closeUp() {
    return this.atlas.n <= 150 || this.view.state.zoom - this.view.fit.zoom > Math.log2(this.atlas.n / 150) / 2;
  }

  points(boxes, free) {
    const [left, high] = this.view.world(0, 0), [right, low] = this.view.world(this.view.width, this.view.height);
    const seen = [...this.grid.within(left, low, right, high)].sort((a, b) => a - b).slice(0, 400);
    const placed = new Map();
    for (const i of seen) {
      if (placed.size >= MOST_NAMES) break;
      const [x, y] = this.view.screen(this.atlas.x[i], this.atlas.y[i]);
      const gap = 6 + this.view.radius[i] * this.view.grown;
      const width = 6.4 * Math.min(34, this.atlas.titles[i].length) + 4;
      const box = { left: x + gap, right: x + gap + width, top: y - 7, bottom: y + 7 };
      if (!free(box)) continue;
      boxes.push(box);
      placed.set(i, [box.left, y - 6]);
    }
    return placed;
  }

  // Keep elements that stay, so that focus and hover do too.
  sync(elements, placed, make) {
    for (const [key, element] of elements) {
      if (!placed.has(key)) { element.remove(); elements.delete(key); }
    }
    for (const [key, [left, top]] of placed) {
      if (!elements.has(key)) {
        elements.set(key, make(key));
        this.parent.append(elements.get(key));
      }
      elements.get(key).style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
    }
  }

  button(community) {
    const { text, pixels } = this.box(community);
    const element = el('button', { class: 'label', type: 'button' }, text);
    element.setAttribute('aria-label', `${this.atlas.names[community]}: community of ${this.atlas.members[community]}, open its report`);
    element.setAttribute('aria-pressed', String(this.view.look.community === community));
    element.style.fontSize = pixels + 'px';
    element.style.setProperty('--hue', labelColour(this.atlas, community, this.view.look.theme));
    element.addEventListener('click', () => this.open(community));
    return element;
  }

  span(i) {
    const title = this.atlas.titles[i];
    return el('span', { class: 'name', 'aria-hidden': 'true' }, title.length > 34 ? title.slice(0, 33) + '…' : title);
  }

  redraw() {
    for (const element of [...this.buttons.values(), ...this.spans.values()]) element.remove();
    this.buttons.clear();
    this.spans.clear();
    this.sizes.clear();
    this.update();
  }
}
