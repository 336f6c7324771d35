"""What `travelog` says about the logs of one store."""
import gzip, json, shutil, subprocess, sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from adopted import is_adopted, read_database
from spelling import canonical, decode, sizes
from maker import TRAVELOG

# The values of one property: canonical text, special text, reference to a large value.
ABSENT = (None, None, None)
# How many places of a finding are compared; a report lists more of them.
FIRST = 100


def read_state(path):
    """The objects in a snapshot: {(entity, id): {name: (value, special, large) or links}}."""
    found = {}
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        for line in file:
            row = decode(line)
            if row["kind"] != "change":
                continue
            special = row.get("special", {}).get("after", {})
            large = dict(sizes(row.get("large", {}).get("after", {})))
            found[row["entity"], row["id"]] = {
                name: sorted(map(canonical, value)) if isinstance(value, list)
                else (canonical(value), special.get(name), large.get(name))
                for name, value in row["after"].items()
            }
    return found


def state(logs, store, time, folder):
    """The state at a time: an import up to there, and a snapshot of the replica.

    Before the logs there is no object. None if the time is ambiguous, because a store was set back.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    replica, copy = folder / "replica.store", folder / "copy"
    done = subprocess.run(
        [TRAVELOG, "import", logs, "--store", store, "--into", replica, "--until", time,
         "--allow-unproven"],
        capture_output=True, text=True,
    )
    if done.returncode != 0:
        assert done.returncode != 64, done.stderr
        return None if "is ambiguous" in done.stderr else {}
    if is_adopted(replica):
        return read_database(replica)
    subprocess.run([TRAVELOG, "export", replica, "--to", copy, "--snapshot"], check=True,
                   capture_output=True)
    snapshots = list(copy.glob("store=*/lineage=*/snapshots/*.ndjson.gz"))
    return read_state(snapshots[0]) if snapshots else {}


def findings(logs, store, bulk, hours):
    """The findings of a report, {finding: (count, first places)}, and the report."""
    done = subprocess.run(
        [TRAVELOG, "report", f"{logs}/store={store}", "--json", "--bulk", str(bulk),
         "--office-hours", "{}-{}".format(*hours)],
        capture_output=True, text=True, check=True,
    )
    report = json.loads(done.stdout)
    lineages = [history["lineage"] for history in report["histories"]]
    return {
        found["finding"]: (found["count"], sorted(
            (lineages[item["history"]], item["transaction"]) for item in found["items"]
        )[:FIRST])
        for found in report["findings"]
    }, report


def differences(logs, store, first, second):
    """The answer of `travelog diff`, or None if it refuses."""
    folder = f"{logs}/store={store}"
    done = subprocess.run([TRAVELOG, "diff", f"{folder}@{first}", f"{folder}@{second}", "--json"],
                          capture_output=True, text=True)
    if done.returncode not in (0, 1) or not done.stdout:
        return None
    return done.stdout
