"""Answers, exit codes, metrics and signals of a load."""
import json, re, shutil, signal, subprocess, sys, time, unittest

from support import FLEET, ROOT, FolderTests, fleet, load
from test_erasure import erase_secret, with_secret
import world


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
        for option in ("--workers=0", "--batch=-1", "--silent=soon", "--silent=99999999d"):
            self.assertEqual(fleet("load", self.folder, self.lake, option).returncode, 64, option)

    def test_without_the_libraries_help_works_and_a_load_says_what_to_install(self):
        # -S leaves out the folder of installed packages.
        program = [sys.executable, "-S", *FLEET[1:]]
        self.assertEqual(subprocess.run([*program, "--help"], capture_output=True).returncode, 0)
        done = subprocess.run([*program, "load", self.folder, self.lake], capture_output=True,
                              text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("pip install 'travelog[fleet]'", done.stderr)

    def test_a_query_that_no_engine_can_run_ends_with_64_and_a_target_without_a_lake_with_10(self):
        logs, _ = self.make(world.plain)
        self.assertEqual(fleet("query", self.lake, "SELECT 1").returncode, 10)
        load(logs, self.lake)
        for query in ("SELEC 1", "SELECT nothing FROM lines", "SELECT 1 FROM nothing"):
            done = fleet("query", self.lake, query)
            self.assertEqual(done.returncode, 64, done.stderr)
            self.assertIn("docs/FLEET.md", done.stderr)

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

    def test_only_the_first_load_of_an_adopted_file_ends_with_17(self):
        logs, _ = self.make(world.adopted)
        # The file's rows at the adoption are a snapshot, and only the tree shows that no log was
        # before it.
        found = load(logs, self.lake, codes=(17,))["fleet_unproven"]
        self.assertEqual(found[0]["except"], ["missing"])
        load(logs, self.lake, codes=(0,))

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
        rules = (ROOT / "Pipelines/travelog-fleet-alerts.yml").read_text()
        for series in re.findall(r"travelog_fleet_\w+", rules):
            self.assertRegex(text, f"(?m)^{series}[ {{]", series)
        for verdict in re.findall(r'verdict!?="(\w+)"', rules):
            self.assertIn(f'verdict="{verdict}"', text)


if __name__ == "__main__":
    unittest.main()
