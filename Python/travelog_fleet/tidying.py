"""Merges small files of the lake, and deletes the files that no snapshot has."""
from contextlib import suppress
from datetime import datetime, timezone
from itertools import accumulate

from pyarrow.fs import FileSelector, FileType
from pyiceberg.exceptions import CommitFailedException
from pyiceberg.expressions import AlwaysTrue
from pyiceberg.io.pyarrow import ArrowScan
from urllib.parse import urlparse

from .datafile import RowWriter, destination, filled

# Files with fewer rows and bytes are merged when there are this many of them.
SMALL_ROWS, SMALL_BYTES, SMALL_FILES = 100_000, 16 << 20, 64
# The most that is merged at once. Sorting needs 2.3 KB of memory for a row of the benchmark.
MERGED_ROWS, MERGED_BYTES = 250_000, 64 << 20
# When a table has more snapshots than this, all except the newest ones expire.
MOST_SNAPSHOTS, KEPT_SNAPSHOTS = 100, 10


def expire(table, keeping):
    """Removes all snapshots except the newest ones, and deletes their files; returns how many files."""
    table.refresh()
    newest = sorted(table.snapshots(), key=lambda snapshot: snapshot.sequence_number)
    old = [snapshot.snapshot_id for snapshot in newest[:-keeping]]
    if not old:
        return 0
    before = set(files(table))
    table.maintenance.expire_snapshots().by_ids(old).commit()
    table.refresh()
    # Files that another load is about to add are in no snapshot, and so are not among these.
    removed = before - set(files(table))
    for location in removed:
        with suppress(FileNotFoundError):
            table.io.delete(location)
    return len(removed)


def delete_orphans(table, load=None, age=None):
    """Deletes the files of a table that no snapshot has; returns their number.

    If other loads may be writing to the table, only the files of a load are deleted, and older ones.
    """
    base = urlparse(table.location())
    filesystem = table.io.fs_by_scheme(base.scheme or "file", base.netloc)
    selector = FileSelector(path_of(table.location()), allow_not_found=True, recursive=True)
    found = [found for found in filesystem.get_file_info(selector) if found.type == FileType.File]
    if load is not None:
        limit = datetime.now(timezone.utc) - age
        found = [file for file in found if load in file.path or (file.mtime and file.mtime < limit)]
    # A file that was listed may have been committed since then.
    table.refresh()
    kept = {path_of(location) for location in files(table)} if found else set()
    orphans = [file.path for file in found if file.path not in kept]
    for path in orphans:
        filesystem.delete_file(path)
    return len(orphans)


def files(table):
    """The locations of all files that belong to a table."""
    yield table.metadata_location
    yield from (entry.metadata_file for entry in table.metadata.metadata_log)
    for snapshot in table.snapshots():
        yield snapshot.manifest_list
        for manifest in snapshot.manifests(table.io):
            yield manifest.manifest_path
            for entry in manifest.fetch_manifest_entry(table.io, discard_deleted=True):
                yield entry.data_file.file_path


def path_of(location):
    """The path that a file system has for a location."""
    parts = urlparse(location)
    return parts.path if parts.scheme in ("", "file") else parts.netloc + parts.path


def merge_small_files(table, load="merged"):
    """Merges small files into larger ones, sorted by kind and store; returns how many were merged."""
    small = sorted(
        (task for task in table.scan().plan_files()
         if task.file.record_count < SMALL_ROWS and task.file.file_size_in_bytes < SMALL_BYTES),
        key=lambda task: task.file.record_count,
    )
    if len(small) < SMALL_FILES:
        return 0
    counts = accumulate(task.file.record_count for task in small)
    sizes = accumulate(task.file.file_size_in_bytes for task in small)
    small = [task for task, count, size in zip(small, counts, sizes)
             if count <= MERGED_ROWS and size <= MERGED_BYTES]
    scan = ArrowScan(table.metadata, table.io, table.schema(), AlwaysTrue(), case_sensitive=True)
    rows = scan.to_table(small).sort_by([
        (name, "ascending") for name in ("kind", "store", "partial", "lineage", "txn", "seq")
    ])
    # These files hold few days but many stores, so a query of one store needs their order.
    writer = RowWriter(destination(table, load), filled(rows), keeps_order=True)
    for batch in rows.to_batches():
        writer.write(batch)
    merged = writer.close().data_file()
    transaction = table.transaction()
    with transaction.update_snapshot().overwrite() as snapshot:
        for task in small:
            snapshot.delete_data_file(task.file)
        snapshot.append_data_file(merged)
    try:
        transaction.commit_transaction()
    except CommitFailedException:
        # Another load was faster, and a later load merges the files.
        table.io.delete(merged.file_path)
        table.refresh()
        return 0
    return len(small)


def tidy(table, load):
    """What a load does at its end, so that many small loads do not make a slow table."""
    merged = merge_small_files(table, load)
    if len(table.snapshots()) > MOST_SNAPSHOTS:
        with suppress(CommitFailedException):
            expire(table, KEPT_SNAPSHOTS)
    return merged
