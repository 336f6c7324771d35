// The printed document, which is made when it is needed.

function printDialog() {
  const choice = (id, text, isChecked) => el('label.choice', {}, el('input', { type: 'checkbox', id: 'print-' + id, checked: isChecked }), el('span', {}, text));
  return el('dialog', { id: 'print-dialog', 'aria-labelledby': 'print-title' },
    el('form', { method: 'dialog' },
      el('h2.small', { id: 'print-title' }, 'Print'),
      el('p', {}, 'The document has a cover with the answers, and a place to sign. What else should it contain?'),
      choice('findings', 'Findings and checks', true),
      isDifference() ? null : choice('deletions', 'Deletions with their values', true),
      choice('activity', 'Tables of activity', false),
      choice('transactions', isDifference() ? 'Differences' : 'What the filter selects, with values', isDifference()),
      choice('files', 'Files with their digests', false),
      el('div.buttons', {}, el('button', { value: 'cancel' }, 'Cancel'),
        el('button.primary', { type: 'button', id: 'print-now', onclick: () => { byId('print-dialog').close(); buildPaper(); window.print(); } }, 'Print'))));
}

function isChosen(id) {
  const box = byId('print-' + id);
  return Boolean(box && box.checked);
}

function buildPaper() {
  const report = data.report;
  const parts = [];
  const add = (id, title, content, amount) => parts.push({ id: 'paper-' + id, title, content, amount });
  if (report.questions.length) add('answers', 'Answers', paperAnswers());
  if (isChosen('findings')) add('findings', 'Findings', paperFindings(), report.findings.reduce((all, finding) => all + finding.count, 0));
  if (isChosen('deletions')) add('deletions', 'Deletions', paperDeletions(), report.changes.deleted);
  if (isChosen('activity')) add('activity', 'Activity', paperActivity());
  if (isChosen('transactions')) add('transactions', isDifference() ? 'Differences' : 'Transactions', paperTransactions());
  if (isChosen('files')) add('files', 'Files', filesTable());
  add('signature', 'Signature', signature());
  const contents = el('nav.contents', { 'aria-label': 'Contents' }, 'Contents: ', parts.map((part, index) => [
    index ? ' · ' : null, el('a', { href: '#' + part.id }, part.title), part.amount === undefined ? null : ' (' + number(part.amount) + ')']));
  const paper = el('div', { id: 'paper' }, cover(contents),
    parts.map(part => el('section', { id: part.id }, el('h2', {}, part.title), part.content)));
  const old = byId('paper');
  if (old) old.replaceWith(paper);
  else document.body.append(paper);
  // A closed part would be printed without its content.
  for (const part of paper.querySelectorAll('details')) part.open = true;
  const heads = report.histories.map(history => history.digest).filter(Boolean);
  const digest = heads.length === 1 ? 'Head ' + heads[0]
    : heads.length ? 'Heads ' + heads.slice(0, 5).map(head => head.slice(0, 12)).join(' ') + (heads.length > 5 ? ' …' : '') : report.source;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('@page { @bottom-left { content: ' + cssText(digest) + '; } }');
  document.adoptedStyleSheets = [sheet];
}

function cssText(text) { return '"' + visible(text).replace(/["\\\n\r]/g, '_').slice(0, 100) + '"'; }

// The first page: what was audited, the answers, the figures and the contents.
function cover(contents) {
  const report = data.report;
  const facts = [];
  const add = (name, ...value) => facts.push(el('div', {}, el('dt', {}, name), el('dd', {}, value)));
  if (!isDifference()) add('Time', lead());
  for (const history of report.histories.slice(0, 10)) {
    add('Store', el('code', {}, history.store), ', lineage ' + history.lineage + ', ' + history.verdict, history.digest ? [', head ' + history.head + ' ', el('code.digest', {}, history.digest)] : null);
  }
  add('Produced', timeElement(Date.parse(report.produced.time)), ' by ', visible(report.produced.version));
  add('Command', el('code', {}, visible(report.produced.command)));
  return el('header.paper-cover', {}, el('p.eyebrow', {}, isDifference() ? 'Comparison' : 'Audit of a history'),
    el('h1', {}, isDifference() ? [bdi(report.compared_with), ' and ', bdi(report.source)] : bdi(report.title)),
    report.questions.length ? el('ul.verdict', { 'aria-label': 'Answers' }, report.questions.map(question =>
      el('li', { 'data-state': question.state }, icon(question.state), el('span', {}, question.title), el('strong', {}, question.answer)))) : null,
    figures(), el('dl.facts', {}, facts), contents);
}

function paperAnswers() {
  return data.report.questions.map(question => el('div.answer', {},
    el('h3', {}, question.title + ' ' + question.answer), question.statements.map(text => el('p', {}, visible(text)))));
}

function paperFindings() {
  const report = data.report;
  const list = report.findings.map(finding => el('div', {},
    el('h3', {}, severityWords[finding.severity] + ': ' + finding.title + ' (' + number(finding.count) + ')'), el('p', {}, visible(finding.message)),
    finding.groups ? paperGroups(finding) : paperItems(finding)));
  return [list.length ? list : el('p', {}, 'There are no findings.'), checksList()];
}

function paperGroups(finding) {
  return table(finding.title, ['Author', 'Number', 'Weeks, by their Mondays, and the number in each'], finding.groups.map(group => [
    bdi(authorName(group.author), 60), number(group.count), el('ul.weeks', {}, group.weeks.map(week => el('li', {}, week.day + ': ' + number(week.count))))]));
}

function paperItems(finding) {
  const items = finding.items.slice(0, 100);
  return [table(finding.title, ['Transaction', 'Time', 'Author', 'Found'], items.map(item => [
    String(item.transaction || '–'), item.time ? localTime(Date.parse(item.time)).text : '–', item.time ? el('span', {}, whoOf(item, 60)) : '–', bdi(item.value, 300)])),
  finding.count > items.length ? el('p', {}, 'and ' + number(finding.count - items.length) + ' more') : null];
}

function paperDeletions() {
  const limit = 300;
  const rows = data.rows.filter(row => row.deleted);
  if (!rows.length) return el('p', {}, 'There are no deletions in the page.');
  const all = data.report.changes.deleted;
  const inPage = rows.reduce((total, row) => total + row.deleted, 0);
  return [el('p', {}, number(inPage) + ' of ' + number(all) + ' deletions are in the page' + (rows.length > limit ? '; the newest ' + limit + ' transactions are printed.' : '.')),
    rows.slice(0, limit).map(row => el('div.deletion', {},
      el('h3', {}, 'Transaction ' + row.id + ', ', timeElement(row.time), ', ', whoOf(row, 60)),
      changesOf(row).filter(change => change.kind === 2).slice(0, 100).map(change => changeElement(change, row.history))))];
}

function paperActivity() {
  const bounds = firstAndLastDay();
  if (!bounds) return el('p', {}, 'There are no changes.');
  const bins = activityBins(...selectedDays());
  const scope = 'of the whole history';
  return [rankingCard('Authors', 'Author', data.report.authors, 'author', authorName, scope),
    rankingCard(capitalized(words().entities), capitalized(words().entity), data.report.entities, 'entity', entity => entity, scope),
    rankingCard('Kinds of transactions', 'Kind', data.report.operations, 'op', kind => kind, scope),
    table('Changes over time', ['Time', ...bins.series.map(series => series.name), 'All'], bins.bins.filter(bin => bin.total).map(bin => [bin.name, ...bin.values.map(number), number(bin.total)]))];
}

function paperTransactions() {
  const limit = 500;
  const items = results ? results.items.slice(0, limit) : [];
  return [el('p', {}, number(items.length) + ' of ' + number(results ? results.items.length : 0) + ' are printed.'), items.map(item => item.unreadable
    ? el('p', {}, unreadableText(item.unreadable) + '.')
    : item.change
    ? changeElement(item.change, item.history, 'h3')
    : item.last ? el('p', {}, bdi(item.entity), ' ' + item.id, item.name ? [' “', bdi(item.name, 120), '”'] : null, ', ' + count(item.changes, 'change')
      + ', the last in transaction ' + item.last.id)
      : el('div', {}, el('h3', {}, 'Transaction ' + item.id + ', ', timeElement(item.time), ', ', whoOf(item, 60)),
        selectedChanges(changesOf(item)).slice(0, 50).map(change => changeElement(change, item.history))))];
}

function signature() {
  const line = text => el('div.line', {}, el('span', {}, text));
  return el('div.signature', {}, el('p', {}, 'I examined the answers and findings of this document.'), line('Name'), line('Date and place'), line('Signature'));
}
