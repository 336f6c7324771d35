"""The Iceberg tables, and their catalog: a file beside them, or a database that several loads share."""
import os, random, time
from pathlib import Path

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import CommitFailedException, NoSuchTableError, TableAlreadyExistsError
from pyiceberg.expressions import AlwaysTrue, And, EqualTo, In, Or
from sqlalchemy.exc import SQLAlchemyError

from .exits import MISSING, USAGE, FleetError
from .schemas import Property, Schema
from .table import LINES, PROPERTIES, QUARANTINE, SCHEMAS

# Manifests keep bounds only of columns that no erasure is about.
LINES_OPTIONS = {
    "write.metadata.metrics.default": "none",
    **{f"write.metadata.metrics.column.{name}": "full"
       for name in ("store", "partial", "lineage", "kind", "txn")},
    # A query of one store reads the groups that contain the store.
    "write.parquet.row-group-limit": "16384",
}
OPTIONS = {
    "write.parquet.compression-codec": "zstd",
    "write.metadata.delete-after-commit.enabled": "true",
    "write.metadata.previous-versions-max": "5",
    "commit.manifest-merge.enabled": "true",
    "write.avro.compression-codec": "null",
    # After a lost race, PyIceberg would add the files to the newest snapshot, which may have their rows.
    "commit.retry.num-retries": "0",
}
# How often a change that another load prevents is tried.
ATTEMPTS = 20
TABLES = {"lines": LINES, "schemas": SCHEMAS, "properties": PROPERTIES, "quarantine": QUARANTINE}


class Lake:
    """A catalog, and its tables. Other loads write to them too if the catalog is shared."""

    def __init__(self, target, warehouse=None, catalog=None, *, creates=False):
        self.target = Path(target).absolute()
        file, place = self.target / "catalog.sqlite", self.target / "catalog.url"
        if not creates and not file.exists() and not place.exists():
            raise FleetError(f"{target} has no lake.", "Create a lake with “travelog-fleet load”.",
                             MISSING)
        if catalog is not None and not place.exists() and not file.exists():
            place.write_text(catalog)
        self.is_shared = place.exists()
        found = place.read_text() if self.is_shared else None
        if catalog not in (None, found):
            raise FleetError(f"{target} has another catalog.",
                             "Use another TARGET; only the first load into a TARGET uses --catalog.", USAGE)
        self.warehouse = self._warehouse(warehouse)
        region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
        options = {"s3.endpoint": os.environ.get("AWS_ENDPOINT_URL"), "s3.region": region}
        options = {name: value for name, value in options.items() if value}
        self.catalog = persistently(lambda: SqlCatalog(
            "fleet", uri=found or f"sqlite:///{file}", warehouse=self.warehouse, **options))
        persistently(lambda: self.catalog.create_namespace_if_not_exists("fleet"))
        self.tables = {name: self._table(name, columns, creates) for name, columns in TABLES.items()}

    def _warehouse(self, given):
        place = self.target / "warehouse.url"
        if not place.exists():
            if self.is_shared and given is None:
                raise FleetError("The loads that share a catalog must share a warehouse.",
                                 "Name it with --warehouse URL.", USAGE)
            place.write_text(given or (self.target / "warehouse").as_uri())
        found = place.read_text()
        if given not in (None, found):
            raise FleetError(f"The warehouse of {self.target} is {found}.",
                             "Leave out --warehouse; only the first load uses this flag.", USAGE)
        return found

    def _table(self, name, columns, creates):
        try:
            return self.catalog.load_table(f"fleet.{name}")
        except NoSuchTableError:
            if not creates:
                raise
        options = OPTIONS | (LINES_OPTIONS if name == "lines" else {})
        try:
            return self.catalog.create_table(f"fleet.{name}", schema=columns, properties=options)
        except TableAlreadyExistsError:
            return self.catalog.load_table(f"fleet.{name}")

    @property
    def lines(self):
        return self.tables["lines"]

    def snapshot(self):
        """The number of the present snapshot of the lines, or None for an empty table."""
        found = self.lines.current_snapshot()
        return found and found.snapshot_id

    # MARK: Writing

    def commit(self, files, replaced):
        """Adds files in one commit, which also removes the rows of some transactions.

        `replaced` has for each (store, filter, lineage) the transactions, or None for all of them. Raises
        CommitFailedException if another load has changed the table since it was last refreshed.
        """
        transaction = self.lines.transaction()
        if replaced:
            transaction.delete(any_of(replaced))
        with transaction.update_snapshot().merge_append() as snapshot:
            for file in files:
                snapshot.append_data_file(file.data_file())
        added = {found.file_path for part in transaction._snapshot_producers
                 for found in part._added_data_files} - {file.path for file in files}
        try:
            transaction.commit_transaction()
        except CommitFailedException:
            # These are copies of files, without the removed rows.
            self.delete(added)
            raise

    def delete(self, paths):
        """Deletes files that no snapshot has."""
        for path in paths:
            self.lines.io.delete(path)

    def add_schemas(self, schemas):
        """Adds schemas before the lines that refer to them; those that are there stay."""
        properties = [{"schema": schema.name, **found._asdict()}
                      for schema in schemas for found in schema.properties]
        self._add("properties", properties)
        self._add("schemas", [{"schema": schema.name, "previous": schema.previous,
                               "digest": schema.digest, "definition": schema.definition}
                              for schema in schemas])

    def _add(self, name, rows):
        """Adds the rows of the schemas that a table does not have."""
        table = self.tables[name]

        def add():
            table.refresh()
            known = set(table.scan(selected_fields=("schema",)).to_arrow()["schema"].to_pylist())
            if new := [row for row in rows if row["schema"] not in known]:
                table.append(pa.Table.from_pylist(new, TABLES[name]))
        persistently(add)

    def write_quarantine(self, rows, is_ours):
        """Replaces the rows of our stores in the list of stores in quarantine, if they differ."""
        def key(row):
            return row["store"], row["partial"]

        def write():
            table = self.tables["quarantine"]
            table.refresh()
            old = self.quarantine()
            new = [row for row in old if not is_ours(row["store"])] + rows
            if sorted(new, key=key) == sorted(old, key=key):
                return
            found = pa.Table.from_pylist(new, QUARANTINE)
            if old:
                table.overwrite(found, overwrite_filter=AlwaysTrue())
            else:
                table.append(found)
        persistently(write)

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


def any_of(replaced):
    """The condition for the rows of some transactions; erasure records of files have none."""
    parts = [
        And(EqualTo("store", store), EqualTo("partial", partial), EqualTo("lineage", lineage),
            AlwaysTrue() if transactions is None else In("txn", transactions))
        for (store, partial, lineage), transactions in replaced.items()
    ]
    return Or(*parts) if len(parts) > 1 else parts[0]


def persistently(change):
    """Calls a function that changes a catalog, again if another load was faster."""
    for attempt in range(ATTEMPTS):
        try:
            return change()
        except (CommitFailedException, SQLAlchemyError):
            if attempt + 1 == ATTEMPTS:
                raise
            time.sleep(random.uniform(0, 0.2 * (attempt + 1)))
