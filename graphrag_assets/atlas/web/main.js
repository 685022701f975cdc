// Everything together: level, theme, keys, pointer, and the address that leads back here.

const dark = matchMedia('(prefers-color-scheme: dark)');
const asked = new URLSearchParams(location.hash.slice(1));

function themeNow() {
  return document.documentElement.dataset.theme || (dark.matches ? 'dark' : 'light');
}

async function main() {
  const atlas = await readAtlas();
  const grid = new Grid(atlas.x, atlas.y);
  let labels = null;
  const view = new View(atlas, byId('canvas'), () => labels?.update());
  if (asked.has('theme')) document.documentElement.dataset.theme = asked.get('theme');
  view.look.theme = themeNow();
  const panel = new Panel(atlas, view, (thing) => shown(thing));
  labels = new Labels(atlas, view, grid, byId('labels'), (id) => panel.open({ kind: 'community', id }));
  const search = new Search(atlas, (thing) => panel.open(thing));

  function setLevel(level) {
    labels.setLevel(level);
    view.dress({ level });
    labels.redraw();
    document.body.dataset.level = level;
    byId('levels').querySelector(`[value="${level}"]`).checked = true;
    remember();
  }

  // What the panel shows is what the map points at.
  function shown(thing) {
    const community = thing?.kind === 'community' ? thing.id : NOWHERE;
    const point = thing?.kind === 'point' ? thing.id : -1;
    if (!thing || thing.kind !== 'element') view.dress({ community, point });
    if (community !== NOWHERE && !labels.order.includes(community)) setLevel(Math.min(atlas.level[community], atlas.levels - 1));
    if (community !== NOWHERE) lookAt(community);
    if (point >= 0) lookAtPoint(point);
    labels.redraw();
    remember();
  }

  // What the cards leave free of the map: pixels covered at the right, the bottom, the left and top.
  function covered() {
    const card = byId('panel').getBoundingClientRect(), wide = view.width > 700;
    return wide ? { right: card.width + 20, bottom: 0, left: view.width > 1100 ? 320 : 0, top: 0 }
      : { right: 0, bottom: card.height, left: 0, top: byId('header').offsetHeight + 10 };
  }

  function lookAt(community) {
    const inside = view.membersOf(community), xs = [], ys = [];
    for (let i = 0; i < atlas.n; i++) if (inside(i)) { xs.push(atlas.x[i]); ys.push(atlas.y[i]); }
    if (!xs.length) return;
    const free = covered(), box = view.spread(xs, ys, 0.03);
    const zoom = Math.log2(Math.min(
      Math.max(120, view.width - free.left - free.right - 140) / Math.max(box.wide, 1e-6),
      Math.max(90, view.height - free.top - free.bottom - 110) / Math.max(box.tall, 1e-6)));
    view.fly({ target: box.middle, zoom: Math.max(view.fit.zoom - 0.8, Math.min(zoom, view.fit.zoom + 5)) }, free);
  }

  function lookAtPoint(i) {
    const closer = view.fit.zoom + Math.min(4, Math.log2(atlas.n / 60 + 1) / 2.5);
    view.fly({ target: [atlas.x[i], atlas.y[i]], zoom: Math.max(view.state.zoom, closer) }, covered());
  }

  function remember() {
    const where = new URLSearchParams({ level: view.look.level });
    if (view.look.community !== NOWHERE) where.set('community', atlas.ids[view.look.community]);
    if (view.look.point >= 0) where.set('point', view.look.point);
    if (document.documentElement.dataset.theme) where.set('theme', document.documentElement.dataset.theme);
    try { history.replaceState(null, '', '#' + where); } catch { /* an embedded page has no address */ }
  }

  function setTheme(theme) {
    if (theme) document.documentElement.dataset.theme = theme;
    document.body.dataset.theme = themeNow();
    view.dress({ theme: themeNow() });
    labels.redraw();
    if (theme) remember();
  }

  buildLevels(atlas, setLevel);
  describe(atlas, view);
  new Gestures(byId('map'), view);
  listenToKeys(view, panel, search);
  listenToPointer(atlas, view, grid, panel);
  byId('zoom-in').addEventListener('click', () => view.zoomBy(1));
  byId('zoom-out').addEventListener('click', () => view.zoomBy(-1));
  byId('fit').addEventListener('click', () => view.fly(view.fit));
  byId('theme').addEventListener('click', () => setTheme(themeNow() === 'dark' ? 'light' : 'dark'));
  dark.addEventListener('change', () => { if (!document.documentElement.dataset.theme) setTheme(); });
  addEventListener('resize', () => { view.fit = view.whole(); view.redraw(); labels.redraw(); });

  document.body.dataset.theme = themeNow();
  setLevel(Math.min(Number(asked.get('level')) || 0, atlas.levels - 1));
  if (asked.has('zoom')) view.show({ target: view.fit.target, zoom: view.fit.zoom + Number(asked.get('zoom')) });
  if (asked.has('community')) await panel.open({ kind: 'community', id: atlas.communityAt.get(asked.get('community')) });
  else if (asked.has('point')) await panel.open({ kind: 'point', id: Number(asked.get('point')) });
  if (asked.has('search')) { search.input.value = asked.get('search'); search.look(); }
  labels.place();
  document.body.dataset.ready = 'true';
  globalThis.atlasView = view;
}

function buildLevels(atlas, setLevel) {
  for (let level = 0; level < atlas.levels; level++) {
    const input = el('input', { type: 'radio', name: 'level', value: level, 'aria-label': `Level C${level}` });
    input.addEventListener('change', () => setLevel(level));
    byId('levels').append(el('label', {}, input, el('span', {}, 'C' + level)));
  }
}

function describe(atlas, view) {
  const things = atlas.kind === 'entity' ? ['entity', 'entities'] : ['document', 'documents'];
  const stats = [count(atlas.n, ...things)];
  if (atlas.kind === 'entity') stats.push(count(atlas.relationships, 'relationship'));
  byId('stats').textContent = stats.join(' · ');
  document.querySelector('h1').append(el('small', {}, ` version ${atlas.version}`));
  const notes = [];
  if (!view.draws) notes.push('This browser draws no WebGL: points are missing, names and search work.');
  if (atlas.unplaced) notes.push(`${count(atlas.unplaced, ...things)} of the index without a place on the map.`);
  if (atlas.kind === 'entity' && atlas.source.length < atlas.relationships) {
    notes.push(`Lines: ${atlas.source.length.toLocaleString('en')} of ${count(atlas.relationships, 'relationship')}, the heaviest.`);
  }
  for (const [what, n] of Object.entries(atlas.left_out)) {
    if (n) notes.push(`${n.toLocaleString('en')} ${what} found no room on this page.`);
  }
  byId('notes').textContent = notes.join(' ');
  byId('notes').hidden = !notes.length;
  Object.assign(document.body.dataset, { points: atlas.n, unplaced: atlas.unplaced, open: '', webgl: view.draws });
}

function listenToKeys(view, panel, search) {
  const PANS = { ArrowLeft: [-90, 0], ArrowRight: [90, 0], ArrowUp: [0, -90], ArrowDown: [0, 90] };
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape') {
      if (search.isOpen) search.hide();
      else if (document.activeElement === search.input) byId('map').focus();
      else panel.close();
      return;
    }
    if (event.target.matches('input[type="search"]')) return;
    if (event.key === '/') { event.preventDefault(); search.input.focus(); search.input.select(); }
    else if (event.key === '+' || event.key === '=') view.zoomBy(0.75);
    else if (event.key === '-') view.zoomBy(-0.75);
    else if (event.key === '0') view.fly(view.fit);
    else if (PANS[event.key] && (event.target === document.body || byId('map').contains(event.target))) {
      event.preventDefault();
      view.panBy(...PANS[event.key]);
    }
  });
}

function listenToPointer(atlas, view, grid, panel) {
  const map = byId('map'), tip = byId('tip');
  let pressed = null;
  const at = (event) => {
    const [x, y] = view.world(event.clientX, event.clientY);
    return grid.nearest(x, y, 12 / 2 ** view.state.zoom);
  };
  map.addEventListener('pointermove', (event) => {
    const i = event.pointerType === 'touch' || event.buttons || event.target.closest('.label') ? -1 : at(event);
    tip.hidden = i < 0;
    byId('canvas').style.cursor = i < 0 ? '' : 'pointer';
    if (i < 0) return;
    const home = atlas.homes[view.look.level][i];
    tip.replaceChildren(el('b', {}, atlas.titles[i]), el('span', {}, atlas.types[atlas.type[i]] + (home === NOWHERE ? '' : ' · ' + atlas.names[home])));
    const left = Math.min(event.clientX + 14, view.width - 310), top = Math.min(event.clientY + 16, view.height - 80);
    tip.style.transform = `translate(${Math.max(4, left)}px, ${top}px)`;
  });
  map.addEventListener('pointerleave', () => { tip.hidden = true; });
  map.addEventListener('pointerdown', (event) => { pressed = [event.clientX, event.clientY]; }, true);
  map.addEventListener('click', (event) => {
    if (event.target.closest('.label') || !pressed) return;
    if (Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) > 5) return; // it was a drag
    const i = at(event);
    if (i >= 0) panel.open({ kind: 'point', id: i });
  });
}

main().catch((error) => {
  byId('stats').textContent = 'The map could not be opened: ' + error.message;
  document.body.dataset.failed = error.message;
});
