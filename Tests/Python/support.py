"""What the tests of the package share: the built programs, and the history as they report it."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Python"))
TRAVELOG, TRIPS = (os.environ.get(name.upper(), str(ROOT / ".build/debug" / name))
                   for name in ("travelog", "trips"))
# The package finds the program on the PATH.
os.environ["PATH"] = f"{Path(TRAVELOG).parent}{os.pathsep}{os.environ['PATH']}"


def travelog(command, *words):
    """Runs a command that must succeed, and returns the objects of its answer."""
    done = subprocess.run([TRAVELOG, command, "--json", *map(str, words)], capture_output=True,
                          text=True)
    assert done.returncode == 0 and not done.stderr, done.stdout + done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def transactions(path):
    """The transactions that changed rows, the oldest first, with their changes."""
    travelog("status", path)
    return [each for each in travelog("log", path, "--patch")[::-1] if each["changes"]]


def who(transaction):
    """The author, the reason and the request of a transaction."""
    return tuple(transaction.get(key) for key in ("author", "reason", "request"))


class FolderTest(unittest.TestCase):
    """A test with a temporary folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
