#!/usr/bin/env python3
"""Measures loads of a large fleet, as ratios to one `travelog verify` of the same logs.

    bench.py FOLDER STORES CHANGES

Makes STORES stores with CHANGES changes each below FOLDER, if they are not there yet, loads them, changes
a hundredth of them and loads again. An interrupted run continues to make stores where it was.
"""
import json, os, shutil, subprocess, sys, time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from support import FLEET
import world


def make_store(folder, number, changes):
    """One store and its logs; of every hundredth, the store is kept."""
    done = folder / "done" / str(number)
    if done.exists():
        return
    place = folder / "tmp" / str(number)
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    store = place / "trips.store"
    world.run(world.TRIPS, "seed", store, "--changes", changes, "--seed", 1_000_000 + number,
              "--small-photos")
    world.run(world.TRAVELOG, "export", store, "--to", place / "logs")
    for path in (place / "logs").glob("store=*"):
        shutil.rmtree(folder / "logs" / path.name, ignore_errors=True)
        shutil.move(path, folder / "logs")
    if number % 100 == 0:
        shutil.move(store, folder / "stores" / f"{number}.store")
    shutil.rmtree(place)
    done.touch()


def make(folder, stores, changes):
    for name in ("done", "tmp", "logs", "stores"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda number: make_store(folder, number, changes), range(1, stores + 1)))


def measured(*command):
    """Runs a program; returns seconds, processor seconds, MiB of its largest process, and its output."""
    begin = time.monotonic()
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    code = os.waitstatus_to_exitcode(status)
    if code not in (0, 17):
        raise SystemExit(f"{command} ended with {code}")
    return (time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024,
            output.decode())


def size(folder):
    return sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())


def report(name, seconds, processor, memory, peer, more):
    """Prints a line; the ratio is that of processor times, which other programs disturb less."""
    print(f"{name:<28}{seconds:>9.1f}{processor:>11.1f}{memory:>9.0f}{processor / peer:>8.2f}  {more}",
          flush=True)


def change(folder, logs):
    """Gives a hundredth of the stores one more transaction."""
    for store in sorted((folder / "stores").glob("*.store")):
        world.run(world.TRIPS, "add", store, "--name", f"Journey {time.time_ns()}",
                  "--destination", "Narvik", "--start", "2027-03-01", "--end", "2027-03-08")
        world.run(world.TRAVELOG, "export", store, "--to", logs)


def main(folder, stores, changes):
    folder, logs, lake = Path(folder), Path(folder) / "logs", Path(folder) / "lake"
    begin = time.monotonic()
    make(folder, int(stores), int(changes))
    print(f"{stores} stores of {changes} changes, made in {time.monotonic() - begin:.0f} s;"
          f" logs of {size(logs) / 2**20:.0f} MiB")
    print(f"{'':<28}{'seconds':>9}{'processor':>11}{'MiB':>9}{'ratio':>8}")
    *found, _ = measured(world.TRAVELOG, "verify", logs, "--quiet")
    peer = found[1]
    report("travelog verify", *found, peer, "")
    shutil.rmtree(lake, ignore_errors=True)
    for name in ("first load", "load without news", "load of 1 % changed"):
        if name == "load of 1 % changed":
            change(folder, logs)
        *found, output = measured(*FLEET, "load", logs, lake, "--travelog", world.TRAVELOG, "--json")
        answer = json.loads(output.splitlines()[-1])
        report(name, *found, peer, json.dumps({
            key: answer[key] for key in ("changed", "transactions", "changes", "commits", "requests")
        }))
    print(f"lake of {size(lake / 'warehouse') / 2**20:.0f} MiB")
    for name, sql in (
        ("query of findings", "SELECT finding, count(*) FROM findings GROUP BY 1"),
        ("query of a state", "SELECT origin_entity, count(*) FROM objects GROUP BY 1"),
    ):
        *found, _ = measured(*FLEET, "query", lake, sql)
        report(name, *found, peer, "")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
