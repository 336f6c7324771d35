"""`travelog-fleet load`: verifies the new logs of each store, and appends their lines to the lake."""
import os, random, shutil, time, uuid
from collections import deque
from concurrent.futures import FIRST_COMPLETED, wait
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import NamedTuple

from pyiceberg.exceptions import CommitFailedException

from .datafile import destination
from .exits import MISSING, FleetError
from .known import Known, KnownStores
from .lake import Lake, persistently
from .lock import Mark, lock
from .positions import added_since, known
from .reader import Task
from .request import LoadResult
from .source import open_source
from .tidying import delete_orphans, expire, tidy
from .workers import Processes, Setting

# The stores of a task that looks for news; the most stores of a task that reads them, and the fewest
# unless there are fewer.
LOOKED_AT, MOST_STORES, FEWEST_STORES = 200, 100, 10
# A file that no snapshot has is deleted after this time, if another load may still add it.
OLD = timedelta(days=1)


def load(request, progress=lambda done, total: None):
    """Loads what is new, and returns what was done."""
    begin = time.monotonic()
    if shutil.which(request.travelog) is None:
        raise FleetError(f"The program {request.travelog} is missing.",
                         "Name it with --travelog FILE.", MISSING)
    source = open_source(request.source)
    stores = source.stores()
    os.makedirs(request.target, exist_ok=True)
    with lock(Path(request.target)):
        result = Load(request, stores, progress).run()
    result.requests.update(source.counts.take())
    result.seconds = time.monotonic() - begin
    return result


class Unit(NamedTuple):
    """What a task found out about some stores, and the file with their rows or None."""

    tasks: list
    readings: list
    file: object

    @property
    def count(self):
        return sum(reading.has_rows for reading in self.readings)


class Load:
    def __init__(self, request, stores, progress):
        self.request, self.stores, self.progress = request, stores, progress
        self.target, self.result = Path(request.target), LoadResult(stores=len(stores))
        self.staging, self.mark = self.target / "staging", Mark(self.target)
        # The names of files that this load writes have this name.
        self.name = str(uuid.uuid4())

    def run(self):
        self._begin()
        setting = Setting(str(self.request.source), self.request.travelog, str(self.staging.absolute()),
                          destination(self.lake.lines, self.name))
        if self.request.engine == "spark":
            from .sparkpool import SparkPool
            pool = SparkPool(setting, self.lake.schemas(), self.request.master, **self.request.spark)
        else:
            pool = Processes(self.request.workers, setting, self.lake.schemas())
        try:
            self._read_all(pool)
        except BaseException:
            pool.kill()
            raise
        pool.end()
        self._end()
        return self.result

    def _begin(self):
        """Opens the lake, and completes what a killed load left."""
        interrupted = self.mark.read()
        shutil.rmtree(self.staging, ignore_errors=True)
        self.staging.mkdir()
        self.lake = Lake(self.target, self.request.warehouse, self.request.catalog, creates=True)
        if interrupted is not None:
            if interrupted["erases"]:
                self.result.orphans += persistently(lambda: expire(self.lake.lines, keeping=1))
            self.result.orphans += self._delete_orphans(interrupted.get("load", self.name))
        self.erases = False
        self.mark.write(self.name, erases=False)
        self.known = KnownStores(self.target / "known.sqlite")
        self._catch_up()

    def _delete_orphans(self, name):
        """Deletes the files of a load that no commit has, and old ones of any load."""
        if not self.lake.is_shared:
            return sum(map(delete_orphans, self.lake.tables.values()))
        return sum(delete_orphans(table, name, OLD) for table in self.lake.tables.values())

    def _catch_up(self):
        """Notes what other loads added to the table."""
        self.lake.lines.refresh()
        old, new = self.known.snapshot(), self.lake.snapshot()
        if old == new:
            return
        added = added_since(self.lake, old) if self.lake.is_shared else None
        if added is None:
            entries = known(self.lake)
            if self.lake.is_shared:
                # What the source said when it was last read is still true.
                mine = {(store, partial): entry for store, partial, entry in self.known.all()}
                for store, partial, entry in entries:
                    entry.tags = mine.get((store, partial), entry).tags
            self.known.write(entries, new, replacing=True)
            return
        positions, counts = added
        entries = []
        for (store, partial), position in positions.items():
            entry = self.known.of(store).get(partial) or Known()
            if entry.position is None or position[:2] > entry.position[:2]:
                entry.position = position
            for (other, lineage), count in counts.items():
                if (other, "") == (store, partial):
                    entry.records[lineage] = entry.records.get(lineage, 0) + count
            entries.append((store, partial, entry))
        self.known.write(entries, new)

    def _read_all(self, pool):
        """Finds the stores with news, reads them, and commits whenever a batch of them is read.

        A task is about as many stores as make a file of a good size. Two tasks for each worker are
        submitted ahead, so the workers have work during a commit.
        """
        size, waiting, units, running = min(MOST_STORES, self.request.batch), [], [], {}
        unseen, done = deque(self.stores), 0
        while unseen or waiting or running or units:
            while unseen and len(running) < 2 * pool.count and len(waiting) < size:
                stores = [unseen.popleft() for _ in range(min(LOOKED_AT, len(unseen)))]
                tasks = [Task(store, self.known.of(store)) for store in stores]
                running[pool.submit("with_news", tasks)] = tasks, True
            is_rest = not unseen and not any(is_look for _, is_look in running.values())
            part = min(size, max(FEWEST_STORES, -(-len(waiting) // pool.count))) if is_rest else size
            while len(running) < 2 * pool.count and (len(waiting) >= part or waiting and is_rest):
                tasks, waiting = waiting[:part], waiting[part:]
                running[pool.submit("read", tasks)] = tasks, False
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                tasks, is_look = running.pop(future)
                if is_look:
                    found, counts = future.result()
                    waiting += found
                    done += len(tasks) - len(found)
                else:
                    readings, file, counts = future.result()
                    units.append(Unit(tasks, readings, file))
                    done += len(tasks)
                self.result.requests.update(counts)
                self.progress(done, len(self.stores))
            if (sum(unit.count for unit in units) >= self.request.batch
                    or not (unseen or waiting or running)):
                again = self._commit(units)
                units, done = [], done - len(again)
                unseen.extend(again)

    def _commit(self, units):
        """Commits what was read; returns the stores that must be read again, because another load has
        loaded some of them."""
        again = []
        while True:
            if self.lake.is_shared:
                self._catch_up()
                late = [unit for unit in units if not self._is_current(unit)]
                self.lake.delete(unit.file.path for unit in late if unit.file)
                again += [task.store for unit in late for task in unit.tasks]
                units = [unit for unit in units if unit not in late]
            try:
                self._write(units)
                return again
            except CommitFailedException:
                if not self.lake.is_shared:
                    raise
                time.sleep(random.uniform(0, 0.1))

    def _is_current(self, unit):
        """Whether the table has of each store what it had when the store was read."""
        for task in unit.tasks:
            now = self.known.of(task.store)
            for partial in now.keys() | task.known.keys():
                old, new = (found.get(partial) or Known() for found in (task.known, now))
                if (old.position, old.records) != (new.position, new.records):
                    return False
        return True

    def _write(self, units):
        readings = [reading for unit in units for reading in unit.readings if reading.has_news]
        loaded = [reading for reading in readings if reading.has_rows]
        if loaded:
            schemas = {schema.name: schema for reading in loaded for schema in reading.schemas}
            if schemas:
                self.lake.add_schemas(list(schemas.values()))
            replaced = {(reading.store, reading.partial, lineage): transactions
                        for reading in loaded for lineage, transactions in reading.replaced.items()}
            if replaced and not self.erases:
                self.erases = True
                self.mark.write(self.name, erases=True)
            self.lake.commit([unit.file for unit in units if unit.file], replaced)
            self.result.commits += 1
            self.result.replaced += sum(len(found or ()) for found in replaced.values())
        now = now_text()
        entries = [(reading.store, reading.partial, noted(reading, now)) for reading in readings]
        if entries:
            self.known.write(entries, self.lake.snapshot())
        for reading in loaded:
            self.result.changed += reading.lines > 0
            self.result.changes += reading.changes
            self.result.transactions += reading.transactions
            if reading.unproven:
                self.result.unproven.append({"store": reading.store, "partial": reading.partial,
                                             "except": reading.unproven})

    def _end(self):
        self.result.quarantined = self._quarantine()
        ours = {store for store, _, entry in self.known.all() if entry.tags} | set(self.stores)
        self.lake.write_quarantine(self.result.quarantined,
                                   lambda store: not self.lake.is_shared or store in ours)
        self._catch_up()
        self.result.merged = tidy(self.lake.lines, self.name)
        if self.erases:
            self.result.orphans += persistently(lambda: expire(self.lake.lines, keeping=1))
        self.result.orphans += self._delete_orphans(self.name) if self._may_have_orphans() else 0
        if not self.lake.is_shared:
            self.known.write([], self.lake.snapshot())
        self.known.close()
        shutil.rmtree(self.staging)
        self.mark.remove()

    def _may_have_orphans(self):
        return self.erases or self.lake.is_shared or self.request.engine == "spark"

    def _quarantine(self):
        """The stores that could not be loaded, and the silent ones."""
        rows, limit = [], None
        if self.request.silent is not None:
            limit = (datetime.now(timezone.utc) - self.request.silent).strftime("%Y-%m-%dT%H:%M:%S")
        since = {(row["store"], row["partial"]): row["since"] for row in self.lake.quarantine()}
        present, now = set(self.stores), now_text()
        for store, partial, entry in self.known.all():
            verdict = entry.verdict
            if store not in present and self.lake.is_shared and not entry.tags:
                continue  # Another load has loaded it, from another source.
            if store not in present:
                # The disk may not be mounted, so this is not silent.
                message = f"The folder store={store} is missing."
                verdict = ("missing", message, since.get((store, partial), now))
            elif verdict is None and limit and entry.position and "" < entry.position.ts < limit:
                message = f"The time of the last transaction is {entry.position.ts}."
                verdict = ("silent", message, since.get((store, partial), entry.position.ts))
            if verdict is not None:
                rows.append({"store": store, "partial": partial,
                             **dict(zip(("verdict", "message", "since"), verdict))})
        return rows


def now_text():
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def noted(reading, now):
    """The entry of a store after it was read."""
    entry = reading.known
    if reading.refusal is not None:
        is_same = entry.verdict is not None and entry.verdict[:2] == tuple(reading.refusal)
        entry.verdict = (*reading.refusal, entry.verdict[2] if is_same else now)
    return entry
