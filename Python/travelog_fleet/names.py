"""The names of files in a log folder, as docs/FORMAT.md has them."""
import re
from typing import NamedTuple

LOG = re.compile(
    r"store=(?P<store>[0-9A-F-]{36})/(?:partial=(?P<partial>[0-9a-f]+)/)?lineage=(?P<lineage>\d+)/"
    r"date=\d{4}-\d\d-\d\d/(?P<first>\d{20})-(?P<last>\d{20})\.ndjson\.gz"
)
SNAPSHOT = re.compile(
    r"store=(?P<store>[0-9A-F-]{36})/lineage=(?P<lineage>\d+)/snapshots/(?P<id>\d{20})\.ndjson\.gz"
)
STORE = re.compile(r"store=([0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12})")


class LogName(NamedTuple):
    """A log by its place in the folder."""

    key: str
    partial: str
    lineage: int
    first: int
    last: int
    # Whether it is a snapshot, with which logs begin that do not reach back to the beginning.
    is_snapshot: bool = False


def log_name(key):
    """The log that a key names, or None if it names something else."""
    match = LOG.fullmatch(key)
    if match is None:
        return None
    lineage, first, last = (int(match[name]) for name in ("lineage", "first", "last"))
    return LogName(key, match["partial"] or "", lineage, first, last)


def logs_and_bases(keys):
    """The logs among some keys in their order, after the snapshots with which lineages begin."""
    names = [name for name in map(log_name, keys) if name]
    snapshots = [match for match in map(SNAPSHOT.fullmatch, keys) if match]
    begins = {}
    for name in names:
        begins[name.lineage] = min(name.first, begins.get(name.lineage, name.first))
    for match in snapshots:
        lineage, number = int(match["lineage"]), int(match["id"])
        if begins.get(lineage, number + 1) == number + 1:
            names.append(LogName(match[0], "", lineage, number, number, True))
    # Of logs that begin alike, the longest first: a compaction has not deleted the others yet.
    return sorted(names, key=lambda name: (name.lineage, name.first, -name.last))


def store_folder(store, partial=""):
    return f"store={store}/" + (f"partial={partial}/" if partial else "")


def lineage_folder(store, partial, lineage):
    return f"{store_folder(store, partial)}lineage={lineage}/"


def token_key(store, partial=""):
    return store_folder(store, partial) + "_token.json"


def is_erasures(key):
    """Whether a key names the erasure records of a lineage."""
    return key.endswith("/_erasures.ndjson")


def erasures_key(store, lineage):
    return lineage_folder(store, "", lineage) + "_erasures.ndjson"
