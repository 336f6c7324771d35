"""The columns of the Iceberg tables."""
import pyarrow as pa

TEXT, NUMBER = pa.string(), pa.int64()
TEXTS = pa.map_(TEXT, TEXT)

# One row for each change, transaction, omitted part and erasure record. The names are those of
# docs/FORMAT.md; `schema` names the schema and all schemas before it.
LINES = pa.schema([
    ("store", TEXT), ("partial", TEXT), ("lineage", NUMBER), ("kind", TEXT), ("txn", NUMBER),
    ("seq", NUMBER), ("n", NUMBER), ("count", NUMBER), ("ts", TEXT), ("author", TEXT),
    ("reason", TEXT), ("request", TEXT), ("op", TEXT), ("entity", TEXT), ("id", TEXT),
    ("changed", pa.list_(TEXT)), ("before", TEXTS), ("after", TEXTS),
    ("special_before", TEXTS), ("special_after", TEXTS),
    ("large_before", TEXTS), ("large_after", TEXTS),
    ("of_lineage", NUMBER), ("of_txn", NUMBER),
    ("schema", TEXT), ("digest", TEXT), ("meta", TEXTS),
])

SCHEMAS = pa.schema([("schema", TEXT), ("previous", TEXT), ("digest", TEXT), ("definition", TEXT)])

# `origin_entity` and `origin` are the names that a property had when it first appeared. They are the
# same in all later schemas, whatever it is called there.
PROPERTIES = pa.schema([
    ("schema", TEXT), ("entity", TEXT), ("name", TEXT), ("encoding", TEXT), ("destination", TEXT),
    ("origin_entity", TEXT), ("origin", TEXT), ("is_replaced", pa.bool_()),
    ("initial", TEXT),
])

QUARANTINE = pa.schema([
    ("store", TEXT), ("partial", TEXT), ("verdict", TEXT), ("message", TEXT), ("since", TEXT),
])
