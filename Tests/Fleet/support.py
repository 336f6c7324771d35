"""What the tests share: running `travelog-fleet`, and reading a lake and logs without it."""
import gzip, io, json, os, random, shutil, signal, subprocess, sys, tempfile, unittest
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "Python")]
# Also for the programs that the tests run.
os.environ["PYTHONPATH"] = str(ROOT / "Python")

import world
from travelog_fleet.__main__ import main
from travelog_fleet.lake import Lake
from travelog_fleet.names import logs_and_bases
from travelog_fleet.tidying import files, path_of

FLEET = [sys.executable, "-B", "-m", "travelog_fleet"]
SEED = int(os.environ.get("SEED", "0")) or random.SystemRandom().randrange(1, 1_000_000)


def fleet(*arguments, **options):
    """Runs the program; returns its result."""
    command = [*FLEET, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, **options)


def load(logs, lake, *options, codes=(0, 1, 17)):
    """Loads; returns the answers by their types.

    It runs in this process, because a new one first takes seconds to import what it needs.
    """
    command = ["load", logs, lake, "--travelog", world.TRAVELOG, "--json", *options]
    output, errors = io.StringIO(), io.StringIO()
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with redirect_stdout(output), redirect_stderr(errors):
            code = main([str(word) for word in command])
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    if code not in codes:
        raise AssertionError(f"travelog-fleet load ended with {code}: {errors.getvalue()}")
    answers = [json.loads(line) for line in output.getvalue().splitlines()]
    return {kind: [answer for answer in answers if answer["type"] == kind]
            for kind in ("fleet_load", "fleet_quarantined", "fleet_unproven")}


def add_journey(member, logs, name):
    """Another transaction of a store, and its export."""
    world.run(world.TRIPS, "add", member.store, "--name", name, "--destination", "Narvik",
              "--start", "2027-03-01", "--end", "2027-03-08")
    world.run(world.TRAVELOG, "export", member.store, "--to", logs)


def places_in_lake(lake):
    """How often each line is in the table: store, filter, lineage, kind, transaction, sequence."""
    columns = ("store", "partial", "lineage", "kind", "txn", "seq")
    rows = Lake(lake).lines.scan(row_filter="txn > 0", selected_fields=columns).to_arrow()
    return Counter(zip(*(rows[name].to_pylist() for name in columns)))


def places_in_logs(logs, stores):
    """The same of the logs of some stores, each once."""
    found = Counter()
    for store in stores:
        folder = Path(logs) / f"store={store}"
        keys = [str(path.relative_to(logs)) for path in folder.rglob("*.ndjson.gz")]
        is_whole = any("/partial=" not in key for key in keys)
        keys = [key for key in keys if not (is_whole and "/partial=" in key)]
        for name in logs_and_bases(keys):
            with gzip.open(Path(logs) / name.key) as file:
                for line in file:
                    row = json.loads(line)
                    if row["kind"] in ("header", "trailer"):
                        continue
                    found[store, name.partial, name.lineage, row["kind"], row["txn"],
                          row.get("seq")] = 1
    return found


def orphans(lake):
    """The files below a lake's warehouse that do not belong to its tables."""
    found = Lake(lake)
    kept = {path_of(location) for table in found.tables.values() for location in files(table)}
    base = Path(path_of(found.warehouse))
    return [path for path in base.rglob("*") if path.is_file() and str(path) not in kept]


class FolderTests(unittest.TestCase):
    """Tests with a folder that is removed at their end."""

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="fleet-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.lake = self.folder / "lake"

    def make(self, *makers, seed=SEED):
        """A log folder with a store by each maker, and the makers' members."""
        logs, members = self.folder / "logs", []
        logs.mkdir(exist_ok=True)
        for number, make in enumerate(makers):
            maker = world.Maker(self.folder / f"{make.__name__}-{number}", seed * 1000 + number)
            member = make(maker)
            shutil.move(next(maker.logs.glob("store=*")), logs)
            if (maker.logs / "blobs").exists():
                shutil.copytree(maker.logs / "blobs", logs / "blobs", dirs_exist_ok=True)
            members.append(member)
        return logs, members

    def assert_once(self, logs, members):
        """Every line of the sound stores is in the table once, and nothing else is."""
        expected = places_in_logs(logs, [member.identifier for member in members
                                         if member.verdict is None])
        found = places_in_lake(self.lake)
        self.assertEqual([place for place, count in found.items() if count > 1][:5], [])
        self.assertEqual(list((expected - found).keys())[:5], [], "lines are missing")
        self.assertEqual(list((found - expected).keys())[:5], [], "there are other lines")
