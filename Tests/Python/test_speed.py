"""The speed and the memory of reading. LONG=1 reads a million changes."""
import itertools
import os
import resource
import subprocess
import sys
import unittest

import support
from support import FolderTest, travelog


class SpeedTests(FolderTest):
    def test_reading_is_five_times_as_fast_as_verifying_and_needs_little_memory(self):
        count = 1_000_000 if os.environ.get("LONG") else 60_000
        store, logs = self.folder / "trips.store", self.folder / "logs"
        subprocess.run([support.TRIPS, "seed", store, "--changes", str(count), "--small-photos"],
                       check=True, capture_output=True)
        travelog("export", store, "--to", logs)
        ours = ("import re, sys, travelog\nprint(sum(1 for each in travelog.read(sys.argv[1])),"
                " *re.findall(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read()))")
        began = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([sys.executable, "-c", ours, logs], check=True, capture_output=True,
                              env=os.environ | {"PYTHONPATH": str(support.ROOT / "Python")})
        middle = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, support.ROOT / "Tests/Readers/read_log.py",
                        *logs.glob("store=*/lineage=*/date=*/*.ndjson.gz")],
                       check=True, capture_output=True)
        end = resource.getrusage(resource.RUSAGE_CHILDREN)
        fast, slow = (later.ru_utime + later.ru_stime - earlier.ru_utime - earlier.ru_stime
                      for earlier, later in itertools.pairwise((began, middle, end)))
        found, memory = map(int, done.stdout.split())
        print(f"\n{count} changes: {fast:.2f} s and {memory >> 10} MiB, "
              f"{slow:.2f} s by the reader that verifies", flush=True)
        self.assertEqual(found, count)
        self.assertLess(memory, 64 << 10)
        # The start of Python takes a part of a short run.
        self.assertGreater(slow / fast, 5 if "LONG" in os.environ else 3)


if __name__ == "__main__":
    unittest.main()
