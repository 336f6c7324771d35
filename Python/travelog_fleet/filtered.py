"""Reads what is new in the filtered logs of a store."""
import hashlib

from .content import UNCHANGED
from .copies import is_confirmed
from .names import log_name, logs_and_bases, store_folder
from .token import check_fork
from .wanted import Everything

# The entry for the logs among the tags of a store.
LOGS = "logs"


class FilteredLogs:
    def __init__(self, copies, schemas):
        self.copies, self.schemas = copies, schemas

    def read(self, reading):
        """Reads the logs of one filter. Only all of them together can be verified."""
        known, position, store = reading.known, reading.known.position, self.copies.store
        end = self.copies.end(reading)
        if end is UNCHANGED:
            return
        tags = self.copies.source.tags(store_folder(store, reading.partial))
        # Filtered logs have no records of erasures; only the logs themselves show that they were rewritten.
        is_rewritten = position is not None and fingerprint(tags, position) != known.tags.get(LOGS)
        if position is not None:
            # The table does not have the digest of an omitted transaction.
            check_fork(position, (*end[:2], position.digest))
            if end[:2] == position[:2] and not is_rewritten:
                return
        if is_rewritten:
            self.copies.check_finished()
        self.copies.remove()
        keys = [name.key for name in logs_and_bases(tags) if is_confirmed(name, end)]
        self.copies.add(keys)
        answers = self.copies.verify()
        written = self.copies.write_rows(
            self.copies.folder / f"{reading.partial}.arrow", keys, self.schemas,
            partial=reading.partial, after=position,
            affected=Everything() if is_rewritten else frozenset(),
        )
        reading.note(written, answers)
        known.tags[LOGS] = fingerprint(tags, known.position)
        if is_rewritten:
            reading.replaced = {lineage: None for lineage in range(position.lineage + 1)}


def fingerprint(tags, position):
    """A digest of the logs up to a position, which changes if one is rewritten."""
    found = {key: tag for key, tag in tags.items()
             if (name := log_name(key)) and (name.lineage, name.last) <= position[:2]}
    return hashlib.sha256(repr(sorted(found.items())).encode()).hexdigest()
