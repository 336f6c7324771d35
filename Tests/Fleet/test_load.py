"""What a load does with each kind of store."""
import json, shutil, unittest
from pathlib import Path

from support import SEED, FolderTests, add_journey, load, orphans, places_in_lake
from travelog_fleet.datafile import destination
from travelog_fleet.lake import Lake
from travelog_fleet.reader import Task, read_stores
from travelog_fleet.source import FolderSource
import world


class LoadTests(FolderTests):
    def test_every_line_of_every_sound_store_is_in_the_table_once(self):
        print(f"seed {SEED}")
        logs, members = self.make(*dict.fromkeys(world.KINDS))
        answers = load(logs, self.lake)
        self.assert_once(logs, members)
        verdicts = {answer["store"]: answer["verdict"] for answer in answers["fleet_quarantined"]}
        self.assertEqual(verdicts, {member.identifier: member.verdict for member in members
                                    if member.verdict is not None})

    def test_a_load_without_news_changes_nothing_and_reads_one_object_of_each_store(self):
        logs, members = self.make(world.plain, world.incremental)
        load(logs, self.lake)
        before = places_in_lake(self.lake)
        answer = load(logs, self.lake)["fleet_load"][0]
        self.assertEqual((answer["changed"], answer["commits"]), (0, 0))
        self.assertEqual(answer["requests"], {"reads": 2, "lists": 1, "bytes": 0})
        self.assertEqual(places_in_lake(self.lake), before)

    def test_a_second_load_reads_only_what_is_new(self):
        logs, members = self.make(world.plain, world.incremental)
        load(logs, self.lake)
        add_journey(members[0], logs, "One more")
        answer = load(logs, self.lake)["fleet_load"][0]
        self.assertEqual((answer["changed"], answer["transactions"]), (1, 1))
        # Both tokens; of the changed store also the erasure records and the new log.
        self.assertEqual([answer["requests"][name] for name in ("reads", "lists")], [4, 2])
        self.assert_once(logs, members)

    def test_a_transaction_that_is_exported_during_a_load_waits_for_the_next_load(self):
        logs, members = self.make(world.plain)

        class BusySource(FolderSource):
            """A folder to which the store is exported after each listing."""

            def list(self, prefix, after=""):
                found = super().list(prefix, after)
                add_journey(members[0], logs, f"Meanwhile {self.counts.lists}")
                return found

        source, known, schemas = BusySource(logs), {}, {}
        self.lake.mkdir()
        place = destination(Lake(self.lake, creates=True).lines, "load")
        for number in range(2):
            head = json.loads(next(logs.glob("store=*/_token.json")).read_bytes())
            (reading,), _ = read_stores(source, world.TRAVELOG, self.folder / "staging",
                                        [Task(members[0].identifier, known)], schemas, place)
            self.assertIsNone(reading.refusal)
            self.assertEqual(reading.known.position.txn,
                             head["stores"][members[0].identifier]["transaction"])
            known = {"": reading.known}
            schemas.update((schema.name, schema) for schema in reading.schemas)
            add_journey(members[0], logs, f"Between loads {number}")

    def test_a_load_after_a_compaction_finds_the_new_lines_in_the_merged_log(self):
        logs, members = self.make(world.incremental)
        load(logs, self.lake)
        add_journey(members[0], logs, "One more")
        world.run(world.TRAVELOG, "compact", logs)
        answer = load(logs, self.lake)["fleet_load"][0]
        self.assertEqual(answer["transactions"], 1)
        self.assert_once(logs, members)

    def test_a_store_that_was_restored_after_a_load_continues_in_a_new_lineage(self):
        logs, members = self.make(world.plain)
        member = members[0]
        old = self.folder / "old.store"
        shutil.copy(member.store, old)
        add_journey(member, logs, "Forgotten")
        load(logs, self.lake)
        shutil.copy(old, member.store)
        for suffix in ("-wal", "-shm"):
            Path(f"{member.store}{suffix}").unlink(missing_ok=True)
        world.run(world.TRAVELOG, "recover", member.store, "--to", logs)
        add_journey(member, logs, "Remembered")
        load(logs, self.lake)
        self.assert_once(logs, members)

    def test_the_table_alone_is_enough_to_continue(self):
        logs, members = self.make(*dict.fromkeys(world.KINDS))
        load(logs, self.lake)
        (self.lake / "known.sqlite").unlink()
        answer = load(logs, self.lake)["fleet_load"][0]
        self.assertEqual(answer["transactions"], 0)
        self.assert_once(logs, members)


class TidyingTests(FolderTests):
    def test_many_small_loads_leave_few_files_and_no_orphans(self):
        from travelog_fleet import tidying
        logs, members = self.make(world.plain)
        for number in range(12):
            add_journey(members[0], logs, f"Journey {number}")
            load(logs, self.lake)
        tidying.SMALL_FILES, old = 10, tidying.SMALL_FILES
        self.addCleanup(setattr, tidying, "SMALL_FILES", old)
        lines = Lake(self.lake).lines
        self.assertEqual(tidying.merge_small_files(lines), 12)
        lines.refresh()
        tidying.expire(lines, keeping=1)
        tidying.delete_orphans(lines)
        self.assertEqual(len(list(lines.scan().plan_files())), 1)
        self.assertEqual(orphans(self.lake), [])
        self.assert_once(logs, members)


if __name__ == "__main__":
    unittest.main()
