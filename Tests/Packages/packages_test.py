"""Installs the packages of `make packages` where little else is installed, and uses them.

    make packages-test

A Debian with only its base system is made by debootstrap in .build/packages-test, which needs root and
the network; the tests that need it are skipped without them. So is the test that installs libraries
from PyPI.
"""
import hashlib
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import tarfile
import time
import unittest
import venv
import zipfile

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
PACKAGES = TOP / ".build/packages"
WORK = TOP / ".build/packages-test"
# Without a compiler, and without what is installed on this machine.
CLEAN = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8"}


def run(*command, environment=CLEAN, code=0, cwd=None):
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=cwd)
    assert done.returncode == code, f"{command} ended with {done.returncode}: {done.stderr}"
    return done.stdout


def only(pattern):
    (path,) = PACKAGES.glob(pattern)
    return path


def debian():
    """The folder of a Debian with only its base system."""
    base = WORK / "base"
    if not (base / "complete").exists():
        if os.geteuid() != 0:
            raise unittest.SkipTest("debootstrap needs root")
        if not shutil.which("debootstrap"):
            raise unittest.SkipTest("debootstrap is not installed")
        shutil.rmtree(base, ignore_errors=True)
        mirror = os.environ.get("MIRROR", "http://deb.debian.org/debian")
        done = subprocess.run(
            ["debootstrap", "--variant=minbase", "bookworm", base, mirror],
            stdout=subprocess.DEVNULL,
        )
        if done.returncode:
            raise unittest.SkipTest(f"debootstrap can't reach {mirror}; MIRROR names another server")
        (base / "complete").touch()
    return base


class Packages(unittest.TestCase):
    def root(self):
        root = WORK / self.id().split(".")[-1]
        base = debian()
        shutil.rmtree(root, ignore_errors=True)
        run("cp", "--archive", str(base), str(root))
        return root

    def in_root(self, root, *command, **settings):
        environment = CLEAN | settings.pop("environment", {})
        # Swift reads the arguments of a program from /proc.
        own = ["unshare", "--mount", "--pid", "--fork", f"--mount-proc={root}/proc"]
        return run(*own, "chroot", str(root), *command, environment=environment, **settings)

    def use(self, travelog, folder, inside):
        """Runs the main job. The program sees the folder as `inside`."""
        database = folder / "app.db"
        connection = sqlite3.connect(database, isolation_level=None)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, photo BLOB)")
        connection.execute("INSERT INTO person VALUES (1, 'Ann', NULL)")
        travelog("adopt", f"{inside}/app.db")
        for number in range(2, 200):
            photo = bytes(number % 256 for _ in range(number))
            connection.execute("INSERT INTO person VALUES (?, ?, ?)", (number, "Bert", photo))
        connection.execute("UPDATE person SET name = 'Äsa 🚲' WHERE id % 3 = 0")
        connection.execute("DELETE FROM person WHERE id % 5 = 0")
        travelog("export", f"{inside}/app.db", "--to", f"{inside}/logs")
        verdict = travelog("verify", f"{inside}/logs", "--against", f"{inside}/app.db")
        self.assertIn("proven", verdict)
        travelog("import", f"{inside}/logs", "--into", f"{inside}/copy.db")
        self.assertIn("ok", travelog("check", f"{inside}/copy.db"))
        query = "SELECT * FROM person ORDER BY id"
        with sqlite3.connect(folder / "copy.db") as copy:
            rows = copy.execute(query).fetchall()
        self.assertEqual(connection.execute(query).fetchall(), rows)
        self.assertEqual(len(rows), 160)
        connection.close()

    def test_the_sums_are_those_of_the_packages(self):
        lines = (PACKAGES / "SHA256SUMS").read_text().splitlines()
        self.assertEqual(len(lines), 3)
        for line in lines:
            digest, name = line.split("  ")
            self.assertEqual(hashlib.sha256((PACKAGES / name).read_bytes()).hexdigest(), digest)

    def test_the_same_program_gives_the_same_packages(self):
        again = WORK / "again"
        shutil.rmtree(again, ignore_errors=True)
        version = only("*.whl").name.split("-")[1]
        newest = max(
            entry.mtime for entry in tarfile.open(only("*.tar.gz")).getmembers()
        )
        run(
            str(TOP / "Tools/make-packages"),
            str(TOP / ".build/release"),
            version,
            str(again),
            str(TOP / ".build/static/libraries.txt"),
            environment=CLEAN | {"SOURCE_DATE_EPOCH": str(newest), "TZ": "Asia/Tokyo"},
        )
        self.assertEqual(
            (again / "SHA256SUMS").read_text(), (PACKAGES / "SHA256SUMS").read_text()
        )

    def environment(self, name):
        """A new virtual environment with the wheel: its folder, and what runs programs of it."""
        folder = WORK / name
        shutil.rmtree(folder, ignore_errors=True)
        venv.create(folder, with_pip=True)
        # How this machine reaches PyPI, if pip needs to know.
        network = {key: value for key, value in os.environ.items()
                   if key.startswith("PIP_") or key.lower().endswith("_proxy")}

        def program(name, *arguments, **settings):
            return run(str(folder / "bin" / name), *map(str, arguments),
                       environment={"PATH": "/usr/bin:/bin", "HOME": str(folder)} | network,
                       **settings)

        program("pip", "install", "--quiet", "--no-index", only("*.whl"))
        return folder, program

    def test_pip_installs_the_wheel_in_an_environment_without_a_compiler(self):
        folder, program = self.environment("wheel")

        def travelog(*arguments):
            return program("travelog", *arguments)

        self.use(travelog, folder, folder)
        shown = program("pip", "show", "travelog")
        self.assertIn(f"Version: {travelog('--version').split()[1]}\n", shown)
        # The package finds the program of its environment, which is not on the PATH.
        self.assertEqual(program("python", "-c", (
            "import travelog; print(sum(1 for each in travelog.read('app.db')))"
        ), cwd=folder), f"{198 + 66 + 39}\n")
        program("pip", "uninstall", "--quiet", "--yes", "travelog")
        self.assertFalse((folder / "bin/travelog").exists())
        self.assertFalse((folder / "bin/travelog-fleet").exists())

    def test_the_extra_fleet_adds_the_libraries_of_a_command_that_names_them_if_they_are_missing(
        self
    ):
        folder, program = self.environment("fleet")
        self.assertIn("usage: travelog-fleet", program("travelog-fleet", "--help"))
        self.use(lambda *arguments: program("travelog", *arguments), folder, folder)
        load = ["travelog-fleet", "load", folder / "logs", folder / "lake"]
        program(*load, code=2)
        try:
            program("pip", "download", "--quiet", "--no-deps", "--dest", folder / "tried", "boto3")
        except AssertionError:
            raise unittest.SkipTest("PyPI can't be reached") from None
        program("pip", "install", "--quiet", f"travelog[fleet] @ {only('*.whl').as_uri()}")
        # The loader does not copy the tree, which shows that an adopted file began with its rows.
        self.assertIn("1 of 1 store had new logs", program(*load, "--allow-unproven"))
        query = "SELECT count(*) FROM lines WHERE kind = 'change'"
        self.assertEqual(program("travelog-fleet", "query", folder / "lake", query), "304\n")

    def test_the_debian_package_needs_only_the_base_system_and_leaves_nothing(self):
        root = self.root()
        package = only("*.deb")
        shutil.copy(package, root / "tmp")
        self.in_root(root, "dpkg", "--install", f"/tmp/{package.name}")
        for library in ["libsqlite3-0", "libdeflate0", "libssl3"]:
            self.in_root(root, "dpkg", "--status", library, code=1)

        def travelog(*arguments):
            return self.in_root(root, "travelog", *arguments)

        store = root / "srv/app"
        store.mkdir()
        self.use(travelog, store, "/srv/app")
        self.assertEqual(self.in_root(root, "dpkg", "--verify", "travelog"), "")
        self.assertNotIn("libcrypto", travelog("--version"))
        # The digests are equal with libcrypto, if this machine has it.
        run(str(root / "usr/bin/travelog"), "verify", str(store / "logs"))

        units = {path.name for path in (root / "lib/systemd/system").glob("travelog-*")}
        self.assertEqual(len(units), 8)
        self.assertEqual(list((root / "etc/systemd").rglob("travelog*")), [], "disabled")
        jobs = "/usr/share/travelog/pipelines"
        settings = {"TRAVELOG_NAME": "app", "TRAVELOG_METRICS": "/srv/app/reports"}
        for line in (root / f"{jobs[1:]}/example.conf").read_text().splitlines():
            if line and not line.startswith("#"):
                name, value = line.split("=")
                settings[name] = value.replace("trips.store", "app.db").replace("trips", "app")
        (store / "reports").mkdir()
        self.in_root(root, f"{jobs}/nightly-export.sh", environment=settings)
        last = next((store / "reports").glob("*.json")).read_text().splitlines()[-1]
        self.assertEqual(json.loads(last)["code"], 0)
        self.in_root(root, "dpkg", "--purge", "travelog")
        left = [path for path in root.rglob("*travelog*") if "srv" not in path.parts]
        self.assertEqual([path for path in left if path.parent != root / "tmp"], [])

    def test_a_new_user_knows_who_changed_a_row_within_a_minute_of_pip_install(self):
        root = self.root()
        # How this machine reaches the packages of Debian.
        run("cp", "-aL", "/etc/resolv.conf", str(root / "etc"))
        run("cp", "-aL", "/etc/apt/apt.conf.d", str(root / "etc/apt"))
        try:
            self.in_root(root, "apt-get", "update", "-qq")
            self.in_root(root, "apt-get", "install", "-qq", "-y", "--no-install-recommends",
                         "python3-venv", "sqlite3",
                         environment={"DEBIAN_FRONTEND": "noninteractive"})
        except AssertionError as error:
            raise unittest.SkipTest(f"apt-get can't install python3-venv: {error}") from None
        shutil.copy(only("*.whl"), root / "tmp")
        (root / "srv/app").mkdir()
        self.in_root(root, "python3", "-m", "venv", "/srv/environment")
        page = (TOP / "README.md").read_text()
        began = time.monotonic()
        self.in_root(root, "sh", "-c", "/srv/environment/bin/pip install -q /tmp/travelog-*.whl")
        installed = time.monotonic()
        for kind, name, block in re.findall(
            r"^```(console|sql) ?(\S*)\n(.*?)^```$", page.partition("## For Swift")[0],
            re.MULTILINE | re.DOTALL
        ):
            if kind == "sql":
                (root / "srv/app" / name).write_text(block)
                continue
            for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, _, shown = step.partition("\n")
                # `diff` ends with 1 if something differs.
                output = self.in_root(
                    root, "sh", "-c", f"cd /srv/app\n{command}\ntest $? -le 1",
                    environment={"PATH": f"/srv/environment/bin:{CLEAN['PATH']}"})
                pattern = ".*".join(map(re.escape, shown.strip().split("…")))
                self.assertRegex(output.strip(), f"(?s)^{pattern}$", command)
        ended = time.monotonic()
        print(f"pip install: {installed - began:.1f} s, the commands of README: "
              f"{ended - installed:.1f} s")
        self.assertIn("alice: ticket 7", output)
        self.assertLess(ended - began, 60)

    def test_the_archive_works_in_a_debian_with_only_the_base_system(self):
        root = self.root()
        with tarfile.open(only("*.tar.gz")) as archive:
            archive.extractall(root / "opt")
        (folder,) = (root / "opt").iterdir()

        def travelog(*arguments):
            return self.in_root(root, f"/opt/{folder.name}/bin/travelog", *arguments)

        (root / "srv/app").mkdir()
        self.use(travelog, root / "srv/app", "/srv/app")
        for path in ["share/man/man1/travelog.1", "share/travelog/pipelines/job.sh",
                     "share/bash-completion/completions/travelog",
                     "share/doc/travelog/libraries.txt"]:
            self.assertTrue((folder / path).is_file(), path)


if __name__ == "__main__":
    WORK.mkdir(exist_ok=True)
    unittest.main(verbosity=2)
