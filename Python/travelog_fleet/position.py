"""Where the table stands in the history of a store."""
import json
from typing import NamedTuple


class Position(NamedTuple):
    """The last transaction of a store that the table has."""

    lineage: int
    txn: int
    digest: str
    ts: str
    schema: str


def continued_digest(row):
    """The digest that the transaction after this one continues from."""
    meta = dict(row.get("meta") or ())
    if row.get("op") == "gap":
        return json.loads(meta["details"])["resumes"]
    # A snapshot is not a part of the chain, which continues from the transaction whose state it is.
    return meta.get("previous", row["digest"])
