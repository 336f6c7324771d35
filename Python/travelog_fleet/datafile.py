"""Files of the table `lines`, which the programs that read logs write, and a commit adds."""
import uuid
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.io import load_file_io
from pyiceberg.io.pyarrow import ParquetFormatModel
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat
from pyiceberg.table.metadata import TableMetadataUtil
from pyiceberg.typedef import Record
from pyiceberg.types import ListType, LongType, MapType

# The most that is in memory before it is compressed.
MOST_ROWS, MOST_BYTES = 131_072, 64 << 20


class Destination(NamedTuple):
    """The table to which files are written, in a form that other processes understand."""

    metadata: str
    options: dict
    # The load, whose files have its name.
    load: str


class Written(NamedTuple):
    """A complete file that no commit has yet."""

    path: str
    size: int
    statistics: dict

    def data_file(self):
        return DataFile.from_args(
            content=DataFileContent.DATA, file_path=self.path, file_format=FileFormat.PARQUET,
            partition=Record(), file_size_in_bytes=self.size, sort_order_id=None, spec_id=0,
            equality_ids=None, key_metadata=None, **self.statistics,
        )


def destination(table, load):
    return Destination(table.metadata.model_dump_json(), dict(table.io.properties), load)


def filled(rows):
    """The names of the columns that have values."""
    return {name for name in rows.schema.names if rows[name].null_count < rows.num_rows}


class RowWriter:
    """Writes batches of rows into one file of a table. Nothing is written without rows.

    The file has only the given columns; the others are null, and queries of their values skip the file.
    Changes and other lines are in groups of their own, because queries of transactions need no changes.
    Changes are in the order of time, unless their order is to be kept, so that queries of a day read few
    groups.
    """

    def __init__(self, destination, columns, *, keeps_order=False):
        table = TableMetadataUtil.parse_raw(destination.metadata)
        self.io = load_file_io(destination.options, table.location)
        self.path = f"{table.location.rstrip('/')}/data/{destination.load}-{uuid.uuid4()}.parquet"
        self.columns = pa.schema([field for field in arrow_schema(table.schema()) if field.name in columns])
        self.keeps_order = keeps_order
        self.output = self.io.new_output(self.path)
        self.writer = ParquetFormatModel().create_writer(self.output, table.schema(), table.properties)
        self.batches, self.rows, self.bytes, self.is_empty = [], 0, 0, True

    def write(self, batch):
        """Adds rows; a column that they lack is null."""
        if batch.num_rows == 0:
            return
        present = set(batch.schema.names)
        batch = pa.record_batch(
            [batch[field.name].cast(field.type) if field.name in present
             else pa.nulls(batch.num_rows, field.type) for field in self.columns],
            schema=self.columns,
        )
        if self.batches and (self.rows + batch.num_rows > MOST_ROWS
                             or self.bytes + batch.nbytes > MOST_BYTES):
            self._flush()
        self.batches.append(batch)
        self.rows += batch.num_rows
        self.bytes += batch.nbytes

    def _flush(self):
        if not self.batches:
            return
        table = pa.Table.from_batches(self.batches)
        is_change = pc.equal(table["kind"], "change")
        changes, others = table.filter(is_change), table.filter(pc.invert(is_change))
        if not self.keeps_order:
            changes = changes.sort_by("ts")
        for rows in filter(len, (changes, others)):
            self.writer.write(rows)
        self.batches, self.rows, self.bytes, self.is_empty = [], 0, 0, False

    def close(self):
        """Completes the file; returns it, or None if there were no rows."""
        self._flush()
        if self.is_empty:
            return None
        statistics = self.writer.close().to_serialized_dict()
        return Written(self.path, len(self.output), statistics)


def arrow_schema(schema):
    """The columns of a file, with the numbers by which Iceberg knows them."""
    def field(name, number, kind, is_required):
        return pa.field(name, arrow_type(kind), nullable=not is_required,
                        metadata={"PARQUET:field_id": str(number)})

    def arrow_type(kind):
        if isinstance(kind, MapType):
            return pa.map_(field("key", kind.key_id, kind.key_type, True),
                           field("value", kind.value_id, kind.value_type, kind.value_required))
        if isinstance(kind, ListType):
            return pa.list_(field("element", kind.element_id, kind.element_type,
                                  kind.element_required))
        return pa.int64() if isinstance(kind, LongType) else pa.string()

    return pa.schema([field(found.name, found.field_id, found.field_type, found.required)
                      for found in schema.fields])
