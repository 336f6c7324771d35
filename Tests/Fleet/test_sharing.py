"""Several loads that write to the same tables at the same time."""
import os, random, shutil, subprocess, time, unittest, uuid
from pathlib import Path

from support import FLEET, SEED, FolderTests, add_journey
from cluster import free_port
from test_erasure import SECRET, erase_secret, files_with, with_secret
import world

KILLS = int(os.environ.get("FLEET_KILLS", "6"))
# Where Debian has the programs of PostgreSQL.
POSTGRES = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))


class SharingTests(FolderTests):
    def setUp(self):
        super().setUp()
        self.random = random.Random(SEED)
        self.catalog = self.make_catalog()
        self.loads = [self.folder / name for name in ("a", "b")]
        # The tests of the table look at it through the first load's folder.
        self.lake = self.loads[0]

    def make_catalog(self):
        return f"sqlite:///{self.folder / 'catalog.sqlite'}"

    def options(self):
        return ("--catalog", self.catalog, "--warehouse", (self.folder / "warehouse").as_uri(),
                "--travelog", world.TRAVELOG, "--batch", "3", "--quiet")

    def start(self, logs, target):
        """Starts a load as a process of its own."""
        return subprocess.Popen([*map(str, (*FLEET, "load", logs, target, *self.options()))],
                                stderr=subprocess.PIPE, text=True)

    def load_at_once(self, *sources):
        """Loads each source into its folder, all at the same time."""
        processes = [self.start(logs, target) for logs, target in zip(sources, self.loads)]
        for process in processes:
            _, errors = process.communicate(timeout=300)
            self.assertIn(process.returncode, (0, 1, 17), errors)

    def split(self, logs, members):
        """Gives each load logs of its own; returns the folders."""
        folders = [self.folder / f"logs-{number}" for number in range(2)]
        for number, member in enumerate(members):
            shutil.copytree(logs / f"store={member.identifier}",
                            folders[number % 2] / f"store={member.identifier}")
        for folder in folders:
            if (logs / "blobs").exists():
                shutil.copytree(logs / "blobs", folder / "blobs", dirs_exist_ok=True)
        return folders

    def assert_no_rows_of_schemas_twice(self):
        from travelog_fleet.lake import Lake
        found = Lake(self.lake)
        for name, columns in (("schemas", ("schema",)), ("properties", ("schema", "entity", "name"))):
            rows = found.tables[name].scan(selected_fields=columns).to_arrow().to_pylist()
            keys = [tuple(row.values()) for row in rows]
            self.assertEqual(len(keys), len(set(keys)), name)

    def test_loads_of_different_stores_at_the_same_time_both_succeed(self):
        logs, members = self.make(world.plain, world.incremental, world.migrated, world.foreign,
                                  world.restored, world.damaged)
        self.load_at_once(*self.split(logs, members))
        self.assert_once(logs, members)
        self.assert_no_rows_of_schemas_twice()

    def test_loads_of_the_same_stores_at_the_same_time_load_every_line_once(self):
        logs, members = self.make(world.plain, world.incremental, world.migrated, world.gapped,
                                  world.begun_by_snapshot, world.filtered)
        for number in range(3):
            self.load_at_once(logs, logs)
            self.assert_once(logs, members)
            add_journey(members[number], logs, f"Journey {number}")
        self.assert_no_rows_of_schemas_twice()

    def test_every_line_is_in_the_table_once_however_often_one_of_two_loads_is_killed(self):
        print(f"seed {SEED}, {KILLS} kills")
        logs, members = self.make(world.plain, world.incremental, world.foreign, world.restored)
        longest = 12.0
        for number in range(KILLS):
            processes = [self.start(logs, target) for target in self.loads]
            begin = time.monotonic()
            time.sleep(self.random.uniform(0, longest))
            self.random.choice(processes).kill()
            for process in processes:
                process.communicate(timeout=300)
            longest = max(2.0, min(longest, time.monotonic() - begin))
            add_journey(self.random.choice(members), logs, f"Journey {number}")
        self.load_at_once(logs, logs)
        self.assert_once(logs, members)
        self.assert_no_rows_of_schemas_twice()

    def test_an_erasure_removes_the_values_that_another_load_added(self):
        logs, members = self.make(with_secret, world.plain)
        self.load_at_once(logs, logs)
        erase_secret(logs, members[0])
        self.load_at_once(logs, logs)
        self.load_at_once(logs, logs)
        self.assertEqual(files_with(self.folder / "warehouse", SECRET), [])
        self.assert_once(logs, members)

    def test_a_load_says_nothing_about_stores_that_only_another_load_knows(self):
        logs, members = self.make(world.plain, world.damaged)
        folders = self.split(logs, members)
        self.load_at_once(*folders)
        self.load_at_once(*folders)
        from travelog_fleet.lake import Lake
        rows = Lake(self.lake).quarantine()
        self.assertEqual([(row["store"], row["verdict"]) for row in rows],
                         [(members[1].identifier, "damaged")])


@unittest.skipIf("FLEET_WITHOUT_POSTGRES" in os.environ or not POSTGRES, "without PostgreSQL")
class PostgresTests(SharingTests):
    """The same with a catalog in PostgreSQL, which listens only on this machine."""

    @classmethod
    def setUpClass(cls):
        import tempfile
        cls.place = Path(tempfile.mkdtemp(prefix="fleet-postgres-"))
        cls.addClassCleanup(shutil.rmtree, cls.place, ignore_errors=True)
        # PostgreSQL refuses to run for root.
        cls.user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        if cls.user:
            shutil.chown(cls.place, "postgres")
        programs, cls.port = POSTGRES[-1].parent, free_port()
        cls.programs = programs
        data = cls.place / "data"
        subprocess.run([*cls.user, programs / "initdb", "-D", data, "-A", "trust", "-U", "fleet",
                        "--no-sync"], check=True, capture_output=True)
        cls.server = subprocess.Popen(
            [*cls.user, programs / "postgres", "-D", data, "-p", str(cls.port), "-h", "127.0.0.1",
             "-k", cls.place, "-F"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        cls.addClassCleanup(cls.server.wait)
        cls.addClassCleanup(lambda: subprocess.run(
            [*cls.user, programs / "pg_ctl", "-D", data, "-m", "immediate", "stop"],
            capture_output=True))
        for _ in range(100):
            if subprocess.run([programs / "pg_isready", "-h", "127.0.0.1", "-p", str(cls.port)],
                              capture_output=True).returncode == 0:
                return
            time.sleep(0.2)
        raise AssertionError("PostgreSQL does not start")

    def make_catalog(self):
        name = f"fleet_{uuid.uuid4().hex}"
        subprocess.run([self.programs / "createdb", "-h", "127.0.0.1", "-p", str(self.port),
                        "-U", "fleet", name], check=True, capture_output=True)
        return f"postgresql+psycopg2://fleet@127.0.0.1:{self.port}/{name}"


if __name__ == "__main__":
    unittest.main()
