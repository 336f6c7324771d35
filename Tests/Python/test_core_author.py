"""The author of a transaction that a script makes with sqlite3. Needs no package."""
import sqlite3
import subprocess
import sys
import threading
import unittest
from contextlib import closing

import support
from support import FolderTest, transactions, travelog, who

import travelog as package


class AuthorTests(FolderTest):
    def adopted(self, *flags):
        path = self.folder / "app.db"
        with closing(sqlite3.connect(path)) as file:
            file.execute("CREATE TABLE note (id INTEGER PRIMARY KEY, text)")
        travelog("adopt", path, *flags)
        return path

    def connect(self, path, **options):
        file = sqlite3.connect(path, **options)
        self.addCleanup(file.close)
        return file

    def test_a_block_is_one_transaction_with_author_reason_and_request(self):
        path = self.adopted()
        # Python begins transactions itself in the first of these modes.
        for mode in "", None:
            file = self.connect(path, isolation_level=mode)
            with package.author(file, "alice", reason="ticket 7", request="POST /notes"):
                file.execute("INSERT INTO note (text) VALUES ('a')")
                file.executemany("INSERT INTO note (text) VALUES (?)", [("b",), ("c",)])
            self.assertFalse(file.in_transaction)
        found = transactions(path)
        self.assertEqual([who(each) for each in found], [("alice", "ticket 7", "POST /notes")] * 2)
        self.assertEqual([each["changes"] for each in found], [3, 3])
        self.assertTrue(all('"boundary":"proven"' in each["details"] for each in found))

    def test_an_exception_rolls_back_and_leaves_no_author_behind(self):
        file = self.connect(path := self.adopted())
        with self.assertRaises(ZeroDivisionError), package.author(file, "alice"):
            file.execute("INSERT INTO note (text) VALUES ('lost')")
            1 / 0
        file.execute("INSERT INTO note (text) VALUES ('kept')")
        file.commit()
        [only] = transactions(path)
        self.assertEqual((who(only), only["changes"]), ((None, None, None), 1))

    def test_an_error_that_rolls_back_itself_is_raised(self):
        file = self.connect(path := self.adopted())
        with self.assertRaisesRegex(sqlite3.Error, "UNIQUE"), package.author(file, "alice"):
            file.execute("INSERT INTO note VALUES (1, 'a')")
            file.execute("INSERT OR ROLLBACK INTO note VALUES (1, 'b')")
        self.assertEqual(transactions(path), [])

    def test_a_savepoint_of_the_block_does_not_change_the_author(self):
        file = self.connect(path := self.adopted(), isolation_level=None)
        with package.author(file, "alice"):
            for statement in ("SAVEPOINT one", "INSERT INTO note VALUES (1, 'a')",
                              "ROLLBACK TO one", "INSERT INTO note VALUES (2, 'b')"):
                file.execute(statement)
        [only] = transactions(path)
        self.assertEqual((who(only)[0], only["changes"]), ("alice", 1))

    def test_an_open_transaction_is_refused(self):
        file = self.connect(self.adopted())
        file.execute("INSERT INTO note (text) VALUES ('mine')")
        with self.assertRaisesRegex(RuntimeError, "open transaction"):
            with package.author(file, "alice"):
                self.fail("the block ran")
        self.assertTrue(file.in_transaction)

    def test_a_block_that_commits_itself_is_an_error(self):
        file = self.connect(path := self.adopted())
        with self.assertRaisesRegex(RuntimeError, "ended its transaction"):
            with package.author(file, "alice"):
                file.execute("INSERT INTO note (text) VALUES ('a')")
                file.execute("COMMIT")
        self.assertEqual(who(transactions(path)[0]), (None, None, None))

    def test_an_empty_author_is_refused(self):
        with self.assertRaises(ValueError), package.author(self.connect(self.adopted()), ""):
            self.fail("the block ran")

    def test_a_file_without_history_needs_missing_ok(self):
        file = self.connect(self.folder / "plain.db")
        file.execute("CREATE TABLE note (text)")
        # Names that only look like those of travelog.
        file.execute("CREATE TABLE bookcontext (author)")
        file.execute("CREATE TRIGGER bookauthor AFTER UPDATE OF author ON bookcontext BEGIN"
                     " SELECT 1; END")
        with self.assertRaises(package.NotAdopted), package.author(file, "alice"):
            self.fail("the block ran")
        with package.author(file, "alice", missing_ok=True):
            file.execute("INSERT INTO note VALUES ('a')")
        with self.assertRaises(ZeroDivisionError), package.author(file, "al", missing_ok=True):
            file.execute("INSERT INTO note VALUES ('b')")
            1 / 0
        self.assertEqual(file.execute("SELECT * FROM note").fetchall(), [("a",)])

    def test_the_prefix_of_the_file_is_used(self):
        file = self.connect(path := self.adopted("--prefix", "audit_"))
        with package.author(file, "alice"):
            file.execute("INSERT INTO note (text) VALUES ('a')")
        self.assertEqual(who(transactions(path)[0])[0], "alice")

    def test_a_migration_of_a_suspended_file_can_name_an_author(self):
        path = self.adopted()
        script = ("import sqlite3, sys, travelog\nfile = sqlite3.connect(sys.argv[1])\n"
                  "with travelog.author(file, 'alice'):\n"
                  "    file.execute('INSERT INTO note VALUES (1, 2)')")
        subprocess.run([support.TRAVELOG, "adopt", "--suspend", path, "--", "env",
                        f"PYTHONPATH={support.ROOT / 'Python'}", sys.executable, "-c",
                        script, path],
                       check=True, capture_output=True)
        self.assertEqual([each["op"] for each in transactions(path)], ["migration"])

    @unittest.skipIf(sqlite3.sqlite_version_info < (3, 37), "this SQLite has no STRICT tables")
    def test_a_store_of_the_library_accepts_an_author(self):
        path = self.folder / "trips.store"
        subprocess.run([support.TRIPS, "seed", path, "--changes", "60", "--small-photos"],
                       check=True, capture_output=True)
        file = self.connect(path)
        with package.author(file, "alice", reason="cleaning"):
            file.execute("UPDATE Tag SET word = 'changed' WHERE id = 1")
        last = transactions(path)[-1]
        self.assertEqual((who(last), last["op"]), (("alice", "cleaning", None), "foreign"))

    def test_threads_wait_for_each_other_and_keep_their_authors(self):
        path, count = self.adopted(), 40

        def write(name):
            with closing(sqlite3.connect(path, timeout=60)) as file:
                for number in range(count):
                    with package.author(file, name):
                        # A transaction that reads first fails if another one wrote meanwhile.
                        file.execute("SELECT count(*) FROM note").fetchone()
                        file.execute("INSERT INTO note (text) VALUES (?)", (name,))
        threads = [threading.Thread(target=write, args=(f"user {number}",)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        found = transactions(path)
        self.assertEqual(len(found), 4 * count)
        for each in found:
            [change] = each["differences"]
            values = {value["name"]: value["after"] for value in change["properties"]}
            self.assertEqual(values["text"], f"text:{each['author']}")


if __name__ == "__main__":
    unittest.main()
