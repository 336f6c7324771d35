"""Changes as tables. Needs the packages of requirements.txt."""
import sqlite3
import subprocess
import unittest
from contextlib import closing
from datetime import datetime
from decimal import Decimal

import pandas
import polars
import pyarrow

import support
from support import FolderTest, travelog

import travelog as package


class FrameTests(FolderTest):
    def adopted(self, values):
        path = self.folder / "app.db"
        with closing(sqlite3.connect(path)) as file:
            file.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, v)")
            file.execute("CREATE TABLE other (id INTEGER PRIMARY KEY, w)")
            file.commit()
            travelog("adopt", path)
            with package.author(file, "ada"):
                for number, value in enumerate(values):
                    file.execute("INSERT INTO t VALUES (?, ?)", (number, value))
                file.execute("INSERT INTO other VALUES (1, 2)")
        return package.read(path)

    def test_a_column_has_the_type_of_its_values(self):
        for values, type in (([1, None, 2**53 + 1], pyarrow.int64()), ([1, 2.5], pyarrow.float64()),
                             (["a", None], pyarrow.string()), ([b"a"], pyarrow.binary())):
            with self.subTest(values):
                changes = self.adopted(values)
                table = changes.to_arrow("t")
                self.assertEqual(table.schema.field("after.v").type, type)
                self.assertEqual(table["after.v"].to_pylist(), values)
                self.assertNotIn("after.w", table.column_names)
                self.assertEqual(table["author"].to_pylist(), ["ada"] * len(values))
                self.assertIn("after.w", changes.to_arrow().column_names)
                self.assertEqual(changes.to_polars("t")["after.v"].to_list(), values)
                found = changes.to_pandas("t")["after.v"]
                self.assertEqual([None if each is pandas.NA else each for each in found], values)
            (self.folder / "app.db").unlink()

    def test_values_of_different_types_become_texts(self):
        self.assertEqual(self.adopted([1, "a", None, 2.5]).to_arrow("t")["after.v"].to_pylist(),
                         ["1", "a", None, "2.5"])

    def test_no_changes_are_an_empty_table(self):
        self.assertEqual(len(self.adopted([]).to_polars("t")), 0)

    def test_the_columns_of_a_store_are_those_of_its_changes(self):
        store, logs = self.folder / "trips.store", self.folder / "logs"
        subprocess.run([support.TRIPS, "seed", store, "--changes", "3000", "--small-photos"],
                       check=True, capture_output=True)
        travelog("export", store, "--to", logs)
        changes = package.read(logs)
        entities = {change.entity for change in changes}
        types = set()
        for entity in entities:
            table = changes.to_arrow(entity)
            frame = changes.to_polars(entity)
            rows = [change for change in changes if change.entity == entity]
            self.assertEqual(table["id"].to_pylist(), [change.id for change in rows])
            self.assertEqual(table["time"].to_pylist(), [change.time for change in rows])
            for name in table.column_names:
                side, point, name = name.partition(".")
                if point:
                    values = [(getattr(change, side) or {}).get(name) for change in rows]
                    types |= set(map(type, values))
                    values = [value.id if isinstance(value, package.Reference) else value
                              for value in values]
                    column = table[f"{side}.{name}"]
                    if column.type == pyarrow.string():
                        values = [value if value is None else str(value) for value in values]
                    if any(isinstance(value, tuple) for value in values):
                        values = [value if value is None else [each.id for each in value]
                                  for value in values]
                    self.assertEqual(column.to_pylist(), values, name)
                    self.assertEqual(frame[f"{side}.{name}"].to_list(), values, name)
        self.assertLessEqual({Decimal, datetime, bytes, int, float, bool, package.Reference}, types)


if __name__ == "__main__":
    unittest.main()
