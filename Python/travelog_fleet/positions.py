"""What the table has of each store, read from the table itself."""
import duckdb
from pyiceberg.io.pyarrow import ArrowScan

from .known import Known
from .position import Position, continued_digest

KINDS = "kind IN ('transaction', 'omitted', 'erasure')"
COLUMNS = ("store", "partial", "lineage", "kind", "txn", "seq", "ts", "op", "schema", "digest", "meta")


def known(lake):
    """An entry for each store and filter."""
    ends, counts = positions(lake.lines, lake.lines.scan(KINDS, selected_fields=COLUMNS).plan_files())
    found = {key: Known(position) for key, position in ends.items()}
    for (store, lineage), count in counts.items():
        found[store, ""].records[lineage] = count
    for row in lake.quarantine():
        entry = found.setdefault((row["store"], row["partial"]), Known())
        if row["verdict"] != "silent":
            entry.verdict = (row["verdict"], row["message"], row["since"])
    return [(store, partial, entry) for (store, partial), entry in found.items()]


def added_since(lake, snapshot):
    """The positions, and the numbers of erasure records, in the files that other loads added after a
    snapshot; None if that is not all that they did."""
    files, found = set(), lake.lines.current_snapshot()
    while found is not None and found.snapshot_id != snapshot:
        if found.summary is None or found.summary.operation.value != "append":
            return None
        for manifest in found.manifests(lake.lines.io):
            if manifest.added_snapshot_id == found.snapshot_id:
                files |= {entry.data_file.file_path
                          for entry in manifest.fetch_manifest_entry(lake.lines.io)
                          if entry.snapshot_id == found.snapshot_id}
        found = lake.lines.snapshot_by_id(found.parent_snapshot_id) if found.parent_snapshot_id else None
    if found is None and snapshot is not None:
        return None
    tasks = lake.lines.scan(KINDS, selected_fields=COLUMNS).plan_files()
    return positions(lake.lines, [task for task in tasks if task.file.file_path in files])


def positions(table, tasks):
    """The last position by store and filter in some files, and the number of erasure records by store and
    lineage."""
    scan = table.scan(KINDS, selected_fields=COLUMNS)
    reader = ArrowScan(table.metadata, table.io, scan.projection(), scan.row_filter, case_sensitive=True)
    with duckdb.connect() as connection:
        connection.execute("CREATE TEMP TABLE ends (store text, partial text, lineage bigint, kind text,"
                           " txn bigint, seq bigint, ts text, op text, schema text, digest text,"
                           " meta map(text, text))")
        for batch in reader.to_record_batches(list(tasks)):
            connection.register("batch", batch.select(COLUMNS))
            connection.execute("INSERT INTO ends SELECT * FROM batch")
        ends = connection.execute(
            """
            SELECT store, partial, max_by(
              {lineage: lineage, txn: txn, digest: digest, ts: ts, schema: schema, op: op,
               meta: map_entries(meta)},
              {lineage: lineage, txn: txn}
            )
            FROM ends WHERE kind = 'transaction' OR (kind = 'omitted' AND seq IS NULL)
            GROUP BY store, partial
            """
        ).fetchall()
        counts = connection.execute(
            "SELECT store, lineage, count(*) FROM ends WHERE kind = 'erasure' AND txn = 0"
            " GROUP BY store, lineage"
        ).fetchall()
    found = {}
    for store, partial, row in ends:
        row["meta"] = [(entry["key"], entry["value"]) for entry in row["meta"] or []]
        found[store, partial] = Position(row["lineage"], row["txn"], continued_digest(row),
                                         row["ts"] or "", row["schema"])
    return found, {(store, lineage): count for store, lineage, count in counts}
