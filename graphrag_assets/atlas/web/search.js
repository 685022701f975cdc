// Search in titles: words in any order, communities first, then points by importance.

const MOST_FOUND = 14;
const folded = (text) => text.normalize('NFKC').toLowerCase();

class Search {
  constructor(atlas, open) {
    Object.assign(this, { atlas, open, input: byId('search'), list: byId('results'), found: [], at: -1 });
    this.input.addEventListener('input', () => this.look());
    this.input.addEventListener('focus', () => { if (this.input.value) this.look(); });
    this.input.addEventListener('keydown', (event) => this.key(event));
    document.addEventListener('pointerdown', (event) => { if (!byId('header').contains(event.target)) this.hide(); });
  }

  // Folded titles are made at the first search: 100,000 of them take a moment.
  get titles() { return (this.folded ??= { points: this.atlas.titles.map(folded), communities: this.atlas.names.map(folded) }); }

  matches(query) {
    const words = folded(query).split(/\s+/).filter(Boolean), found = [];
    if (!words.length) return found;
    const gather = (titles, kind, most) => {
      for (let id = 0; id < titles.length && found.length < most; id++) {
        if (words.every((word) => titles[id].includes(word))) found.push({ kind, id });
      }
    };
    gather(this.titles.communities, 'community', 5);
    gather(this.titles.points, 'point', MOST_FOUND);
    return found;
  }

  look() {
    this.found = this.matches(this.input.value);
    this.at = -1;
    this.list.replaceChildren(...this.found.map((thing, k) => this.row(thing, k)));
    if (this.input.value.trim() && !this.found.length) this.list.append(el('li', { role: 'option', 'aria-disabled': 'true' }, 'Nothing has this in its name.'));
    const visible = this.list.childElementCount > 0;
    this.list.hidden = !visible;
    this.input.setAttribute('aria-expanded', String(visible));
    say(this.input.value.trim() ? count(this.found.length, 'result') : '');
  }

  row({ kind, id }, k) {
    const { atlas } = this;
    const detail = kind === 'community' ? `C${atlas.level[id]} community of ${atlas.members[id]}` : atlas.types[atlas.type[id]];
    const item = el('li', { role: 'option', id: 'result-' + k, 'aria-selected': 'false' },
      kind === 'community' ? atlas.names[id] : atlas.titles[id], el('small', {}, detail));
    item.addEventListener('click', () => this.choose(k));
    return item;
  }

  key(event) {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      this.mark((this.at + (event.key === 'ArrowDown' ? 1 : -1) + this.found.length) % Math.max(1, this.found.length));
    } else if (event.key === 'Enter' && this.found.length) {
      this.choose(Math.max(0, this.at));
    }
  }

  mark(k) {
    this.at = k;
    [...this.list.children].forEach((item, i) => item.setAttribute('aria-selected', String(i === k)));
    this.list.children[k]?.scrollIntoView({ block: 'nearest' });
    this.input.setAttribute('aria-activedescendant', 'result-' + k);
  }

  choose(k) {
    const thing = this.found[k];
    this.hide();
    this.open(thing);
  }

  hide() {
    this.list.hidden = true;
    this.input.setAttribute('aria-expanded', 'false');
    this.input.removeAttribute('aria-activedescendant');
  }

  get isOpen() { return !this.list.hidden; }
}
