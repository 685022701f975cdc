// The panel: a report, an entity or document, a cited element, and the passages behind each.

const MARKERS = /\[\s*((?:[ERCPT][0-9a-f]{6,32}[,;\s]*)+)\]/g;
const KIND_OF = { E: 'entity', R: 'relationship', C: 'claim', P: 'report', T: 'text unit' };
const MOST_LINKS = 12;

class Panel {
  constructor(atlas, view, shown) {
    Object.assign(this, { atlas, view, shown });
    this.stack = [];
    byId('close').addEventListener('click', () => this.close());
    byId('back').addEventListener('click', () => { this.stack.pop(); this.draw(); });
  }

  get top() { return this.stack.at(-1); }

  open(thing) {
    if (!this.stack.length) this.opener = document.activeElement;
    this.stack.push(thing);
    return this.draw();
  }

  close() {
    if (!this.stack.length) return;
    this.stack = [];
    byId('panel').hidden = true;
    document.body.dataset.open = '';
    this.shown(null);
    (this.opener?.isConnected ? this.opener : byId('map')).focus?.({ preventScroll: true });
  }

  async draw() {
    const thing = this.top;
    this.numbers = new Map(); // of citations, in the order they are met
    const parts = await this[thing.kind](thing);
    if (thing !== this.top) return; // somebody was faster
    const content = byId('content');
    content.replaceChildren(...parts.filter(Boolean));
    content.scrollTop = 0;
    byId('back').hidden = this.stack.length < 2;
    byId('panel').hidden = false;
    document.body.dataset.open = `${thing.kind} ${thing.id ?? thing.marker}`;
    content.focus({ preventScroll: true });
    this.shown(thing);
    say(content.querySelector('h2')?.textContent ?? '');
  }

  // ── a community ──
  async community({ id }) {
    const { atlas } = this, reports = await texts.reports(), at = reports.at.get(id);
    byId('content').style.setProperty('--hue', dotColour(atlas, id, this.view.look.theme));
    return [
      el('h2', {}, atlas.names[id]),
      this.factsOf(id, reports, at),
      ...(at === undefined ? [el('p', { class: 'more' }, this.missing(id))] : await this.report(reports, at)),
      ...this.members(id),
      ...this.family(id),
    ];
  }

  factsOf(id, reports, at) {
    const { atlas } = this, rating = at === undefined ? null : reports.rating[at];
    const meter = rating === null ? null : el('meter', { min: 0, max: 10, value: rating, 'aria-label': 'Rating' });
    return el('p', { class: 'facts' },
      el('span', {}, dot(dotColour(atlas, id, this.view.look.theme)), `C${atlas.level[id]} community`),
      el('span', {}, count(atlas.members[id], 'entity', 'entities')),
      rating === null ? null : el('span', { title: reports.rating_explanation[at] }, `rated ${rating} of 10`, meter),
      at !== undefined && reports.status[at] !== 'ok' ? el('span', {}, reports.status[at]) : null);
  }

  missing(id) {
    return this.atlas.left_out.reports
      ? `The report isn't on this page, which holds a part of them. In the index: graphrag-assets lineage ${this.atlas.ids[id]}`
      : 'There is no report on this community.';
  }

  async report(reports, at) {
    const cited = await texts.cited();
    const finding = ({ summary, explanation }) => el('div', { class: 'finding' },
      el('b', {}, ...this.cites(summary, cited)),
      el('p', {}, ...this.cites(explanation, cited)));
    const findings = reports.findings[at];
    return [
      el('p', {}, ...this.cites(reports.summary[at], cited)),
      findings.length ? heading('Findings') : null,
      ...findings.map(finding),
    ];
  }

  // Text with its citations as buttons; one that leads nowhere on this page stays text.
  cites(text, cited) {
    const parts = [];
    let from = 0;
    for (const match of text.matchAll(MARKERS)) {
      parts.push(text.slice(from, match.index).trimEnd());
      for (const marker of match[1].match(/[ERCPT][0-9a-f]+/g)) parts.push(this.cite(marker, cited));
      from = match.index + match[0].length;
    }
    parts.push(text.slice(from));
    return parts;
  }

  cite(marker, cited) {
    const thing = this.named(marker, cited);
    if (!thing) return el('span', { class: 'more' }, `[${marker}]`);
    const label = thing.kind === 'point' ? this.atlas.titles[thing.id]
      : thing.kind === 'community' ? this.atlas.names[thing.id] : cited.title[cited.at.get(marker)];
    const number = this.numbers.get(marker) ?? this.numbers.size + 1;
    this.numbers.set(marker, number);
    const name = `${KIND_OF[marker[0]]}: ${label}`;
    const button = el('button', { class: 'cite', type: 'button', title: `${name} [${marker}]`, 'aria-label': `Source ${number}, ${name}` }, String(number));
    button.addEventListener('click', () => this.open(thing));
    return button;
  }

  named(marker, cited) {
    const short = marker.slice(1, 9);
    if (marker[0] === 'E' && this.atlas.kind === 'entity') {
      const id = this.atlas.entityAt.get(parseInt(short, 16));
      return id === undefined ? null : { kind: 'point', id };
    }
    if (marker[0] === 'P') {
      const id = this.atlas.communityAt.get(short);
      return id === undefined ? null : { kind: 'community', id };
    }
    return cited.at.has(marker.slice(0, 9)) ? { kind: 'element', marker: marker.slice(0, 9) } : null;
  }

  members(id) {
    const { atlas } = this, inside = this.view.membersOf(id), found = [];
    let total = 0;
    for (let i = 0; i < atlas.n; i++) {
      if (inside(i) && total++ < MOST_LINKS) found.push(i);
    }
    if (!total) return [];
    const thing = atlas.kind === 'entity' ? 'Entities' : 'Documents';
    return [
      heading(total > MOST_LINKS ? `${thing}: the first ${MOST_LINKS} of ${total.toLocaleString('en')}` : thing),
      links(found.map((i) => link(atlas.titles[i], atlas.types[atlas.type[i]], () => this.open({ kind: 'point', id: i })))),
    ];
  }

  family(id) {
    const { atlas } = this, parts = [];
    for (let c = 0; c < atlas.parent.length; c++) if (atlas.parent[c] === id) parts.push(c);
    const row = (c) => link(atlas.names[c], count(atlas.members[c], 'entity', 'entities'), () => this.open({ kind: 'community', id: c }));
    return [
      parts.length ? heading('Parts') : null, parts.length ? links(parts.slice(0, 2 * MOST_LINKS).map(row)) : null,
      atlas.parent[id] === NOWHERE ? null : heading('Part of'),
      atlas.parent[id] === NOWHERE ? null : links([row(atlas.parent[id])]),
    ];
  }

  // ── an entity or a document ──
  async point({ id }) {
    const { atlas } = this, about = await texts.about();
    const places = atlas.places.subarray(id ? atlas.place_ends[id - 1] : 0, atlas.place_ends[id]);
    return [
      el('h2', {}, atlas.titles[id]),
      el('p', { class: 'facts' },
        el('span', {}, atlas.types[atlas.type[id]]),
        el('span', {}, atlas.kind === 'entity' ? count(atlas.size[id], 'relationship') : count(atlas.size[id], 'token'))),
      el('p', {}, about.points[id]),
      ...this.homes(id),
      ...this.related(id, about.lines),
      ...(await this.passages(places, atlas.total[id], 'E' + atlas.short[id].toString(16).padStart(8, '0'), atlas.titles[id])),
    ];
  }

  homes(id) {
    const { atlas } = this, found = [...new Set(atlas.homes.map((homes) => homes[id]))].filter((c) => c !== NOWHERE);
    const row = (c) => link(atlas.names[c], `C${atlas.level[c]} · ${count(atlas.members[c], 'entity', 'entities')}`, () => this.open({ kind: 'community', id: c }));
    return found.length ? [heading('Communities'), links(found.map(row))] : [];
  }

  related(id, about) {
    const { source, target } = this.atlas, found = [];
    for (let k = 0; k < source.length; k++) if (source[k] === id || target[k] === id) found.push(k);
    const row = (k) => {
      const other = source[k] === id ? target[k] : source[k];
      return link(this.atlas.titles[other], about[k], () => this.open({ kind: 'point', id: other }));
    };
    if (!found.length) return [];
    const shown = Math.min(found.length, MOST_LINKS), all = Math.max(found.length, this.atlas.size[id]);
    const title = shown < all ? `Relationships: the heaviest ${shown} of ${all.toLocaleString('en')}` : 'Relationships';
    return [heading(title), links(found.slice(0, MOST_LINKS).map(row))];
  }

  // ── a relationship or claim that a report cites ──
  async element({ marker }) {
    const cited = await texts.cited(), at = cited.at.get(marker);
    return [
      el('h2', {}, cited.title[at]),
      el('p', { class: 'facts' }, el('span', {}, KIND_OF[marker[0]]), el('span', {}, marker)),
      el('p', {}, cited.about[at]),
      cited.quote[at] ? el('p', { class: 'quote' }, cited.quote[at]) : null,
      ...(await this.passages(cited.places[at] ?? [], cited.total[at] ?? 0, marker, cited.quote[at])),
    ];
  }

  async passages(rows, total, marker, words) {
    const found = await texts.passages(), shown = Array.from(rows);
    const figure = (row) => el('figure', { class: 'passage' },
      el('figcaption', {}, el('b', {}, found.path[row]),
        (found.page[row] === null ? '' : ` · page ${found.page[row]}`) + ` · characters ${found.start_char[row]}–${found.end_char[row]}`),
      el('blockquote', { tabindex: '0', 'aria-label': 'Passage' }, ...marked(found.text[row], words)));
    const rest = total - shown.length;
    const where = this.atlas.kind === 'entity' ? `: graphrag-assets lineage ${marker}` : '';
    return [
      heading(count(total, 'passage')),
      ...shown.map(figure),
      rest > 0 ? el('p', { class: 'more' }, `${count(rest, 'more passage')} in the index${where}`) : null,
    ];
  }
}
