#!/usr/bin/env python3
"""Follows the databases of Firefox and Chromium with history files while the browsers run.

    with_watched.py TRAVELOG FOLDER

Both browsers lock their databases, Firefox runs TEMP triggers and Chromium no triggers. `travelog`
only reads the files, so the browsers must not notice it, and each visit must be in the history.
"""
import contextlib, signal, subprocess, time

import adopted, pages
from with_chromium import Chromium, work as work_with_chromium
from with_firefox import Firefox, work as work_with_firefox


class Followed:
    """A database with a history file in another folder."""

    def __init__(self, travelog, path, folder):
        self.travelog, self.path = travelog, path
        folder.mkdir(parents=True)
        self.history = folder / "history"
        adopted.run(travelog, "adopt", path, "--history", self.history)

    def watch(self):
        return subprocess.Popen([self.travelog, "adopt", "--watch", self.history], stderr=subprocess.PIPE, text=True)

    def log(self):
        return adopted.run(self.travelog, "log", self.history, "--limit", "100000")

    def compare(self):
        """The history file must have the tables and rows of the database, and the database must be sound."""
        log = self.log()
        for table in adopted.tables(self.history):
            if adopted.contents(self.history, table) != adopted.contents(self.path, table):
                raise SystemExit(f"{self.history} has other rows of {table} than {self.path}")
        adopted.run(self.travelog, "check", self.history)
        found = adopted.rows(self.path, "PRAGMA integrity_check")
        assert found == [("ok",)], (self.path, found)
        left = adopted.rows(self.path, "SELECT name FROM sqlite_schema WHERE name LIKE 'travelog%'")
        assert not left, (self.path, left)
        return log


@contextlib.contextmanager
def watching(files):
    processes = [file.watch() for file in files]
    time.sleep(1)
    try:
        yield
    finally:
        # The last commits of a session are read before the watch ends.
        time.sleep(1)
        for process in processes:
            process.send_signal(signal.SIGTERM)
            errors = process.communicate()[1]
            assert process.returncode == 143, errors


def follow(travelog, browser, work, folder, visits):
    """Lets a browser work while its databases are watched; returns the numbers of files and transactions."""
    with pages.serving() as address:
        browser.session(lambda driver, address: work(driver, address, 0), address)
        paths = [path for path in adopted.databases(browser.profile) if adopted.tables(path)]
        files = []
        for number, path in enumerate(paths):
            files.append(Followed(travelog, path, folder / str(number)))
        with watching(files):
            browser.session(lambda driver, address: work(driver, address, 1), address)
        logs = {file: file.compare() for file in files}
        name, table = visits
        places = next(file for file in files if file.path.name == name)
        found = adopted.run(travelog, "log", places.history, "--patch", "--limit", "100000", "--entity", table)
        assert f"{address}/round/1/3" in found, f"the visit is not in the history of {name}"
    commits = sum(log.count("[commit]") for log in logs.values())
    return len(files), commits, sum(log.count("[everything") for log in logs.values())


def check(travelog, folder):
    answers = []
    for name, browser, work, visits in [
        ("Firefox", Firefox, work_with_firefox, ("places.sqlite", "moz_places")),
        ("Chromium", Chromium, work_with_chromium, ("History", "urls")),
    ]:
        home = folder / name
        home.mkdir()
        files, commits, differences = follow(travelog, browser(home / "profile"), work, home / "histories", visits)
        answers.append(f"{name}: {files} files, {commits} commits, {differences} differences")
    return "; ".join(answers)


if __name__ == "__main__":
    adopted.main(check)
