"""Loads on a cluster of Spark, whose workers are killed."""
import os, random, subprocess, time, unittest

from support import FLEET, SEED, FolderTests, add_journey, load, orphans
import world

KILLS = int(os.environ.get("FLEET_KILLS", "6"))


@unittest.skipIf("FLEET_WITHOUT_SPARK" in os.environ, "without Spark")
class SparkLoadTests(FolderTests):
    def setUp(self):
        super().setUp()
        from cluster import Cluster
        self.cluster = Cluster(self.folder)
        self.addCleanup(self.cluster.stop)
        self.random = random.Random(SEED)

    def options(self):
        options = {**self.cluster.options(), "spark.speculation": "true"}
        found = [word for name, value in options.items() for word in ("--spark", f"{name}={value}")]
        return ["--engine", "spark", "--master", self.cluster.master, *found]

    def start(self, logs):
        """Starts a load as a process of its own."""
        command = [*FLEET, "load", logs, self.lake, "--travelog", world.TRAVELOG, "--batch", "3",
                   "--quiet", *self.options()]
        return subprocess.Popen(list(map(str, command)), stderr=subprocess.PIPE, text=True)

    def test_a_load_on_spark_makes_the_same_rows_and_quarantine_as_one_on_this_machine(self):
        from travelog_fleet.lake import Lake
        logs, members = self.make(*dict.fromkeys(world.KINDS))
        process = self.start(logs)
        _, errors = process.communicate(timeout=400)
        self.assertEqual(process.returncode, 1, errors)
        other = self.folder / "other"
        load(logs, other)
        self.assert_once(logs, members)
        rows = []
        for lake in map(Lake, (self.lake, other)):
            lines = lake.lines.scan().to_arrow().to_pylist()
            quarantine = [{**row, "since": None} for row in lake.quarantine()]
            rows.append((sorted(map(repr, lines)), sorted(map(repr, quarantine))))
        self.assertEqual(rows[0], rows[1])
        self.assertEqual(orphans(self.lake), [])

    def test_every_line_is_in_the_table_once_however_often_workers_and_drivers_are_killed(self):
        print(f"seed {SEED}, {KILLS} kills")
        logs, members = self.make(world.plain, world.incremental, world.foreign, world.migrated,
                                  world.restored)
        number = len(self.cluster.workers)
        for kill in range(KILLS):
            process = self.start(logs)
            time.sleep(self.random.uniform(3, 15))
            if kill % 2:
                self.random.choice(self.cluster.workers).kill()
                number += 1
                self.cluster.workers.append(self.cluster.add_worker(number))
                _, errors = process.communicate(timeout=400)
                self.assertEqual(process.returncode, 0, errors)
            else:
                process.kill()
                process.communicate()
            add_journey(self.random.choice(members), logs, f"Journey {kill}")
        load(logs, self.lake)
        self.assert_once(logs, members)
        self.assertEqual(orphans(self.lake), [])


if __name__ == "__main__":
    unittest.main()
