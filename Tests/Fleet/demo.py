#!/usr/bin/env python3
"""Makes a small fleet, loads it, and asks it some questions.

    demo.py FOLDER
"""
import shutil, subprocess, sys
from pathlib import Path

from support import FLEET
import world

QUESTIONS = [
    ("The verdicts of the quarantine", [], "SELECT verdict, count(*) FROM quarantine GROUP BY 1 ORDER BY 1"),
    ("Who changed how many objects", [],
     "SELECT author, count(*), sum(inserted + updated + deleted) FROM activity"
     " WHERE op <> 'snapshot' GROUP BY 1 ORDER BY 2 DESC LIMIT 5"),
    ("The findings", [], "SELECT finding, count(*) FROM findings GROUP BY 1 ORDER BY 1"),
    ("Where people wanted to go on 10 January 2024", ["--moment", "then=2024-01-10"],
     "SELECT value, count(*) FROM state WHERE name = 'destination' GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 5"),
]


def main(folder):
    folder = Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    logs, members = world.make_fleet(folder, 15, 1)
    lake = folder / "lake"
    print(f"$ travelog-fleet load {logs} {lake}", flush=True)
    # It ends with 1, because some stores are damaged.
    done = subprocess.run([*FLEET, "load", logs, lake, "--travelog", world.TRAVELOG])
    if done.returncode != 1:
        return done.returncode or 2
    for about, moments, sql in QUESTIONS:
        print(f"\n{about}:\n$ travelog-fleet query {lake} {' '.join(moments)} \"{sql}\"", flush=True)
        subprocess.run([*FLEET, "query", lake, sql, *moments], check=True)
    page = folder / "fleet.html"
    subprocess.run([*FLEET, "page", lake, "--output", page], check=True)
    print(f"\nThe page is {page}. All of it is in {folder}.")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
