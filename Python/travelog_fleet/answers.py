"""Numbers in words, progress on a terminal, and metrics for node_exporter."""
import os, sys, time
from collections import Counter


def counted(number, noun):
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


class Progress:
    """A line on standard error that counts stores."""

    def __init__(self, when):
        self.is_shown = when == "always" or (when == "auto" and sys.stderr.isatty())
        self.last = 0.0

    def __enter__(self):
        return self

    def __call__(self, done, total):
        now = time.monotonic()
        if self.is_shown and (now - self.last > 0.2 or done == total):
            self.last = now
            print(f"\r{done} of {total} stores", end="", file=sys.stderr, flush=True)

    def __exit__(self, *_):
        if self.is_shown and self.last:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def write_metrics(path, result, code):
    """Writes a file for the textfile collector, which never sees a part of it."""
    now = time.time()
    lines = [
        gauge("stores", "Stores in the source.", result.stores),
        gauge("changed_stores", "Stores with new logs in the last load.", result.changed),
        gauge("transactions", "Transactions that the last load added.", result.transactions),
        gauge("changes", "Changes that the last load added.", result.changes),
        gauge("unproven_stores", "Stores with a part that is not proven.", len(result.unproven)),
        gauge("last_seconds", "Duration of the last load.", round(result.seconds, 3)),
        gauge("last_exit_code", "Exit code of the last load.", code),
        gauge("last_timestamp_seconds", "Time of the last load.", round(now, 3)),
    ]
    for name in ("reads", "lists", "bytes"):
        lines.append(gauge(f"source_{name}", f"{name.capitalize()} of the source.",
                           result.requests[name]))
    lines.append("# HELP travelog_fleet_quarantined Stores in quarantine.\n"
                 "# TYPE travelog_fleet_quarantined gauge\n")
    counts = Counter(row["verdict"] for row in result.quarantined)
    for verdict in ("damaged", "forked", "missing", "silent", "unfinished", "unreadable", "failed"):
        lines.append(f'travelog_fleet_quarantined{{verdict="{verdict}"}} {counts[verdict]}\n')
    new = f"{path}.new"
    with open(new, "w") as file:
        file.writelines(lines)
    # The collector is another user.
    os.chmod(new, 0o644)
    os.replace(new, path)


def gauge(name, about, value):
    name = f"travelog_fleet_{name}"
    return f"# HELP {name} {about}\n# TYPE {name} gauge\n{name} {value}\n"
