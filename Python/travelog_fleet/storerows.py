"""Rows of the table, from the file of lines that `travelog verify --arrow` writes."""
import json
from collections import Counter

import pyarrow as pa
import pyarrow.compute as pc

from .datafile import filled
from .position import Position, continued_digest
from .schemas import first_schema, next_name, next_schema

CLOSING = ["kind", "txn", "seq", "ts", "op", "digest", "meta"]


def batches(path):
    """The batches of a file, each with the store and the filter of its rows, which are from one log."""
    with pa.OSFile(str(path)) as file, pa.ipc.open_stream(file) as reader:
        for batch in reader:
            yield (batch["store"][0].as_py(), batch["partial"][0].as_py()), batch


def look(path, stores):
    """Lets each of some stores, by identifier and filter, look at its batches in a file."""
    for key, batch in batches(path):
        if key in stores:
            stores[key].look(batch)


class Everything:
    """A set of transactions that has all of them."""

    def __contains__(self, _):
        return True


class StoreRows:
    """What the new lines of a store say, and which of them a load wants.

    The logs continue after a position, if one is given. Of all others, only the rows after the
    transaction `after` are wanted, and those of the affected transactions. All schemas that the table
    has are given by their names; `definition` finds the definition of any other schema by its digest.
    """

    def __init__(self, schemas, definition, *, position=None, after=None, affected=frozenset()):
        self.schemas, self.definition = dict(schemas), definition
        self.position, self.after, self.affected = position, after, affected
        self.schema, self.new_schemas, self.kinds = None, [], Counter()
        # The names of the schemas of all batches, and the columns that have values in one of them.
        self.names, self.columns = [], set()
        # The transactions that lost values, as new transactions say: those of op `erase`, and deletions
        # in stores that keep only tombstones.
        self.restated = set()

    def look(self, batch):
        """Takes notes of a batch."""
        lineage, digest = batch["lineage"][0].as_py(), batch["schema"][0].as_py()
        self.schema = self._schema(lineage, digest)
        self.names.append(self.schema.name)
        self.columns |= filled(batch)
        new = self._new(batch, lineage)
        for found in pc.value_counts(new["kind"]).to_pylist():
            self.kinds[found["values"]] += found["counts"]
        if pc.any(pc.match_substring(new["meta"].items, '"restated"')).as_py():
            for details in new["meta"].to_pylist():
                self.restated |= restated(dict(details or ()).get("details", ""))
        last, = batch.slice(batch.num_rows - 1).select(CLOSING).to_pylist()
        if last["kind"] == "transaction" or (last["kind"] == "omitted" and last["seq"] is None):
            self.position = Position(lineage, last["txn"], continued_digest(last),
                                     last["ts"] or "", self.schema.name)

    def _schema(self, lineage, digest):
        """The schema of a batch, which follows the schema of the batch before."""
        before, position = self.schema, self.position
        if before is None and position is not None and position.lineage == lineage:
            before = self.schemas[position.schema]
        if before is None or (position is not None and position.lineage != lineage):
            return self._known(digest, digest, first_schema)
        if before.digest == digest:
            return before
        return self._known(next_name(before, digest), digest,
                           lambda *found: next_schema(before, *found))

    def _known(self, name, digest, make):
        if name not in self.schemas:
            known = (schema.definition for schema in self.schemas.values() if schema.digest == digest)
            schema = make(digest, next(known, None) or self.definition(digest))
            self.schemas[name] = schema
            self.new_schemas.append(schema)
        return self.schemas[name]

    def _new(self, batch, lineage):
        """The rows after the position of the table."""
        if self.after is None or lineage > self.after.lineage:
            return batch
        if lineage < self.after.lineage:
            return batch.slice(0, 0)
        return batch.filter(pc.greater(batch["txn"], self.after.txn))

    def rows(self, batch):
        """The wanted rows of a batch, with the name of its schema. Call it once for each batch, in order."""
        name = self.names.pop(0)
        if self.after is not None and not isinstance(self.affected, Everything):
            lineage = batch["lineage"][0].as_py()
            affected = [txn for number, txn in self.affected if number == lineage]
            is_wanted = pc.is_in(batch["txn"], pa.array(affected, pa.int64()))
            if lineage == self.after.lineage:
                is_wanted = pc.or_(is_wanted, pc.greater(batch["txn"], self.after.txn))
            if lineage <= self.after.lineage:
                batch = batch.filter(is_wanted)
        place = batch.schema.get_field_index("schema")
        return batch.set_column(place, "schema", pa.repeat(name, batch.num_rows))


def restated(details):
    """The lineages and numbers of the transactions from which a transaction erased values."""
    # A filter can leave the details out.
    if '"restated"' not in details:
        return set()
    details = json.loads(details)
    return {(int(found["lineage"]), int(found["txn"])) for found in details.get("restated", ())}
