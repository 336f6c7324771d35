"""Reads what is new in the whole logs of a store."""
from .content import UNCHANGED
from .copies import is_confirmed
from .erasures import records
from .names import (erasures_key, is_erasures, lineage_folder, log_name, logs_and_bases,
                    store_folder)
from .token import check_fork


class WholeLogs:
    def __init__(self, copies, schemas):
        self.copies, self.schemas = copies, schemas
        self.store, self.source = copies.store, copies.source

    def read(self, reading):
        end = self.copies.end(reading)
        if end is UNCHANGED:
            return
        check_fork(reading.known.position, end)
        self._load(reading, end)

    def _load(self, reading, end, affected=frozenset()):
        """Loads the transactions after the position, and again those that lost values."""
        known, position = reading.known, reading.known.position
        self.copies.remove()
        fresh = self._unknown_records(known)
        affected = affected | loaded(fresh, position)
        continues = position is not None and position.lineage == end[0] and not affected
        if continues and end[:2] == position[:2]:
            return
        if continues:
            keys = [name.key for name in self._new_logs(known) if is_confirmed(name, end)]
            self.copies.add(keys)
            answers = self.copies.verify(after=f"{position.txn}:{position.digest}")
        else:
            found = [key for key in self.source.list(store_folder(self.store))
                     if "/partial=" not in key]
            keys = [name.key for name in logs_and_bases(found) if is_confirmed(name, end)]
            self.copies.add([*keys, *filter(is_erasures, found)])
            fresh = self._unknown_records(known, are_copied=True)
            affected = affected | loaded(fresh, position)
            # With the position alone, what is restated after it would be unproven.
            answers = self.copies.verify(heads=[position.digest, end[2]] if position else [])
        written = self.copies.write_rows(
            self.copies.folder / "rows.arrow", keys, self.schemas,
            position=position if continues else None, after=None if continues else position,
            affected=affected, more=[record.row for record in fresh],
        )
        if fresh or written.restated:
            self.copies.check_finished()
        late = {place for place in written.restated if position and place <= position[:2]}
        if late - affected:
            self._load(reading, end, affected | late)
            return
        reading.note(written, answers)
        for lineage, txn in sorted(affected):
            reading.replaced.setdefault(lineage, []).append(txn)
        for record in fresh:
            known.records[record.lineage] = record.number + 1

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
