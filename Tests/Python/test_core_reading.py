"""The changes that the package reads, compared with the lines of logs. Needs no package."""
import base64
import gzip
import itertools
import json
import math
import os
import sqlite3
import subprocess
import sys
import unittest
from contextlib import closing
from datetime import datetime, timezone
from decimal import Decimal
from unittest import mock
from uuid import UUID

import support
from support import FolderTest, travelog

import travelog as package
from travelog import reading


def encoded(value, line):
    """A value as a log has it. Digits of a date after the microseconds are those of the line."""
    if isinstance(value, package.Reference):
        return {"entity": value.entity, "id": str(value.id)}
    if isinstance(value, tuple):
        return [encoded(each, line) for each in value]
    if isinstance(value, datetime):
        text = value.strftime("%Y-%m-%dT%H:%M:%S.%f").rstrip("0").rstrip(".")
        return line if line[:-1].startswith(text) else text + "Z"
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, (Decimal, UUID)):
        return str(value).upper() if isinstance(value, UUID) else format(value, "f")
    return str(value) if type(value) is int and isinstance(line, str) else value


def lines(logs):
    """The lines of changes in a log folder with one lineage, each with its transaction line."""
    for path in sorted(logs.glob("store=*/lineage=0/date=*/*.ndjson.gz")):
        waiting = []
        for line in gzip.open(path):
            record = json.loads(line)
            if record["kind"] == "change":
                waiting.append(record)
            elif record["kind"] == "transaction":
                yield from ((each, record) for each in waiting)
                waiting = []


class StoreTests(FolderTest):
    """A store of the library, with values of all types."""

    def setUp(self):
        super().setUp()
        self.store, self.logs = self.folder / "trips.store", self.folder / "logs"
        subprocess.run([support.TRIPS, "seed", self.store, "--changes", "1500", "--seed", "5",
                        "--small-photos"], check=True, capture_output=True)
        travelog("export", self.store, "--to", self.logs, "--max-file-size", "64KiB")

    def test_each_value_encoded_again_is_that_of_the_line(self):
        types, count = set(), 0
        for change, (line, end) in itertools.zip_longest(package.read(self.logs), lines(self.logs)):
            count += 1
            self.assertEqual(
                (change.transaction, change.author, change.reason, change.request, change.op,
                 change.entity, str(change.id)),
                (end["txn"], *map(end.get, ("author", "reason", "request")), line["op"],
                 line["entity"], line["id"]))
            self.assertEqual(encoded(change.time, end["ts"]), end["ts"])
            self.assertEqual(change.time.tzinfo, timezone.utc)
            for side, values in ("before", change.before), ("after", change.after):
                self.assertEqual(values is None, side not in line)
                for name, value in (values or {}).items():
                    types.add(type(value))
                    text = line[side].get(name, line[side].get(f"{change.entity}.{name}"))
                    self.assertEqual(encoded(value, text), text, name)
        self.assertEqual(count, 1500)
        self.assertLessEqual({bool, int, float, str, bytes, Decimal, datetime, package.Reference,
                              tuple, type(None)}, types)

    @unittest.skipIf(sqlite3.sqlite_version_info < (3, 37), "this SQLite has no STRICT tables")
    def test_a_store_has_the_same_changes_as_its_logs(self):
        self.assertEqual(list(package.read(self.store)), list(package.read(self.logs)))

    def test_one_log_and_the_folder_of_a_store_can_be_read(self):
        [store] = self.logs.glob("store=*")
        logs = sorted(store.glob("lineage=0/date=*/*.ndjson.gz"))
        self.assertGreater(len(logs), 1)
        self.assertEqual([change for log in logs for change in package.read(str(log))],
                         list(package.read(store)))

    def test_a_transaction_that_does_not_fit_into_memory_has_its_reason_too(self):
        with mock.patch.object(reading, "_MEMORY", 1000), mock.patch.object(reading, "_LINES", 3):
            spilled = list(package.read(self.logs))
        self.assertEqual(spilled, list(package.read(self.logs)))

    def test_a_log_that_is_cut_off_is_an_error_after_its_changes(self):
        log = min(self.logs.glob("store=*/lineage=0/date=*/*.ndjson.gz"))
        whole = list(package.read(log))
        kept = gzip.open(log).read().splitlines(keepends=True)[:-1]
        log.write_bytes(gzip.compress(b"".join(kept)))
        found = iter(package.read(log))
        self.assertEqual([next(found) for _ in whole], whole)
        with self.assertRaisesRegex(EOFError, "travelog verify"):
            next(found)
        log.write_bytes(log.read_bytes()[:-200])
        with self.assertRaises(EOFError):
            list(package.read(log))

    def test_other_files_are_errors(self):
        other = self.folder / "other.gz"
        other.write_bytes(gzip.compress(b'{"kind":"header","meta":{"format":"travelog/9"}}\n'))
        with self.assertRaisesRegex(ValueError, "travelog/1"):
            list(package.read(other))
        (self.folder / "empty").mkdir()
        with self.assertRaisesRegex(FileNotFoundError, "no logs"):
            list(package.read(self.folder / "empty"))
        with self.assertRaisesRegex(package.ProgramError, "There is no file"):
            list(package.read(self.folder / "missing"))

    def test_erased_values_are_unknown(self):
        gone = next(each for each in package.read(self.logs) if each.op == "delete")
        travelog("erase", self.logs, "--entity", gone.entity, "--id", gone.id,
                 "--store", self.store)
        [after] = [each for each in package.read(self.logs)
                   if (each.transaction, each.entity, each.id, each.op)
                   == (gone.transaction, gone.entity, gone.id, "delete")]
        self.assertEqual(after.before.keys(), gone.before.keys())
        self.assertEqual(set(after.before.values()), {package.Unknown.ERASED})


class AdoptedTests(FolderTest):
    """A database of another program, in which each column can have values of each type."""

    def adopted(self, *statements):
        self.path, self.logs = self.folder / "app.db", self.folder / "logs"
        with closing(sqlite3.connect(self.path)) as file:
            for statement in statements:
                file.execute(statement)
            file.commit()
        travelog("adopt", self.path)

    def write(self, *statements, author="alice", **more):
        with closing(sqlite3.connect(self.path)) as file:
            with package.author(file, author, **more):
                for statement in statements:
                    file.execute(*statement)

    def test_values_are_those_of_sqlite(self):
        self.adopted("CREATE TABLE t (id INTEGER PRIMARY KEY, v)", "INSERT INTO t VALUES (-1, 0)")
        values = [None, 7, -(2**63), 100.1, 7.0, math.inf, "bob", "text:x", "",
                  "ü\0書", b"", b"\0\xff"]
        for number, value in enumerate(values):
            self.write(("INSERT INTO t VALUES (?, ?)", (number, value)), reason=f"value {number}")
        # Without this, the changes are still captured only.
        found = list(package.read(self.path))
        self.assertEqual([each.after["v"] for each in found], values)
        self.assertEqual([type(each.after["v"]) for each in found], list(map(type, values)))
        self.assertEqual([each.id for each in found], list(range(len(values))))
        self.assertEqual([(each.author, each.reason) for each in found],
                         [("alice", f"value {number}") for number in range(len(values))])
        travelog("export", self.path, "--to", self.logs)
        self.assertEqual(list(package.read(self.logs)), found)

    def test_a_text_that_is_not_utf_8_keeps_its_bytes(self):
        self.adopted("CREATE TABLE t (id INTEGER PRIMARY KEY, v)")
        self.write(("INSERT INTO t VALUES (1, CAST(x'61ff' AS TEXT))",))
        [change] = package.read(self.path)
        self.assertEqual(change.after["v"].encode("utf-8", "surrogateescape"), b"a\xff")

    def test_names_are_those_of_the_columns_even_if_tables_spell_them_differently(self):
        self.adopted('CREATE TABLE "a.b" (id INTEGER PRIMARY KEY, "Name.x")',
                     'CREATE TABLE c (id INTEGER PRIMARY KEY, "name.x", "Y")')
        self.write(('INSERT INTO "a.b" VALUES (1, 2)',), ("INSERT INTO c VALUES (1, 2, 3)",))
        self.assertEqual([(each.entity, each.after) for each in package.read(self.path)],
                         [("a.b", {"id": 1, "Name.x": 2}), ("c", {"id": 1, "name.x": 2, "Y": 3})])

    def test_a_key_that_is_not_one_integer_is_a_text(self):
        self.adopted("CREATE TABLE t (a, b, PRIMARY KEY (a, b)) WITHOUT ROWID")
        self.write(("INSERT INTO t VALUES ('x', 7)",))
        [change] = package.read(self.path)
        self.assertEqual(change.id, '["text:x","integer:7"]')

    def test_a_large_value_names_its_file(self):
        self.adopted("CREATE TABLE t (id INTEGER PRIMARY KEY, v)")
        content = os.urandom(1 << 20) + b"end"
        self.write(("INSERT INTO t VALUES (1, ?)", (content,)))
        travelog("export", self.path, "--to", self.logs)
        for source in self.logs, self.path:
            [change] = package.read(source)
            self.assertEqual((change.after["v"].size), len(content))
        [change] = package.read(self.logs)
        self.assertEqual(change.after["v"].path.read_bytes(), content)

    def test_a_replica_and_renamed_columns_can_be_read(self):
        self.adopted("CREATE TABLE t (id INTEGER PRIMARY KEY, old)")
        self.write(("INSERT INTO t VALUES (1, 'x')",))
        travelog("status", self.path)
        with closing(sqlite3.connect(self.path)) as file:
            file.execute("ALTER TABLE t RENAME COLUMN old TO new")
        travelog("status", self.path)
        self.write(("UPDATE t SET new = 'y'",), author="bob")
        travelog("export", self.path, "--to", self.logs)
        travelog("import", self.logs, "--into", replica := self.folder / "replica.db")
        for source in self.path, self.logs, replica:
            found = [(each.author, each.before, each.after) for each in package.read(source)]
            self.assertEqual(found, [("alice", None, {"id": 1, "old": "x"}),
                                     ("bob", {"new": "x"}, {"new": "y"})])

    def test_reading_a_store_needs_the_program(self):
        self.adopted("CREATE TABLE t (id INTEGER PRIMARY KEY)")
        with mock.patch.dict(os.environ, PATH=""), mock.patch.object(sys, "prefix", "/nowhere"):
            with self.assertRaisesRegex(package.ProgramError, "the PATH"):
                list(package.read(self.path))
        with closing(sqlite3.connect(self.folder / "plain.db")) as file:
            file.execute("CREATE TABLE t (id)")
        with self.assertRaisesRegex(package.ProgramError, "without Travelog history"):
            list(package.read(self.folder / "plain.db"))

    def test_many_captured_changes_are_recorded_first(self):
        self.adopted("CREATE TABLE t (id INTEGER PRIMARY KEY)")
        self.write(*(("INSERT INTO t VALUES (?)", (number,)) for number in range(1500)))
        self.assertEqual([each.id for each in package.read(self.path)], list(range(1500)))

    def test_changes_that_can_t_be_recorded_yet_are_a_warning(self):
        self.adopted("CREATE TABLE t (id INTEGER PRIMARY KEY)")
        self.write(("INSERT INTO t VALUES (1)",))
        with closing(sqlite3.connect(self.path, isolation_level=None)) as file:
            file.execute("BEGIN IMMEDIATE")
            with self.assertWarnsRegex(UserWarning, "not shown yet"):
                self.assertEqual(list(package.read(self.path)), [])


if __name__ == "__main__":
    unittest.main()
