"""Makes stores whose logs have every feature of a log, by running the programs.

A store that was written by the first release of the app and migrated; every kind of change; writers
that are not ours; and values that other programs like to get wrong.
"""
import sqlite3, subprocess
from pathlib import Path

ODD_TEXTS = ["", " ", "null", "NaN", "true", "0", "007", "1e5", "2026-09-20", "\u0000 in the middle \u0000",
             "tab\tline\r\nfeed", "quote \" backslash \\ slash /", "\u2028\u2029\ufeff", "e\u0301 and \u00e9",
             "👨‍👩‍👧 🏔️ 日本語 עברית", "\U0010ffff", "{\"json\":[1,2]}", "x" * 60_000]


def run(*command):
    """Runs a program, which must succeed without output."""
    subprocess.run(command, check=True)


def change_by_sql(path, statements):
    """Foreign changes by a script, which triggers capture."""
    with sqlite3.connect(path, isolation_level=None) as connection:
        connection.execute("BEGIN")
        for sql, parameters in statements:
            connection.execute(sql, parameters)
        connection.execute("COMMIT")
    connection.close()


def odd_changes(path):
    """Values at the limits of their types, and those that JSON can't express."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as connection:
        items = [row[0] for row in connection.execute("SELECT id FROM BucketListItem ORDER BY id")]
        trips = [row[0] for row in connection.execute("SELECT id FROM Trip ORDER BY id")]
        stays = [row[0] for row in connection.execute("SELECT id FROM LivingAccommodation ORDER BY id")]
    connection.close()
    for index, text in enumerate(ODD_TEXTS):
        yield "UPDATE BucketListItem SET title = ?, details = ? WHERE id = ?", (text, text * 2, items[index])
    integers = [2**62, -(2**62), 2**53 + 1, -(2**53) - 1, 0]
    for stay, number in zip(stays, integers):
        yield "UPDATE LivingAccommodation SET loyaltyPoints = ? WHERE id = ?", (number, stay)
    for stay, number in zip(stays, [0, 1, 2**53 + 1, 2**63 - 1, "09223372036854775808", "18446744073709551615"]):
        yield "UPDATE LivingAccommodation SET wifiBytes = ? WHERE id = ?", (number, stay)
    for stay, data in zip(stays, [b"", b"\x00", bytes(range(256)), None]):
        yield "UPDATE LivingAccommodation SET doorCode = ? WHERE id = ?", (data, stay)
    for trip, number in zip(trips, [float("inf"), float("-inf"), "NaN", -0.0, 5e-324, 1.5e300, 1e-5, None]):
        yield "UPDATE Trip SET rating = ? WHERE id = ?", (number, trip)
    # Seconds since 2001: a fraction of many digits, the year 1, the year 9999, and one beyond.
    for item, date in zip(items, [800_000_000.123456789, 0.5, -63_113_904_000.0, 252_423_993_599.0, 1e15]):
        yield "UPDATE BucketListItem SET doneAt = ? WHERE id = ?", (date, item)
    yield "UPDATE Trip SET budget = '79228162514264337593543950335' WHERE id = ?", (trips[0],)
    yield "UPDATE Trip SET budget = '-0.0000000000000000001' WHERE id = ?", (trips[1],)
    yield "DELETE FROM BucketListItem WHERE id = ?", (items[-1],)


def make_store(trips, path, changes, seed):
    """A store of the current release with every feature; returns the path."""
    run(trips, "seed", path, "--changes", str(changes), "--seed", str(seed))
    change_by_sql(path, odd_changes(path))
    return path


def make_migrated_store(trips, path):
    """A store of the first release that the current one migrated and wrote."""
    run(trips, "seed", path, "--release", "1", "--changes", "400", "--seed", "3")
    run(trips, "add", path, "--name", "Northern lights", "--destination", "Tromsø",
        "--start", "2027-02-01", "--end", "2027-02-08")
    run(trips, "book", path, "Northern lights", "--place", "Hotel Nordlys")
    run(trips, "widget", "confirm", path, "Northern lights")
    run(trips, "edit", path, "Northern lights", "--destination", "Alta", "--item", "See the aurora")
    run(trips, "delete", path, "Northern lights")
    return path


def export(travelog, store, logs, *points):
    """Exports in several runs, for several files; returns the folder."""
    for point in points:
        run(travelog, "export", store, "--to", logs, "--until", str(point))
    run(travelog, "export", store, "--to", logs)
    run(travelog, "verify", "--quiet", logs, "--against", store)
    return Path(logs)
