"""The records of `_erasures.ndjson`, which say what was erased from logs beside the chain."""
import json
from typing import NamedTuple


class Record(NamedTuple):
    """A record, by its place in the file."""

    lineage: int
    number: int
    txn: int
    row: dict


def records(data, lineage):
    """The records in the bytes of a file. A last line without its end is one that is being written."""
    whole = data[:data.rfind(b"\n") + 1]
    for number, line in enumerate(whole.splitlines()):
        found = json.loads(line)
        txn = int(found["txn"])
        # No transaction has the number 0, so these rows never collide with lines of logs.
        row = {
            "kind": "erasure", "lineage": lineage, "txn": 0, "seq": number, "partial": "",
            "of_lineage": lineage, "of_txn": txn, "changed": found.get("attributes"),
            **{name: found.get(name)
               for name in ("ts", "author", "reason", "op", "entity", "id", "digest")},
        }
        yield Record(lineage, number, txn, row)
