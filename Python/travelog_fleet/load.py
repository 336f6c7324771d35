"""`travelog-fleet load`: verifies the new logs of each store, and appends their lines to the lake."""
import os, shutil, time
from collections import deque
from datetime import datetime, timezone
from itertools import islice
from pathlib import Path

import pyarrow as pa

from . import workers
from .exits import MISSING, FleetError
from .known import KnownStores
from .lake import Lake
from .lock import Mark, lock
from .request import LoadResult
from .rowfile import read_rows
from .source import open_source
from .table import LINES
from .tidying import delete_orphans, expire, tidy


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


class Load:
    def __init__(self, request, stores, progress):
        self.request, self.stores, self.progress = request, stores, progress
        self.target, self.result = Path(request.target), LoadResult(stores=len(stores))
        self.staging, self.mark = self.target / "staging", Mark(self.target)

    def run(self):
        self._begin()
        pool = workers.workers(self.request.workers, self.request.source, self.request.travelog,
                               self.staging, self.lake.schemas())
        try:
            self._read_all(pool)
        except BaseException:
            workers.kill(pool)
            raise
        pool.shutdown()
        self._end()
        return self.result

    def _begin(self):
        """Opens the lake, and completes what a killed load left."""
        interrupted = self.mark.read()
        shutil.rmtree(self.staging, ignore_errors=True)
        self.staging.mkdir()
        self.lake = Lake(self.target, self.request.warehouse, creates=True)
        if interrupted is not None:
            if interrupted["erases"]:
                expire(self.lake.lines, keeping=1)
            self.result.orphans = sum(map(delete_orphans, self.lake.tables.values()))
        self.erases = False
        self.mark.write(erases=False)
        self.known = KnownStores(self.target / "known.sqlite")
        if self.known.snapshot() != self.lake.snapshot():
            self.known.write(self.lake.known(), self.lake.snapshot(), replacing=True)

    def _read_all(self, pool):
        """Reads all stores, and commits whenever a batch of them has new lines.

        Two batches are read ahead, so the workers have work during a commit.
        """
        batch = self.request.batch
        submitted = (pool.submit(workers.read, store, self.known.of(store)) for store in self.stores)
        futures, readings = deque(islice(submitted, 2 * batch)), []
        for done in range(1, len(self.stores) + 1):
            found, counts = futures.popleft().result()
            futures.extend(islice(submitted, 1))
            readings += (reading for reading in found if reading.has_news)
            self.result.requests.update(counts)
            self.progress(done, len(self.stores))
            if sum(bool(reading.rows) for reading in readings) >= batch:
                self._commit(readings)
                readings = []
        self._commit(readings)

    def _commit(self, readings):
        loaded = [reading for reading in readings if reading.rows]
        if loaded:
            schemas = {schema.name: schema for reading in loaded for schema in reading.schemas}
            if schemas:
                self.lake.add_schemas(list(schemas.values()))
            replaced = {(reading.store, reading.partial, lineage): transactions
                        for reading in loaded for lineage, transactions in reading.replaced.items()}
            if replaced and not self.erases:
                self.erases = True
                self.mark.write(erases=True)
            rows = pa.concat_tables([LINES.empty_table(), *(read_rows(reading.rows)
                                                            for reading in loaded)])
            self.lake.commit(rows, replaced)
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
        for reading in readings:
            shutil.rmtree(self.staging / reading.store, ignore_errors=True)

    def _end(self):
        self.result.quarantined = self._quarantine()
        self.lake.write_quarantine(self.result.quarantined)
        self.result.merged = tidy(self.lake.lines)
        if self.erases:
            expire(self.lake.lines, keeping=1)
            self.result.orphans += delete_orphans(self.lake.lines)
        self.known.write([], self.lake.snapshot())
        self.known.close()
        shutil.rmtree(self.staging)
        self.mark.remove()

    def _quarantine(self):
        """The stores that could not be loaded, and the silent ones."""
        rows, limit = [], None
        if self.request.silent is not None:
            limit = (datetime.now(timezone.utc) - self.request.silent).strftime("%Y-%m-%dT%H:%M:%S")
        since = {(row["store"], row["partial"]): row["since"] for row in self.lake.quarantine()}
        present, now = set(self.stores), now_text()
        for store, partial, entry in self.known.all():
            verdict = entry.verdict
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
