"""Reads the changes of logs and stores.

It trusts what it reads: `travelog verify` finds altered or missing logs. Only a log that is cut off
is an error here.
"""
from __future__ import annotations

import gzip
import io
import itertools
import json
import os
import sqlite3
import tempfile
import warnings
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterable, Iterator, NamedTuple
from urllib.parse import quote
from uuid import UUID

from . import program
from .values import Large, Reference, Schema, Unknown, Value, date

if TYPE_CHECKING:
    import pandas, polars, pyarrow  # noqa: E401

# The bytes of a transaction in memory, the lines that are parsed at once, and the rows of a page.
_MEMORY, _LINES, _ROWS = 32 << 20, 256, 2048


class Change(NamedTuple):
    """What a transaction did with one object: a row of an adopted database is one too."""
    store: str
    lineage: int
    transaction: int
    time: datetime
    author: str | None
    reason: str | None
    request: str | None
    #: insert, update or delete
    op: str
    entity: str
    #: A row whose key is not one integer has a text, such as '["text:a","integer:7"]'.
    id: int | str
    #: All values of an insertion and of a deletion, and only the changed values of an update.
    before: dict[str, Value] | None
    after: dict[str, Value] | None


class Changes(Iterable[Change]):
    """The changes of a log folder, of one log, or of a store, in the order of transactions.

    Snapshots are not changes. Before it reads a store, `travelog` records the captured changes.

    In tables, which need PyArrow, each property has the columns `before.NAME` and `after.NAME`. An
    entity selects its changes, and so only its properties. Integers and doubles become doubles.
    Other values of different types, which SQLite allows in a column, become texts. A reference is
    the id of its object. Unknown and large values are null.
    """

    def __init__(self, source: str | os.PathLike[str]) -> None:
        self._source = Path(source)

    def __iter__(self) -> Iterator[Change]:
        if self._source.is_dir():
            # All logs, or those of one store or of one filter.
            names = "lineage=*/date=*/*.ndjson.gz"
            logs = [*self._source.glob(f"store=*/{names}"), *self._source.glob(names)]
            if not logs:
                raise FileNotFoundError(f"{self._source} has no logs")
            logs.sort(key=lambda log: (log.parents[2], int(log.parents[1].name[8:]), log.name))
            return itertools.chain.from_iterable(map(_changes_of_log, logs))
        # To look into the file would be dangerous: if a process opens and closes a database without
        # SQLite, it loses the locks of its own connections.
        is_log = self._source.suffix == ".gz"
        return _changes_of_log(self._source) if is_log else _changes_of_store(self._source)

    def to_arrow(self, entity: str | None = None) -> pyarrow.Table:
        import pyarrow
        columns: dict[str, list[Any]] = {}
        count = 0
        for count, change in enumerate(
                (each for each in self if entity in (None, each.entity)), start=1):
            row = change._asdict()
            for side in ("before", "after"):
                row.update({f"{side}.{name}": _plain(value)
                            for name, value in (row.pop(side) or {}).items()})
            for name, value in row.items():
                column = columns.setdefault(name, [])
                column += [None] * (count - 1 - len(column)) + [value]
        arrays = {}
        for name, column in columns.items():
            column += [None] * (count - len(column))
            try:
                arrays[name] = pyarrow.array(column)
            except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError, OverflowError):
                arrays[name] = pyarrow.array([each if each is None else str(each)
                                              for each in column])
        return pyarrow.table(arrays)

    def to_polars(self, entity: str | None = None) -> polars.DataFrame:
        import polars
        return polars.DataFrame(self.to_arrow(entity))

    def to_pandas(self, entity: str | None = None) -> pandas.DataFrame:
        """A frame with columns of Arrow, because NumPy turns integers with nulls into doubles."""
        import pandas
        return self.to_arrow(entity).to_pandas(types_mapper=pandas.ArrowDtype)


read = Changes


def _changes_of_log(path: Path) -> Iterator[Change]:
    # The line of a transaction, with its reason, is after the lines of its changes. They can be
    # larger than the memory, so they then wait in a file.
    with io.BufferedReader(gzip.open(path), 1 << 18) as lines, \
            tempfile.SpooledTemporaryFile(_MEMORY) as waiting:
        header = json.loads(line := next(lines, b"{}")).get("meta", {})
        if header.get("format") != "travelog/1" or header.get("features") not in ("", "unknown"):
            raise ValueError(f"{path} is not a log of the format travelog/1")
        schema = Schema(header["definition"])
        blobs = next((folder.parent for folder in path.parents if folder.name[:6] == "store="),
                     path.parent) / "blobs"
        for line in lines:
            if line.startswith(b'{"kind":"change"'):
                waiting.write(line)
            elif line.startswith(b'{"kind":"transaction"'):
                end = json.loads(line)
                about = (header["store"], header["lineage"], end["txn"], date(end["ts"]),
                         end.get("author"), end.get("reason"), end.get("request"))
                waiting.seek(0)
                while some := list(itertools.islice(waiting, _LINES)):
                    for part in json.loads(b"[%s]" % b",".join(some)):
                        yield _change(about, part, schema, blobs)
                waiting.seek(0)
                waiting.truncate()
        if not line.startswith(b'{"kind":"trailer"'):
            raise EOFError(f"{path} is cut off: run travelog verify")


def _changes_of_store(path: Path) -> Iterator[Change]:
    if warning := program.log(str(path), "--limit", "1")[1]:
        warnings.warn(warning, stacklevel=2)
    with closing(sqlite3.connect(f"file:{quote(str(path.resolve()))}?mode=ro", uri=True)) as store:
        # `log` has found the table already.
        [(history,)] = store.execute(
            "SELECT substr(name, 1, length(name) - 11) FROM sqlite_master WHERE type = 'table'"
            " AND name LIKE '%transaction' AND sql LIKE '%\"first_change\"%\"seed\"%\"digest\"%'")
        others = "store_" if history == "history_" else history
        catalog = dict(store.execute(f"SELECT key, value FROM {others}catalog"))
        schemas: dict[int, Schema] = {}
        last = 0
        # A reader between two pages does not keep the program that uses the file from writing.
        while rows := store.execute(
            "SELECT c.id, t.schema, c.kind, c.entity, c.object, c.before, c.after, c.special,"
            f" c.large, t.id, t.time, t.author, t.reason, t.request FROM {history}change c"
            f" JOIN {history}transaction t ON t.id = c.transaction_id"
            " WHERE c.id > ? ORDER BY c.id LIMIT ?", (last, _ROWS)
        ).fetchall():
            for last, number, *about, transaction, time, author, reason, request in rows:
                if number not in schemas:
                    schemas[number] = Schema(store.execute(
                        f"SELECT json FROM {others}schema WHERE id = ?", (number,)).fetchone()[0])
                part = dict(zip(("op", "entity", "id"), about))
                part.update((name, json.loads(text)) for name, text in zip(
                    ("before", "after", "special", "large"), about[3:]) if text is not None)
                yield _change((catalog["identifier"], int(catalog["lineage"]), transaction,
                               date(time), author, reason, request), part, schemas[number],
                              path.with_name(path.name + "-blobs"))


def _change(about: tuple[Any, ...], part: dict[str, Any], schema: Schema, blobs: Path) -> Change:
    entity, id = part["entity"], part["id"]
    if isinstance(id, str) and id[:1] != "[":
        id = int(id)
    return Change._make((*about, part["op"], entity, id,
                         schema.decode(entity, part, "before", blobs),
                         schema.decode(entity, part, "after", blobs)))


def _plain(value: Any) -> Any:
    if isinstance(value, Reference):
        return value.id
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, (Large, Unknown)):
        return None
    return [_plain(each) for each in value] if isinstance(value, tuple) else value
