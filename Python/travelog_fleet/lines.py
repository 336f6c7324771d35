"""Turns the lines of a log into rows."""
import gzip, json
from typing import NamedTuple

import pyarrow as pa

from .schemas import first_schema, next_schema
from .table import LINES

ROWS_PER_BATCH = 20_000


class Position(NamedTuple):
    """The last transaction of a store that the table has."""

    lineage: int
    txn: int
    digest: str
    ts: str
    schema: str


# Numbers stay as they are written: a float would lose their spelling, and digits of long integers.
decode = json.JSONDecoder(parse_float=str, parse_int=str).decode


def canonical(value):
    """A value as text: a string without its quotes, null as None, anything else as in the log."""
    if value is None or isinstance(value, str):
        return value
    if value is True or value is False:
        return "true" if value else "false"
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def texts(values):
    return [
        (name, value if value.__class__ is str else canonical(value))
        for name, value in values.items()
    ]


def sizes(values):
    """References to large values; their sizes are numbers."""
    return [
        (name, f'{{"sha256":"{value["sha256"]}","size":{value["size"]}}}')
        for name, value in values.items()
    ]


MAPS, NUMBERS = {"before", "after", "meta"}, {"txn", "seq", "n", "count"}
NOTES = (("special", texts), ("large", sizes))


class Rows:
    """Writes rows as record batches of a bounded size."""

    def __init__(self, write):
        self.rows, self.write = [], write

    def add(self, row):
        self.rows.append(row)
        if len(self.rows) == ROWS_PER_BATCH:
            self.flush()

    def flush(self):
        if self.rows:
            arrays = [pa.array([row.get(field.name) for row in self.rows], field.type)
                      for field in LINES]
            self.write(pa.record_batch(arrays, schema=LINES))
        self.rows = []


class LogRows:
    """Reads the logs of one store in their order, and makes rows of their lines."""

    def __init__(self, store, partial, position, schemas, add):
        self.store, self.partial, self.add = store, partial, add
        self.position, self.schema = position, None
        # All schemas that the table has, and those that these logs add.
        self.schemas, self.new_schemas = schemas, []

    def read(self, path, name):
        """Reads the lines of a log that come after the position."""
        with gzip.open(path, "rb") as file:
            header = json.loads(file.readline())
            self._begin(header["meta"], name)
            after = self.position.txn if self._is_continued(name) else -1
            for line in file:
                row = decode(line.decode())
                kind = row["kind"]
                if kind == "trailer" or int(row["txn"]) <= after:
                    continue
                if name.is_snapshot and kind == "transaction":
                    row["meta"]["previous"] = header["meta"]["previous"]
                self._add(kind, row, name)

    def _is_continued(self, name):
        return self.position is not None and self.position.lineage == name.lineage

    def _begin(self, meta, name):
        """Finds the schema of a log."""
        digest, definition = meta["schema"], meta["definition"]
        before = self.schema
        if before is None and self._is_continued(name):
            before = self.schemas[self.position.schema]
        if before is None or (self.position and self.position.lineage != name.lineage):
            schema = first_schema(digest, definition)
        elif before.digest == digest:
            schema = before
        else:
            schema = next_schema(before, digest, definition)
        if schema.name not in self.schemas:
            self.schemas[schema.name] = schema
            self.new_schemas.append(schema)
        self.schema = schema

    def _add(self, kind, row, name):
        for notes, spell in NOTES:
            if notes in row:
                for side, values in row.pop(notes).items():
                    row[f"{notes}_{side}"] = spell(values)
        for part in row.keys() & MAPS:
            row[part] = texts(row[part])
        for part in row.keys() & NUMBERS:
            row[part] = int(row[part])
        row.update(store=self.store, partial=self.partial, lineage=name.lineage,
                   schema=self.schema.name)
        self.add(row)
        if kind == "transaction" or (kind == "omitted" and "seq" not in row):
            self.position = Position(name.lineage, row["txn"], continued_digest(row),
                                     row.get("ts") or "", self.schema.name)


def continued_digest(row):
    """The digest that the transaction after this one continues from."""
    meta = dict(row.get("meta") or ())
    if row.get("op") == "gap":
        return json.loads(meta["details"])["resumes"]
    # A snapshot is not a part of the chain, which continues from the transaction whose state it is.
    return meta.get("previous", row["digest"])
