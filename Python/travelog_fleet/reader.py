"""Reads what is new in the logs of some stores: finds, copies and verifies logs, and writes their rows.

A worker process runs this. It writes only files that no commit has yet.
"""
import copy, errno, shutil, zlib
from itertools import count
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from .content import UNCHANGED, Content
from .copies import Copies, tag_of_token
from .datafile import RowWriter, filled
from .filtered import FilteredLogs
from .known import Known
from .names import log_name, store_folder, token_key
from .reading import Reading, refused
from .storerows import batches, look
from .table import LINES
from .verification import Refusal, verify
from .whole import WholeLogs

ATTEMPTS = 3
# Errors that are not about a store, and end a load.
OF_THE_MACHINE = {errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EROFS}


class Task(NamedTuple):
    """A store to read, what is known of it, and its token if that was read already."""

    store: str
    known: dict
    token: Content | None = None


def with_news(source, tasks):
    """The tasks about stores that may have news: whose token changed, or of which little is known."""
    found = []
    for task in tasks:
        if set(task.known) == {""}:
            try:
                token = source.read(token_key(task.store), tag_of_token(task.known[""]))
            except OSError:
                token = None  # Who reads the store meets the error again.
            if token is UNCHANGED:
                continue
            task = task._replace(token=token)
        found.append(task)
    return found


def read_stores(source, travelog, folder, tasks, schemas, destination):
    """Reads stores; returns their readings, and the file with their rows, or None without rows."""
    folder = Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        stores = Stores(source, travelog, folder, schemas)
        for task in tasks:
            stores.read(task)
        stores.read_new()
        return stores.readings, stores.write(destination)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Stores:
    """Reads some stores.

    All stores that are new to the table are verified together, because starting a program costs more than
    verifying a small store.
    """

    def __init__(self, source, travelog, folder, schemas):
        self.source, self.travelog, self.folder, self.schemas = source, travelog, folder, schemas
        self.readings, self.new = [], []
        # Files of lines, each with the rows that are wanted of them, by store and filter; and other rows.
        self.files, self.more = [], []
        self.paths = (folder / f"{number}.arrow" for number in count())

    def read(self, task):
        """Reads a store, or only copies its logs if it is new."""
        for logs, partial in self._logs(task):
            known = task.known.get(partial) or Known()
            if logs.copies.is_new:
                reading, has_news = attempts(task.store, partial, known, logs.begin)
                if has_news:
                    self.new.append((logs, reading))
                else:
                    self.readings.append(reading)
                    logs.copies.remove()
                continue
            path = next(self.paths)
            reading, rows = attempts(task.store, partial, known, lambda reading: logs.read(reading, path))
            self._note(path, [(logs, reading, rows)])
            logs.copies.remove()

    def _logs(self, task):
        """The whole logs of a store, or the filtered logs of one that has no others."""
        partials, token, known = [name for name in task.known if name], task.token, task.known.get("")
        if not task.known:
            token = self.source.read(token_key(task.store))
            if token is None:
                names = map(log_name, self.source.list(store_folder(task.store)))
                found = {name.partial for name in names if name}
                partials = [] if "" in found else sorted(found)
        is_new = not partials and (known is None or not (known.position or known.verdict))
        copies = Copies(self.source, self.travelog, self.folder / ("new" if is_new else "known"),
                        task.store, token=None if partials else token, is_new=is_new)
        if partials:
            return [(FilteredLogs(copies, self.schemas), name) for name in partials]
        return [(WholeLogs(copies, self.schemas), "")]

    def read_new(self):
        """Reads the new stores, whose logs are copied."""
        if not self.new:
            return
        path = next(self.paths)
        try:
            answers = verify(self.travelog, self.folder / "new", path)
        except Refusal:
            # One of them is not sound, so each of them is verified alone.
            for logs, reading in self.new:
                path = next(self.paths)
                reading, rows = attempt(reading, lambda reading: logs.verify(reading, path))
                self._note(path, [(logs, reading, rows)])
            return
        rows = {reading.store: logs.rows(reading) for logs, reading in self.new}
        look(path, {(store, ""): found for store, found in rows.items()})
        done = []
        for logs, reading in self.new:
            found, said = rows[reading.store], [row for row in answers if row["store"] == reading.store]
            reading, _ = attempt(reading, lambda reading: logs.finish(reading, found, said))
            done.append((logs, reading, found))
        self._note(path, done)

    def _note(self, path, done):
        """Notes the readings of some stores, and their rows in a file of lines."""
        self.readings += (reading for _, reading, _ in done)
        loaded = [found for found in done if found[1].has_rows]
        self.files.append((path, {(reading.store, reading.partial): rows for _, reading, rows in loaded}))
        for logs, _, _ in loaded:
            self.more += logs.more

    def write(self, destination):
        """Writes all rows into a file; returns it, or None without rows."""
        more = pa.RecordBatch.from_pylist(self.more, LINES)
        found = (rows.columns for _, stores in self.files for rows in stores.values())
        writer = RowWriter(destination, filled(more).union(*found))
        for path, stores in self.files:
            if stores:
                for key, batch in batches(path):
                    if key in stores:
                        writer.write(stores[key].rows(batch))
        writer.write(more)
        return writer.close()


def attempts(store, partial, known, read):
    """Calls a function with a new reading of a store, again if files disappear meanwhile."""
    for number in range(ATTEMPTS):
        reading = Reading(store, partial, copy.deepcopy(known))
        try:
            return attempt(reading, read, known)
        except FileNotFoundError as error:
            # A log that was listed is gone: a compaction has merged it, so look again.
            if number + 1 == ATTEMPTS:
                return refused(store, partial, known, "missing", str(error)), None


def attempt(reading, read, known=None):
    """Calls a function with a reading; what is wrong with a store must not stop the others.

    Returns the reading, or another one that says why the store is refused, and the result.
    """
    known = copy.deepcopy(reading.known) if known is None else known
    try:
        result = read(reading)
    except Refusal as error:
        return refused(reading.store, reading.partial, known, error.verdict, error.message), None
    except (OSError, ValueError, KeyError, EOFError, zlib.error, pa.ArrowException) as error:
        if isinstance(error, FileNotFoundError):
            raise
        if isinstance(error, OSError) and error.errno in OF_THE_MACHINE:
            raise
        message = f"{type(error).__name__}: {error}"
        return refused(reading.store, reading.partial, known, "unreadable", message), None
    if reading.known.verdict is not None:
        reading.known.verdict, reading.is_changed = None, True
    return reading, result
