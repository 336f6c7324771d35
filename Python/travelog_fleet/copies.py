"""Copies of the logs of one store. What is verified is what becomes rows, whatever the source does."""
import gzip, json, re, shutil, zlib

from .content import UNCHANGED
from .names import logs_and_bases, store_folder, token_key
from .storerows import StoreRows, look
from .token import token_end
from .verification import Refusal, verify

# The entry for the token among the tags of a store.
TOKEN = "token"
BLOCK = 1 << 18
LARGE_VALUE = re.compile(rb'\{"sha256":"([0-9a-f]{64})","size":[1-9]')


class Copies:
    """Reads and copies objects of a store into a log folder, and lets `travelog` verify the copies.

    The copies of several stores may be in the same folder. `token` is the token of the store, if it was
    read already; `is_new` says whether the table has nothing of the store.
    """

    def __init__(self, source, travelog, logs, store, *, token=None, is_new=False):
        self.source, self.travelog, self.logs, self.store = source, travelog, logs, store
        self.read_token, self.is_new = token, is_new
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
        # A log may have been merged in the meantime, and a second attempt needs the newest token.
        found, self.read_token = self.read_token, None
        found = found or self.source.read(key, tag_of_token(reading.known))
        if found is UNCHANGED:
            return found
        if found is None:
            raise Refusal("missing", f"{key} is missing.")
        reading.is_changed |= tags.get(TOKEN) != found.tag
        tags[TOKEN], self.token = found.tag, (key, found.data)
        return token_end(found.data, self.store, reading.partial)

    def remove(self):
        shutil.rmtree(self.logs / store_folder(self.store), ignore_errors=True)

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

    def verify(self, path, *, after=None, heads=()):
        """Verifies the copies, and writes their lines into a file."""
        return verify(self.travelog, self.logs, path, store=self.store, after=after, heads=heads)

    def rows(self, schemas, **options):
        """The rows of the copies; see StoreRows."""
        return StoreRows(schemas, self.definition, **options)

    def look(self, rows, path, partial=""):
        """Lets rows look at the lines of this store in a file."""
        look(path, {(self.store, partial): rows})

    def definition(self, digest):
        """The definition of a schema that copied logs have."""
        for path in (self.logs / store_folder(self.store)).rglob("*.ndjson.gz"):
            with gzip.open(path) as file:
                meta = json.loads(file.readline())["meta"]
            if meta["schema"] == digest:
                return meta["definition"]
        raise KeyError(digest)


def tag_of_token(known):
    """The tag with which a token has nothing new.

    A store in quarantine is read again, because its repair may not change the token.
    """
    return None if known.verdict else known.tags.get(TOKEN)


def last_key(keys):
    """The last log among some keys, unless it is a snapshot."""
    names = logs_and_bases(keys)
    return names[-1].key if names and not names[-1].is_snapshot else None


def is_confirmed(name, end):
    """Whether a log is one that the token knows; a later one can be half copied."""
    return (name.lineage, name.first) <= end[:2]


def large_values(paths):
    """The digests of the large values that some logs refer to.

    A quote inside a value is escaped, so the pattern is never a part of a text.
    """
    found = set()
    for path in paths:
        try:
            with gzip.open(path) as file:
                rest = b""
                while block := file.read(BLOCK):
                    found.update(digest.decode() for digest in LARGE_VALUE.findall(rest + block))
                    # The pattern has fewer bytes than this.
                    rest = block[-100:]
        except (OSError, EOFError, zlib.error):
            continue  # `verify` reports a damaged log.
    return found
