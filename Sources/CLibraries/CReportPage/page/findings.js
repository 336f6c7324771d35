// Findings with their values, by author and week if they are many, and what was checked and not found.

const severityWords = { serious: 'Serious', warning: 'Warning', notice: 'Notice' };

function findingsSection() {
  return el('section', { id: 'findings', 'aria-labelledby': 'findings-title' },
    el('h2', { id: 'findings-title', tabindex: -1 }, 'Findings'),
    el('div', { id: 'findings-list' }),
    checksList());
}

function drawFindings() {
  const list = byId('findings-list');
  if (!list) return;
  const [from, to] = filterMoments();
  const isInside = item => !item.time || (Date.parse(item.time) >= from && Date.parse(item.time) < to);
  const isZoomed = filter.from || filter.to;
  const found = data.report.findings.map(finding => ({ finding, items: finding.items.filter(isInside) }))
    .filter(({ items }) => items.length || !isZoomed);
  list.replaceChildren(...(found.length ? found.map(({ finding, items }) => findingCard(finding, items, isZoomed))
    : [el('div.card', {}, el('p.empty', {}, icon('good'), isZoomed && data.report.findings.length ? 'There are no findings in the selected time.' : 'There are no findings.'))]));
}

function findingCard(finding, items, isZoomed) {
  const list = !isZoomed && finding.groups
    ? [groupsTable(finding), details('One by one', () => el('div', {}, itemsTable(finding, items)))]
    : itemsTable(finding, items);
  return el('article.card.finding', { 'data-severity': finding.severity },
    el('h3', {}, el('span.tag.' + finding.severity, {}, icon(severityIcon(finding.severity)), severityWords[finding.severity]), ' ',
      finding.title, ' ', el('span.count', {}, isZoomed ? number(items.length) + ' in the selected time' : number(finding.count))),
    el('p', {}, visible(finding.message), ' ', el('code.faint', {}, '--fail-on ' + finding.finding)), list);
}

function severityIcon(severity) { return severity === 'serious' ? 'bad' : 'attention'; }

// The occurrences of each author. A week selects its days, so that Explore lists the author's changes in them.
function groupsTable(finding) {
  const select = (text, changes) => el('button.link', { type: 'button', onclick: () => {
    setFilter({ from: '', to: '', ...changes });
    byId('explore').scrollIntoView({ block: 'start' });
    byId('explore-title').focus({ preventScroll: true });
  } }, text);
  const author = group => group.author || '';
  const week = (group, { day, count: amount }) => el('li', {},
    select(day, { author: author(group), from: day, to: dayText(dayNumber(day) + 6) }), ': ' + number(amount));
  const most = 12;
  const weeks = group => {
    const list = el('ul.weeks', {}, group.weeks.slice(0, most).map(one => week(group, one)));
    const rest = group.weeks.slice(most);
    if (rest.length) list.append(el('li', {}, el('button.link', { type: 'button', onclick: event => {
      event.currentTarget.parentNode.replaceWith(...rest.map(one => week(group, one)));
    } }, 'and ' + count(rest.length, 'more week'))));
    return list;
  };
  return table(finding.title + ' by author and by the week that begins on the given Monday', ['Author', 'Number', 'Weeks'],
    finding.groups.map(group => [select(breakable(authorName(group.author)), { author: author(group) }), number(group.count), weeks(group)]),
    { numeric: [1], stacks: true });
}

function itemsTable(finding, items) {
  const rows = el('div', {});
  let shown = 0;
  const more = el('button', { type: 'button', onclick: () => show(100) });
  const body = el('tbody', {});
  const show = amount => {
    for (const item of items.slice(shown, shown + amount)) body.append(findingRow(item));
    shown = Math.min(shown + amount, items.length);
    more.hidden = shown >= items.length;
    more.textContent = 'Show ' + number(Math.min(100, items.length - shown)) + ' more';
  };
  append(rows, [el('div.wide', { tabindex: 0, role: 'region', 'aria-label': finding.title }, el('table.stacks', {},
    el('caption.visually-hidden', {}, finding.title),
    el('thead', {}, el('tr', {}, ['Transaction', 'Time', 'Author', 'Found'].map(head => el('th', { scope: 'col' }, head)))), body)), more]);
  show(5);
  const rest = finding.count - finding.items.length;
  if (rest > 0) append(rows, [el('p.faint', {}, 'The first ' + number(finding.items.length) + ' of ' + number(finding.count) + ' are listed. '
    + 'To list the others, report a shorter time with --since and --until.')]);
  return rows;
}

function findingRow(item) {
  const time = item.time ? timeElement(Date.parse(item.time)) : '–';
  return el('tr', {}, el('th', { scope: 'row' }, item.transaction ? transactionLink(item.history, String(item.transaction)) : '–'),
    el('td', { 'data-head': 'Time' }, time), el('td', { 'data-head': 'Author' }, item.time ? [breakable(authorName(item.author)), whyAfter(item)] : '–'),
    el('td', { 'data-head': 'Found' }, bdi(item.value, 400)));
}

function checksList() {
  const severity = Object.fromEntries(data.report.findings.map(finding => [finding.finding, finding.severity]));
  const states = { clear: ['good', 'not found'], unchecked: ['unknown', 'not checked'],
    unknown: ['unknown', 'unknown: a part was altered, or can’t be read or verified'] };
  return el('div.card', {}, el('h3', {}, 'What was checked'),
    table('Every check with its result', ['Check', 'Result', 'What the check does'], data.report.checks.map(check => {
      const [state, word] = states[check.state] || [severity[check.finding], number(check.count) + ' found'];
      return [check.title, el('span.tag.' + state, {}, icon(check.state === 'found' ? severityIcon(state) : state), word), visible(check.description)];
    }), { stacks: true }));
}
