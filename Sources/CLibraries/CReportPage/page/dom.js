'use strict';

// Building blocks. Texts become text nodes only, so nothing in a store can become markup.

function byId(id) { return document.getElementById(id); }

// An element: `el('a.link', { href: '#x' }, 'text', child, …)`. Null children are left out.
function el(name, attributes, ...children) {
  const [tag, ...classes] = name.split('.');
  return fill(document.createElement(tag), classes, attributes, children);
}

function svg(name, attributes, ...children) {
  const [tag, ...classes] = name.split('.');
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), classes, attributes, children);
}

function fill(element, classes, attributes, children) {
  if (classes.length) element.setAttribute('class', classes.join(' '));
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (key in { value: 1, checked: 1, selected: 1 }) element[key] = value;
    else element.setAttribute(key, value === true ? '' : value);
  }
  append(element, children);
  return element;
}

function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

// Characters that would change the direction of the line or are invisible are shown as escapes.
const unsafeCharacters = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

function visible(text) {
  return String(text).replace(unsafeCharacters, c => '\\u{' + c.codePointAt(0).toString(16) + '}');
}

// A text from a store, isolated so that its direction does not affect what is around it.
function bdi(text, limit) {
  return el('bdi', {}, shorten(visible(text), limit || 300));
}

// The same, with places at which a long name such as com.example.SampleTrips may be broken.
function breakable(text, limit) {
  const parts = shorten(visible(text), limit || 60).split(/(?<=[._/-])|(?<=\p{Ll})(?=\p{Lu})/u);
  return el('bdi', {}, parts.flatMap(part => [part, el('wbr', {})]).slice(0, -1));
}

function shorten(text, limit) {
  const characters = Array.from(text.length > limit ? text.slice(0, limit * 2) : text);
  return characters.length > limit ? characters.slice(0, limit).join('') + '…' : text;
}

// Numbers have thin spaces, which do not look like a decimal point in any language.
function number(value) {
  return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f');
}

function count(value, noun, plural) {
  return number(value) + ' ' + (value === 1 ? noun : plural || noun + 's');
}

function bytes(size) {
  if (size < 1024) return count(size, 'byte');
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  let index = -1;
  while (size >= 1024 && index < 3) { size /= 1024; index += 1; }
  return size.toFixed(size < 10 ? 1 : 0) + ' ' + units[index];
}

// A command that can be copied.
function command(text) {
  const status = el('span.visually-hidden', { role: 'status' });
  const button = el('button.quiet', {
    type: 'button',
    onclick: async () => {
      try {
        await navigator.clipboard.writeText(text);
        status.textContent = 'Copied';
        button.firstChild.textContent = 'Copied';
      } catch {
        getSelection().selectAllChildren(code);
        status.textContent = 'Selected; copy it with the keyboard';
      }
      setTimeout(() => { button.firstChild.textContent = 'Copy'; status.textContent = ''; }, 2000);
    },
  }, el('span', {}, 'Copy'), el('span.visually-hidden', {}, ' the command'));
  const code = el('code', { tabindex: 0 }, visible(text));
  return el('div.command', {}, code, button, status);
}

// A word of a command line, quoted for a shell.
function quoted(word) {
  return /^[A-Za-z0-9_\/.,:=@%+-]+$/.test(word) ? word : "'" + String(word).replaceAll("'", "'\\''") + "'";
}

function icon(name) {
  const paths = {
    good: 'M4.5 10.5l3.5 3.5 7.5-8',
    attention: 'M10 4.5v7M10 15v.5',
    bad: 'M5.5 5.5l9 9M14.5 5.5l-9 9',
    unknown: 'M7.2 7.4c0-3.6 5.8-3.6 5.8 0 0 2.4-3 2.3-3 4.6M10 15v.5',
  };
  return svg('svg.icon', { viewBox: '0 0 20 20', width: 20, height: 20, 'aria-hidden': 'true' },
    svg('path', { d: paths[name] || paths.unknown, fill: 'none', stroke: 'currentColor', 'stroke-width': 2.4, 'stroke-linecap': 'round', 'stroke-linejoin': 'round' }));
}

// A table with a caption. Cells are texts or nodes; the first of each row is its head. On a narrow
// window, the cells of a table that `stacks` are below each other.
function table(caption, heads, rows, { numeric, stacks } = {}) {
  const right = index => (numeric || []).includes(index) ? 'number' : null;
  return el('div.wide', { tabindex: 0, role: 'region', 'aria-label': caption },
    el(stacks ? 'table.stacks' : 'table', {},
      el('caption', {}, caption),
      el('thead', {}, el('tr', {}, heads.map((head, index) => el('th', { scope: 'col', class: right(index) }, head)))),
      el('tbody', {}, rows.map(row => el('tr', {}, row.map((cell, index) =>
        index === 0 ? el('th', { scope: 'row' }, cell) : el('td', { class: right(index), 'data-head': stacks ? heads[index] : null }, cell)))))));
}

function details(summary, build) {
  const box = el('details', {}, el('summary', {}, summary));
  // The content is made when it is opened.
  box.addEventListener('toggle', () => {
    if (box.open && box.childElementCount === 1) append(box, [build()]);
  });
  return box;
}

// Lets the browser draw and answer between parts of a long computation.
function pause() { return new Promise(resolve => setTimeout(resolve, 0)); }
