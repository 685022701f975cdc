// Elements from data. Text from documents becomes text nodes, never markup.

const byId = (id) => document.getElementById(id);

function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

function link(text, detail, go) {
  const button = el('button', { type: 'button' }, text, detail ? el('small', {}, detail) : null);
  button.addEventListener('click', go);
  return el('li', {}, button);
}

const links = (items) => el('ul', { class: 'links' }, ...items);
const heading = (text) => el('h3', {}, text);
const count = (n, one, many = one + 's') => `${n.toLocaleString('en')} ${n === 1 ? one : many}`;
const say = (text) => { byId('said').textContent = text; };

function dot(colour) {
  const mark = el('span', { class: 'dot' });
  mark.style.setProperty('--hue', colour);
  return mark;
}

// A text whose words that are looked for are marked, wherever they stand.
function marked(text, words) {
  if (!words) return [text];
  return text.split(words).flatMap((piece, i) => (i ? [el('mark', {}, words), piece] : [piece]));
}
