"""Reads what is new in the whole logs of a store."""
from .content import UNCHANGED
from .copies import is_confirmed, last_key
from .erasures import records
from .names import (erasures_key, is_erasures, lineage_folder, log_name, logs_and_bases,
                    store_folder)
from .token import check_fork


class WholeLogs:
    """The whole logs of a store. `begin` and `finish` are the steps before and after a verification."""

    def __init__(self, copies, schemas):
        self.copies, self.schemas = copies, schemas
        self.store, self.source = copies.store, copies.source
        # The transactions that lost values, and whether the copied logs continue after the position.
        self.affected, self.continues = frozenset(), False

    def read(self, reading, path):
        """Reads what is new; returns the rows, whose lines are in a file, or None if nothing is new."""
        return self.verify(reading, path) if self.begin(reading) else None

    def verify(self, reading, path):
        """Verifies the copied logs, and returns their rows."""
        while True:
            position, end = reading.known.position, self.end
            if self.continues:
                answers = self.copies.verify(path, after=f"{position.txn}:{position.digest}")
            else:
                # With the position alone, what is restated after it would be unproven.
                answers = self.copies.verify(path, heads=[position.digest, end[2]] if position else [])
            rows = self.rows(reading)
            self.copies.look(rows, path)
            if self.finish(reading, rows, answers):
                return rows
            self._copy(reading)

    def begin(self, reading):
        """Copies the new logs; returns whether there are any."""
        self.end, self.affected = self.copies.end(reading), frozenset()
        if self.end is UNCHANGED:
            return False
        check_fork(reading.known.position, self.end)
        return self._copy(reading)

    def rows(self, reading):
        """The rows of the copied logs, which have not looked at them yet."""
        position = reading.known.position
        if self.continues:
            return self.copies.rows(self.schemas, position=position)
        return self.copies.rows(self.schemas, after=position, affected=self.affected)

    def finish(self, reading, rows, answers):
        """Notes verified rows; returns False if transactions of the table lost values, so that more
        logs must be copied."""
        known, position = reading.known, reading.known.position
        if self.fresh or rows.restated:
            self.copies.check_finished()
        late = {place for place in rows.restated if position and place <= position[:2]}
        if late - self.affected:
            self.affected |= late
            return False
        reading.note(rows, last_key(self.keys), answers)
        for lineage, txn in sorted(self.affected):
            reading.replaced.setdefault(lineage, []).append(txn)
        for record in self.fresh:
            known.records[record.lineage] = record.number + 1
        return True

    @property
    def more(self):
        """The rows of erasure records that the table does not have."""
        return [{**record.row, "store": self.store} for record in self.fresh]

    def _copy(self, reading):
        known, position = reading.known, reading.known.position
        self.copies.remove()
        self.fresh = self._unknown_records(known)
        self.affected |= loaded(self.fresh, position)
        self.continues = (position is not None and position.lineage == self.end[0]
                          and not self.affected)
        if self.continues and self.end[:2] == position[:2]:
            return False
        if self.continues:
            self.keys = [name.key for name in self._new_logs(known) if is_confirmed(name, self.end)]
            self.copies.add(self.keys)
            return True
        found = [key for key in self.source.list(store_folder(self.store)) if "/partial=" not in key]
        self.keys = [name.key for name in logs_and_bases(found) if is_confirmed(name, self.end)]
        self.copies.add([*self.keys, *filter(is_erasures, found)])
        self.fresh = self._unknown_records(known, are_copied=True)
        self.affected |= loaded(self.fresh, position)
        return True

    def _unknown_records(self, known, *, are_copied=False):
        """The erasure records that the table does not have; puts them beside the copies."""
        last, found = known.position.lineage if known.position else -1, []
        if are_copied:
            folders = (self.copies.logs / store_folder(self.store)).glob("lineage=*")
            last = max((int(folder.name.partition("=")[2]) for folder in folders), default=last)
        for lineage in range(last + 1):
            key = erasures_key(self.store, lineage)
            path = self.copies.logs / key
            if are_copied:
                data = path.read_bytes() if path.exists() else None
            elif data := self.copies.content(key):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
            done = known.records.get(lineage, 0)
            found += [record for record in records(data or b"", lineage) if record.number >= done]
        return found

    def _new_logs(self, known):
        """The logs with transactions after the position."""
        position = known.position
        logs = lineage_folder(self.store, "", position.lineage) + "date="
        for after in dict.fromkeys((known.last_key, "")):
            keys = self.source.list(logs, after)
            names = [name for name in map(log_name, keys) if name and name.last > position.txn]
            # After a compaction, the next log can have an earlier name than the last one.
            if names and min(name.first for name in names) <= position.txn + 1:
                break
        return names


def loaded(fresh, position):
    """The transactions of erasure records whose rows the table has."""
    return frozenset((record.lineage, record.txn) for record in fresh
                     if position is not None and (record.lineage, record.txn) <= position[:2])
