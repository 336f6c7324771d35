"""Copies of the logs of one store. What is verified is what becomes rows, whatever the source does."""
import gzip, re, shutil, zlib
from collections import Counter
from typing import NamedTuple

from .content import UNCHANGED
from .lines import LogRows, Position
from .names import logs_and_bases, store_folder, token_key
from .rowfile import RowFile
from .token import token_end
from .verification import Refusal, verify
from .wanted import Wanted

# The entry for the token among the tags of a store.
TOKEN = "token"
LARGE_VALUE = re.compile(rb'\{"sha256":"([0-9a-f]{64})","size":[1-9]')


class Written(NamedTuple):
    """A file of rows, and what was found in the logs that they are from."""

    path: str
    # The last log that is not a snapshot, and the last transaction of all logs.
    last_key: str | None
    position: Position | None
    schemas: list
    kinds: Counter
    # The transactions that lost values, as the new rows say.
    restated: set


class Copies:
    """Reads and copies objects of a store, and lets `travelog` verify the copies."""

    def __init__(self, source, travelog, folder, store):
        self.source, self.travelog, self.folder, self.store = source, travelog, folder, store
        self.logs = folder / "logs"
        # The key and the bytes of the token that was read.
        self.token = None

    def content(self, key):
        """The bytes of a small object, or None if it is missing."""
        found = self.source.read(key)
        return found and found.data

    def end(self, reading):
        """The last exported transaction that the token names, or UNCHANGED since the last load.

        Every export and every erasure changes the token, so an unchanged token means that nothing is new.
        """
        key, tags = token_key(self.store, reading.partial), reading.known.tags
        # A store in quarantine is read again, because its repair may not change the token.
        found = self.source.read(key, None if reading.known.verdict else tags.get(TOKEN))
        if found is UNCHANGED:
            return found
        if found is None:
            raise Refusal("missing", f"{key} is missing.")
        reading.is_changed |= tags.get(TOKEN) != found.tag
        tags[TOKEN], self.token = found.tag, (key, found.data)
        return token_end(found.data, self.store, reading.partial)

    def remove(self):
        shutil.rmtree(self.logs, ignore_errors=True)

    def add(self, keys):
        """Copies objects, and the large values that the logs among them refer to."""
        # The token may be newer by now, and name logs that are not among the keys.
        token, data = self.token
        (self.logs / token).parent.mkdir(parents=True, exist_ok=True)
        (self.logs / token).write_bytes(data)
        for key in keys:
            if key != token:
                self.source.fetch(key, self.logs / key)
        for digest in sorted(large_values(self.logs / name.key for name in logs_and_bases(keys))):
            try:
                self.source.fetch(f"blobs/{digest}", self.logs / "blobs" / digest)
            except OSError:
                continue  # `verify` reports a value that is missing and was not erased.

    def check_finished(self):
        """Refuses logs from which values are being erased."""
        if self.content(store_folder(self.store) + "_erasing.json") is not None:
            raise Refusal("unfinished",
                          "An erasure is not finished; run the same “travelog erase” again.")

    def verify(self, *, after=None, heads=()):
        return verify(self.travelog, str(self.logs), self.store, after=after, heads=heads)

    def write_rows(self, path, keys, schemas, *, partial="", position=None, after=None,
                   affected=frozenset(), more=()):
        """Writes the rows of the copied logs that a load wants, and more rows.

        The logs continue after a position, if one is given. Of all others, only the rows after the
        transaction `after` are wanted, and those of the affected transactions.
        """
        names = logs_and_bases(keys)
        with RowFile(path) as file:
            wanted = Wanted(after, affected, file.rows.add)
            rows = LogRows(self.store, partial, position, dict(schemas), wanted.add)
            for name in names:
                rows.read(self.logs / name.key, name)
            for row in more:
                file.rows.add({**row, "store": self.store})
        last = names[-1].key if names and not names[-1].is_snapshot else None
        return Written(file.path, last, rows.position, rows.new_schemas, wanted.kinds, wanted.restated)


def is_confirmed(name, end):
    """Whether a log is one that the token knows; a later one can be half copied."""
    return (name.lineage, name.first) <= end[:2]


def large_values(paths):
    """The digests of the large values that some logs refer to."""
    found = set()
    for path in paths:
        try:
            with gzip.open(path) as file:
                for line in file:
                    if b',"large":{' in line:
                        found.update(digest.decode() for digest in LARGE_VALUE.findall(line))
        except (OSError, EOFError, zlib.error):
            continue  # `verify` reports a damaged log.
    return found
