"""What the table has of each store, kept beside it so that a load need not read the table.

The table is the truth. This is a copy for one snapshot of it; a load that finds another snapshot
rebuilds it.
"""
import json, sqlite3
from dataclasses import dataclass, field

from .position import Position


@dataclass
class Known:
    """What the table has of a store, and what the source answered when it was last read."""

    position: Position | None = None
    # The last log that was read, after which new ones are listed.
    last_key: str = ""
    # The tag of the token; for filtered logs also a digest of the tags of the logs.
    tags: dict = field(default_factory=dict)
    # The number of erasure records that the table has, for each lineage.
    records: dict = field(default_factory=dict)
    # The verdict of a store that is in quarantine, and since when.
    verdict: tuple | None = None


class KnownStores:
    """A SQLite file with an entry for each store and filter."""

    def __init__(self, path):
        self.connection = sqlite3.connect(path, isolation_level=None)
        self.connection.executescript(
            """
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = NORMAL;
            CREATE TABLE IF NOT EXISTS snapshot (id INTEGER PRIMARY KEY CHECK (id = 1), number);
            CREATE TABLE IF NOT EXISTS known (
              store TEXT, partial TEXT, entry TEXT, PRIMARY KEY (store, partial)
            ) WITHOUT ROWID;
            """
        )

    def close(self):
        self.connection.close()

    def snapshot(self):
        row = self.connection.execute("SELECT number FROM snapshot").fetchone()
        return row and row[0]

    def of(self, store):
        """The entries of a store, by the names of their filters; the whole logs have none."""
        rows = self.connection.execute(
            "SELECT partial, entry FROM known WHERE store = ?", (store,)
        )
        return {partial: decode(entry) for partial, entry in rows}

    def all(self):
        rows = self.connection.execute("SELECT store, partial, entry FROM known ORDER BY 1, 2")
        for store, partial, entry in rows:
            yield store, partial, decode(entry)

    def write(self, entries, snapshot, *, replacing=False):
        """Writes entries that are right for a snapshot of the table."""
        self.connection.execute("BEGIN IMMEDIATE")
        if replacing:
            self.connection.execute("DELETE FROM known")
        self.connection.executemany(
            "INSERT OR REPLACE INTO known VALUES (?, ?, ?)",
            [(store, partial, encode(entry)) for store, partial, entry in entries],
        )
        self.connection.execute("INSERT OR REPLACE INTO snapshot VALUES (1, ?)", (snapshot,))
        self.connection.execute("COMMIT")


def encode(entry):
    return json.dumps({
        "position": entry.position, "last_key": entry.last_key, "tags": entry.tags,
        "records": entry.records, "verdict": entry.verdict,
    })


def decode(text):
    found = json.loads(text)
    position, verdict = found["position"], found["verdict"]
    return Known(
        position and Position(*position), found["last_key"], found["tags"],
        {int(lineage): count for lineage, count in found["records"].items()},
        verdict and tuple(verdict),
    )
