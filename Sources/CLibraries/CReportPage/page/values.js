// Values before and after, side by side, with the changed part marked.

function note(value) {
  return value !== null && typeof value === 'object' && '!' in value ? value['!'] : null;
}

function isLink(value) {
  return value !== null && typeof value === 'object' && 'entity' in value && 'id' in value;
}

// The text of a value that is neither a note nor a link.
function plainText(value) {
  if (typeof value === 'string') return value;
  if (note(value) === 'number') return value.text;
  return JSON.stringify(value);
}

function valueElement(value, history) {
  switch (note(value)) {
    case 'none': return el('span.faint', {}, '–');
    case 'erased': return el('span.tag.attention', {}, 'erased');
    case 'unknown': return el('span.tag', {}, 'unknown');
    case 'special': return bdi(value.text, 400);
    case 'cut': return longText(value.text + '…', bytes(value.size));
    default: break;
  }
  if (isLink(value)) return objectLink(history, value.entity, value.id);
  if (Array.isArray(value)) {
    if (!value.length) return el('span.faint', {}, 'none');
    return el('ul.links', {}, value.slice(0, 100).map(item => el('li', {}, valueElement(item, history))),
      value.length > 100 ? el('li.faint', {}, 'and ' + number(value.length - 100) + ' more') : null);
  }
  if (value === null) return el('span.faint', {}, 'empty');
  if (value === '') return el('span.faint', {}, 'empty text');
  const json = parsedJSON(value);
  if (json !== undefined) return longText(JSON.stringify(json, null, 1));
  return longText(plainText(value));
}

function longText(text, size) {
  const limit = 600;
  const shown = el('bdi.text', { dir: 'auto' }, visible(shorten(text, limit)));
  if (text.length <= limit) return size ? el('span', {}, shown, el('span.faint', {}, ' ' + size)) : shown;
  return el('span', {}, shown, ' ', el('button.quiet', {
    type: 'button',
    onclick: event => { shown.textContent = visible(text); event.currentTarget.remove(); },
  }, 'Show all ' + (size || number(text.length) + ' characters')));
}

// JSON in a text; undefined for other values.
function parsedJSON(value) {
  if (typeof value !== 'string' || !/^\s*[\[{]/.test(value)) return undefined;
  try { return JSON.parse(value); } catch { return undefined; }
}

// The two values of a change as elements.
function comparedValues(before, after, history) {
  if (note(before) || note(after)) return [valueElement(before, history), valueElement(after, history)];
  if (Array.isArray(before) && Array.isArray(after)) return comparedLists(before, after, history);
  if (typeof before === 'string' && typeof after === 'string' && before && after) {
    const [left, right] = [parsedJSON(before), parsedJSON(after)];
    if (left !== undefined && right !== undefined) {
      return markedTexts(JSON.stringify(left, null, 1), JSON.stringify(right, null, 1), true);
    }
    return markedTexts(before, after);
  }
  return [valueElement(before, history), valueElement(after, history)];
}

// Links that were removed and added. The lists of a change contain only these.
function comparedLists(before, after, history) {
  const list = (values, tag) => values.length
    ? el('ul.links', {}, values.slice(0, 100).map(value => el('li', {}, el(tag, {}, valueElement(value, history)))),
      values.length > 100 ? el('li.faint', {}, 'and ' + number(values.length - 100) + ' more') : null)
    : el('span.faint', {}, 'none');
  return [list(before, 'del'), list(after, 'ins')];
}

function markedTexts(before, after, isJSON) {
  const parts = textDifference(before, after, isJSON);
  const limit = 400;
  const middle = text => text.length > limit
    ? shorten(text, limit / 4) + ' ' + Array.from(text.slice(-limit / 2)).slice(-limit / 4).join('') : text;
  const fill = (element, index, tag, isWhole) => {
    element.replaceChildren();
    append(element, parts.map(part => part.same !== undefined
      ? visible(isWhole ? part.same : middle(part.same))
      : part[index] ? el(tag, {}, visible(isWhole ? part[index] : shorten(part[index], limit))) : null));
    return element;
  };
  return [[0, 'del', before], [1, 'ins', after]].map(([index, tag, whole]) => {
    const text = fill(el('bdi.text', { dir: 'auto' }), index, tag, false);
    const isCut = parts.some(part => (part.same !== undefined ? part.same : part[index]).length > limit);
    return isCut ? el('span', {}, text, ' ', el('button.quiet', {
      type: 'button',
      onclick: event => { fill(text, index, tag, true); event.currentTarget.remove(); },
    }, 'Show all ' + number(whole.length) + ' characters')) : text;
  });
}

// Equal and different parts of two texts, by words and numbers.
function textDifference(before, after, isJSON) {
  const split = text => text.match(/\d+\.\d+(?:e[+-]?\d+)?|[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) || [];
  const [a, b] = [split(before), split(after)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const middle = common(a.slice(start, a.length - end), b.slice(start, b.length - end));
  // Texts with hardly a word in common are easier to read as a whole.
  const letters = list => list.filter(part => part.same !== undefined).reduce((all, part) => all + part.same.replace(/[^\p{L}\p{N}]/gu, '').length, 0);
  const shared = letters(middle) + a.slice(0, start).concat(end ? a.slice(-end) : []).join('').replace(/[^\p{L}\p{N}]/gu, '').length;
  if (!isJSON && shared * 5 < Math.max(before.length, after.length)) return [{ 0: before, 1: after }];
  const parts = [];
  if (start) parts.push({ same: a.slice(0, start).join('') });
  parts.push(...middle);
  if (end) parts.push({ same: a.slice(a.length - end).join('') });
  return parts;
}

// The longest common sequence of two lists of words; lists that are too long differ as a whole.
function common(a, b) {
  if (!a.length || !b.length || a.length * b.length > 250000) {
    return a.length || b.length ? [{ 0: a.join(''), 1: b.join('') }] : [];
  }
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] = a[i] === b[j]
        ? lengths[(i + 1) * width + j + 1] + 1
        : Math.max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
    }
  }
  const parts = [];
  let [i, j] = [0, 0];
  let open = null;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      const last = parts[parts.length - 1];
      if (last && last.same !== undefined && !open) last.same += a[i];
      else parts.push({ same: a[i] });
      open = null;
      i += 1;
      j += 1;
      continue;
    }
    if (!open) parts.push(open = { 0: '', 1: '' });
    if (j >= b.length || (i < a.length && lengths[(i + 1) * width + j] >= lengths[i * width + j + 1])) {
      open[0] += a[i];
      i += 1;
    } else {
      open[1] += b[j];
      j += 1;
    }
  }
  return parts;
}

function objectLink(history, entity, id, name) {
  const known = name || nameOf(history, entity, id);
  // Between two states an object has no history.
  const view = isDifference() ? 'transactions' : null;
  return el('a', { href: '#' + encodedState({ view, object: entity + '/' + id, history: history || null }) },
    bdi(entity), ' ' + id, known ? [' ', el('span.name', {}, '“', bdi(known, 120), '”')] : null);
}

function transactionLink(history, id) {
  return el('a', { href: '#' + encodedState({ transaction: id, history: history || null }) }, id);
}

// One change with its values.
function changeElement(change, history, heading) {
  const kind = kinds[change.kind];
  const rows = change.properties.map(property => {
    const values = change.kind === 1
      ? comparedValues(property.before, property.after, history)
      : [valueElement(change.kind === 0 ? property.after : property.before, history)];
    return el('tr', {}, el('th', { scope: 'row' }, bdi(property.name)), values.map((value, index) =>
      el('td', { 'data-head': values.length > 1 ? sides()[index] : null }, value)));
  });
  const words = isDifference()
    ? ['only in the second', 'differs', 'only in the first'][change.kind] : kind.word;
  return el('article.change', { 'data-kind': kind.key },
    el(heading || 'h4', {}, el('span.kind', { 'data-kind': kind.key }, el('span', { 'aria-hidden': 'true' }, kind.sign), ' ' + words), ' ',
      objectLink(history, change.entity, change.id, change.name)),
    rows.length ? el('table.values', {},
      el('caption.visually-hidden', {}, 'Values of ' + change.entity + ' ' + change.id),
      el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Property'),
        change.kind === 1
          ? sides().map(side => el('th', { scope: 'col' }, side))
          : el('th', { scope: 'col' }, change.kind === 0 || isDifference() ? 'Value' : 'Value before'))),
      el('tbody', {}, rows)) : el('p.faint', {}, 'No values are kept.'));
}

function sides() { return isDifference() ? ['In the first', 'In the second'] : ['Before', 'After']; }

function isDifference() { return data.report.subject === 'difference'; }
