"""Makes one store and its logs, by running the programs."""
import os, random, sqlite3, subprocess
from dataclasses import dataclass
from pathlib import Path

TRAVELOG = os.environ.get("TRAVELOG", "travelog")
TRIPS = os.environ.get("TRIPS", "trips")


def run(*command, codes=(0,)):
    """Runs a program, which must end with one of some codes; returns its output."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode not in codes:
        raise AssertionError(f"{command} ended with {done.returncode}: {done.stderr}")
    return done.stdout


@dataclass
class Member:
    """A store of the fleet, and what is special about it."""

    kind: str
    seed: int
    store: Path
    identifier: str
    # The verdict that a load must reach; None for stores that it must load.
    verdict: str | None = None
    # An object whose values were erased, and a copy of the logs from before the erasure.
    erased: tuple | None = None
    whole_logs: Path | None = None


class Maker:
    """Makes one store and its logs in a folder of its own."""

    def __init__(self, folder, seed):
        self.folder, self.seed, self.random = Path(folder), seed, random.Random(seed)
        self.store, self.logs = self.folder / "trips.store", self.folder / "logs"
        self.folder.mkdir(parents=True)

    def begin(self, *options, changes=None):
        changes = changes or self.random.randint(40, 120)
        run(TRIPS, "seed", self.store, "--seed", self.seed, "--changes", changes, "--small-photos",
            *options)

    def add(self, name="Northern lights"):
        run(TRIPS, "add", self.store, "--name", name, "--destination", "Tromsø",
            "--start", "2027-02-01", "--end", "2027-02-08")

    def edit(self, destination):
        run(TRIPS, "edit", self.store, "Northern lights", "--destination", destination)

    def sql(self, *statements):
        with sqlite3.connect(self.store) as connection:
            for statement in statements:
                connection.execute(statement)
        connection.close()

    def export(self, *options, logs=None, codes=(0,)):
        run(TRAVELOG, "export", self.store, "--to", logs or self.logs, *options, codes=codes)

    def head(self):
        with sqlite3.connect(self.store) as connection:
            last = connection.execute("SELECT max(id) FROM history_transaction").fetchone()[0]
        connection.close()
        return last

    def point(self):
        return self.random.randint(1, max(self.head() - 1, 1))

    def files(self):
        return sorted(self.logs.glob("store=*/lineage=*/date=*/*.ndjson.gz"))

    def member(self, kind, **rest):
        folder = next(self.logs.glob("store=*"))
        return Member(kind, self.seed, self.store, folder.name.partition("=")[2], **rest)
