-- The views of a fleet. DuckDB and Spark run each statement unchanged. They need the tables lines,
-- properties and quarantine, and two views that a user replaces: moments (moment, time), the times
-- to look at, and rules (bulk, office_from, office_to), the rules for findings.

-- The transactions of whole logs.
CREATE OR REPLACE TEMPORARY VIEW transactions AS
SELECT store, lineage, txn, ts, author, reason, request, op, n, schema, digest, meta['details'] AS details
FROM lines
WHERE kind = 'transaction' AND partial = '';

-- The last transaction of each store at each moment: by id, the one before the first with a later
-- time, in the latest lineage that has begun. That is the last one with an earlier time, except in
-- lineages whose clock went back.
CREATE OR REPLACE TEMPORARY VIEW found_points AS
WITH ends AS (
  SELECT m.moment, m.time, t.store, t.lineage,
    min(CASE WHEN t.ts > m.time THEN t.txn END) AS later,
    max(CASE WHEN t.ts <= m.time THEN t.txn END) AS txn,
    max_by(t.schema, CASE WHEN t.ts <= m.time THEN t.txn END) AS schema
  FROM transactions t CROSS JOIN moments m
  GROUP BY m.moment, m.time, t.store, t.lineage
)
SELECT moment, time, store, lineage, txn, schema
FROM (
  SELECT moment, time, store, lineage, txn, schema,
    row_number() OVER (PARTITION BY moment, store ORDER BY lineage DESC) AS place
  FROM (
    SELECT moment, time, store, lineage, txn, schema FROM ends
    WHERE txn IS NOT NULL AND (later IS NULL OR txn < later)
    UNION ALL
    SELECT e.moment, e.time, e.store, e.lineage, max(t.txn) AS txn, max_by(t.schema, t.txn) AS schema
    FROM ends e
    JOIN transactions t ON t.store = e.store AND t.lineage = e.lineage AND t.txn < e.later
    WHERE e.txn > e.later
    GROUP BY e.moment, e.time, e.store, e.lineage
  ) begun
) found
WHERE place = 1;

-- An engine may replace these two views by their rows.
CREATE OR REPLACE TEMPORARY VIEW points AS SELECT * FROM found_points;

-- The stores that have the same lineage and schema at the moments "before" and "after", so that the
-- transactions between them say what differs: those after "first", up to "last".
CREATE OR REPLACE TEMPORARY VIEW spans AS
SELECT b.store, b.lineage, b.schema, b.txn AS first, a.txn AS last
FROM (SELECT * FROM points WHERE moment = 'before') b
JOIN (SELECT * FROM points WHERE moment = 'after') a
  ON a.store = b.store AND a.lineage = b.lineage AND a.schema = b.schema AND a.txn >= b.txn;

-- The changes of these transactions. All lines of a transaction have the same time, by which an engine
-- finds the groups of rows to read.
CREATE OR REPLACE TEMPORARY VIEW span_changes AS
SELECT l.store, t.schema, l.entity, l.id, l.txn, l.op, l.before, l.after, l.special_before,
  l.special_after, l.large_before, l.large_after
FROM lines l
JOIN (
  SELECT t.store, t.lineage, t.txn, t.ts, s.schema
  FROM transactions t
  JOIN spans s ON s.store = t.store AND s.lineage = t.lineage
    AND t.txn > s.first AND t.txn <= s.last
) t ON t.store = l.store AND t.lineage = l.lineage AND t.txn = l.txn AND t.ts = l.ts
WHERE l.kind = 'change' AND l.partial = '';

-- The points of the other stores, of which `differences` compares the whole states, in views named
-- whole_... An erased or unknown value in a change can be known from an earlier one.
CREATE OR REPLACE TEMPORARY VIEW found_whole_points AS
SELECT p.*
FROM points p
LEFT JOIN (
  SELECT store FROM spans
  EXCEPT
  SELECT s.store
  FROM lines l
  JOIN spans s ON s.store = l.store AND s.lineage = l.lineage
    AND l.txn > s.first AND l.txn <= s.last
  WHERE l.kind = 'change' AND l.partial = '' AND l.special_before IS NOT NULL
    AND (array_contains(map_values(l.special_before), 'erased')
      OR array_contains(map_values(l.special_before), 'unknown'))
) s ON s.store = p.store
WHERE p.moment IN ('before', 'after') AND s.store IS NULL;

CREATE OR REPLACE TEMPORARY VIEW whole_points AS SELECT * FROM found_whole_points;

-- The tables of adopted databases of which a transaction has all rows, so that those from before no
-- longer count at a moment. It is the first one under its schema.
CREATE OR REPLACE TEMPORARY VIEW replacements AS
SELECT p.moment, p.store, p.lineage, t.origin_entity, max(t.txn) AS txn
FROM points p
JOIN (
  SELECT t.store, t.lineage, r.schema, r.origin_entity, min(t.txn) AS txn
  FROM transactions t
  JOIN (SELECT DISTINCT schema, origin_entity FROM properties WHERE is_replaced) r
    ON r.schema = t.schema
  GROUP BY t.store, t.lineage, r.schema, r.origin_entity
) t ON t.store = p.store AND t.lineage = p.lineage AND t.txn <= p.txn
GROUP BY p.moment, p.store, p.lineage, t.origin_entity;

-- The changes up to each moment, with the names that their entities had at the beginning, but not
-- those of tables that an adopted database no longer has.
CREATE OR REPLACE TEMPORARY VIEW past AS
SELECT p.moment, p.schema AS present, l.store, l.lineage, l.txn, l.ts, l.author, l.op, l.id,
  l.entity, l.schema, coalesce(e.origin_entity, l.entity) AS origin_entity,
  l.before, l.after, l.special_after, l.large_after
FROM lines l
JOIN points p ON l.store = p.store AND l.lineage = p.lineage AND l.txn <= p.txn
LEFT JOIN (SELECT DISTINCT schema, entity, origin_entity FROM properties) e
  ON l.schema = e.schema AND l.entity = e.entity
LEFT JOIN (SELECT DISTINCT schema, origin_entity FROM properties) n
  ON n.schema = p.schema AND n.origin_entity = e.origin_entity
LEFT JOIN replacements r
  ON r.moment = p.moment AND r.store = l.store AND r.lineage = l.lineage
    AND r.origin_entity = e.origin_entity
WHERE l.kind = 'change' AND l.partial = ''
  AND (e.origin_entity IS NULL OR n.origin_entity IS NOT NULL)
  AND (r.txn IS NULL OR l.txn >= r.txn);

-- The objects that exist at each moment, and the insert since which they exist.
CREATE OR REPLACE TEMPORARY VIEW objects AS
SELECT moment, present, store, lineage, origin_entity, id, txn, ts, author, since
FROM (
  SELECT moment, present, store, lineage, origin_entity, id, txn, ts, author, op,
    max(CASE WHEN op = 'insert' THEN txn END)
      OVER (PARTITION BY moment, store, origin_entity, id) AS since,
    row_number() OVER (PARTITION BY moment, store, origin_entity, id ORDER BY txn DESC) AS place
  FROM past
) found
WHERE place = 1 AND op <> 'delete';

-- The latest value of each property that ever changed.
CREATE OR REPLACE TEMPORARY VIEW latest AS
SELECT moment, store, origin_entity, id, origin, encoding, value, special, large
FROM (
  SELECT c.moment, c.store, c.origin_entity, c.id, p.origin, p.encoding,
    c.after[p.name] AS value, c.special_after[p.name] AS special, c.large_after[p.name] AS large,
    row_number() OVER (
      PARTITION BY c.moment, c.store, c.origin_entity, c.id, p.origin ORDER BY c.txn DESC
    ) AS place
  FROM past c
  JOIN properties p ON p.schema = c.schema AND p.entity = c.entity
  WHERE c.op <> 'delete' AND p.encoding <> 'links' AND array_contains(map_keys(c.after), p.name)
) found
WHERE place = 1;

-- The state: a row for each property of each object, under the names of that moment. Many-to-many
-- relationships are in state_links.
CREATE OR REPLACE TEMPORARY VIEW state AS
SELECT o.moment, o.store, o.lineage, p.entity, o.id, p.name,
  CASE
    WHEN v.store IS NULL THEN p.initial
    WHEN v.value IS NOT NULL AND p.encoding = 'reference'
      THEN '{"entity":"' || p.destination || substring(v.value, instr(v.value, '","id":'))
    WHEN v.value IS NOT NULL AND p.encoding = 'real' AND v.encoding = 'integer'
      THEN v.value || '.0'
    ELSE v.value
  END AS value,
  v.special, v.large, o.txn, o.ts, o.author, o.origin_entity, p.origin
FROM objects o
JOIN properties p ON p.schema = o.present AND p.origin_entity = o.origin_entity
LEFT JOIN latest v ON v.moment = o.moment AND v.store = o.store
  AND v.origin_entity = o.origin_entity AND v.id = o.id AND v.origin = p.origin
WHERE p.encoding <> 'links';

-- Each link that a change added or removed. A newline cannot be inside a line, so it can separate
-- the links of a list. DuckDB moves a condition on the store below a left join, but not below others.
CREATE OR REPLACE TEMPORARY VIEW link_changes AS
SELECT c.moment, c.store, c.origin_entity, c.id, c.txn, c.origin, c.added,
  replace(replace(k.link, '[', ''), ']', '') AS link
FROM (
  SELECT c.moment, c.store, c.origin_entity, c.id, c.txn, p.origin, 1 AS added,
    c.after[p.name] AS links
  FROM past c JOIN properties p ON p.schema = c.schema AND p.entity = c.entity
  WHERE p.encoding = 'links' AND c.after[p.name] <> '[]'
  UNION ALL
  SELECT c.moment, c.store, c.origin_entity, c.id, c.txn, p.origin, 0 AS added,
    c.before[p.name] AS links
  FROM past c JOIN properties p ON p.schema = c.schema AND p.entity = c.entity
  WHERE p.encoding = 'links' AND c.before[p.name] <> '[]'
) c LEFT JOIN LATERAL unnest(split(replace(c.links, '"},{"', '"}
{"'), '
')) AS k(link) ON true;

-- The links of each moment: a row for each object in a many-to-many relationship.
CREATE OR REPLACE TEMPORARY VIEW state_links AS
SELECT o.moment, o.store, o.lineage, p.entity, o.id, p.name,
  '{"entity":"' || p.destination || substring(c.link, instr(c.link, '","id":')) AS value,
  o.origin_entity, p.origin
FROM (
  SELECT moment, store, origin_entity, id, origin, txn, added, link,
    row_number() OVER (
      PARTITION BY moment, store, origin_entity, id, origin,
        substring(link, instr(link, '","id":'))
      ORDER BY txn DESC, added DESC
    ) AS place
  FROM link_changes
) c
JOIN objects o ON o.moment = c.moment AND o.store = c.store
  AND o.origin_entity = c.origin_entity AND o.id = c.id AND c.txn >= o.since
JOIN properties p ON p.schema = o.present AND p.origin_entity = o.origin_entity
  AND p.origin = c.origin
WHERE c.place = 1 AND c.added = 1;

-- What differs between the moments "before" and "after": for a property that changed, the first value
-- before a change, and the last value after one. Most objects change only once, and their change is the
-- difference.
CREATE OR REPLACE TEMPORARY VIEW differences AS
WITH counted AS (
  SELECT c.*, count(*) OVER (PARTITION BY c.store, c.entity, c.id) AS changes FROM span_changes c
  LEFT JOIN (SELECT DISTINCT store FROM whole_points) w ON w.store = c.store
  WHERE w.store IS NULL
),
changed AS (
  SELECT * FROM counted WHERE changes > 1
),
ends AS (
  SELECT store, schema, entity, id, min_by(op, txn) AS first, max_by(op, txn) AS last
  FROM changed GROUP BY store, schema, entity, id
),
olds AS (
  SELECT * FROM (
    SELECT c.store, c.entity, c.id, p.name, c.before[p.name] AS value,
      c.special_before[p.name] AS special, c.large_before[p.name] AS large,
      row_number() OVER (PARTITION BY c.store, c.entity, c.id, p.name ORDER BY c.txn) AS place
    FROM changed c JOIN properties p ON p.schema = c.schema AND p.entity = c.entity
    WHERE c.op <> 'insert' AND array_contains(map_keys(c.before), p.name)
  ) found WHERE place = 1
),
news AS (
  SELECT * FROM (
    SELECT c.store, c.entity, c.id, p.name, c.after[p.name] AS value,
      c.special_after[p.name] AS special, c.large_after[p.name] AS large,
      row_number() OVER (PARTITION BY c.store, c.entity, c.id, p.name ORDER BY c.txn DESC) AS place
    FROM changed c JOIN properties p ON p.schema = c.schema AND p.entity = c.entity
    WHERE c.op <> 'delete' AND array_contains(map_keys(c.after), p.name)
  ) found WHERE place = 1
),
compared AS (
  SELECT c.store, c.entity, c.id, p.name, p.encoding, p.destination, c.op,
    c.before[p.name] AS before, c.after[p.name] AS after,
    c.special_before[p.name] AS special_before, c.special_after[p.name] AS special_after,
    c.large_before[p.name] AS large_before, c.large_after[p.name] AS large_after
  FROM counted c JOIN properties p ON p.schema = c.schema AND p.entity = c.entity
  WHERE c.changes = 1 AND p.encoding <> 'links' AND (c.op <> 'update'
    OR array_contains(map_keys(c.before), p.name) AND array_contains(map_keys(c.after), p.name))
  UNION ALL
  SELECT e.store, e.entity, e.id, p.name, p.encoding, p.destination,
    CASE WHEN e.first = 'insert' THEN 'insert' WHEN e.last = 'delete' THEN 'delete'
      ELSE 'update' END AS op,
    CASE WHEN e.first <> 'insert' THEN a.value END AS before,
    CASE WHEN e.last <> 'delete' THEN b.value END AS after,
    CASE WHEN e.first <> 'insert' THEN a.special END AS special_before,
    CASE WHEN e.last <> 'delete' THEN b.special END AS special_after,
    CASE WHEN e.first <> 'insert' THEN a.large END AS large_before,
    CASE WHEN e.last <> 'delete' THEN b.large END AS large_after
  FROM ends e
  JOIN properties p ON p.schema = e.schema AND p.entity = e.entity
  LEFT JOIN olds a ON a.store = e.store AND a.entity = e.entity AND a.id = e.id AND a.name = p.name
  LEFT JOIN news b ON b.store = e.store AND b.entity = e.entity AND b.id = e.id AND b.name = p.name
  WHERE p.encoding <> 'links' AND (e.first <> 'insert' OR e.last <> 'delete')
    -- Between an update and another one, the other properties have no value here, and did not change.
    AND (e.first = 'insert' OR e.last = 'delete' OR a.store IS NOT NULL AND b.store IS NOT NULL)
)
SELECT store, entity, id, name, op,
  CASE WHEN encoding = 'reference' AND before IS NOT NULL
    THEN '{"entity":"' || destination || substring(before, instr(before, '","id":'))
    ELSE before END AS before,
  CASE WHEN encoding = 'reference' AND after IS NOT NULL
    THEN '{"entity":"' || destination || substring(after, instr(after, '","id":'))
    ELSE after END AS after,
  special_before, special_after, large_before, large_after
FROM compared
WHERE op <> 'update' OR before IS DISTINCT FROM after
  OR special_before IS DISTINCT FROM special_after OR large_before IS DISTINCT FROM large_after
UNION ALL
SELECT coalesce(b.store, a.store) AS store, coalesce(b.entity, a.entity) AS entity,
  coalesce(b.id, a.id) AS id, coalesce(b.name, a.name) AS name,
  CASE
    WHEN a.store IS NULL AND y.store IS NULL THEN 'insert'
    WHEN b.store IS NULL AND x.store IS NULL THEN 'delete'
    ELSE 'update'
  END AS op,
  a.value AS before, b.value AS after, a.special AS special_before, b.special AS special_after,
  a.large AS large_before, b.large AS large_after
FROM (SELECT * FROM whole_state WHERE moment = 'before') a
FULL JOIN (SELECT * FROM whole_state WHERE moment = 'after') b
  ON a.store = b.store AND a.origin_entity = b.origin_entity AND a.id = b.id
    AND a.origin = b.origin
LEFT JOIN (SELECT * FROM whole_objects WHERE moment = 'before') y
  ON y.store = b.store AND y.origin_entity = b.origin_entity AND y.id = b.id
LEFT JOIN (SELECT * FROM whole_objects WHERE moment = 'after') x
  ON x.store = a.store AND x.origin_entity = a.origin_entity AND x.id = a.id
WHERE a.store IS NULL OR b.store IS NULL OR a.value IS DISTINCT FROM b.value
  OR a.special IS DISTINCT FROM b.special OR a.large IS DISTINCT FROM b.large;

-- The links that the moments "before" and "after" do not share.
CREATE OR REPLACE TEMPORARY VIEW link_differences AS
SELECT coalesce(b.store, a.store) AS store, coalesce(b.entity, a.entity) AS entity,
  coalesce(b.id, a.id) AS id, coalesce(b.name, a.name) AS name, a.value AS before, b.value AS after
FROM (SELECT * FROM state_links WHERE moment = 'before') a
FULL JOIN (SELECT * FROM state_links WHERE moment = 'after') b
  ON a.store = b.store AND a.origin_entity = b.origin_entity AND a.id = b.id
    AND a.origin = b.origin AND a.value = b.value
WHERE a.store IS NULL OR b.store IS NULL;

-- How much each transaction did.
CREATE OR REPLACE TEMPORARY VIEW activity AS
SELECT t.store, t.lineage, t.txn, t.ts, substring(t.ts, 1, 10) AS day, t.author, t.op, t.details,
  coalesce(c.inserted, 0) AS inserted, coalesce(c.updated, 0) AS updated,
  coalesce(c.deleted, 0) AS deleted, coalesce(c.erased, 0) AS erased
FROM transactions t
LEFT JOIN (
  SELECT store, lineage, txn,
    sum(CASE WHEN op = 'insert' THEN 1 ELSE 0 END) AS inserted,
    sum(CASE WHEN op = 'update' THEN 1 ELSE 0 END) AS updated,
    sum(CASE WHEN op = 'delete' THEN 1 ELSE 0 END) AS deleted,
    sum(CASE WHEN array_contains(map_values(special_before), 'erased')
      OR array_contains(map_values(special_after), 'erased') THEN 1 ELSE 0 END) AS erased
  FROM lines WHERE kind = 'change' AND partial = ''
  GROUP BY store, lineage, txn
) c ON c.store = t.store AND c.lineage = t.lineage AND c.txn = t.txn;

-- The day of the week of each transaction (0 is Saturday) by Zeller's rule, and its hour, in UTC.
CREATE OR REPLACE TEMPORARY VIEW clock AS
SELECT store, lineage, txn, ts, author, op, CAST(substring(ts, 12, 2) AS int) AS hour,
  CAST(d + floor(13 * (m + 1) / 5) + y + floor(y / 4) - floor(y / 100) + floor(y / 400) AS int) % 7
    AS weekday
FROM (
  SELECT store, lineage, txn, ts, author, op, CAST(substring(ts, 9, 2) AS int) AS d,
    CASE WHEN substring(ts, 6, 2) <= '02' THEN CAST(substring(ts, 6, 2) AS int) + 12
      ELSE CAST(substring(ts, 6, 2) AS int) END AS m,
    CASE WHEN substring(ts, 6, 2) <= '02' THEN CAST(substring(ts, 1, 4) AS int) - 1
      ELSE CAST(substring(ts, 1, 4) AS int) END AS y
  FROM transactions
) parts;

-- The transactions that are in the logs. Only a snapshot that begins a lineage has details; the other
-- kind is of the transaction before the logs.
CREATE OR REPLACE TEMPORARY VIEW recorded AS
SELECT store, lineage, txn, ts, schema FROM transactions WHERE op <> 'snapshot'
UNION ALL
SELECT store, lineage, txn, ts, schema FROM transactions WHERE op = 'snapshot' AND details IS NOT NULL;

-- The transactions with their days, and the days of which some come after one of a later day: those
-- after the transaction `later`. They exist only if a clock went back. With them, a question about one
-- day does not have to sort the transactions of the others.
CREATE OR REPLACE TEMPORARY VIEW dated AS
SELECT store, lineage, txn, ts, substring(ts, 1, 10) AS day, author FROM transactions
WHERE op <> 'snapshot';

CREATE OR REPLACE TEMPORARY VIEW late_days AS
SELECT store, lineage, day, later
FROM (
  SELECT store, lineage, day, last, min(first) OVER (
    PARTITION BY store, lineage ORDER BY day ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING
  ) AS later
  FROM (
    SELECT store, lineage, day, min(txn) AS first, max(txn) AS last
    FROM dated GROUP BY store, lineage, day
  ) days
) ordered
WHERE last > later;

-- The findings of `travelog report`, a row for each transaction and finding. Each kind of finding reads
-- only the columns that it needs. An IS NOT NULL lets an engine skip files in which a column is null.
CREATE OR REPLACE TEMPORARY VIEW findings AS
SELECT c.store, c.lineage, c.txn, substring(c.ts, 1, 10) AS day, c.author,
  'outside-office-hours' AS finding
FROM clock c CROSS JOIN rules r
WHERE c.op <> 'snapshot' AND r.office_from IS NOT NULL
  AND (c.weekday IN (0, 1) OR c.hour < r.office_from OR c.hour >= r.office_to)
UNION ALL
SELECT t.store, t.lineage, t.txn, substring(t.ts, 1, 10), t.author, 'bulk' AS finding
FROM transactions t CROSS JOIN rules r
WHERE t.op <> 'snapshot' AND t.n >= r.bulk
UNION ALL
SELECT store, lineage, txn, substring(ts, 1, 10), author, 'foreign' AS finding
FROM transactions WHERE op = 'foreign' AND author IS NULL
UNION ALL
SELECT store, lineage, txn, substring(ts, 1, 10), author, 'gap' AS finding
FROM transactions
WHERE op IN ('gap', 'difference', 'migration') AND (op = 'gap' OR details LIKE '%"replaced":["%')
UNION ALL
SELECT store, lineage, txn, substring(ts, 1, 10), author, 'erasure' AS finding
FROM (
  SELECT store, lineage, txn, ts, author FROM transactions WHERE op = 'erase'
  UNION
  SELECT store, lineage, txn, ts, author FROM lines
  WHERE kind = 'change' AND partial = '' AND special_before IS NOT NULL
    AND array_contains(map_values(special_before), 'erased')
  UNION
  SELECT store, lineage, txn, ts, author FROM lines
  WHERE kind = 'change' AND partial = '' AND special_after IS NOT NULL
    AND array_contains(map_values(special_after), 'erased')
) erased
UNION ALL
SELECT store, lineage, txn, substring(ts, 1, 10), author, 'deleted-history' AS finding
FROM transactions WHERE op = 'prune'
UNION ALL
SELECT store, lineage, first - 1, day, CAST(NULL AS string), 'deleted-history' AS finding
FROM (
  SELECT t.store, t.lineage, min(t.txn) AS first, min_by(substring(t.ts, 1, 10), t.txn) AS day,
    max(CASE WHEN a.schema IS NULL THEN 1 ELSE 2 END) AS usual
  FROM recorded t
  JOIN (SELECT store, lineage FROM recorded GROUP BY store, lineage HAVING min(txn) > 1) l
    ON l.store = t.store AND l.lineage = t.lineage
  -- Transaction 1 of an adopted file is the adoption, and is in no log.
  LEFT JOIN (SELECT DISTINCT schema FROM properties WHERE encoding = 'any') a ON a.schema = t.schema
  GROUP BY t.store, t.lineage
) beginning
WHERE first > usual
UNION ALL
SELECT store, lineage, txn, day, author, 'clock-back' AS finding
FROM (
  SELECT store, lineage, txn, day, author
  FROM (
    SELECT store, lineage, txn, day, ts, author, max(ts) OVER (
      PARTITION BY store, lineage, day ORDER BY txn ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS newest_before
    FROM dated
  ) same_day
  WHERE ts < newest_before
  UNION
  SELECT t.store, t.lineage, t.txn, t.day, t.author
  FROM dated t
  JOIN late_days d ON d.store = t.store AND d.lineage = t.lineage AND d.day = t.day AND t.txn > d.later
) back
UNION ALL
SELECT store, CAST(NULL AS bigint), CAST(NULL AS bigint), substring(since, 1, 10),
  CAST(NULL AS string), CASE verdict WHEN 'silent' THEN 'silent' ELSE 'damage' END AS finding
FROM quarantine;

-- Findings by store, author and day.
CREATE OR REPLACE TEMPORARY VIEW findings_by_day AS
SELECT store, author, day, finding, count(*) AS transactions
FROM findings GROUP BY store, author, day, finding;
