// The data of the page. It is compressed; the blocks of transactions are read one after another, and
// the changes of a transaction are parsed only when they are shown.

const data = {
  report: null,
  // The newest transactions of each history, in the order of the page.
  rows: [],
  names: new Map(),
  // The same names as a list of [history, entity, id, name].
  nameList: [],
  isLoaded: false,
  // The number of changes of one transaction in the page.
  changeLimit: 0,
  // The number of changes in the page.
  kept: 0,
  blocks: [],
  blockCount: 0,
};

function decoded(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const text = atob(base64);
  const result = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) result[i] = text.charCodeAt(i);
  return result;
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

// The bytes that an element has in compressed form.
async function unpacked(element) {
  const stream = new DecompressionStream('gzip');
  const writer = stream.writable.getWriter();
  const written = writer.write(decoded(element.textContent)).then(() => writer.close());
  // The text is no longer needed; the browser can free it.
  element.remove();
  const [bytes] = await Promise.all([new Response(stream.readable).arrayBuffer(), written]);
  return new Uint8Array(bytes);
}

async function unpackedJSON(element) { return JSON.parse(decoder.decode(await unpacked(element))); }

async function readReport() {
  data.changeLimit = Number(byId('head').dataset.changeLimit);
  data.report = await unpackedJSON(byId('head'));
  zone = timeZone(data.report);
}

async function readNames() {
  data.nameList = await unpackedJSON(byId('names'));
  for (const [history, entity, id, name] of data.nameList) data.names.set(objectKey(history, entity, id), name);
}

// Reads all blocks, and calls `progress` after each.
async function readBlocks(progress) {
  const blocks = Array.from(document.querySelectorAll('script.block'));
  data.blockCount = blocks.length;
  let last = performance.now();
  for (const block of blocks) {
    addRows(await unpacked(block));
    progress();
    if (performance.now() - last < 40) continue;
    await pause();
    last = performance.now();
  }
  // Several histories are merged by time.
  if (data.report.histories.length > 1) data.rows = await sorted(data.rows, (a, b) => b.time - a.time, clock());
  data.isLoaded = true;
  progress();
}

// The bytes of a block stay as they are: to decode all of them takes longer than to decompress them.
function addRows(bytes) {
  const rows = [];
  let start = 0;
  while (start < bytes.length) {
    const tab = bytes.indexOf(9, start);
    let end = bytes.indexOf(10, tab);
    if (end < 0) end = bytes.length;
    const [history, id, time, author, op, state, program, entities, kept, reason, request] = JSON.parse(decoder.decode(bytes.subarray(start, tab)));
    let total = 0;
    let deleted = 0;
    for (const entity of entities) {
      total += entity[1] + entity[2] + entity[3];
      deleted += entity[3];
    }
    rows.push({
      history, id: String(id), time: Date.parse(time), author, reason, request, op, state, program, entities, total, deleted, bytes, start: tab + 1, end,
    });
    data.kept += kept;
    start = end + 1;
  }
  data.blocks.push({ bytes, rows });
  data.rows = data.rows.concat(rows);
}

function changesOf(row) {
  return JSON.parse(decoder.decode(row.bytes.subarray(row.start, row.end))).map(list => changeOf(row, list));
}

// The changes of a transaction one after another, so that the first is shown without parsing all.
function* eachChange(row) {
  for (const text of changeTexts(row)) yield changeOf(row, JSON.parse(text));
}

function* changeTexts(row) {
  const { bytes } = row;
  let [depth, start] = [0, 0];
  for (let at = row.start; at < row.end; at += 1) {
    switch (bytes[at]) {
      case 0x22:
        for (at += 1; at < row.end && bytes[at] !== 0x22; at += 1) if (bytes[at] === 0x5c) at += 1;
        break;
      case 0x5b: case 0x7b:
        depth += 1;
        if (depth === 2) start = at;
        break;
      case 0x5d: case 0x7d:
        if (depth === 2) yield decoder.decode(bytes.subarray(start, at + 1));
        depth -= 1;
        break;
      default: break;
    }
  }
}

// A change: { kind, entity, id, name, properties: [{ name, before, after }] }.
function changeOf(row, [kind, entity, id, label, ...values]) {
  const properties = [];
  const step = kind === 1 ? 3 : 2;
  for (let i = 0; i < values.length; i += step) {
    properties.push({
      name: values[i],
      before: kind === 0 ? absent : values[i + 1],
      after: kind === 2 ? absent : values[i + step - 1],
    });
  }
  return { kind, entity, id, name: label || nameOf(row.history, entity, id), properties };
}

// A long computation stops after each 40 ms, so that the browser can draw and answer.
function clock() {
  let last = performance.now();
  return {
    isOver: () => performance.now() - last > 40,
    pause: async () => {
      await pause();
      last = performance.now();
    },
  };
}

// Sorts in parts, because sorting all objects at once would block the page.
async function sorted(items, compare, time) {
  let runs = [];
  for (let start = 0; start < items.length; start += 4096) {
    runs.push(items.slice(start, start + 4096).sort(compare));
    if (time.isOver()) await time.pause();
  }
  while (runs.length > 1) {
    const merged = [];
    for (let i = 0; i < runs.length; i += 2) {
      merged.push(i + 1 < runs.length ? mergedRuns(runs[i], runs[i + 1], compare) : runs[i]);
      if (time.isOver()) await time.pause();
    }
    runs = merged;
  }
  return runs[0] || [];
}

function mergedRuns(left, right, compare) {
  const result = [];
  let [i, j] = [0, 0];
  while (i < left.length && j < right.length) result.push(compare(left[i], right[j]) <= 0 ? left[i++] : right[j++]);
  while (i < left.length) result.push(left[i++]);
  while (j < right.length) result.push(right[j++]);
  return result;
}

const absent = { '!': 'none' };
const kinds = [
  { key: 'insert', word: 'inserted', sign: '+', noun: 'insertions' },
  { key: 'update', word: 'changed', sign: '~', noun: 'updates' },
  { key: 'delete', word: 'deleted', sign: '−', noun: 'deletions' },
];

function objectKey(history, entity, id) { return history + '/' + entity + '/' + id; }
function nameOf(history, entity, id) { return data.names.get(objectKey(history, entity, id)) || null; }
function sourceOf(history) {
  const entry = data.report.histories[history];
  return entry ? entry.source : data.report.source;
}

// Times. The page shows all of them in the time zone of the report.

let zone = null;

function timeZone(report) {
  const options = { hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' };
  let format = null;
  // A browser may not know the zone; the offset of the newest transaction replaces it.
  try { format = new Intl.DateTimeFormat('en-CA', { ...options, timeZone: report.time_zone }); } catch { format = null; }
  return { name: report.time_zone, format, offset: (report.time_offset || 0) * 1000 };
}

function localTime(time) {
  if (!Number.isFinite(time)) return { day: '', text: 'unknown time' };
  if (!zone.format) {
    const text = new Date(time + zone.offset).toISOString();
    return { day: text.slice(0, 10), text: text.slice(0, 10) + ' ' + text.slice(11, 19) };
  }
  const parts = {};
  for (const part of zone.format.formatToParts(time)) parts[part.type] = part.value;
  const day = parts.year.padStart(4, '0') + '-' + parts.month + '-' + parts.day;
  return { day, text: day + ' ' + parts.hour + ':' + parts.minute + ':' + parts.second };
}

function timeElement(time) {
  return Number.isFinite(time)
    ? el('time', { datetime: new Date(time).toISOString() }, localTime(time).text)
    : el('span', {}, 'unknown time');
}

// The moment at which a day begins in the time zone.
function startOfDay(day) {
  const utc = Date.parse(day + 'T00:00:00Z');
  let moment = utc;
  for (let i = 0; i < 2; i += 1) {
    const shown = localTime(moment).text.replace(' ', 'T') + 'Z';
    moment += utc - Date.parse(shown);
  }
  return moment;
}

const dayLength = 86400000;
function dayNumber(day) { return Math.round(Date.parse(day + 'T00:00:00Z') / dayLength); }
function dayText(number) { return new Date(number * dayLength).toISOString().slice(0, 10); }

// Adopted files have tables and rows instead of entities and objects.
function words() {
  return data.report.is_adopted
    ? { entity: 'table', entities: 'tables', object: 'row', objects: 'rows' }
    : { entity: 'entity', entities: 'entities', object: 'object', objects: 'objects' };
}

function capitalized(word) { return word[0].toUpperCase() + word.slice(1); }

function authorName(author) { return author === null || author === undefined ? 'no author' : author; }

// Who made a transaction, why and for which request. A finding has the same keys.
function whoOf(row, limit) { return [bdi(authorName(row.author), limit), whyAfter(row)]; }

function whyAfter(row) {
  return [row.reason ? [': ', bdi(row.reason, 60)] : null, row.request ? [' (', bdi(row.request, 60), ')'] : null];
}
