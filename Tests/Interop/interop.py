#!/usr/bin/env python3
"""Lets other programs read change logs, and compares their results with the store.

    interop.py TRAVELOG TRIPS FOLDER [READER...]

With its default options, each reader counts the lines and sums up every column; with the code in
docs/READING.md it answers three questions. SQLite reads the right answers from the store. Each reader
also finds the reasons of transactions. Prints a table, and ends with 1 if an answer differs.
"""
import math, shutil, sys, time
from pathlib import Path

import columns, reasons, sample_store, snippets

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "READING.md"


def make_logs(travelog, trips, folder):
    """Two folders, each with a store and its logs: a current one, and one with a migration."""
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("today", "migrated"):
        (folder / name).mkdir(parents=True)
    store = sample_store.make_store(trips, folder / "today" / "trips.store", 3000, 7)
    sample_store.export(travelog, store, folder / "today" / "logs", 100, 250)
    store = sample_store.make_migrated_store(trips, folder / "migrated" / "trips.store")
    sample_store.export(travelog, store, folder / "migrated" / "logs")


def logs(folder):
    return sorted((folder / "logs").glob("store=*/lineage=*/date=*/*.ndjson.gz"))


def is_close(found, expected, kind):
    """Whether two sums are equal, except for rounding of reals."""
    if kind == columns.REAL:
        return math.isclose(found or 0, expected, rel_tol=1e-9)
    return (found or 0) == expected


def compare_columns(reader, files, names, expected):
    """Reads with default options; returns lines, columns and problems."""
    (counts, sums), (wanted_counts, wanted) = columns.READERS[reader](files, names), expected
    complaints = []
    if counts != wanted_counts:
        complaints.append(f"changes and transactions are {counts}, in the store {wanted_counts}")
    for (side, name), (count, total) in sums.items():
        wanted_count, wanted_total = wanted[side, name]
        kind = names[name]
        if reader == "jq" and kind == columns.WHOLE and abs((total or 0) - wanted_total) < 2**10:
            total = wanted_total  # This reader has only doubles; see READING.md.
        if count != wanted_count or not is_close(total, wanted_total, kind):
            complaints.append(
                f"{side}.{name} has {count} values that sum up to {total}, in the store "
                f"{wanted_count} and {wanted_total}"
            )
    return sum(counts), len(sums), complaints


def compare_answers(reader, found, expected):
    """Compares the answers of a code block of the document."""
    if "count" in found:
        wanted = sum(count for _, _, count in expected["changes"])
        return [] if found["count"] == wanted else [f"counts {found['count']}, not {wanted}"]
    return [
        f"{question} are {str(found[question])[:300]}, by the store {str(wanted)[:300]}"
        for question, wanted in expected.items()
        if not snippets.agree(found[question], wanted)
    ]


def main(travelog, trips, folder, *only):
    folder, travelog, trips = (Path(path).resolve() for path in (folder, travelog, trips))
    make_logs(travelog, trips, folder)
    pieces = {reader: piece for reader, *piece in snippets.snippets(DOCUMENT)}
    readers = [name for name in pieces if name != "sqlite3" and (not only or name in only)]
    today, migrated = folder / "today", folder / "migrated"
    expected = {place: snippets.answers(*pieces["sqlite3"], place) for place in (today, migrated)}
    names = columns.columns(logs(today))
    of_store = columns.of_store(today / "trips.store", names)
    adopted = reasons.make_logs(travelog, folder / "adopted")
    print(f"{len(logs(today))} logs of one schema, {len(logs(migrated))} with a migration")
    print(f"{'reader':<10}{'lines':>8}{'sums':>8}{'answers':>9}{'seconds':>9}  agrees")
    good = True
    for reader in readers:
        begin, complaints, lines, sums, questions = time.monotonic(), [], 0, 0, 0
        if reader in columns.READERS:
            lines, sums, complaints = compare_columns(reader, logs(today), names, of_store)
            complaints += reasons.complaints(reader, adopted)
        for place in (today, migrated):
            found = snippets.answers(*pieces[reader], place)
            questions += len(found)
            complaints += compare_answers(reader, found, expected[place])
        seconds = time.monotonic() - begin
        verdict = "yes" if not complaints else "NO"
        print(f"{reader:<10}{lines:>8}{sums:>8}{questions:>9}{seconds:>9.1f}  {verdict}", flush=True)
        for complaint in complaints:
            print(f"  {complaint}")
        good = good and not complaints
    return 0 if good else 1


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
