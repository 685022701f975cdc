'use strict';
// Blocks of the page -> arrays and lists. A block is gzip in base64.

const NOWHERE = 0xffffffff;
const KINDS = { f4: Float32Array, u4: Uint32Array };

function bytesOf(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

async function readBlock(name) {
  if (!globalThis.DecompressionStream) throw new Error('it needs a browser of 2023 or newer.');
  const element = document.getElementById('block-' + name);
  const packed = new Blob([bytesOf(element.textContent)]);
  element.remove(); // read once: the browser can forget the text
  return new Response(packed.stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
}

const readJson = async (name) => JSON.parse(new TextDecoder().decode(await readBlock(name)));

function once(make) {
  let promise;
  return () => (promise ??= make());
}

// What is read only when somebody asks for it.
const texts = {
  about: once(() => readJson('about')),
  passages: once(() => readJson('passages')),
  reports: once(async () => {
    const reports = await readJson('reports');
    return { ...reports, at: new Map(reports.row.map((row, i) => [row, i])) };
  }),
  cited: once(async () => {
    const cited = await readJson('cited');
    return { ...cited, at: new Map(cited.marker.map((marker, i) => [marker, i])) };
  }),
};

async function readAtlas() {
  const [names, buffer] = await Promise.all([readJson('names'), readBlock('arrays')]);
  const arrays = {};
  for (const [name, [kind, offset, length]] of Object.entries(names.head.arrays)) {
    arrays[name] = new KINDS[kind](buffer, offset, length);
  }
  const n = names.titles.length;
  const homes = Array.from({ length: names.head.levels }, (_, level) =>
    arrays.homes.subarray(level * n, (level + 1) * n));
  return {
    ...names.head, ...arrays, n, homes,
    titles: names.titles, types: names.types,
    names: names.communities, ids: names.community_ids,
    entityAt: new Map(Array.from(arrays.short, (short, i) => [short, i])),
    communityAt: new Map(names.community_ids.map((id, i) => [id, i])),
  };
}
