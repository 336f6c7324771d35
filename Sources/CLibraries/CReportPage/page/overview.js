// The first screen: what was audited, the answers to an auditor's questions, and figures.

function overview() {
  const report = data.report;
  const sections = [el('header.cover', {},
    el('p.eyebrow', {}, isDifference() ? 'Comparison' : 'Audit of a history'),
    el('h1', { tabindex: -1, id: 'title' }, isDifference()
      ? [el('code', {}, bdi(report.compared_with)), ' and ', el('code', {}, bdi(report.source))]
      : bdi(report.title)),
    el('p.lead', {}, lead()))];
  if (report.questions.length) {
    sections.push(el('ul.tiles', { 'aria-label': 'Answers' }, report.questions.map(tile)));
  }
  sections.push(figures());
  if (report.histories.length > 1) sections.push(historiesTable());
  sections.push(provenance());
  return el('section', { id: 'overview', 'aria-labelledby': 'title' }, sections);
}

function lead() {
  const report = data.report;
  if (isDifference()) {
    return sum(report.changes) === 0
      ? 'The two states are the same.'
      : count(sum(report.changes), words().object + ' differs', words().objects + ' differ') + ' between the two states.';
  }
  if (!report.transactions) return 'The history has no transaction that the command selects.';
  return [timeElement(Date.parse(report.first_time)), ' to ', timeElement(Date.parse(report.last_time)), ' (' + report.time_zone + ')',
    report.histories.length === 1
      ? [', transactions ' + number(report.histories[0].first_transaction) + ' to ' + number(report.histories[0].last_transaction)]
      : null];
}

function sum(changes) { return changes.inserted + changes.updated + changes.deleted; }

function tile(question) {
  return el('li.tile', { 'data-state': question.state },
    icon(question.state),
    el('div', {},
      el('p.tile-title', {}, question.title),
      el('p.tile-answer', {}, question.answer),
      question.statements.length
        ? details(question.question === 'integrity' ? 'What was verified' : 'More', () =>
          el('div', {}, question.statements.map(statement => el('p', {}, visible(statement)))))
        : null));
}

function figures() {
  const report = data.report;
  const counted = (value, noun, plural) => [value, value === 1 ? noun : plural || noun + 's'];
  const list = isDifference()
    ? [[report.changes.inserted, 'only in the second'], [report.changes.updated, 'differ'], [report.changes.deleted, 'only in the first']]
    : [
      counted(report.transactions, 'transaction'),
      counted(sum(report.changes), 'change'),
      counted(report.objects, words().object, words().objects + (report.is_objects_estimated ? ', estimated' : '')),
      counted(report.authors.entries.length + report.authors.other_names, 'author'),
      counted(report.changes.deleted, 'deletion'),
      counted(report.findings.reduce((all, finding) => all + finding.count, 0), 'finding'),
    ];
  return el('dl.figures', {}, list.map(([value, word]) =>
    el('div', {}, el('dt', {}, word), el('dd', {}, number(value)))));
}

function historiesTable() {
  const report = data.report;
  return el('div.card', {}, el('h2.small', {}, 'Histories'), table(
    count(report.histories.length + report.omitted_histories, 'history', 'histories') + ' in this page',
    ['Store', 'Lineage', 'Verdict', 'Transactions', 'Changes', 'Head'],
    report.histories.map((entry, index) => [
      el('button.link', { type: 'button', onclick: () => setFilter({ history: String(index) }) }, entry.store),
      number(entry.lineage), verdictTag(entry), number(entry.transactions), number(sum(entry.changes)),
      [number(entry.head), ' ', entry.digest ? el('code.faint', { title: entry.digest }, entry.digest.slice(0, 12) + '…') : null],
    ]), { numeric: [1, 3, 4], stacks: true }),
  report.omitted_histories ? el('p.faint', {}, 'and ' + number(report.omitted_histories) + ' more, which the sums contain') : null);
}

function verdictTag(entry) {
  const state = { proven: 'good', sound: entry.is_partly_unproven ? 'attention' : 'good', damaged: 'bad' }[entry.verdict] || 'unknown';
  const isPartlyProven = entry.verdict === 'proven' && entry.proven_transaction < entry.head;
  return el('span.tag.' + state, {}, isPartlyProven ? 'proven to ' + number(entry.proven_transaction) : entry.verdict);
}

// What an auditor notes on the first page: head, program, time, command, and files.
function provenance() {
  const report = data.report;
  const facts = [];
  const add = (name, ...value) => facts.push(el('div', {}, el('dt', {}, name), el('dd', {}, value)));
  if (!isDifference()) add('Source', el('code', {}, bdi(report.source)));
  if (report.histories.length === 1) {
    const [history] = report.histories;
    add('Store', el('code', {}, history.store), ', lineage ' + history.lineage);
    if (history.digest) add('Head', 'transaction ' + number(history.head), el('code.digest', {}, history.digest));
  }
  add('Produced', timeElement(Date.parse(report.produced.time)), ' by ', visible(report.produced.version));
  if (report.snapshot_objects) add('Snapshots', count(report.snapshot_objects, words().object) + ' at the beginning, not counted as changes');
  add('Command', command(report.produced.command));
  const files = report.inputs.length + report.omitted_inputs;
  if (files) add('Files', count(files, 'file'), details('Sizes and digests', filesTable));
  return el('div.card', {}, el('h2.small', {}, isDifference() ? 'How it was compared' : 'What was audited'), el('dl.facts', {}, facts));
}

function filesTable() {
  const report = data.report;
  return el('div', {},
    table('Files that were read', ['File', 'Size', 'SHA-256'], report.inputs.map(file => [
      bdi(file.path, 400), bytes(file.size), file.sha256 ? el('code', {}, file.sha256) : 'a store in use: its head identifies it',
    ]), { numeric: [1], stacks: true }),
    report.omitted_inputs ? el('p.faint', {}, 'and ' + number(report.omitted_inputs) + ' more') : null);
}
