"""The rows of the table are those that Python's json makes of the lines, value by value."""
import subprocess, unittest

import pyarrow as pa

from spelling import rows_of_store
from support import SEED, FolderTests, add_journey, load
from travelog_fleet.lake import Lake
import world

ORDER = ("store", "partial", "lineage", "txn", "seq", "kind")


def in_order(rows):
    """Sorts rows; the line that closes a transaction is after its changes."""
    return sorted(rows, key=lambda row: [(row[name] is None, row[name]) for name in ORDER])


class RowTests(FolderTests):
    def compare(self, found, expected):
        self.assertEqual(len(found), len(expected))
        for row, wanted in zip(in_order(found), in_order(expected)):
            if row != wanted:
                self.fail({name: (row[name], wanted[name]) for name in row if row[name] != wanted[name]})

    def test_the_columns_that_verify_writes_are_the_lines(self):
        print(f"seed {SEED}")
        logs, members = self.make(*dict.fromkeys(world.KINDS))
        for member in members:
            if member.verdict is not None or member.kind == "filtered":
                continue
            path = self.folder / "lines.arrow"
            world.run(world.TRAVELOG, "verify", logs, "--store", member.identifier, "--arrow", path,
                      codes=(0, 17))
            with pa.ipc.open_stream(pa.OSFile(str(path))) as stream:
                table = stream.read_all()
            table.validate(full=True)
            with self.subTest(kind=member.kind):
                self.compare(table.to_pylist(), list(rows_of_store(logs, member.identifier)))

    def test_logs_that_are_not_sound_leave_no_file_of_columns(self):
        logs, (member,) = self.make(world.damaged)
        path = self.folder / "lines.arrow"
        self.assertNotEqual(subprocess.run([world.TRAVELOG, "verify", logs, "--arrow", path],
                                           capture_output=True).returncode, 0)
        self.assertEqual(list(self.folder.glob("*.arrow*")), [])

    def test_the_table_has_the_rows_of_the_lines_after_several_loads(self):
        print(f"seed {SEED}")
        kinds = [kind for kind in dict.fromkeys(world.KINDS) if kind not in (world.damaged, world.erased)]
        logs, members = self.make(*kinds)
        load(logs, self.lake)
        for member in members:
            if member.kind in ("plain", "incremental", "migrated", "restored"):
                add_journey(member, logs, "Later")
        load(logs, self.lake)
        lake = Lake(self.lake)
        schemas = {name: schema.digest for name, schema in lake.schemas().items()}
        found = lake.lines.scan().to_arrow().to_pylist()
        for row in found:
            self.assertIsNone(row.pop("of_lineage"))
            self.assertIsNone(row.pop("of_txn"))
            row["schema"] = schemas[row["schema"]]
        expected = [row for member in members if member.verdict is None
                    for row in rows_of_store(logs, member.identifier)]
        self.compare(found, expected)


if __name__ == "__main__":
    unittest.main()
