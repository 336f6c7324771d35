// Activity over time. The selected days filter everything below.

const activity = { split: 'kind' };

function activitySection() {
  return el('section', { id: 'activity', 'aria-labelledby': 'activity-title' },
    el('h2', { id: 'activity-title', tabindex: -1 }, 'Activity'),
    el('div.card', { id: 'activity-card' }),
    el('div.columns', { id: 'activity-details' }));
}

function firstAndLastDay() {
  const days = data.report.days;
  return days.length ? [dayNumber(days[0].day), dayNumber(days[days.length - 1].day)] : null;
}

function selectedDays() {
  const bounds = firstAndLastDay();
  if (!bounds) return null;
  return [
    filter.from ? Math.max(dayNumber(filter.from), bounds[0]) : bounds[0],
    filter.to ? Math.min(dayNumber(filter.to), bounds[1]) : bounds[1],
  ];
}

let drawnWidth = 0;

function drawActivity() {
  const card = byId('activity-card');
  if (!card) return;
  drawnWidth = card.clientWidth;
  const bounds = firstAndLastDay();
  if (!bounds) {
    card.replaceChildren(el('p.empty', {}, 'There are no changes to show.'));
    return;
  }
  const focused = document.activeElement && card.contains(document.activeElement) ? document.activeElement.id : null;
  const [from, to] = selectedDays();
  const bins = activityBins(from, to);
  card.replaceChildren(
    activityTools(bounds, from, to),
    chart(bins, Math.max(280, card.clientWidth - 50)),
    legend(bins.series),
    details('The numbers of the chart', () => table('Changes over time',
      ['Time', ...bins.series.map(series => series.name), 'All'],
      bins.bins.map(bin => [bin.name, ...bin.values.map(number), number(bin.total)]),
      { numeric: bins.series.map((_, index) => index + 1).concat(bins.series.length + 1) })));
  if (focused && byId(focused)) byId(focused).focus();
  const omitted = sum(data.report.omitted_days);
  if (omitted) append(card, [el('p.faint', {}, count(omitted, 'change') + ' of other days are not in the chart.')]);
  const isZoomed = Boolean(filter.from || filter.to);
  const rankings = isZoomed ? rankingsOfSelectedDays() : data.report;
  const scope = isZoomed ? scopeOfSelectedDays(from, to, rankings) : 'of the whole history';
  byId('activity-details').replaceChildren(heatMap(from, to),
    rankingCard('Authors', 'Author', rankings.authors, 'author', authorName, scope),
    rankingCard(capitalized(words().entities), capitalized(words().entity), rankings.entities, 'entity', entity => entity, scope),
    rankingCard('Kinds of transactions', 'Kind', rankings.operations, 'op', kind => kind, scope));
}

// The tables of the selected days, from the transactions in the page: the report has them for all days only.
function rankingsOfSelectedDays() {
  const [from, to] = filterMoments();
  const found = { authors: new Map(), entities: new Map(), operations: new Map() };
  const add = (ranking, name, [inserted, updated, deleted]) => {
    let entry = ranking.get(name);
    if (!entry) ranking.set(name, entry = { name, transactions: 0, changes: { inserted: 0, updated: 0, deleted: 0 } });
    entry.transactions += 1;
    entry.changes.inserted += inserted;
    entry.changes.updated += updated;
    entry.changes.deleted += deleted;
  };
  let changes = 0;
  for (const row of data.rows) {
    if (row.op === 'snapshot' || !(row.time >= from && row.time < to)) continue;
    changes += row.total;
    add(found.authors, row.author, totals(row));
    add(found.operations, row.op, totals(row));
    for (const [entity, ...counts] of row.entities) add(found.entities, entity, counts);
  }
  return { changes, ...Object.fromEntries(Object.entries(found).map(([key, ranking]) => [key, ranked(ranking)])) };
}

// The first entries by their changes; the others are merged, as in the report.
function ranked(ranking) {
  const entries = Array.from(ranking.values()).sort((a, b) => sum(b.changes) - sum(a.changes) || b.transactions - a.transactions);
  const rest = entries.splice(20);
  const others = rest.length ? { transactions: 0, changes: { inserted: 0, updated: 0, deleted: 0 } } : null;
  for (const entry of rest) {
    others.transactions += entry.transactions;
    for (const kind of Object.keys(others.changes)) others.changes[kind] += entry.changes[kind];
  }
  return { entries, others, other_names: rest.length, is_minimum: false };
}

function scopeOfSelectedDays(from, to, rankings) {
  if (!data.isLoaded) return 'of the selected days, as far as they were read';
  const all = data.report.days.reduce((total, day) => {
    const at = dayNumber(day.day);
    return at >= from && at <= to ? total + sum(day.changes) : total;
  }, 0);
  return rankings.changes < all
    ? 'of the selected days, in ' + number(rankings.changes) + ' of their ' + number(all) + ' changes'
    : 'of the selected days';
}

// A field for the first or the last selected day.
function dayField(id, label, key, value) {
  const bounds = firstAndLastDay() || [null, null];
  return el('label.field', {}, el('span', {}, label), el('input', {
    type: 'date', id, value, min: bounds[0] === null ? null : dayText(bounds[0]), max: bounds[1] === null ? null : dayText(bounds[1]),
    onchange: event => {
      const day = event.currentTarget.value;
      setFilter({ [key]: /^\d{4}-\d\d-\d\d$/.test(day) ? day : '' });
    },
  }));
}

function activityTools(bounds, from, to) {
  const isZoomed = filter.from || filter.to;
  const button = (id, text, action, isDisabled) =>
    el('button', { type: 'button', id, onclick: action, disabled: isDisabled }, text);
  const zoom = factor => {
    const middle = (from + to) / 2;
    const half = Math.max(0, (to - from) / 2 * factor);
    setFilter({ from: dayText(Math.max(bounds[0], Math.ceil(middle - half))), to: dayText(Math.min(bounds[1], Math.floor(Math.max(middle + half, Math.ceil(middle - half))))) });
  };
  const move = direction => {
    const length = to - from + 1;
    const start = Math.min(Math.max(from + direction * length, bounds[0]), Math.max(bounds[0], bounds[1] - length + 1));
    setFilter({ from: dayText(start), to: dayText(Math.min(start + length - 1, bounds[1])) });
  };
  return el('div.tools', { role: 'group', 'aria-label': 'Time of the chart and of everything below' },
    dayField('day-from', 'From', 'from', dayText(from)),
    dayField('day-to', 'To', 'to', dayText(to)),
    button('zoom-in', 'Zoom in', () => zoom(0.5), to <= from),
    button('earlier', 'Earlier', () => move(-1), from <= bounds[0]),
    button('later', 'Later', () => move(1), to >= bounds[1]),
    button('zoom-reset', 'All time', () => setFilter({ from: '', to: '' }), !isZoomed),
    el('label.field.end', {}, el('span', {}, 'Split by'), el('select', {
      id: 'split', onchange: event => { activity.split = event.currentTarget.value; drawActivity(); },
    }, el('option', { value: 'kind', selected: activity.split === 'kind' }, 'kind of change'),
    el('option', { value: 'author', selected: activity.split === 'author' }, 'author'))));
}

// Bars of equal length that cover all days, those without changes too.
function activityBins(from, to) {
  const authors = data.report.authors.entries;
  const most = Math.min(authors.length, 6);
  const series = activity.split === 'author'
    ? authors.slice(0, most).map((author, index) => ({ name: authorName(author.name), key: 'author-' + index }))
    : kinds.map(kind => ({ name: kind.word, key: kind.key }));
  const hasOthers = activity.split === 'author' && (authors.length > most || data.report.authors.others);
  if (hasOthers) series.push({ name: 'others', key: 'author-others' });
  const days = data.report.days.filter(day => {
    const at = dayNumber(day.day);
    return at >= from && at <= to;
  });
  const bins = [];
  if (to - from < 3 && activity.split === 'kind') {
    // Few days are shown by the hour, without the kind of change.
    const hourSeries = [{ name: 'changes', key: 'update' }];
    for (let at = from; at <= to; at += 1) {
      const day = days.find(day => dayNumber(day.day) === at);
      for (let hour = 0; hour < 24; hour += 1) {
        const value = day ? day.hours[hour] : 0;
        bins.push({ name: dayText(at) + ' ' + String(hour).padStart(2, '0') + ':00', from: at, to: at, values: [value], total: value });
      }
    }
    return { bins, series: hourSeries };
  }
  const length = Math.max(1, Math.ceil((to - from + 1) / 180));
  for (let at = from; at <= to; at += length) {
    const end = Math.min(at + length - 1, to);
    bins.push({
      name: end === at ? dayText(at) : dayText(at) + ' to ' + dayText(end),
      from: at, to: end, values: series.map(() => 0), total: 0,
    });
  }
  for (const day of days) {
    const bin = bins[Math.floor((dayNumber(day.day) - from) / length)];
    const values = activity.split === 'author'
      ? day.authors.slice(0, most).concat(hasOthers ? [day.authors.slice(most).reduce((a, b) => a + b, 0)] : [])
      : [day.changes.inserted, day.changes.updated, day.changes.deleted];
    values.forEach((value, index) => { bin.values[index] += value; });
    bin.total += sum(day.changes);
  }
  return { bins, series };
}

function niceStep(most) {
  const power = 10 ** Math.floor(Math.log10(Math.max(most, 1)));
  // At most five lines, at whole numbers.
  return Math.max(1, [0.2, 0.5, 1, 2].find(factor => power * factor * 5 >= most) * power);
}

function chart({ bins, series }, width) {
  const most = Math.max(1, ...bins.map(bin => bin.total));
  const step = niceStep(most);
  const high = Math.ceil(most / step) * step;
  const [height, left, bottom, top] = [240, 20 + number(high).length * 7, 26, 12];
  const y = value => height - bottom - value / high * (height - bottom - top);
  const slot = (width - left) / bins.length;
  const readout = el('p.readout', {}, 'Drag over the chart to select days, or use the dates above.');
  const picture = svg('svg.chart', {
    viewBox: '0 0 ' + width + ' ' + height, width, height, role: 'img',
    'aria-label': 'Changes over time from ' + bins[0].name + ' to ' + bins[bins.length - 1].name + ', at most ' + most + ' in one bar. The table below has the numbers.',
  });
  for (let value = 0; value <= high; value += step) {
    picture.append(svg('line.grid', { x1: left, x2: width, y1: y(value), y2: y(value) }),
      svg('text.tick', { x: left - 8, y: y(value) + 4, 'text-anchor': 'end' }, number(value)));
  }
  const every = Math.max(1, Math.ceil(bins.length / Math.max(2, Math.floor((width - left) / 130))));
  bins.forEach((bin, index) => {
    const x = left + index * slot;
    let base = 0;
    bin.values.forEach((value, part) => {
      if (!value) return;
      const size = Math.max(1.5, y(base) - y(base + value));
      picture.append(svg('rect.bar', {
        'data-series': series[part].key, x: x + slot * 0.08, width: Math.max(slot * 0.84, 0.75),
        y: y(base) - size, height: size,
      }));
      base += value;
    });
    if (index % every === 0 && index + every / 2 < bins.length) {
      picture.append(svg('text.tick', { x: x + 2, y: height - 8 }, bin.name.slice(0, bin.name.includes(':') ? 16 : 10)));
    }
  });
  const pointed = svg('rect.pointed', { y: top, height: height - top - bottom, x: 0, width: 0 });
  picture.prepend(pointed);
  const selection = svg('rect.selection', { y: top, height: height - top - bottom, x: 0, width: 0 });
  picture.append(selection);
  const binAt = event => {
    const box = picture.getBoundingClientRect();
    const x = (event.clientX - box.left) / box.width * width;
    return Math.min(bins.length - 1, Math.max(0, Math.floor((x - left) / slot)));
  };
  let start = null;
  picture.addEventListener('pointerdown', event => { start = binAt(event); picture.setPointerCapture(event.pointerId); });
  picture.addEventListener('pointermove', event => {
    const at = binAt(event);
    const bin = bins[at];
    pointed.setAttribute('x', left + at * slot);
    pointed.setAttribute('width', slot);
    readout.textContent = bin.name + ': ' + (bin.total ? bin.values
      .map((value, index) => value ? number(value) + ' ' + series[index].name : null).filter(Boolean).join(', ') : 'no changes');
    if (start === null) return;
    selection.setAttribute('x', left + Math.min(start, at) * slot);
    selection.setAttribute('width', (Math.abs(at - start) + 1) * slot);
  });
  picture.addEventListener('pointerleave', () => pointed.setAttribute('width', 0));
  picture.addEventListener('pointerup', event => {
    if (start === null) return;
    const [first, last] = [start, binAt(event)].sort((a, b) => a - b);
    start = null;
    selection.setAttribute('width', 0);
    if (first !== last) setFilter({ from: dayText(bins[first].from), to: dayText(bins[last].to) });
  });
  return el('div.chart-box', {}, picture, readout);
}

function legend(series) {
  return el('ul.legend', {}, series.map(one => el('li', {},
    el('span.swatch', { 'data-series': one.key, 'aria-hidden': 'true' }), bdi(one.name, 60))));
}

// Weekdays and hours, with the hours of work.
function heatMap(from, to) {
  const names = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
  const cells = names.map(() => new Array(24).fill(0));
  for (const day of data.report.days) {
    const at = dayNumber(day.day);
    if (at < from || at > to) continue;
    // The first of January 1970 was a Thursday.
    const weekday = ((at + 3) % 7 + 7) % 7;
    day.hours.forEach((value, hour) => { cells[weekday][hour] += value; });
  }
  const most = Math.max(1, ...cells.flat());
  const office = data.report.office_hours;
  const isOffice = (weekday, hour) => office && weekday < 5 && hour >= office[0] && hour < office[1];
  const outside = office ? cells.flatMap((row, weekday) => row.filter((_, hour) => !isOffice(weekday, hour))).reduce((a, b) => a + b, 0) : 0;
  const all = cells.flat().reduce((a, b) => a + b, 0);
  return el('div.card.heat-card', {}, el('h3', {}, 'Weekdays and hours'),
    el('p.faint', {}, office
      ? [count(outside, 'change'), ' of ' + number(all) + ' outside working hours, Monday to Friday ' + office[0] + ' to ' + office[1] + ' o’clock (framed)']
      : ['Working hours are framed if the command names them, such as ', el('code', {}, '--office-hours 8-18')]),
    el('div.wide', { tabindex: 0, role: 'region', 'aria-label': 'Changes by weekday and hour' },
      el('table.heat', {}, el('caption.visually-hidden', {}, 'Changes by weekday and hour'),
        el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, el('span.visually-hidden', {}, 'Weekday')),
          Array.from({ length: 24 }, (_, hour) => el('th', { scope: 'col' }, el('span', { class: hour % 3 ? 'visually-hidden' : null }, String(hour)))))),
        el('tbody', {}, names.map((name, weekday) => el('tr', {}, el('th', { scope: 'row' }, name),
          cells[weekday].map((value, hour) => el('td', {
            class: isOffice(weekday, hour) ? 'office' : null,
            'data-level': value ? Math.max(1, Math.ceil(Math.sqrt(value / most) * 6)) : 0,
            title: name + ' ' + hour + ':00, ' + count(value, 'change'),
          }, el('span.visually-hidden', {}, String(value))))))))));
}

function rankingCard(title, noun, ranking, key, nameOfEntry, scope) {
  const entries = ranking.entries;
  const most = Math.max(1, ...entries.map(entry => sum(entry.changes)));
  const bar = changes => svg('svg.bars', { viewBox: '0 0 100 8', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    [changes.inserted, changes.updated, changes.deleted].map((value, index, all) => svg('rect.bar', {
      'data-series': kinds[index].key, y: 0, height: 8,
      x: all.slice(0, index).reduce((a, b) => a + b, 0) / most * 100, width: value / most * 100,
    })));
  const row = (label, entry) => [label, number(entry.transactions), number(entry.changes.inserted), number(entry.changes.updated), number(entry.changes.deleted), bar(entry.changes)];
  const rows = entries.map(entry => row(el('button.link', {
    type: 'button', onclick: () => setFilter({ [key]: entry.name || '' }),
  }, breakable(nameOfEntry(entry.name))), entry));
  if (ranking.others) {
    rows.push(row(el('span.faint', {}, (ranking.is_minimum ? 'at least ' : '') + count(ranking.other_names, 'other') + ', merged'), ranking.others));
  }
  return el('div.card', {}, el('h3', {}, title),
    rows.length ? table(title + ' by the number of their changes, ' + scope, [noun, 'Transactions', 'Inserted', 'Changed', 'Deleted', el('span.visually-hidden', {}, 'Share')], rows, { numeric: [1, 2, 3, 4] })
      : el('p.empty', {}, 'There are none.'));
}
