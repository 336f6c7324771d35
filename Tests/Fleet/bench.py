#!/usr/bin/env python3
"""Measures loads of a large fleet, as ratios to one `travelog verify` of the same logs.

    bench.py FOLDER STORES CHANGES ENGINE...

Makes STORES stores with CHANGES changes each below FOLDER, if they are not there yet. Loads them with each
ENGINE (local, spark), changes a hundredth of them and loads again. Then queries the first lake. An
interrupted run continues to make stores where it was.
"""
import ctypes, json, os, shutil, subprocess, sys, time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import date, timedelta
from pathlib import Path

from support import FLEET
import world
from travelog_fleet.engines import DuckDB, rules
from travelog_fleet.lake import Lake

PR_SET_CHILD_SUBREAPER = 36


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
    seconds, usages = time.monotonic() - begin, [usage]
    # What the program left behind, as the machine of Spark, is now a child of this process.
    with suppress(ChildProcessError):
        while True:
            usages.append(os.wait4(-1, 0)[2])
    code = os.waitstatus_to_exitcode(status)
    if code not in (0, 17):
        raise SystemExit(f"{command} ended with {code}")
    return (seconds, sum(usage.ru_utime + usage.ru_stime for usage in usages),
            max(usage.ru_maxrss for usage in usages) / 1024, output.decode())


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


def load(folder, engine, peer):
    """Measures loads with an engine into a new lake; returns the lake."""
    logs, lake = folder / "logs", folder / f"lake-{engine}"
    shutil.rmtree(lake, ignore_errors=True)
    options = ["--engine", engine, *(("--master", "local[*]") if engine == "spark" else ())]
    for name in ("first load", "load without news", "load of 1 % changed"):
        if name == "load of 1 % changed":
            change(folder, logs)
        *found, output = measured(*FLEET, "load", logs, lake, "--travelog", world.TRAVELOG, "--json", *options)
        answer = json.loads(output.splitlines()[-1])
        report(f"{engine}: {name}", *found, peer, json.dumps({
            key: answer[key] for key in ("changed", "transactions", "changes", "commits", "requests")
        }))
    print(f"lake of {size(lake / 'warehouse') / 2**20:.0f} MiB")
    return lake


def queries(engine):
    """The questions, with a store and a day that have many changes."""
    _, ((store, entity, identifier),) = engine.query(
        "SELECT store, entity, id FROM lines WHERE kind = 'change' GROUP BY ALL ORDER BY count(*) DESC, 1"
        " LIMIT 1")
    _, ((day,),) = engine.query(
        "SELECT substring(ts, 1, 10) FROM transactions GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1")
    next_day = str(date.fromisoformat(day) + timedelta(1))
    engine.look_at({"now": f"{next_day}T00:00:00.000000Z", "before": f"{day}T00:00:00.000000Z",
                    "after": f"{next_day}T00:00:00.000000Z"}, rules())
    one = f"store = '{store}'"
    return {
        "state of a store": f"SELECT * FROM state WHERE moment = 'now' AND {one}",
        "history of an object": f"SELECT * FROM lines WHERE {one} AND entity = '{entity}' AND id = '{identifier}'",
        "differences of a store": f"SELECT * FROM differences WHERE {one}",
        "findings of a day": f"SELECT * FROM findings WHERE day = '{day}'",
        "all findings": "SELECT finding, count(*) FROM findings GROUP BY 1",
        "differences of a day": "SELECT op, count(*) FROM differences GROUP BY 1",
        "all objects": "SELECT origin_entity, count(*) FROM objects WHERE moment = 'now' GROUP BY 1",
    }


def ask(lake):
    """Measures queries in this process, so without the start of Python."""
    engine = DuckDB(Lake(lake))
    print(f"{'query':<28}{'seconds':>9}{'processor':>11}{'rows':>11}")
    for name, sql in queries(engine).items():
        best = None
        for _ in range(2):
            begin, processor = time.monotonic(), time.process_time()
            rows = len(engine.query(sql)[1])
            found = (time.process_time() - processor, time.monotonic() - begin)
            best = min(best or found, found)
        print(f"{name:<28}{best[1]:>9.2f}{best[0]:>11.2f}{rows:>11}", flush=True)
    engine.close()


def main(folder, stores, changes, *engines):
    folder = Path(folder)
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    begin = time.monotonic()
    make(folder, int(stores), int(changes))
    print(f"{stores} stores of {changes} changes, made in {time.monotonic() - begin:.0f} s;"
          f" logs of {size(folder / 'logs') / 2**20:.0f} MiB")
    print(f"{'':<28}{'seconds':>9}{'processor':>11}{'MiB':>9}{'ratio':>8}")
    *found, _ = measured(world.TRAVELOG, "verify", folder / "logs", "--quiet")
    report("travelog verify", *found, found[1], "")
    lakes = [load(folder, engine, found[1]) for engine in engines]
    ask(lakes[0])


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
