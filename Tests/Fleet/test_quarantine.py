"""Stores that a load puts into quarantine."""
import os, shutil, unittest

from support import FolderTests, add_journey, fleet, load, places_in_lake
import world


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

    def test_the_page_has_a_row_with_a_repair_for_each_store_in_quarantine(self):
        logs, members = self.make(world.damaged, world.incomplete, world.plain)
        load(logs, self.lake, codes=(1,))
        page = self.folder / "fleet.html"
        self.assertEqual(fleet("page", self.lake, "--output", page).returncode, 0)
        section = page.read_text().partition("<h2 id=quarantine>")[2].partition("<h2 ")[0]
        for member, repair in zip(members, ("Copy the logs again", "wait")):
            row = next(row for row in section.splitlines() if member.identifier in row)
            self.assertIn(repair, row)
        self.assertNotIn(members[2].identifier, section)

    def test_links_and_pipes_in_a_folder_do_not_stop_a_load(self):
        logs, members = self.make(world.plain, world.plain)
        log = next((logs / f"store={members[0].identifier}").glob("lineage=*/date=*/*.gz"))
        log.unlink()
        os.mkfifo(log)
        found = load(logs, self.lake, codes=(1,))["fleet_quarantined"]
        self.assertEqual([row["store"] for row in found], [members[0].identifier])


if __name__ == "__main__":
    unittest.main()
