"""Reads what is new in the filtered logs of a store."""
import hashlib

from .content import UNCHANGED
from .copies import is_confirmed, last_key
from .names import log_name, logs_and_bases, store_folder
from .storerows import Everything
from .token import check_fork

# The entry for the logs among the tags of a store.
LOGS = "logs"


class FilteredLogs:
    # They have no records of erasures.
    more = ()

    def __init__(self, copies, schemas):
        self.copies, self.schemas = copies, schemas

    def read(self, reading, path):
        """Reads the logs of one filter. Only all of them together can be verified.

        Returns the rows, whose lines are in a file, or None if nothing is new.
        """
        known, position, store = reading.known, reading.known.position, self.copies.store
        end = self.copies.end(reading)
        if end is UNCHANGED:
            return None
        tags = self.copies.source.tags(store_folder(store, reading.partial))
        # Filtered logs have no records of erasures; only the logs themselves show that they were rewritten.
        is_rewritten = position is not None and fingerprint(tags, position) != known.tags.get(LOGS)
        if position is not None:
            # The table does not have the digest of an omitted transaction.
            check_fork(position, (*end[:2], position.digest))
            if end[:2] == position[:2] and not is_rewritten:
                return None
        if is_rewritten:
            self.copies.check_finished()
        self.copies.remove()
        keys = [name.key for name in logs_and_bases(tags) if is_confirmed(name, end)]
        self.copies.add(keys)
        answers = self.copies.verify(path)
        rows = self.copies.rows(self.schemas, after=position,
                                affected=Everything() if is_rewritten else frozenset())
        self.copies.look(rows, path, reading.partial)
        reading.note(rows, last_key(keys), answers)
        known.tags[LOGS] = fingerprint(tags, known.position)
        if is_rewritten:
            reading.replaced = {lineage: None for lineage in range(position.lineage + 1)}
        return rows


def fingerprint(tags, position):
    """A digest of the logs up to a position, which changes if one is rewritten."""
    found = {key: tag for key, tag in tags.items()
             if (name := log_name(key)) and (name.lineage, name.last) <= position[:2]}
    return hashlib.sha256(repr(sorted(found.items())).encode()).hexdigest()
