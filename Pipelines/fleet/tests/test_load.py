"""What a load does with each kind of store."""
import json, os, re, shutil, signal, subprocess, time, unittest
from pathlib import Path

from support import FLEET, HERE, SEED, FolderTests, fleet, load, orphans, places_in_lake
from test_erasure import erase_secret, with_secret
from fleet.reader import read_store
from fleet.source import FolderSource
import world


def add_journey(member, logs, name):
    """Another transaction of a store, and its export."""
    world.run(world.TRIPS, "add", member.store, "--name", name, "--destination", "Narvik",
              "--start", "2027-03-01", "--end", "2027-03-08")
    world.run(world.TRAVELOG, "export", member.store, "--to", logs)


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
        for number in range(2):
            head = json.loads(next(logs.glob("store=*/_token.json")).read_bytes())
            reading, = read_store(source, world.TRAVELOG, self.folder / "staging",
                                  members[0].identifier, schemas, known)
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


class QuarantineTests(FolderTests):
    def test_a_repaired_store_is_loaded_and_leaves_the_quarantine(self):
        logs, members = self.make(world.plain, world.incomplete)
        other = self.folder / "other"
        member = members[1]
        self.assertEqual(len(load(logs, self.lake, codes=(1,))["fleet_quarantined"]), 1)
        world.run(world.TRAVELOG, "export", member.store, "--to", other, "--new-folder")
        shutil.rmtree(logs / f"store={member.identifier}")
        shutil.move(other / f"store={member.identifier}", logs)
        self.assertEqual(load(logs, self.lake, codes=(0,))["fleet_quarantined"], [])
        member.verdict = None
        self.assert_once(logs, members)

    def test_a_store_with_another_history_than_the_table_is_forked(self):
        logs, members = self.make(world.plain, world.plain)
        member = members[0]
        twin = self.folder / "twin.store"
        shutil.copy(member.store, twin)
        add_journey(member, logs, "Here")
        load(logs, self.lake)
        before = places_in_lake(self.lake)
        world.run(world.TRIPS, "add", twin, "--name", "There", "--destination", "Narvik",
                  "--start", "2027-03-01", "--end", "2027-03-08")
        other = self.folder / "other"
        world.run(world.TRAVELOG, "export", twin, "--to", other, "--new-folder")
        shutil.rmtree(logs / f"store={member.identifier}")
        shutil.move(other / f"store={member.identifier}", logs)
        found = load(logs, self.lake, codes=(1,))["fleet_quarantined"]
        self.assertEqual([(row["store"], row["verdict"]) for row in found],
                         [(member.identifier, "forked")])
        self.assertEqual(places_in_lake(self.lake), before)

    def test_a_store_that_was_set_back_is_forked(self):
        logs, members = self.make(world.plain)
        member = members[0]
        old = self.folder / "old"
        shutil.copytree(logs, old)
        add_journey(member, logs, "Lost")
        load(logs, self.lake)
        shutil.rmtree(logs)
        shutil.move(old, logs)
        found = load(logs, self.lake, codes=(1,))["fleet_quarantined"]
        self.assertEqual([row["verdict"] for row in found], ["forked"])

    def test_a_store_without_transactions_for_a_while_is_silent_and_stays_in_the_table(self):
        logs, members = self.make(world.plain)
        found = load(logs, self.lake, "--silent", "30d", codes=(1,))["fleet_quarantined"]
        self.assertEqual([row["verdict"] for row in found], ["silent"])
        self.assert_once(logs, members)
        add_journey(members[0], logs, "Back again")
        self.assertEqual(load(logs, self.lake, "--silent", "30d", codes=(0,))["fleet_quarantined"], [])

    def test_a_store_whose_token_disappears_is_missing(self):
        logs, members = self.make(world.plain, world.plain)
        load(logs, self.lake)
        (logs / f"store={members[0].identifier}" / "_token.json").unlink()
        found = load(logs, self.lake, codes=(1,))["fleet_quarantined"]
        self.assertEqual([(row["store"], row["verdict"]) for row in found],
                         [(members[0].identifier, "missing")])

        token = logs / f"store={members[1].identifier}" / "_token.json"
        shutil.copy(token, self.folder / "token")
        token.unlink()
        load(logs, self.lake, codes=(1,))
        shutil.copy(self.folder / "token", token)
        found = load(logs, self.lake, codes=(1,))["fleet_quarantined"]
        self.assertEqual([row["store"] for row in found], [members[0].identifier])

    def test_a_store_whose_folder_disappears_is_missing(self):
        logs, members = self.make(world.plain, world.plain)
        load(logs, self.lake)
        folder = logs / f"store={members[0].identifier}"
        folder.rename(self.folder / "away")
        for _ in range(2):
            found = load(logs, self.lake, codes=(1,))["fleet_quarantined"]
            self.assertEqual([(row["store"], row["verdict"]) for row in found],
                             [(members[0].identifier, "missing")])
        (self.folder / "away").rename(folder)
        load(logs, self.lake, codes=(0,))

    def test_a_log_that_its_token_does_not_know_yet_waits_for_the_token(self):
        logs, members = self.make(world.plain)
        token = logs / f"store={members[0].identifier}" / "_token.json"
        load(logs, self.lake)
        old = token.read_bytes()
        add_journey(members[0], logs, "Half copied")
        new = token.read_bytes()
        add_journey(members[0], logs, "Not copied")
        token.write_bytes(new)
        self.assertEqual(load(logs, self.lake, codes=(0,))["fleet_load"][0]["transactions"], 1)
        token.write_bytes(old)
        self.assertEqual(load(logs, self.lake)["fleet_quarantined"][0]["verdict"], "forked")

    def test_links_and_pipes_in_a_folder_do_not_stop_a_load(self):
        logs, members = self.make(world.plain, world.plain)
        log = next((logs / f"store={members[0].identifier}").glob("lineage=*/date=*/*.gz"))
        log.unlink()
        os.mkfifo(log)
        found = load(logs, self.lake, codes=(1,))["fleet_quarantined"]
        self.assertEqual([row["store"] for row in found], [members[0].identifier])


class AnswerTests(FolderTests):
    def test_a_missing_folder_ends_with_10(self):
        done = fleet("load", self.folder / "none", self.lake, "--json")
        self.assertEqual(done.returncode, 10)
        self.assertEqual(json.loads(done.stderr)["name"], "missing")

    def test_a_missing_program_ends_with_10_and_puts_no_store_into_quarantine(self):
        logs, _ = self.make(world.plain)
        done = fleet("load", logs, self.lake, "--travelog", self.folder / "none", "--json")
        self.assertEqual((done.returncode, done.stdout), (10, ""))

    def test_a_wrong_command_line_ends_with_64(self):
        self.assertEqual(fleet("load").returncode, 64)
        self.assertEqual(fleet("load", "ftp://x", self.lake).returncode, 64)

    def test_a_second_load_of_the_same_lake_ends_with_11(self):
        import fcntl
        logs, _ = self.make(world.plain)
        self.lake.mkdir()
        with open(self.lake / ".lock", "w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self.assertEqual(fleet("load", logs, self.lake).returncode, 11)

    def test_logs_with_an_unproven_part_end_with_17(self):
        logs, members = self.make(with_secret)
        # Without the store, no transaction covers the records of the erasure.
        erase_secret(logs, members[0], with_store=False)
        found = load(logs, self.lake, codes=(17,))["fleet_unproven"]
        self.assertEqual(found[0]["except"], ["unanchored"])
        shutil.rmtree(self.lake)
        load(logs, self.lake, "--allow-unproven", codes=(0,))

    def test_a_signal_stops_a_load_and_the_next_one_completes_it(self):
        logs, members = self.make(world.plain, world.incremental)
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            command = [*FLEET, "load", logs, self.lake, "--travelog", world.TRAVELOG]
            (self.lake / "_loading.json").unlink(missing_ok=True)
            with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
                while not (self.lake / "_loading.json").exists():
                    time.sleep(0.01)
                process.send_signal(number)
            self.assertEqual(process.returncode, code)
        load(logs, self.lake)
        self.assert_once(logs, members)

    def test_metrics_count_the_stores_in_quarantine(self):
        logs, _ = self.make(world.plain, world.incomplete)
        metrics = self.folder / "fleet.prom"
        load(logs, self.lake, "--metrics", metrics)
        text = metrics.read_text()
        self.assertIn('travelog_fleet_quarantined{verdict="missing"} 1\n', text)
        self.assertIn("travelog_fleet_last_exit_code 1\n", text)
        self.assertEqual(metrics.stat().st_mode & 0o777, 0o644)
        rules = (HERE.parent / "alerts.yml").read_text()
        for series in re.findall(r"travelog_fleet_\w+", rules):
            self.assertRegex(text, f"(?m)^{series}[ {{]", series)
        for verdict in re.findall(r'verdict!?="(\w+)"', rules):
            self.assertIn(f'verdict="{verdict}"', text)


class TidyingTests(FolderTests):
    def test_many_small_loads_leave_few_files_and_no_orphans(self):
        from fleet import tidying
        logs, members = self.make(world.plain)
        for number in range(12):
            add_journey(members[0], logs, f"Journey {number}")
            load(logs, self.lake)
        from fleet.lake import Lake
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
