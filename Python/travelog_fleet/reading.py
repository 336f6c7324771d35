"""What a load found out about one store."""
from dataclasses import dataclass, field

from .known import Known


@dataclass
class Reading:
    """What a load found out about the whole logs of a store, or about one filter of them."""

    store: str
    partial: str
    known: Known
    # Whether there are rows to append, and the transactions of each lineage whose rows these replace;
    # None for every transaction.
    has_rows: bool = False
    replaced: dict = field(default_factory=dict)
    schemas: list = field(default_factory=list)
    # The new lines, and how many of them are of changes and of transactions.
    lines: int = 0
    changes: int = 0
    transactions: int = 0
    # What `verify` could not prove.
    unproven: list = field(default_factory=list)
    refusal: tuple | None = None
    # Whether the entry of the store differs from the one before.
    is_changed: bool = False

    @property
    def has_news(self):
        """Whether a commit has something to write about the store."""
        return self.is_changed or self.refusal is not None or self.has_rows

    def note(self, rows, key, answers):
        """Notes the rows to append, the last log they are from, and what `verify` said about the logs."""
        self.has_rows, self.schemas, self.is_changed = True, rows.new_schemas, True
        self.lines, self.changes = rows.kinds.total(), rows.kinds["change"]
        self.transactions = rows.kinds["transaction"]
        self.known.position = rows.position
        self.known.last_key = key or self.known.last_key
        self.unproven = sorted({part["kind"] for answer in answers for part in answer["except"]
                                if not part["is_proven"]})


def refused(store, partial, known, verdict, message):
    """The reading of a store whose new logs are not loaded."""
    return Reading(store, partial, known, refusal=(verdict, message))
