// Starts the page when the document is read.

function header() {
  const links = isDifference()
    ? [['overview', 'Overview'], ['explore', 'Differences']]
    : [['overview', 'Overview'], ['activity', 'Activity'], ['findings', 'Findings'], ['explore', 'Explore']];
  return el('header.top', {}, el('div.top-inside', {},
    el('a.brand', { href: '#overview', onclick: event => go(event, 'overview') }, el('span.mark', { 'aria-hidden': 'true' }), 'travelog'),
    el('nav', { 'aria-label': 'Sections' }, el('ul', {}, links.map(([id, word]) =>
      el('li', {}, el('a', { href: '#' + id, 'data-section': id, onclick: event => go(event, id) }, word))))),
    el('button.quiet', { type: 'button', id: 'print', onclick: () => byId('print-dialog').showModal() }, 'Print…')));
}

function go(event, id) {
  event.preventDefault();
  const section = byId(id);
  section.scrollIntoView({ block: 'start' });
  const title = section.querySelector('h1, h2');
  if (title) title.focus({ preventScroll: true });
}

// Marks the link of the section that is at the top of the window.
function watchSections() {
  const watcher = new IntersectionObserver(entries => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      for (const link of document.querySelectorAll('nav a[data-section]')) {
        if (link.dataset.section === target.id) link.setAttribute('aria-current', 'true');
        else link.removeAttribute('aria-current');
      }
    }
  }, { rootMargin: '-30% 0px -65% 0px' });
  for (const section of document.querySelectorAll('main > section')) watcher.observe(section);
}

// Shows what the address names.
function follow() {
  const state = decodedState(location.hash);
  const history = Number(state.history || 0);
  if (state.transaction !== undefined) return showTransaction(state.transaction, history);
  const isFilter = Object.keys(state).some(key => key !== 'object' && key !== 'history' && filterKeys.includes(key));
  if (state.object !== undefined && !isFilter) return showObject(state.object, history);
  byId('detail').replaceChildren();
  if (!isFilter) return undefined;
  for (const key of filterKeys) delete filter[key];
  setFilter({ view: 'transactions', ...Object.fromEntries(filterKeys.filter(key => key in state).map(key => [key, state[key]])) });
  (document.querySelector('.tabs') || byId('status')).scrollIntoView({ block: 'start' });
  return undefined;
}

function keys(event) {
  const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement ? document.activeElement.tagName : '');
  if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    byId('filter-text').focus();
    byId('filter').scrollIntoView({ block: 'start' });
  }
  if (event.key === 'Escape' && byId('detail').childElementCount && !byId('print-dialog').open) closeDetail();
  if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && document.activeElement.matches('button.row-head')) {
    const heads = Array.from(document.querySelectorAll('button.row-head'));
    const next = heads[heads.indexOf(document.activeElement) + (event.key === 'ArrowDown' ? 1 : -1)];
    if (next) {
      event.preventDefault();
      next.focus();
    }
  }
}

async function start() {
  if (typeof DecompressionStream === 'undefined' || typeof IntersectionObserver === 'undefined') return;
  await readReport();
  const main = byId('main');
  byId('plain').remove();
  document.documentElement.classList.add('ready');
  document.body.insertBefore(header(), main);
  append(main, isDifference() ? [overview(), exploreSection()] : [overview(), activitySection(), findingsSection(), exploreSection()]);
  document.body.append(printDialog());
  drawFilter();
  watchSections();
  if (!isDifference()) {
    drawActivity();
    drawFindings();
    new ResizeObserver(() => { if (byId('activity-card').clientWidth !== drawnWidth) drawActivity(); }).observe(byId('activity-card'));
  }
  document.addEventListener('keydown', keys);
  addEventListener('hashchange', follow);
  addEventListener('beforeprint', () => { if (!byId('paper')) buildPaper(); });
  addEventListener('afterprint', () => { if (byId('paper')) byId('paper').remove(); });
  await readNames();
  let isFirst = true;
  if (!document.querySelector('script.block')) data.isLoaded = true;
  await readBlocks(() => {
    // The first block fills the window; the others only change the numbers until all are read.
    if (isFirst || data.isLoaded) search();
    isFirst = false;
  });
  fillContexts();
  // The tables of selected days are complete only now.
  if (filter.from || filter.to) drawActivity();
  if (location.hash) follow();
  document.documentElement.classList.add('loaded');
}

addEventListener('DOMContentLoaded', start);
