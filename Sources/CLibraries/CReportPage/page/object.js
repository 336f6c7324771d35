// Details that a link names: the history of one object, or one transaction.

function encodedState(state) {
  return Object.entries(state).filter(([, value]) => value !== null && value !== undefined)
    .map(([key, value]) => key + '=' + encodeURIComponent(value).replaceAll('%2F', '/')).join('&');
}

function decodedState(hash) {
  const state = {};
  for (const part of hash.replace(/^#/, '').split('&')) {
    const at = part.indexOf('=');
    if (at <= 0) continue;
    // A damaged link is shown as it is.
    try { state[part.slice(0, at)] = decodeURIComponent(part.slice(at + 1)); } catch { state[part.slice(0, at)] = part.slice(at + 1); }
  }
  return state;
}

function showDetail(title, ...content) {
  byId('detail').replaceChildren(el('article.card.detail', { 'aria-labelledby': 'detail-title' },
    el('header', {}, el('h3', { id: 'detail-title', tabindex: -1 }, title),
      el('button', { type: 'button', id: 'detail-close', onclick: closeDetail }, 'Close')),
    content));
  byId('detail-title').focus({ preventScroll: true });
  byId('explore').scrollIntoView({ block: 'start' });
}

function closeDetail() {
  detailRun += 1;
  byId('detail').replaceChildren();
  history.replaceState(null, '', '#' + encodedState(stateOfFilter()));
  byId('explore-title').focus();
}

function showTransaction(id, history) {
  detailRun += 1;
  const row = data.rows.find(row => row.id === id && row.history === history);
  const source = quoted(sourceOf(history));
  if (!row) {
    return showDetail('Transaction ' + id, el('p', {}, data.isLoaded ? 'This page does not contain the transaction. To show the transaction:' : 'Reading…'),
      command('travelog show ' + source + ' ' + id));
  }
  const saved = { ...filter };
  // The filter does not apply to a transaction that a link names.
  for (const key of ['entity', 'kind', 'object', 'text']) delete filter[key];
  const body = transactionBody(row);
  Object.assign(filter, saved);
  showDetail(['Transaction ' + row.id], el('p', {}, timeElement(row.time), ', ', whoOf(row, 120), ' ', chips(totals(row))), body);
}

let detailRun = 0;

// The events of an object, the newest first.
async function showObject(name, history) {
  detailRun += 1;
  const current = detailRun;
  const slash = name.lastIndexOf('/');
  const [entity, id] = [name.slice(0, slash), name.slice(slash + 1)];
  const pattern = objectPattern(name);
  const time = clock();
  const rows = await withText(data.rows.filter(row => row.history === history), (_, line) => line.includes(pattern), async part => {
    if (!time.isOver()) return true;
    if (current === detailRun) showDetail([bdi(entity), ' ' + id], el('p', {}, 'Searching… ' + Math.round(part * 100) + ' %'));
    await time.pause();
    return current === detailRun;
  });
  if (!rows) return;
  const events = [];
  for (const row of rows) {
    for (const change of eachChange(row)) {
      if (change.entity !== entity || change.id !== id) continue;
      events.push({ row, change });
      break;
    }
    if (time.isOver()) await time.pause();
  }
  if (current !== detailRun) return;
  const label = nameOf(history, entity, id);
  const title = [bdi(entity), ' ' + id, label ? [' “', bdi(label, 120), '”'] : null];
  const blame = command('travelog blame ' + quoted(sourceOf(history)) + ' ' + quoted(entity) + ' ' + quoted(id) + ' --history');
  if (!events.length) {
    showDetail(title, el('p', {}, data.isLoaded ? 'This page contains no change of the ' + words().object + '. To show its whole history:' : 'Reading…'), blame);
    return;
  }
  const isWhole = events[events.length - 1].change.kind === 0;
  showDetail(title, el('p', {}, count(events.length, 'change') + ' in this page. ', isWhole ? 'This is the whole history of the ' + words().object + '.' : 'Earlier changes are not in the page:'),
    isWhole ? null : blame, blameTable(events, history),
    el('h4', {}, 'History'), timeline(events, history));
}

// The last value of each property, and who set it.
function blameTable(events, history) {
  const values = new Map();
  const isDeleted = events[0].change.kind === 2;
  for (const { row, change } of events) {
    for (const property of change.properties) {
      if (values.has(property.name) || note(property.after) === 'none') continue;
      values.set(property.name, { row, value: property.after, isPart: Array.isArray(property.after) });
    }
  }
  if (!values.size) return null;
  return details(isDeleted ? 'The last values, and who set them' : 'The values, and who set them', () => table(
    'The last value of each property in this page', ['Property', 'Value', 'Set in', 'Time', 'Author'],
    Array.from(values, ([name, { row, value }]) => [bdi(name), valueElement(value, history), transactionLink(history, row.id), timeElement(row.time), el('span', {}, whoOf(row, 60))]), { stacks: true }));
}

function timeline(events, history) {
  const list = el('ol.timeline', { reversed: true });
  const more = el('button', { type: 'button', onclick: () => show(50) });
  let shown = 0;
  const show = amount => {
    for (const { row, change } of events.slice(shown, shown + amount)) {
      list.append(el('li', { 'data-kind': kinds[change.kind].key },
        el('p.event', {}, timeElement(row.time), ' ', el('strong', {}, whoOf(row, 60)), ' ', transactionLink(history, row.id)),
        changeElement(change, history, 'h5')));
    }
    shown = Math.min(shown + amount, events.length);
    more.hidden = shown >= events.length;
    more.textContent = 'Show ' + number(Math.min(50, events.length - shown)) + ' earlier changes';
  };
  show(50);
  return el('div', {}, list, more);
}
