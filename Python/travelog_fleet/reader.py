"""Reads what is new in the logs of one store: finds, copies and verifies logs, and makes rows of them.

A worker process runs this for one store at a time. It never writes to the lake.
"""
import copy, errno, zlib
from pathlib import Path

from .copies import Copies
from .filtered import FilteredLogs
from .known import Known
from .names import log_name, store_folder, token_key
from .reading import Reading, refused
from .verification import Refusal
from .whole import WholeLogs

ATTEMPTS = 3
# Errors that are not about a store, and end a load.
OF_THE_MACHINE = {errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EROFS}


def read_store(source, travelog, folder, store, schemas, known):
    """Reads the whole logs of a store, or the filtered logs of one that has no others.

    Rows are written below the folder, and stay until the caller has them in the table.
    """
    copies = Copies(source, travelog, Path(folder) / store, store)
    try:
        partials = [name for name in known if name] or partials_of(source, store, known)
        if not partials:
            logs = WholeLogs(copies, schemas)
            return [guarded(logs.read, store, "", known.get("") or Known())]
        logs = FilteredLogs(copies, schemas)
        return [guarded(logs.read, store, name, known.get(name) or Known()) for name in partials]
    finally:
        copies.remove()


def partials_of(source, store, known):
    """The names of filters, of a store without whole logs that the table does not have yet."""
    if "" in known or source.read(token_key(store)) is not None:
        return []
    names = {name.partial for name in map(log_name, source.list(store_folder(store))) if name}
    return [] if "" in names else sorted(names)


def guarded(read, store, partial, known):
    """Runs a function; what is wrong with a store must not stop the others."""
    for attempt in range(ATTEMPTS):
        reading = Reading(store, partial, copy.deepcopy(known))
        try:
            read(reading)
        except Refusal as error:
            return refused(store, partial, known, error.verdict, error.message)
        except FileNotFoundError as error:
            # A log that was listed is gone: a compaction has merged it, so look again.
            if attempt + 1 == ATTEMPTS:
                return refused(store, partial, known, "missing", str(error))
        except (OSError, ValueError, KeyError, EOFError, zlib.error) as error:
            if isinstance(error, OSError) and error.errno in OF_THE_MACHINE:
                raise
            message = f"{type(error).__name__}: {error}"
            return refused(store, partial, known, "unreadable", message)
        else:
            break
    if reading.known.verdict is not None:
        reading.known.verdict, reading.is_changed = None, True
    return reading
