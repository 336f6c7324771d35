"""Loads that are killed at random. FLEET_KILLS says how often."""
import os, random, subprocess, time, unittest

from support import FLEET, SEED, FolderTests, add_journey, load, orphans
from test_erasure import SECRET, erase_secret, files_with, with_secret
import world

KILLS = int(os.environ.get("FLEET_KILLS", "6"))


class KillTests(FolderTests):
    def setUp(self):
        super().setUp()
        self.random = random.Random(SEED)

    def killed_load(self, logs, longest):
        """Loads, and kills the load after a random time; returns whether it was killed."""
        command = [*FLEET, "load", logs, self.lake, "--travelog", world.TRAVELOG, "--batch", "3",
                   "--quiet"]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
            try:
                process.wait(self.random.uniform(0, longest))
                return False
            except subprocess.TimeoutExpired:
                process.kill()
                return True

    def change(self, logs, members, number):
        """Gives some stores new logs, and sometimes merges logs."""
        for member in self.random.sample(members, 3):
            add_journey(member, logs, f"Journey {number}")
        if self.random.random() < 0.2:
            # It ends with 4, because one of the stores is damaged.
            world.run(world.TRAVELOG, "compact", logs, codes=(0, 4))

    def test_every_line_is_in_the_table_once_however_often_loads_are_killed(self):
        print(f"seed {SEED}, {KILLS} kills")
        kinds = [world.plain, world.incremental, world.foreign, world.migrated, world.gapped,
                 world.restored, world.begun_by_snapshot, world.compacted]
        logs, members = self.make(*kinds, world.filtered, world.damaged)
        begin = time.monotonic()
        load(logs, self.folder / "other")
        longest, kills, number = time.monotonic() - begin, 0, 0
        while kills < KILLS:
            if self.killed_load(logs, longest):
                kills += 1
            else:
                number += 1
                self.change(logs, members[:len(kinds)], number)
        load(logs, self.lake)
        self.assert_once(logs, members)
        self.assertEqual(orphans(self.lake), [])

    def test_nothing_erased_stays_in_the_lake_however_often_loads_are_killed(self):
        print(f"seed {SEED}, {KILLS} kills")
        logs, members = self.make(with_secret, world.plain, world.erased)
        begin = time.monotonic()
        load(logs, self.lake)
        longest = time.monotonic() - begin
        erase_secret(logs, members[0])
        for _ in range(max(2, KILLS // 4)):
            self.killed_load(logs, longest)
        load(logs, self.lake)
        self.assertEqual(files_with(self.lake, SECRET), [])
        self.assert_once(logs, members)
        self.assertEqual(orphans(self.lake), [])


if __name__ == "__main__":
    unittest.main()
