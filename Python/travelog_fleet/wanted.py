"""The rows of some logs that a load wants."""
import json
from collections import Counter


class Everything:
    """A set of transactions that has all of them."""

    def __contains__(self, _):
        return True


class Wanted:
    """Passes on the rows after a position, and those of some transactions up to it."""

    def __init__(self, after, affected, add):
        self.after = after[:2] if after else (-1, -1)
        self.affected, self.add_row, self.kinds = affected, add, Counter()
        # The transactions that lost values, as new transactions say: those of op `erase`, and deletions
        # in stores that keep only tombstones.
        self.restated = set()

    def add(self, row):
        place = (row["lineage"], row["txn"])
        if place > self.after:
            self.kinds[row["kind"]] += 1
            if row["kind"] == "transaction":
                self.restated |= restated(row)
        elif place not in self.affected:
            return
        self.add_row(row)


def restated(row):
    """The lineages and numbers of the transactions from which a transaction erased values."""
    # A filter can leave the details out.
    details = dict(row["meta"]).get("details", "")
    if '"restated"' not in details:
        return set()
    details = json.loads(details)
    return {(int(found["lineage"]), int(found["txn"])) for found in details.get("restated", ())}
