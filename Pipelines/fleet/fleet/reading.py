"""Reads what is new in the logs of one store: finds, copies and verifies logs, and makes rows of them.

A worker process runs this for one store at a time. It never writes to the lake.
"""
import copy, errno, gzip, hashlib, re, shutil, zlib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from .erasures import records
from .known import Known
from .lines import LogRows
from .names import erasures_key, lineage_folder, log_name, logs_and_bases, store_folder, token_key
from .rowfile import RowFile
from .source import UNCHANGED
from .token import check_fork, token_end
from .verification import Refusal, verify

UNFINISHED = "An erasure is not finished; run the same “travelog erase” again."
# The entry for the logs themselves among the tags of small objects.
LOGS = "logs"
ATTEMPTS = 3
# Errors that are not about a store, and end a load.
OF_THE_MACHINE = {errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EROFS}
LARGE_VALUE = re.compile(rb'\{"sha256":"([0-9a-f]{64})","size":[1-9]')


@dataclass
class Reading:
    """What a load found out about the whole logs of a store, or about one filter of them."""

    store: str
    partial: str
    known: Known
    # A file of rows to append, and the transactions of each lineage whose rows these replace; None for
    # every transaction.
    rows: str | None = None
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


def refused(store, partial, known, verdict, message):
    """The reading of a store whose new logs are not loaded."""
    return Reading(store, partial, known, refusal=(verdict, message))


class StoreReader:
    """Reads the logs of one store into a folder of its own."""

    def __init__(self, source, travelog, folder, store, schemas):
        self.source, self.travelog, self.store, self.schemas = source, travelog, store, schemas
        self.folder = Path(folder) / store

    def read(self, known):
        """Reads the whole logs, or the filtered logs of a store that has no others."""
        try:
            partials = [name for name in known if name] or self._partials(known)
            if not partials:
                return [self._guarded(known.get("") or Known(), "", self._read_whole)]
            return [
                self._guarded(known.get(name) or Known(), name, self._read_partial)
                for name in partials
            ]
        finally:
            # The rows stay until they are in the table.
            shutil.rmtree(self.folder / "logs", ignore_errors=True)

    def _guarded(self, known, partial, read):
        """Runs a function; what is wrong with a store must not stop the others."""
        for attempt in range(ATTEMPTS):
            reading = Reading(self.store, partial, copy.deepcopy(known))
            try:
                read(reading)
            except Refusal as error:
                return refused(self.store, partial, known, error.verdict, error.message)
            except FileNotFoundError as error:
                # A log that was listed is gone: a compaction has merged it, so look again.
                if attempt + 1 == ATTEMPTS:
                    return refused(self.store, partial, known, "missing", str(error))
            except (OSError, ValueError, KeyError, EOFError, zlib.error) as error:
                if isinstance(error, OSError) and error.errno in OF_THE_MACHINE:
                    raise
                message = f"{type(error).__name__}: {error}"
                return refused(self.store, partial, known, "unreadable", message)
            else:
                break
        if reading.known.verdict is not None:
            reading.known.verdict, reading.is_changed = None, True
        return reading

    def _partials(self, known):
        """The names of filters, of a store without whole logs that the table does not have yet."""
        if "" in known or self.source.read(token_key(self.store)) is not None:
            return []
        keys = map(log_name, self.source.list(store_folder(self.store)))
        names = {name.partial for name in keys if name}
        return [] if "" in names else sorted(names)

    # MARK: Whole logs

    def _read_whole(self, reading):
        known = reading.known
        lineages = range(known.position.lineage + 1 if known.position else 0)
        token = self._small(reading, token_key(self.store))
        found = [self._small(reading, erasures_key(self.store, lineage)) for lineage in lineages]
        if token is UNCHANGED and not any(isinstance(data, bytes) for data in found):
            return
        if token is UNCHANGED:
            token = self._read(token_key(self.store))
        if token is None:
            raise Refusal("missing", f"{token_key(self.store)} is missing.")
        end = token_end(token, self.store)
        check_fork(known.position, end)
        self._load(reading, end, set())

    def _small(self, reading, key):
        """The bytes of a small object, None if it is missing, or UNCHANGED; notes its tag."""
        # A store in quarantine is read again, because its repair may not change these objects.
        tags = reading.known.tags
        content = self.source.read(key, None if reading.known.verdict else tags.get(key))
        if content is UNCHANGED:
            return content
        if content is None:
            reading.is_changed |= tags.pop(key, None) is not None
            return None
        reading.is_changed |= tags.get(key) != content.tag
        tags[key] = content.tag
        return content.data

    def _read(self, key):
        content = self.source.read(key)
        return content and content.data

    def _load(self, reading, end, affected):
        """Loads the transactions after the position, and again those that erasures affect."""
        known, position = reading.known, reading.known.position
        shutil.rmtree(self.folder, ignore_errors=True)
        fresh = self._unknown_records(known)
        affected |= {(record.lineage, record.txn) for record in fresh if is_loaded(record, position)}
        is_whole = position is None or position.lineage != end[0] or bool(affected)
        if not is_whole and end[:2] == position[:2]:
            return
        if is_whole:
            keys = self.source.list(store_folder(self.store))
            keys = [key for key in keys if "/partial=" not in key and "/_tree/" not in key
                    and is_confirmed(log_name(key), end)]
            self._stage(keys)
            fresh = self._unknown_records(known, is_staged=True)
            affected |= {(record.lineage, record.txn) for record in fresh
                         if is_loaded(record, position)}
        else:
            keys = [key for key in self._new_logs(known) if is_confirmed(log_name(key), end)]
            self._stage([*keys, token_key(self.store)])
        answers = self._verify(position, is_whole)
        names = logs_and_bases(keys)
        with RowFile(self.folder / "rows.arrow") as file:
            wanted = Wanted(position if is_whole else None, affected, file.rows.add)
            rows = LogRows(self.store, "", None if is_whole else position, dict(self.schemas),
                           wanted.add)
            for name in names:
                rows.read(self.folder / "logs" / name.key, name)
            for record in fresh:
                file.rows.add({**record.row, "store": self.store})
        if late := {of for of in wanted.erased if position and of <= position[:2]} - affected:
            self._load(reading, end, affected | late)
            return
        self._note(reading, rows, wanted, names, answers, file)
        for lineage, txn in sorted(affected):
            reading.replaced.setdefault(lineage, []).append(txn)
        for record in fresh:
            known.records[record.lineage] = record.number + 1

    def _unknown_records(self, known, is_staged=False):
        """The erasure records that the table does not have; also puts them beside the staged logs."""
        found = []
        last = known.position.lineage if known.position else -1
        if is_staged:
            folders = (self.folder / "logs" / store_folder(self.store)).glob("lineage=*")
            last = max((int(folder.name.partition("=")[2]) for folder in folders), default=last)
        for lineage in range(last + 1):
            key = erasures_key(self.store, lineage)
            path = self.folder / "logs" / key
            if is_staged:
                data = path.read_bytes() if path.exists() else None
            elif data := self._read(key):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
            done = known.records.get(lineage, 0)
            found += [record for record in records(data or b"", lineage) if record.number >= done]
        if found and self.source.read(store_folder(self.store) + "_erasing.json") is not None:
            raise Refusal("unfinished", UNFINISHED)
        return found

    def _new_logs(self, known):
        """The logs with transactions after the position."""
        position = known.position
        logs = lineage_folder(self.store, "", position.lineage) + "date="
        for after in dict.fromkeys((known.last_key, "")):
            keys = self.source.list(logs, after)
            names = [name for name in map(log_name, keys)
                     if name and name.last > position.txn]
            # After a compaction, the next log can have an earlier name than the last one.
            if names and min(name.first for name in names) <= position.txn + 1:
                break
        return [name.key for name in names]

    # MARK: Filtered logs

    def _read_partial(self, reading):
        known, position = reading.known, reading.known.position
        folder = store_folder(self.store, reading.partial)
        token = self._small(reading, token_key(self.store, reading.partial))
        tags = self.source.tags(folder)
        # Filtered logs have no records of erasures; only the logs themselves show that they were rewritten.
        is_rewritten = position is not None and fingerprint(tags, position) != known.tags.get(LOGS)
        if token is UNCHANGED and not is_rewritten:
            return
        if token is UNCHANGED:
            token = self._read(token_key(self.store, reading.partial))
        if token is None:
            raise Refusal("missing", f"{token_key(self.store, reading.partial)} is missing.")
        end = token_end(token, self.store, reading.partial)
        if position is not None:
            # The table does not have the digest of an omitted transaction.
            check_fork(position, (*end[:2], position.digest))
            if end[:2] == position[:2] and not is_rewritten:
                return
        if is_rewritten and self._read(store_folder(self.store) + "_erasing.json") is not None:
            raise Refusal("unfinished", UNFINISHED)
        shutil.rmtree(self.folder / "logs", ignore_errors=True)
        keys = [key for key in sorted(tags) if is_confirmed(log_name(key), end)]
        self._stage(keys)
        answers = verify(self.travelog, str(self.folder / "logs"), self.store)
        names = logs_and_bases(keys)
        with RowFile(self.folder / f"{reading.partial}.arrow") as file:
            wanted = Wanted(position, EVERYTHING if is_rewritten else set(), file.rows.add)
            rows = LogRows(self.store, reading.partial, None, dict(self.schemas), wanted.add)
            for name in names:
                rows.read(self.folder / "logs" / name.key, name)
        self._note(reading, rows, wanted, names, answers, file)
        known.tags[LOGS] = fingerprint(tags, known.position)
        if is_rewritten:
            reading.replaced = {lineage: None for lineage in range(position.lineage + 1)}

    # MARK: Steps

    def _stage(self, keys):
        """Copies objects, and the large values that the logs refer to."""
        logs = self.folder / "logs"
        for key in keys:
            self.source.fetch(key, logs / key)
        for digest in sorted(large_values(logs / name.key for name in logs_and_bases(keys))):
            try:
                self.source.fetch(f"blobs/{digest}", logs / "blobs" / digest)
            except OSError:
                continue  # `verify` reports a value that is missing and was not erased.

    def _verify(self, position, is_whole):
        after = head = None
        if position is not None and is_whole:
            head = position.digest
        elif position is not None:
            after = f"{position.txn}:{position.digest}"
        return verify(self.travelog, str(self.folder / "logs"), self.store, after=after, head=head)

    def _note(self, reading, rows, wanted, names, answers, file):
        reading.rows, reading.is_changed = file.path, True
        reading.schemas = rows.new_schemas
        reading.lines, reading.changes = wanted.kinds.total(), wanted.kinds["change"]
        reading.transactions = wanted.kinds["transaction"]
        reading.known.position = rows.position
        if names and not names[-1].is_snapshot:
            reading.known.last_key = names[-1].key
        reading.unproven = sorted({part["kind"] for answer in answers for part in answer["except"]
                                   if not part["is_proven"]})


class Everything:
    def __contains__(self, _):
        return True


EVERYTHING = Everything()


class Wanted:
    """Passes on the rows after a position, and those of some transactions up to it."""

    def __init__(self, position, affected, add):
        self.after = position[:2] if position else (-1, -1)
        self.affected, self.add_row, self.kinds = affected, add, Counter()
        # The transactions that new erasure records of the chain are about.
        self.erased = set()

    def add(self, row):
        place = (row["lineage"], row["txn"])
        if place > self.after:
            self.kinds[row["kind"]] += 1
            if row.get("of_txn") is not None:
                self.erased.add((row["of_lineage"], row["of_txn"]))
        elif place not in self.affected:
            return
        self.add_row(row)


def fingerprint(tags, position):
    """A digest of the logs up to a position, which changes if one is rewritten."""
    found = {key: tag for key, tag in tags.items()
             if (name := log_name(key)) and (name.lineage, name.last) <= position[:2]}
    return hashlib.sha256(repr(sorted(found.items())).encode()).hexdigest()


def is_confirmed(name, end):
    """Whether a log is one that the token knows; a later one can be half copied."""
    return name is None or (name.lineage, name.first) <= end[:2]


def is_loaded(record, position):
    return position is not None and (record.lineage, record.txn) <= position[:2]


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
