"""The Iceberg tables, in a folder that also has their catalog."""
import os
from pathlib import Path

import duckdb
import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import NoSuchTableError
from pyiceberg.expressions import AlwaysTrue, And, EqualTo, In, Or

from .exits import MISSING, USAGE, FleetError
from .known import Known
from .lines import Position, continued_digest
from .schemas import Property, Schema
from .table import LINES, PROPERTIES, QUARANTINE, SCHEMAS

# Manifests keep bounds only of columns that no erasure is about.
LINES_OPTIONS = {
    "write.metadata.metrics.default": "none",
    **{f"write.metadata.metrics.column.{name}": "full"
       for name in ("store", "partial", "lineage", "kind", "txn")},
    "write.parquet.row-group-limit": "131072",
}
OPTIONS = {
    "write.parquet.compression-codec": "zstd",
    "write.metadata.delete-after-commit.enabled": "true",
    "write.metadata.previous-versions-max": "5",
    "commit.manifest-merge.enabled": "true",
    "write.avro.compression-codec": "null",
}
TABLES = {"lines": LINES, "schemas": SCHEMAS, "properties": PROPERTIES, "quarantine": QUARANTINE}


class Lake:
    """A catalog in a SQLite file, and its tables."""

    def __init__(self, target, warehouse=None, *, creates=False):
        self.target = Path(target).absolute()
        catalog = self.target / "catalog.sqlite"
        if not creates and not catalog.exists():
            raise FleetError(f"{target} has no lake.", "Create a lake with “travelog-fleet load”.",
                             MISSING)
        place = self.target / "warehouse.url"
        if not place.exists():
            place.write_text(warehouse or (self.target / "warehouse").as_uri())
        self.warehouse = place.read_text()
        if warehouse not in (None, self.warehouse):
            raise FleetError(f"The warehouse of {target} is {self.warehouse}.",
                             "Leave out --warehouse; only the first load uses this flag.", USAGE)
        region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
        options = {"s3.endpoint": os.environ.get("AWS_ENDPOINT_URL"), "s3.region": region}
        self.catalog = SqlCatalog(
            "fleet", uri=f"sqlite:///{catalog}", warehouse=self.warehouse,
            **{name: value for name, value in options.items() if value},
        )
        self.catalog.create_namespace_if_not_exists("fleet")
        self.tables = {name: self._table(name, columns, creates) for name, columns in TABLES.items()}

    def _table(self, name, columns, creates):
        try:
            return self.catalog.load_table(f"fleet.{name}")
        except NoSuchTableError:
            if not creates:
                raise
            options = OPTIONS | (LINES_OPTIONS if name == "lines" else {})
            return self.catalog.create_table(f"fleet.{name}", schema=columns, properties=options)

    @property
    def lines(self):
        return self.tables["lines"]

    def snapshot(self):
        """The number of the present snapshot of the lines, or None for an empty table."""
        found = self.lines.current_snapshot()
        return found and found.snapshot_id

    # MARK: Writing

    def commit(self, rows, replaced):
        """Appends rows in one commit, which also removes the rows of some transactions.

        `replaced` has for each (store, filter, lineage) the transactions, or None for all of them.
        """
        if replaced:
            self.lines.overwrite(rows, overwrite_filter=any_of(replaced))
        elif rows.num_rows > 0:
            self.lines.append(rows)

    def add_schemas(self, schemas):
        """Adds schemas before the lines that refer to them; those that are there stay."""
        known = set(self._column("schemas", "schema"))
        described = set(self._column("properties", "schema"))
        new = [schema for schema in schemas if schema.name not in described]
        if properties := [
            {"schema": schema.name, **found._asdict()}
            for schema in new for found in schema.properties
        ]:
            self.tables["properties"].append(pa.Table.from_pylist(properties, PROPERTIES))
        if new := [schema for schema in schemas if schema.name not in known]:
            rows = [{"schema": schema.name, "previous": schema.previous, "digest": schema.digest,
                     "definition": schema.definition} for schema in new]
            self.tables["schemas"].append(pa.Table.from_pylist(rows, SCHEMAS))

    def _column(self, table, name):
        return self.tables[table].scan(selected_fields=(name,)).to_arrow()[name].to_pylist()

    def write_quarantine(self, rows):
        """Replaces the list of stores in quarantine, if it differs."""
        def key(row):
            return row["store"], row["partial"]
        old = self.quarantine()
        if sorted(rows, key=key) == sorted(old, key=key):
            return
        table = pa.Table.from_pylist(rows, QUARANTINE)
        if old:
            self.tables["quarantine"].overwrite(table, overwrite_filter=AlwaysTrue())
        else:
            self.tables["quarantine"].append(table)

    # MARK: Reading

    def quarantine(self):
        return self.tables["quarantine"].scan().to_arrow().to_pylist()

    def schemas(self):
        """All schemas by their names."""
        properties = {}
        for row in self.tables["properties"].scan().to_arrow().to_pylist():
            properties.setdefault(row.pop("schema"), []).append(Property(**row))
        return {
            row["schema"]: Schema(row["schema"], row["previous"], row["digest"], row["definition"],
                                  properties.get(row["schema"], []))
            for row in self.tables["schemas"].scan().to_arrow().to_pylist()
        }

    def known(self):
        """What the table has of each store, read from the table itself."""
        reader = self.lines.scan(
            row_filter=In("kind", ["transaction", "omitted", "erasure"]),
            selected_fields=("store", "partial", "lineage", "kind", "txn", "seq", "ts", "op",
                             "schema", "digest", "meta"),
        ).to_arrow_batch_reader()
        with duckdb.connect() as connection:
            connection.register("closing", reader)
            connection.execute("CREATE TEMP TABLE ends AS SELECT * FROM closing")
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
            found[store, partial] = Known(
                Position(row["lineage"], row["txn"], continued_digest(row), row["ts"] or "",
                         row["schema"])
            )
        for store, lineage, count in counts:
            found[store, ""].records[lineage] = count
        for row in self.quarantine():
            entry = found.setdefault((row["store"], row["partial"]), Known())
            if row["verdict"] != "silent":
                entry.verdict = (row["verdict"], row["message"], row["since"])
        return [(store, partial, entry) for (store, partial), entry in found.items()]


def any_of(replaced):
    """The condition for the rows of some transactions; erasure records of files have none."""
    parts = [
        And(EqualTo("store", store), EqualTo("partial", partial), EqualTo("lineage", lineage),
            AlwaysTrue() if transactions is None else In("txn", transactions))
        for (store, partial, lineage), transactions in replaced.items()
    ]
    return Or(*parts) if len(parts) > 1 else parts[0]
