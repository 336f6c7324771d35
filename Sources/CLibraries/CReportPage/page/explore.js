// One filter over transactions, deletions and objects. Rows are made when they are scrolled to.

// An author that is the empty text stands for transactions without an author; without one, all.
const filter = { view: 'transactions', sort: 'newest' };
const filterKeys = ['view', 'sort', 'history', 'author', 'reason', 'request', 'entity', 'object', 'kind', 'op', 'from', 'to', 'text'];
const sorts = {
  transactions: [['newest', 'newest first'], ['oldest', 'oldest first'], ['largest', 'most changes first'], ['author', 'by author']],
  deletions: [['newest', 'newest first'], ['oldest', 'oldest first'], ['largest', 'most deletions first'], ['author', 'by author']],
  objects: [['changes', 'most changes first'], ['name', 'by name'], ['newest', 'last change first']],
};
let run = 0;
let results = null;

function exploreSection() {
  const views = isDifference() ? [] : [['transactions', 'Transactions'], ['deletions', 'Deletions'], ['objects', capitalized(words().objects)]];
  return el('section', { id: 'explore', 'aria-labelledby': 'explore-title' },
    el('h2', { id: 'explore-title', tabindex: -1 }, isDifference() ? 'Differences' : 'Explore'),
    el('div', { id: 'detail' }),
    filterForm(),
    views.length ? el('div.tabs', { role: 'group', 'aria-label': 'What is listed' }, views.map(([key, word]) =>
      el('button.tab', { type: 'button', id: 'view-' + key, 'data-view': key, onclick: () => setFilter({ view: key, sort: sorts[key][0][0] }) }, word))) : null,
    el('p.status', { id: 'status', role: 'status' }),
    el('div', { id: 'rest' }),
    el('div', { id: 'results' }));
}

function filterForm() {
  const report = data.report;
  const select = (key, label, choices) => el('label.field', {}, el('span', {}, label), el('select', {
    id: 'filter-' + key,
    onchange: event => {
      const value = event.currentTarget.value;
      setFilter({ [key]: value === 'any' ? undefined : value.slice(1) });
    },
  }, el('option', { value: 'any' }, 'any'), choices.map(([value, text]) => el('option', { value: '=' + value }, shorten(visible(text), 60)))));
  const names = (ranking, nameOfEntry) => ranking.entries.map(entry => [entry.name || '', nameOfEntry(entry.name)]);
  let timer = 0;
  const input = (key, label, type, placeholder) => el('label.field', { class: 'field ' + key }, el('span', {}, label), el('input', {
    type, id: 'filter-' + key, placeholder, autocomplete: 'off', spellcheck: 'false',
    oninput: event => {
      const value = event.currentTarget.value;
      clearTimeout(timer);
      timer = setTimeout(() => setFilter({ [key]: value || undefined }), 200);
    },
  }));
  return el('form.filter.card', { id: 'filter', 'aria-label': 'Filter', onsubmit: event => event.preventDefault() },
    input('text', 'Text in names and values', 'search', 'press / to search'),
    isDifference() ? null : select('author', 'Author', names(report.authors, authorName)),
    isDifference() ? null : [select('reason', 'Reason', []), select('request', 'Request', [])],
    select('entity', capitalized(words().entity), names(report.entities, name => name || '')),
    select('kind', 'Kind', kinds.map((kind, index) => [kind.key, isDifference() ? ['only in the second', 'differs', 'only in the first'][index] : kind.word])),
    isDifference() ? null : select('op', 'Origin', names(report.operations, name => name || '')),
    input('object', capitalized(words().object), 'text', (report.entities.entries[0] ? report.entities.entries[0].name : 'Trip') + '/98'),
    isDifference() ? null : [dayField('filter-from', 'From', 'from'), dayField('filter-to', 'To', 'to')],
    report.histories.length > 1 ? select('history', 'History', report.histories.map((entry, index) =>
      [String(index), entry.store.slice(0, 8) + ', lineage ' + entry.lineage])) : null,
    isDifference() ? null : el('label.field', {}, el('span', {}, 'Order'), el('select', { id: 'filter-sort', onchange: event => setFilter({ sort: event.currentTarget.value }) })),
    el('div.buttons', {},
      el('button', { type: 'button', id: 'filter-reset', onclick: () => setFilter(Object.fromEntries(filterKeys.filter(key => key !== 'view').map(key => [key, undefined]))) }, 'Clear'),
      el('button', { type: 'button', id: 'filter-link', onclick: copyLink }, 'Copy link')));
}

async function copyLink(event) {
  const button = event.currentTarget;
  history.replaceState(null, '', '#' + encodedState(stateOfFilter()));
  try {
    await navigator.clipboard.writeText(location.href);
    button.textContent = 'Copied';
  } catch {
    button.textContent = 'In the address bar';
  }
  setTimeout(() => { button.textContent = 'Copy link'; }, 2000);
}

function isFiltered() {
  return filterKeys.some(key => !['view', 'sort'].includes(key) && filter[key] !== undefined && (filter[key] !== '' || key === 'author'));
}

function stateOfFilter() {
  return Object.fromEntries(filterKeys.map(key => [key, filter[key]])
    .filter(([key, value]) => value !== undefined && (value !== '' || key === 'author')));
}

function setFilter(changes) {
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined || (value === '' && key !== 'author')) delete filter[key];
    else filter[key] = value;
  }
  if (!filter.view) filter.view = 'transactions';
  if (!sorts[filter.view].some(([key]) => key === filter.sort)) filter.sort = sorts[filter.view][0][0];
  const isTimeChanged = 'from' in changes || 'to' in changes;
  history.replaceState(null, '', '#' + encodedState(stateOfFilter()));
  drawFilter();
  if (isTimeChanged) {
    drawActivity();
    drawFindings();
  }
  search();
}

function drawFilter() {
  const assign = (id, value) => {
    const field = byId(id);
    if (field && field !== document.activeElement) field.value = value;
  };
  for (const key of ['author', 'reason', 'request', 'entity', 'kind', 'op', 'history']) {
    const field = byId('filter-' + key);
    if (!field) continue;
    const value = filter[key] === undefined ? 'any' : '=' + filter[key];
    // A link may name what is not among the most frequent.
    if (!Array.from(field.options).some(option => option.value === value)) {
      field.append(el('option', { value }, shorten(visible(filter[key]), 60)));
    }
    field.value = value;
  }
  // Most histories have no reasons and no requests.
  for (const key of ['reason', 'request']) {
    const field = byId('filter-' + key);
    if (field) field.closest('label').hidden = field.options.length < 2;
  }
  assign('filter-text', filter.text || '');
  assign('filter-object', filter.object || '');
  assign('filter-from', filter.from || '');
  assign('filter-to', filter.to || '');
  const order = byId('filter-sort');
  if (order) {
    order.replaceChildren(...sorts[filter.view].map(([key, text]) => el('option', { value: key }, text)));
    order.value = filter.sort;
  }
  for (const tab of document.querySelectorAll('.tab')) {
    tab.setAttribute('aria-pressed', String(tab.dataset.view === filter.view));
  }
  byId('filter-reset').disabled = !isFiltered();
}

// Lists the reasons and requests of the newest transactions in the filter.
function fillContexts() {
  for (const key of ['reason', 'request']) {
    const field = byId('filter-' + key);
    if (!field) continue;
    const texts = new Set(Array.from(field.options, option => option.value.slice(1)));
    for (const row of data.rows) {
      if (texts.size > 100) break;
      if (!row[key] || texts.has(row[key])) continue;
      texts.add(row[key]);
      field.append(el('option', { value: '=' + row[key] }, shorten(visible(row[key]), 60)));
    }
  }
  drawFilter();
}

// The moments at which the selected days begin and end.
function filterMoments() {
  return [
    filter.from ? startOfDay(filter.from) : -Infinity,
    filter.to ? startOfDay(dayText(dayNumber(filter.to) + 1)) : Infinity,
  ];
}

// A function that tells whether the filter selects a transaction, apart from object and text.
function matcher() {
  const [from, to] = filterMoments();
  const kind = kinds.findIndex(one => one.key === filter.kind);
  const isDeletion = filter.view === 'deletions' && !isDifference();
  return row => {
    if (!isDifference() && !(row.time >= from && row.time < to) && (filter.from || filter.to)) return false;
    if (filter.history !== undefined && String(row.history) !== filter.history) return false;
    if (filter.author !== undefined && (row.author || '') !== filter.author) return false;
    if (filter.reason !== undefined && row.reason !== filter.reason) return false;
    if (filter.request !== undefined && row.request !== filter.request) return false;
    if (filter.op !== undefined && row.op !== filter.op) return false;
    if (isDeletion && !row.deleted) return false;
    if (filter.entity !== undefined || kind >= 0) {
      if (!row.entities.some(entity => (filter.entity === undefined || entity[0] === filter.entity) && (kind < 0 || entity[1 + kind]))) return false;
    }
    return true;
  };
}

// A function that tells whether the filter selects the changes of a transaction by object and text.
// The second text has small letters only.
function textMatcher() {
  const wanted = filterWords();
  // Texts are searched in the form that they have in JSON.
  const patterns = wanted.map(word => JSON.stringify(word).slice(1, -1));
  const named = objectsNamed(wanted);
  const object = filter.object ? objectPattern(filter.object) : null;
  return (row, line, lower) => {
    if (object !== null && !line.includes(object)) return false;
    const head = [row.author || '', row.reason || '', row.request || '', row.program, row.id].join(' ').toLowerCase();
    if (patterns.every((pattern, index) => lower.includes(pattern) || head.includes(wanted[index]))) return true;
    if (!named.size) return false;
    for (const [, key] of line.matchAll(namelessChange)) if (named.has(row.history + key)) return true;
    return false;
  };
}

// The entity and id of a change that does not have the name of its object.
const namelessChange = /\[[012],("(?:[^"\\]|\\.)*","(?:[^"\\]|\\.)*"),null/g;

// The beginning of an object's changes in a line.
function objectPattern(text) {
  const slash = text.lastIndexOf('/');
  return JSON.stringify(text.slice(0, slash)) + ',' + JSON.stringify(text.slice(slash + 1)) + ',';
}

// The objects whose names have all words.
function objectsNamed(wanted) {
  const found = new Set();
  for (const [history, entity, id, name] of wanted.length ? data.nameList : []) {
    const lower = name.toLowerCase();
    if (wanted.every(word => lower.includes(word))) found.add(history + JSON.stringify(entity) + ',' + JSON.stringify(id));
  }
  return found;
}

// The transactions whose changes have a text, block by block. A block is decoded as a whole, which is
// faster than decoding its transactions, and its text is not kept.
async function withText(rows, matches, proceed) {
  const candidates = new Set(rows);
  const found = new Set();
  for (const [index, block] of data.blocks.entries()) {
    if (block.rows.some(row => candidates.has(row))) {
      const text = decoder.decode(block.bytes);
      const lines = text.split('\n');
      const lowers = text.toLowerCase().split('\n');
      block.rows.forEach((row, at) => {
        if (candidates.has(row) && matches(row, changesText(lines[at]), changesText(lowers[at]))) found.add(row);
      });
    }
    if (!await proceed(index / data.blocks.length)) return null;
  }
  return rows.filter(row => found.has(row));
}

// The part of a line after the facts of its transaction.
function changesText(line) { return line.slice(line.indexOf('\t') + 1); }

// Whether a change is selected by the parts of the filter that are about changes.
function matchesChange(change) {
  if (filter.entity !== undefined && change.entity !== filter.entity) return false;
  if (filter.kind !== undefined && kinds[change.kind].key !== filter.kind) return false;
  if (filter.object && change.entity + '/' + change.id !== filter.object) return false;
  return true;
}

// The changes of a transaction that the filter selects. A text may also be that of the transaction.
function selectedChanges(changes) {
  const selected = changes.filter(matchesChange);
  const wanted = filterWords();
  if (!wanted.length) return selected;
  const texts = selected.filter(change => hasWords(change, wanted));
  return texts.length ? texts : selected;
}

// The first change that the filter selects, or else the first change.
function firstSelectedChange(row) {
  const wanted = filterWords();
  let [first, selected, seen] = [null, null, 0];
  for (const change of eachChange(row)) {
    if (!first) first = change;
    if (matchesChange(change)) {
      // The name of an object is not in each of its changes.
      if (hasWords(change, wanted)) return change;
      if (!selected) selected = change;
    }
    seen += 1;
    // The rows of a list are made at once, so none of them may take long.
    if (seen === 100) break;
  }
  return selected || first;
}

function filterWords() { return (filter.text || '').toLowerCase().split(/\s+/).filter(Boolean); }

function hasWords(change, wanted) {
  if (!wanted.length) return true;
  const text = (JSON.stringify(change.properties) + change.entity + ' ' + change.id + ' ' + (change.name || '')).toLowerCase();
  return wanted.every(word => text.includes(JSON.stringify(word).slice(1, -1)));
}

// Marks the words of the filter in the texts of a store, which are in bdi elements.
function marked(element) {
  const wanted = filterWords().map(word => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  if (!wanted.length) return element;
  const words = new RegExp('(' + wanted.join('|') + ')', 'giu');
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) if (walker.currentNode.parentElement.closest('bdi')) texts.push(walker.currentNode);
  for (const text of texts) {
    const parts = text.data.split(words);
    if (parts.length > 1) text.replaceWith(...parts.map((part, index) => index % 2 ? el('mark', {}, part) : part));
  }
  return element;
}

// The part of a change that has a word of the filter, if its name does not have all of them.
function reason(change) {
  const wanted = filterWords();
  const name = [change.entity, change.id, change.name || ''].join(' ').toLowerCase();
  if (wanted.every(word => name.includes(word))) return null;
  for (const property of change.properties) {
    for (const value of [property.after, property.before]) {
      const text = note(value) ? value.text || '' : isLink(value) ? value.entity + ' ' + value.id : plainText(value);
      const at = wanted.map(word => text.toLowerCase().indexOf(word)).find(index => index >= 0);
      if (at === undefined && !wanted.some(word => property.name.toLowerCase().includes(word))) continue;
      const start = Math.max(0, (at || 0) - 20);
      return el('span.faint', {}, ' · ', bdi(property.name), ': ', bdi((start ? '…' : '') + text.slice(start), 80));
    }
  }
  return null;
}

async function search() {
  run += 1;
  const current = run;
  const isObjects = filter.view === 'objects' && !isDifference();
  const time = clock();
  // Lets the browser answer; false if a later search replaces this one.
  let isSlow = false;
  const proceed = async part => {
    if (!time.isOver()) return true;
    isSlow = true;
    if (current === run) byId('status').textContent = 'Searching… ' + Math.round(part * 100) + ' % of ' + count(data.kept, 'change');
    await time.pause();
    return current === run;
  };
  let found = data.rows.filter(matcher());
  if (filter.object || filterWords().length) found = await withText(found, textMatcher(), proceed);
  if (!found) return;
  const changes = found.reduce((all, row) => all + row.total, 0);
  if (isObjects || isDifference()) {
    const [rows, objects] = [found, new Map()];
    found = [];
    for (const [index, row] of rows.entries()) {
      collect(row, isObjects ? objects : found);
      if (time.isOver() && !await proceed(index / rows.length)) return;
    }
    if (isObjects) found = Array.from(objects.values());
  }
  if (!isDifference()) found = await sortedResults(found, time);
  if (isSlow) await time.pause();
  if (current !== run) return;
  drawStatus(found, changes);
  const render = isDifference() ? differenceRow : isObjects ? objectRow : filter.view === 'deletions' ? deletionRow : transactionRow;
  if (!isDifference() && data.isLoaded) found = withUnreadable(found);
  showRows(found, item => item.unreadable ? unreadableRow(item) : render(item));
}

// The results with the transactions that could not be read: at their places if the order is that of time, or else first.
function withUnreadable(found) {
  const results = found.slice();
  for (const [history, entry] of data.report.histories.entries()) {
    if (filter.history !== undefined && filter.history !== String(history)) continue;
    for (const unreadable of entry.unreadable) {
      const places = {
        newest: row => row.history === history && Number(row.id) < unreadable.first,
        oldest: row => row.history === history && Number(row.id) > unreadable.last,
      };
      const at = filter.view !== 'objects' && places[filter.sort] ? results.findIndex(places[filter.sort]) : 0;
      results.splice(at < 0 ? results.length : at, 0, { unreadable, history });
    }
  }
  return results;
}

function unreadableText({ first, last }) {
  return first === last ? 'Transaction ' + number(first) + ' can’t be read' : 'Transactions ' + number(first) + ' to ' + number(last) + ' can’t be read';
}

function unreadableRow({ unreadable }) {
  return el('li.row.unreadable', {}, icon('bad'),
    unreadableText(unreadable) + (isFiltered() ? ', so it is unknown whether the filter selects any of them.' : '.'));
}

function collect(row, into) {
  const wanted = filterWords();
  for (const change of selectedChanges(changesOf(row))) {
    if (Array.isArray(into)) {
      if (hasWords(change, wanted)) into.push({ change, history: row.history });
      continue;
    }
    const key = objectKey(row.history, change.entity, change.id);
    let object = into.get(key);
    if (!object) into.set(key, object = { history: row.history, entity: change.entity, id: change.id, name: null, changes: 0, last: row, kind: change.kind });
    object.changes += 1;
    object.name = object.name || change.name;
    if (row.time > object.last.time) { object.last = row; object.kind = change.kind; }
  }
}

async function sortedResults(found, time) {
  const { compare } = new Intl.Collator();
  const orders = {
    newest: filter.view === 'objects' ? (a, b) => b.last.time - a.last.time : null,
    largest: filter.view === 'deletions' ? (a, b) => b.deleted - a.deleted : (a, b) => b.total - a.total,
    author: (a, b) => compare(authorName(a.author), authorName(b.author)),
    changes: (a, b) => b.changes - a.changes,
    name: (a, b) => compare(a.name || '\uffff', b.name || '\uffff') || compare(a.entity, b.entity),
  };
  if (filter.sort === 'oldest') return found.reverse();
  return orders[filter.sort] ? sorted(found, orders[filter.sort], time) : found;
}

function drawStatus(found, changes) {
  const all = sum(data.report.changes) + data.report.snapshot_objects;
  const inPage = data.kept;
  const isPart = data.isLoaded && inPage < all;
  const noun = isDifference() ? 'difference' : filter.view === 'objects' ? words().object : 'transaction';
  const status = byId('status');
  status.replaceChildren();
  append(status, [el('strong', {}, count(found.length, noun) + (filter.view === 'deletions' && !isDifference() ? ' with deletions' : '')),
    isDifference() || filter.view === 'objects' ? null : ' with ' + count(changes, 'change'),
    isPart ? [', in ' + number(inPage) + ' of ' + number(all) + ' changes'] : null,
    data.isLoaded ? null : ', reading ' + Math.round(data.blocks.length / Math.max(1, data.blockCount) * 100) + ' %']);
  const rest = byId('rest');
  rest.replaceChildren();
  if (isPart) append(rest, [el('p.faint', {}, isDifference() ? 'The page contains the first ' + number(inPage) + ' differences. To list all differences:' : 'The page contains the newest transactions. To search all transactions:'), command(restCommand())]);
}

// The command that shows what the filter selects outside the page.
function restCommand() {
  const index = Number(filter.history || 0);
  if (isDifference()) return 'travelog diff ' + quoted(data.report.compared_with) + ' ' + quoted(data.report.source) + (filter.entity ? ' --entity ' + quoted(filter.entity) : '');
  const line = ['travelog log', quoted(sourceOf(index))];
  const [entity, id] = filter.object ? [filter.object.slice(0, filter.object.lastIndexOf('/')), filter.object.slice(filter.object.lastIndexOf('/') + 1)] : [filter.entity];
  if (entity) line.push('--entity ' + quoted(entity));
  if (id) line.push('--id ' + quoted(id));
  if (filter.author !== undefined) line.push('--author ' + (filter.author === '' ? "''" : quoted(filter.author)));
  for (const key of ['reason', 'request']) if (filter[key] !== undefined) line.push('--' + key + ' ' + quoted(filter[key]));
  const oldest = data.rows.reduce((time, row) => row.history === index ? Math.min(time, row.time) : time, Infinity);
  const [from, to] = filterMoments();
  if (Number.isFinite(from)) line.push('--since ' + new Date(from).toISOString());
  const until = Math.min(to, oldest + 1000);
  if (Number.isFinite(until)) line.push('--until ' + new Date(until).toISOString());
  if (filter.kind && !filter.text) return line.join(' ') + " --json --patch | grep '\"op\":\"" + filter.kind + "\"'";
  line.push('--patch');
  return line.join(' ') + (filter.text ? ' | grep -i -F -e ' + quoted(filter.text) : '');
}

// Rows in parts of 40. A part that is far from the window loses its elements and keeps its height.
let observer = null;

function showRows(items, render) {
  const box = byId('results');
  if (observer) observer.disconnect();
  box.replaceChildren();
  results = { items };
  if (!items.length) {
    box.append(el('p.empty.card', {}, data.isLoaded ? isFiltered() || filter.view !== 'transactions' ? 'The filter selects nothing in the page.' : isDifference() ? 'There are no differences.' : 'There are no transactions.' : 'Reading…'));
    return;
  }
  const size = 40;
  const parts = new Map();
  const fill = part => {
    if (part.isFull) return;
    part.element.replaceChildren(...items.slice(part.start, part.start + size).map(item => render(item)));
    part.element.style.minHeight = '';
    part.isFull = true;
  };
  const add = start => {
    const element = el('ol.rows', { start: start + 1 });
    const part = { element, start, isFull: false };
    parts.set(element, part);
    box.insertBefore(element, end);
    fill(part);
    observer.observe(element);
  };
  const end = el('div.end', {});
  box.append(end);
  let next = 0;
  observer = new IntersectionObserver(entries => {
    for (const { target, isIntersecting } of entries) {
      if (target === end) {
        if (!isIntersecting || next >= items.length) continue;
        add(next);
        next += size;
        // It is still visible if the part was short; observing it again reports that.
        observer.unobserve(end);
        observer.observe(end);
        continue;
      }
      const part = parts.get(target);
      if (!part) continue;
      if (isIntersecting) fill(part);
      else if (part.isFull && !target.contains(document.activeElement) && !target.querySelector('[aria-expanded=true]')) {
        target.style.minHeight = target.offsetHeight + 'px';
        target.replaceChildren();
        part.isFull = false;
      }
    }
  }, { rootMargin: '1500px' });
  add(0);
  next = size;
  observer.observe(end);
}

function expandable(head, build, label) {
  const body = el('div.row-body', { hidden: true });
  const button = el('button.row-head', {
    type: 'button', 'aria-expanded': 'false',
    onclick: () => {
      const isOpen = button.getAttribute('aria-expanded') === 'true';
      button.setAttribute('aria-expanded', String(!isOpen));
      body.hidden = isOpen;
      if (!isOpen && !body.childElementCount) append(body, [build()]);
    },
  }, el('span.chevron', { 'aria-hidden': 'true' }), head);
  marked(button);
  return el('li.row.' + label, {}, button, body);
}

function chips(changes) {
  const [inserted, updated, deleted] = changes;
  return el('span.chips', {}, [inserted, updated, deleted].map((value, index) => value
    ? el('span.kind', { 'data-kind': kinds[index].key }, el('span', { 'aria-hidden': 'true' }, kinds[index].sign + number(value)),
      el('span.visually-hidden', {}, count(value, words().object) + ' ' + kinds[index].word + ' ')) : null));
}

function totals(row) {
  return [1, 2, 3].map(index => row.entities.reduce((all, entity) => all + entity[index], 0));
}

function headline(row) {
  if (!row.total) return el('span.faint', {}, row.op === 'recorded' ? 'no changes' : row.op);
  const first = firstSelectedChange(row);
  if (!first) return el('span.faint', {}, count(row.total, 'change'));
  const rest = row.total - 1;
  return el('span.headline', {}, kinds[first.kind].word + ' ', bdi(first.entity), ' ' + first.id,
    first.name ? [' “', bdi(first.name, 60), '”'] : null, rest > 0 ? el('span.faint', {}, ' and ' + number(rest) + ' more') : null, reason(first));
}

function rowFacts(row) {
  return [el('span.id', {}, '#' + row.id), el('span.when', {}, timeElement(row.time)), el('span.who', {}, whoOf(row, 40))];
}

function transactionRow(row) {
  const isMarked = row.op !== 'recorded' || row.state !== 'whole';
  return expandable([...rowFacts(row), el('span.what', {}, headline(row),
    isMarked ? [' ', el('span.tag.attention', {}, row.state !== 'whole' ? row.state : row.op)] : null), chips(totals(row))],
  () => transactionBody(row, 'h3'), 'transaction');
}

function transactionBody(row, heading) {
  const changes = changesOf(row);
  const selected = selectedChanges(changes);
  const hidden = changes.length - selected.length;
  const omitted = row.total - changes.length;
  const box = el('div', {});
  append(box, [whyOf(row), el('p.faint', {}, row.program ? ['By ', bdi(row.program, 120), '. '] : null, row.op !== 'recorded' ? 'Origin: ' + row.op + '. ' : null,
    el('a', { href: '#' + encodedState({ transaction: row.id, history: row.history || null }) }, 'Link to transaction ' + row.id))]);
  let shown = 0;
  const more = el('button', { type: 'button', onclick: () => show(100) });
  const list = el('div.changes', {});
  const show = amount => {
    for (const change of selected.slice(shown, shown + amount)) list.append(marked(changeElement(change, row.history, heading)));
    shown = Math.min(shown + amount, selected.length);
    more.hidden = shown >= selected.length;
    more.textContent = 'Show ' + number(Math.min(100, selected.length - shown)) + ' more of ' + number(selected.length) + ' changes';
  };
  show(20);
  append(box, [list, more]);
  if (hidden > 0) append(box, [el('p.faint', {}, count(hidden, 'other change') + ' of this transaction ' + (hidden === 1 ? 'is' : 'are') + ' not selected by the filter.')]);
  if (omitted > 0) append(box, [el('p.faint', {}, count(omitted, 'change') + ' of this transaction ' + (omitted === 1 ? 'is' : 'are') + ' not in the page:'), command('travelog show ' + quoted(sourceOf(row.history)) + ' ' + row.id)]);
  return box;
}

// The reason and the request. The head of a row may show only their beginning.
function whyOf(row) {
  if (!row.reason && !row.request) return null;
  return el('p', {}, row.reason ? ['Reason: ', bdi(row.reason), '. '] : null, row.request ? ['Request: ', bdi(row.request), '.'] : null);
}

// The deletions of a transaction. Objects that refer to another deleted object were deleted with it.
function deletionTrees(row) {
  const deleted = changesOf(row).filter(change => change.kind === 2);
  const nodes = new Map(deleted.map(change => [change.entity + '/' + change.id, { change, children: [], parent: null }]));
  for (const node of nodes.values()) {
    for (const property of node.change.properties) {
      const target = isLink(property.before) ? nodes.get(property.before.entity + '/' + property.before.id) : null;
      if (!target || target === node || node.parent) continue;
      // A cycle has no first object.
      let above = target;
      while (above && above !== node) above = above.parent;
      if (above === node) continue;
      node.parent = target;
      target.children.push(node);
    }
  }
  return Array.from(nodes.values()).filter(node => !node.parent);
}

function treeSize(node) { return 1 + node.children.reduce((all, child) => all + treeSize(child), 0); }

function deletionRow(row) {
  const trees = deletionTrees(row).sort((a, b) => treeSize(b) - treeSize(a));
  const [first] = trees;
  const rest = row.deleted - 1;
  const title = change => [bdi(change.entity), ' ' + change.id, change.name ? [' “', bdi(change.name, 60), '”'] : null];
  // The object for which the row was found can be one that was deleted with the first.
  const found = filterWords().length || filter.object ? treeChanges(trees).find(isFound) : null;
  return expandable([...rowFacts(row), el('span.what', {}, first
    ? el('span.headline', {}, title(first.change),
      rest > 0 ? el('span.faint', {}, ' with ' + count(rest, 'other ' + words().object)) : null,
      found && found !== first.change ? [', among them ', title(found)] : null, found ? reason(found) : null)
    : count(row.deleted, words().object)), chips([0, 0, row.deleted])],
  () => el('div', {}, whyOf(row), el('p.faint', {}, row.program ? ['By ', bdi(row.program, 120), '. '] : null,
    el('a', { href: '#' + encodedState({ transaction: row.id, history: row.history || null }) }, 'Link to transaction ' + row.id)),
  trees.slice(0, 50).map(tree => treeElement(tree, row.history)),
  trees.length > 50 ? el('p.faint', {}, 'and ' + number(trees.length - 50) + ' more; transaction ' + row.id + ' has them') : null), 'deletion');
}

function treeChanges(nodes) { return nodes.flatMap(node => [node.change, ...treeChanges(node.children)]); }

function isFound(change) { return matchesChange(change) && hasWords(change, filterWords()); }

// A branch with an object for which the row was found is open.
function treeElement(node, history) {
  const branch = node.children.length ? details(count(treeSize(node) - 1, words().object) + ' deleted with it', () =>
    el('div.branch', {}, node.children.slice(0, 200).map(child => treeElement(child, history)))) : null;
  if (branch && (filterWords().length || filter.object) && treeChanges(node.children).some(isFound)) branch.open = true;
  return el('div.tree', {}, marked(changeElement(node.change, history, 'h3')), branch);
}

function objectRow(object) {
  const link = el('a', { href: '#' + encodedState({ object: object.entity + '/' + object.id, history: object.history || null }) },
    bdi(object.entity), ' ' + object.id, object.name ? [' ', el('span.name', {}, '“', bdi(object.name, 80), '”')] : null);
  return el('li.row.object', {}, el('div.row-head', {}, marked(el('span.what', {}, link)),
    el('span.when', {}, 'last ' + kinds[object.kind].word + ' ', timeElement(object.last.time)), el('span.who', {}, whoOf(object.last, 40)),
    el('span.chips', {}, el('span.kind', {}, count(object.changes, 'change')))));
}

function differenceRow({ change, history }) {
  return el('li.row', {}, marked(changeElement(change, history, 'h3')));
}
