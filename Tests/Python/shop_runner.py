"""Runs the site of shop_site, and compares its history with the record of a test."""
import contextlib
import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import support

SITE = support.ROOT / "Tests/Python/shop_site"
sys.path.insert(0, str(support.ROOT / "Tests/Interop"))
from with_django import Browser  # noqa: E402

# The commits of each way to write of shop_site/shop/views.py. The number is smaller if each request
# is a transaction.
COMMITS = {"plain": 2, "atomic": 1, "bulk": 1, "raw": 4, "savepoint": 1, "manual": 2, "rollback": 0,
           "after_commit": 2, "signal": 5, "read": 0}
MARK = re.compile(r"[a-z]+-\d+-\d+")


class Shop:
    """The site with its database."""

    def __init__(self, folder, **options):
        self.database = folder / "db.sqlite3"
        self.options = options
        self.django("migrate")
        self.django("migrate", "shop", "0001")
        for name in "ada", "eve":
            self.django("createsuperuser", "--noinput", "--username", name,
                        "--email", "a@example.org", DJANGO_SUPERUSER_PASSWORD="secret")

    def environment(self, more={}):
        return os.environ | {
            "PYTHONPATH": f"{support.ROOT / 'Python'}{os.pathsep}{SITE}",
            "DATABASE": str(self.database), "DJANGO_SETTINGS_MODULE": "settings",
            "PYTHONDONTWRITEBYTECODE": "1",
            "TRAVELOG": support.TRAVELOG} | self.options | more

    def run(self, *command, **more):
        done = subprocess.run(command, env=self.environment(more), capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    def django(self, *words, **more):
        return self.run(sys.executable, "-m", "django", *words, **more)

    def migrate(self):
        """Lets travelog run the migrations."""
        self.run(support.TRAVELOG, "adopt", "--suspend", self.database, "--",
                 sys.executable, "-m", "django", "migrate")

    @contextlib.contextmanager
    def serve(self, *options):
        """Runs the site's server with its threads; gives its address."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        address = f"http://127.0.0.1:{port}"
        log_path = self.database.with_name("server.log")
        with log_path.open("a") as log:
            server = subprocess.Popen(
                [sys.executable, "-m", "django", "runserver", "--noreload", f"127.0.0.1:{port}",
                 *options],
                stdout=log, stderr=log, env=self.environment())
            try:
                for _ in range(300):
                    try:
                        urllib.request.urlopen(f"{address}/read/anyone-0-0/", timeout=60).close()
                        break
                    except urllib.error.URLError:
                        time.sleep(0.1)
                yield address
            finally:
                server.terminate()
                server.wait()


class Client:
    """A user, or nobody, with a record of what the requests of this client write."""

    def __init__(self, address, user, number):
        self.user, self.name, self.count, self.record = user, f"{user or 'nobody'}-{number}", 0, {}
        self.browser = None if user is None else Browser(address, user)
        self.address = address

    def mark(self, path, commits, method="POST"):
        """A new mark, which only one request writes."""
        self.count += 1
        mark = f"{self.name}-{self.count}"
        self.record[mark] = (self.user, None, f"{method} {path.format(mark)}"), commits
        return mark

    def write(self, way, commits, method="POST"):
        mark = self.mark(f"/{way}/{{}}/", commits, method)
        if self.browser is not None:
            self.browser.page(f"/{way}/{mark}/", {"a": "b"} if method == "POST" else None)
        else:
            urllib.request.urlopen(f"{self.address}/{way}/{mark}/", b"", timeout=120).close()

    def edit(self):
        """Adds and changes an object with the forms of the admin."""
        path = "/admin/shop/author/add/"
        mark = self.mark(path, 1)
        self.browser.submit(path, **{"name": mark, "book_set-0-title": f"of {mark}",
                                     "book_set-0-price": "7.50"})


def differences(path, record):
    """Sentences about the transactions whose author or whose number is not that of a record."""
    found, problems = {}, []
    for each in support.transactions(path):
        values = [value.get(side) or "" for change in each["differences"]
                  for value in change["properties"] for side in ("before", "after")]
        if each["op"] != "foreign":
            continue
        marks = set(MARK.findall(" ".join(values)))
        if len(marks) > 1:
            problems.append(f"transaction {each['transaction']} is of several requests: {marks}")
        for mark in marks & record.keys():
            found[mark] = found.get(mark, 0) + 1
            if support.who(each) != record[mark][0]:
                problems.append(f"{mark} has {support.who(each)}, not {record[mark][0]}")
            if '"boundary":"proven"' not in each["details"]:
                problems.append(f"the end of {mark} is not proven")
        if any(text.startswith("text:lost") for text in values):
            problems.append(f"{marks} was rolled back")
    return problems + [f"{mark} has {found.get(mark, 0)} commits, not {commits}"
                       for mark, (_, commits) in record.items() if found.get(mark, 0) != commits]
