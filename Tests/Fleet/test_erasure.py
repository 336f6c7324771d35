"""What is erased from logs is erased from the lake."""
import shutil, unittest
from pathlib import Path

import pyarrow.parquet as parquet

from support import FolderTests, load, orphans, places_in_lake
import world


def files_with(folder, text):
    """The files below a folder that have a text, also inside compressed columns."""
    found = []
    for path in Path(folder).rglob("*"):
        if not path.is_file():
            continue
        if text.encode() in path.read_bytes():
            found.append(path)
        elif path.suffix == ".parquet" and text in str(parquet.read_table(path).to_pylist()):
            found.append(path)
    return found


SECRET = "The secret journey 4711"


def with_secret(maker):
    """A store in which a journey was planned, moved and deleted."""
    maker.begin()
    maker.add(SECRET)
    world.run(world.TRIPS, "edit", maker.store, SECRET, "--destination", "Alta")
    maker.export()
    world.run(world.TRIPS, "delete", maker.store, SECRET)
    maker.export()
    return maker.member("secret")


def erase_secret(logs, member, *, with_store=True):
    import sqlite3
    with sqlite3.connect(member.store) as connection:
        entity, identifier = connection.execute(
            "SELECT entity, CAST(object AS TEXT) FROM history_change"
            " WHERE kind = 'delete' AND before ->> 'name' = ?", (SECRET,)
        ).fetchone()
    connection.close()
    options = ("--store", member.store) if with_store else ()
    world.run(world.TRAVELOG, "erase", logs, "--entity", entity, "--id", identifier,
              "--reason", "case 12", *options)


class ErasureTests(FolderTests):
    def test_no_file_of_the_lake_has_an_erased_value_after_the_next_load(self):
        logs, members = self.make(with_secret, world.plain, world.erased)
        load(logs, self.lake)
        self.assertNotEqual(files_with(self.lake, SECRET), [])
        erase_secret(logs, members[0])
        answer = load(logs, self.lake)["fleet_load"][0]
        self.assertEqual(answer["replaced"], 3)
        self.assertEqual(files_with(self.lake, SECRET), [])
        self.assertEqual(orphans(self.lake), [])
        self.assert_once(logs, members)
        self.assertEqual(load(logs, self.lake)["fleet_load"][0]["commits"], 0)

    def test_an_erasure_that_no_transaction_records_reaches_the_lake(self):
        logs, members = self.make(with_secret)
        load(logs, self.lake)
        erase_secret(logs, members[0], with_store=False)
        answer = load(logs, self.lake, codes=(17,))["fleet_load"][0]
        self.assertEqual(answer["replaced"], 3)
        self.assertEqual(files_with(self.lake, SECRET), [])
        self.assert_once(logs, members)
        self.assertEqual(load(logs, self.lake)["fleet_load"][0]["commits"], 0)

    def test_an_erasure_reaches_the_rows_of_filtered_logs(self):
        def make(maker):
            maker.begin()
            maker.add(SECRET)
            maker.export()
            world.run(world.TRIPS, "delete", maker.store, SECRET)
            for filter in (("--entity", "Trip"), ("--author", "com.example.SampleTrips")):
                maker.export(*filter)
            maker.export()
            return maker.member("filtered twice")
        logs, members = self.make(make)
        folder, source = logs / f"store={members[0].identifier}", self.folder / "source"

        def copy_filtered():
            shutil.rmtree(source, ignore_errors=True)
            for path in folder.glob("partial=*"):
                shutil.copytree(path, source / folder.name / path.name)

        copy_filtered()
        load(source, self.lake)
        self.assert_once(source, members)
        self.assertEqual(len({place[1] for place in places_in_lake(self.lake)}), 2)
        self.assertNotEqual(files_with(self.lake, SECRET), [])
        erase_secret(logs, members[0])
        copy_filtered()
        load(source, self.lake)
        self.assertEqual(files_with(self.lake, SECRET), [])
        self.assert_once(source, members)
        self.assertEqual(load(source, self.lake)["fleet_load"][0]["commits"], 0)

    def test_an_erasure_of_new_and_of_loaded_transactions_is_complete(self):
        logs, members = self.make(with_secret)
        load(logs, self.lake)
        world.run(world.TRIPS, "add", members[0].store, "--name", "Later", "--destination", "Alta",
                  "--start", "2027-03-01", "--end", "2027-03-08")
        world.run(world.TRAVELOG, "export", members[0].store, "--to", logs)
        erase_secret(logs, members[0])
        load(logs, self.lake)
        self.assertEqual(files_with(self.lake, SECRET), [])
        self.assert_once(logs, members)

    def test_a_store_with_an_unfinished_erasure_waits_until_it_is_finished(self):
        logs, members = self.make(with_secret)
        load(logs, self.lake)
        erase_secret(logs, members[0])
        mark = logs / f"store={members[0].identifier}" / "_erasing.json"
        mark.write_text('{"kind":"travelog-erasing","version":1,"entity":"Trip","id":1,'
                        '"attributes":[],"hasStore":true,"largeValues":[]}')
        found = load(logs, self.lake, codes=(1,))["fleet_quarantined"]
        self.assertEqual([row["verdict"] for row in found], ["unfinished"])
        mark.unlink()
        load(logs, self.lake)
        self.assertEqual(files_with(self.lake, SECRET), [])
        self.assert_once(logs, members)

    def test_a_forged_erasure_is_not_loaded(self):
        logs, members = self.make(with_secret)
        load(logs, self.lake)
        # With the store, the record would be a transaction of the chain.
        erase_secret(logs, members[0], with_store=False)
        records = next(logs.glob("store=*/lineage=0/_erasures.ndjson"))
        records.write_text(records.read_text().replace("case 12", "case 13"))
        found = load(logs, self.lake, codes=(1,))["fleet_quarantined"]
        self.assertEqual([row["verdict"] for row in found], ["damaged"])


if __name__ == "__main__":
    unittest.main()
