"""What the scripts share that let an application write to an adopted file.

After each step of an application, the logs of its file are verified and imported. The rows and the
tables of the replicas must equal those of the file.
"""
import collections, json, os, shutil, sqlite3, subprocess, sys
from pathlib import Path


def environment(variables):
    """The environment of a program that gets some more variables."""
    return os.environ | {name: str(value) for name, value in variables.items()}


def complete(*command, **variables):
    """Runs a program with more variables in its environment, and returns the finished process."""
    return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          env=environment(variables))


def run(*command, codes=(0,), **variables):
    """Runs a program, which must end with one of some codes; returns its output."""
    done = complete(*command, **variables)
    if done.returncode not in codes:
        raise SystemExit(f"{command} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def rows(path, sql, *values):
    connection = sqlite3.connect(path)
    connection.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
    found = connection.execute(sql, values).fetchall()
    connection.close()
    return found


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def schema(path):
    """The statements of the application's tables, indexes and views, by their names."""
    found = rows(path, "SELECT type || ' ' || name, sql FROM sqlite_schema WHERE type <> 'trigger'")
    return {name: sql for name, sql in found if not name.split(" ", 1)[1].startswith(("travelog_", "sqlite_"))}


def tables(path):
    """The tables whose rows are compared: without virtual tables, and without their own tables."""
    found = {name.removeprefix("table "): sql for name, sql in schema(path).items() if name.startswith("table ")}
    virtual = tuple(name + "_" for name, sql in found.items() if sql.upper().startswith("CREATE VIRTUAL"))
    return [name for name in found if name + "_" not in virtual and not name.startswith(virtual)]


def contents(path, table):
    """The number of times that each row is in a table, with the types of its values.

    The rowid is included if nothing else identifies a row.
    """
    columns = rows(path, "SELECT name, pk FROM pragma_table_xinfo(?) WHERE hidden <> 1", table)
    names = [quoted(name) for name, _ in columns]
    if not any(position for _, position in columns):
        names.append("rowid")
    values = ", ".join(f"typeof({name}), CAST({name} AS BLOB)" for name in names)
    return collections.Counter(rows(path, f"SELECT {values} FROM {quoted(table)}"))


def differences(path, other, left_out=()):
    """Sentences about the tables and rows in which two files differ."""
    (left, right), found = map(schema, (path, other)), []
    left = {name: sql for name, sql in left.items() if name.removeprefix("table ") not in left_out}
    for name in left.keys() | right.keys():
        if left.get(name) != right.get(name):
            found.append(f"{name} is {left.get(name)!r} in the file, {right.get(name)!r} in {other}")
    for table in set(tables(path)) & set(tables(other)):
        wanted, got = contents(path, table), contents(other, table)
        for place, extra in (("only in the file", wanted - got), ("only in the replica", got - wanted)):
            if extra:
                found.append(f"{extra.total()} rows of {table} are {place}, such as {next(iter(extra))}")
    return found


def databases(folder):
    """The files of a folder that are databases of SQLite."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.stat().st_size > 0:
            with path.open("rb") as file:
                if file.read(16) == b"SQLite format 3\0":
                    found.append(path)
    return found


class Adopted:
    """A file of an application, with its history, its logs and its replicas."""

    def __init__(self, travelog, path, folder):
        """Adopts a file; the logs and the replicas are in a folder."""
        self.travelog, self.path, self.folder = Path(travelog), Path(path), Path(folder)
        self.folder.mkdir(parents=True)
        self.logs, self.step = self.folder / "logs", 0
        run(self.travelog, "adopt", self.path)
        self.compare("the adoption")

    def answers(self, command, *words, codes=(0,)):
        """The lines of an answer as JSON."""
        return [json.loads(line) for line in run(self.travelog, command, *words, "--json", codes=codes).splitlines()]

    def suspend(self, *command, **variables):
        """Lets travelog run a migration."""
        run(self.travelog, "adopt", "--suspend", self.path, "--", *command, **variables)

    def history(self):
        """The transactions, the oldest first."""
        return self.answers("log", self.path)[::-1]

    def differing(self):
        """The transactions that compare the file with its history: of op difference."""
        return [each for each in self.history() if each["op"] == "difference"]

    def compare(self, label):
        """Exports, verifies, imports and checks; ends the script if anything is wrong."""
        self.step += 1
        problems = []
        exported = self.answers("export", self.path, "--to", self.logs)[0]
        verified = self.answers("verify", self.logs, "--against", self.path, codes=(0, 1, 17))[0]
        if verified["verdict"] != "proven" or verified["findings"]:
            problems.append(f"verify: {verified}")
        status = self.answers("status", self.path, "--logs", self.logs)[0]
        if status["uncaptured"] or status["health"] != "ok" or status["lag_transactions"]:
            problems.append(f"status after export: {status}")
        # The first replica continues, and each later step has a new one.
        for name in ["replica.db"] + [f"replica-{self.step}.db"] * (self.step > 1):
            replica = self.folder / name
            run(self.travelog, "import", self.logs, "--into", replica)
            problems += differences(self.path, replica, status["unrecorded"])
            problems += self.check(replica)
        problems += self.check(self.path)
        if problems:
            raise SystemExit(f"{self.path.name} after {label}:\n" + "\n".join(problems))
        return exported

    def compare_uncaptured(self, label, changed):
        """Compares after changes of some tables that no trigger captured, and that travelog must find."""
        known = self.history()[-1]["transaction"]
        found = self.answers("status", self.path, codes=(1 if changed else 0,))[0]["uncaptured"]
        assert sorted(found) == changed, f"{self.path}: {found} are not captured, {changed} changed"
        messages = self.answers("check", self.path, codes=(1 if changed else 0,))[0]["messages"]
        for table in changed:
            assert any(table in message for message in messages), f"check does not name {table}: {messages}"
        self.compare(label)
        new = [each for each in self.differing() if each["transaction"] > known]
        recorded = {entity["entity"] for each in new for entity in each["entities"]}
        assert all('"captured":false' in each["details"] for each in new), new
        assert set(changed) >= recorded and bool(changed) == bool(new), (changed, new)
        return len(changed)

    def check(self, path):
        found = self.answers("check", path, "--logs", self.logs, codes=(0, 1))[0]
        return [f"check of {path}: {found}"] if found["findings"] or found["violations"] else []

    def origins(self, table):
        """For each value of a dozen rows: the value, and the transaction that set it."""
        key = [quoted(name) for name, _ in sorted(
            rows(self.path, "SELECT name, pk FROM pragma_table_info(?) WHERE pk", table), key=lambda each: each[1])]
        assert len(key) == 1, f"{table} needs a key of one column"
        found = {}
        for (number,) in rows(self.path, f"SELECT {key[0]} FROM {quoted(table)} ORDER BY 1 LIMIT 12"):
            for attribute in self.answers("blame", self.path, table, number)[0]["attributes"]:
                found[number, attribute["name"]] = attribute["value"], attribute.get("set", {}).get("transaction")
        return found

    def compare_origins(self, table, before, renamed={}):
        """Values that did not change must have the transactions that set them before."""
        now, same = self.origins(table), 0
        for (number, name), (value, transaction) in before.items():
            found = now.get((number, renamed.get(name, name)))
            if found and found[0] == value:
                same += 1
                if found[1] != transaction:
                    raise SystemExit(f"blame of {table} {number} {name}: transaction {found[1]}, before {transaction}")
        assert same, f"all values of {table} changed"
        return same

    def is_locked_for_good(self):
        """Whether a program keeps its lock on the file; a command must then say what helps."""
        done = complete(self.travelog, "export", self.path, "--to", self.logs)
        if done.returncode == 0:
            return False
        if done.returncode != 11 or "EXCLUSIVE" not in done.stderr or "Try again" in done.stderr:
            raise SystemExit(f"export of {self.path}, which a program keeps locked, ended with {done.returncode}: "
                             + done.stderr)
        return True

    def detach(self):
        run(self.travelog, "adopt", "--detach", self.path, "--logs", self.logs)
        left = rows(self.path, "SELECT name FROM sqlite_schema WHERE name LIKE 'travelog\\_%' ESCAPE '\\'")
        assert not left, left


def main(check, arguments=None):
    """Runs a script's check: SCRIPT TRAVELOG FOLDER."""
    travelog, folder = arguments or sys.argv[1:]
    folder = Path(folder).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    print(f"{Path(sys.argv[0]).stem}: {check(Path(travelog).resolve(), folder)}", flush=True)
