"""A program that knows nothing of Travelog: it runs random statements on a database.

    random_program.py FILE SEED COUNT [--shell] [--brackets] [--name NAME] [--copies FOLDER]
                      [--every N] [--ddl] [--drop] [--rename] [--temporary] [--silent]
                      [--large] [--checkpoints] [--encoding UTF-16le|UTF-16be]

With --shell the statements run in the sqlite3 program instead of Python's module. With --brackets
each transaction names an author and a request, as docs/ADOPT.md describes; the names of requests
begin with --name. With --copies the program copies the database after some of these transactions,
and the copy has the request as its name. With --ddl it also changes tables; with --drop it also
drops columns, and drops, rebuilds and renames tables; with --rename it only renames tables. With
--temporary it has temporary triggers. With --silent, and only in the sqlite3 program, no triggers
run. With --large some values need overflow pages, some statements delete all rows of a table, and the
program also copies the database after changes of tables. With --checkpoints it checkpoints, and changes
the kind of journal. With --encoding the database is in this encoding, and the program also writes texts that have
unpaired surrogates. It prints the requests of the transactions that changed rows, in their order.
"""
import argparse
import importlib
import os
import random
import subprocess

# Another module has another version of SQLite.
sqlite3 = importlib.import_module(os.environ.get("SQLITE_MODULE", "sqlite3"))

# Unpaired surrogates, noncharacters, byte-order marks and NUL.
UNITS = [
    [0xD800], [0xDC00, 0x61], [0x61, 0xD83D], [0xDC00, 0xD800], [0xD83D, 0xD83D, 0xDE00], [0xFFFE, 0x61],
    [0xFFFF], [0xFEFF, 0x62], [0xFEFF], [0x61, 0, 0x62], [0],
]
# The same texts in SQL, for a database in UTF-16.
UNUSUAL = []
# What follows each statement that changes the tables.
AFTER = []
# The numbers of repetitions of a word in large values.
LARGE = []
# Values of other types than a column usually has.
OTHERS = ["x''", "x'00ff'", "1.5", "-0.0", "9e99", "'7'", "9223372036854775807", "1e3", "'1e3'"]
WORDS = ["a", "A", "b", "é", "x y", "", "it''s", "0", "10", "z\U0001f600"]


CHECKPOINTS = [
    "wal_checkpoint(PASSIVE)", "wal_checkpoint(FULL)", "wal_checkpoint(RESTART)", "wal_checkpoint(TRUNCATE)",
    "wal_autocheckpoint = 1", "wal_autocheckpoint = 10", "wal_autocheckpoint = 0", "journal_mode = WAL",
    "journal_mode = WAL", "journal_mode = DELETE", "journal_mode = PERSIST", "journal_mode = TRUNCATE",
]
CONFLICTS = ["", "", "", "OR REPLACE", "OR REPLACE", "OR IGNORE", "OR FAIL", "OR ABORT"]


def literal(rng, declared):
    declared = declared.upper()
    kind = rng.random()
    if LARGE and kind > 0.94:
        text = "replace(hex(zeroblob(%d)), '00', 'w%d')" % (rng.choice(LARGE), rng.randint(0, 9))
        return "CAST(%s AS BLOB)" % text if rng.random() < 0.3 else text
    if kind < 0.08:
        return "NULL"
    if kind < 0.16:
        return rng.choice(OTHERS)
    if "INT" in declared or "BOOL" in declared:
        return str(rng.choice([rng.randint(0, 12), rng.randint(0, 3), rng.randint(-5, 40)]))
    if "BLOB" in declared:
        return rng.choice(["x'01'", "x'02'", "x'0304'", "x'%02x'" % rng.randint(0, 30)])
    if "REAL" in declared or "FLOA" in declared or "NUM" in declared:
        return rng.choice([str(rng.randint(0, 9)), "%.3f" % rng.random(), "0.1", "2.0"])
    if UNUSUAL and rng.random() < 0.4:
        return rng.choice(UNUSUAL)
    return "'%s'" % rng.choice(WORDS + ["w%d" % rng.randint(0, 15)])


def quote(name):
    return '"' + name.replace('"', '""') + '"'


class Rows(list):
    def fetchall(self):
        return self


class Shell:
    """Runs statements in the sqlite3 program, with the methods of a connection of Python."""

    END = "end of statement"

    def __init__(self, file):
        self.process = subprocess.Popen(
            ["sqlite3", "-batch", "-init", "/dev/null", file],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, encoding="utf-8", errors="replace",
        )
        self.execute(".timeout 30000")

    def execute(self, sql, values=()):
        for value in values:
            sql = sql.replace("?", "'%s'" % value.replace("'", "''"), 1)
        ending = "" if sql.startswith(".") else ";"
        self.process.stdin.write("%s%s\n.print %s\n" % (sql, ending, self.END))
        self.process.stdin.flush()
        lines = Rows()
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise SystemExit("sqlite3 ended at: " + sql)
            if line == self.END + "\n":
                break
            lines.append(line)
        if any(line.startswith(("Error", "Runtime error", "Parse error")) for line in lines):
            raise sqlite3.Error("".join(lines))
        return lines

    @property
    def in_transaction(self):
        try:
            self.execute("BEGIN")
        except sqlite3.Error:
            return True
        self.execute("ROLLBACK")
        return False

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Table:
    def __init__(self, connection, name, sql):
        self.name = quote(name)
        self.full_text = "fts5" in sql.lower() and "virtual" in sql.lower()
        columns = connection.execute("SELECT name, type, pk FROM pragma_table_xinfo(?) WHERE hidden = 0", (name,)).fetchall()
        self.columns = [(quote(column[0]), column[1]) for column in columns]
        self.key = [quote(column[0]) for column in sorted(columns, key=lambda c: c[2]) if column[2]]
        self.rowid = None
        self.identity = self.identify(connection)

    def identify(self, connection):
        """An SQL expression for a row: its rowid if only the rowid identifies the row, else NULL."""
        taken = {column[0].strip('"').lower() for column in self.columns}
        name = [n for n in ("rowid", "_rowid_", "oid") if n not in taken][0]
        try:
            connection.execute("SELECT %s FROM %s LIMIT 1" % (name, self.name))
        except sqlite3.Error:
            return "NULL"  # A table WITHOUT ROWID.
        self.rowid = (name, "INT")
        missing = " OR ".join("%s IS NULL" % column for column in self.key) or "1"
        return "CASE WHEN %s THEN %s END" % (missing, name)

    def rename(self, old, new):
        self.columns = [(new if column[0] == old else column[0], column[1]) for column in self.columns]
        self.key = [new if name == old else name for name in self.key]
        self.identity = self.identity.replace(old, new)


def statement(rng, table):
    name, columns = table.name, table.columns
    if table.rowid and not table.full_text and rng.random() < 0.1:
        columns = [table.rowid] + columns
    conflict = rng.choice(CONFLICTS)
    kind = rng.random()
    if LARGE and kind > 0.98 and not table.full_text:
        return "DELETE FROM %s" % name
    if table.full_text:
        conflict = ""
    if kind < 0.45 or (table.full_text and kind < 0.6):
        chosen = columns if rng.random() < 0.8 else rng.sample(columns, rng.randint(1, len(columns)))
        rows = ", ".join(
            "(" + ", ".join(literal(rng, c[1]) for c in chosen) + ")" for _ in range(rng.choice([1, 1, 1, 3]))
        )
        text = "INSERT %s INTO %s (%s) VALUES %s" % (conflict, name, ", ".join(c[0] for c in chosen), rows)
        if not conflict and columns is table.columns and table.key and not table.full_text and rng.random() < 0.3:
            column = rng.choice(columns)
            text += " ON CONFLICT DO NOTHING" if rng.random() < 0.3 else (
                " ON CONFLICT (%s) DO UPDATE SET %s = %s"
                % (", ".join(table.key), column[0], literal(rng, column[1]))
            )
        if not table.full_text and rng.random() < 0.2:
            text += " RETURNING *"
        return text
    column = rng.choice(columns)
    where = "%s %s %s" % (column[0], rng.choice(["=", ">", "<", "IS"]), literal(rng, column[1]))
    if kind < 0.8:
        changed = rng.sample(columns, rng.randint(1, min(2, len(columns))))
        settings = ", ".join("%s = %s" % (c[0], literal(rng, c[1])) for c in changed)
        return "UPDATE %s %s SET %s WHERE %s" % (conflict, name, settings, where)
    return "DELETE FROM %s WHERE %s" % (name, where)


def own_tables(connection, schema, prefix):
    """The tables of the program, without those that belong to a full-text index."""
    virtual = [name for name, sql in schema if "create virtual" in sql.lower()]
    tables = []
    for name, sql in schema:
        if name.startswith(("sqlite_", prefix)) or any(name.startswith(v + "_") for v in virtual):
            continue
        if name in virtual and "content=" in sql.lower():
            continue
        tables.append(Table(connection, name, sql))
    # A program can have dropped all columns that a statement can set.
    return [table for table in tables if table.columns]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("seed")
    parser.add_argument("count", type=int)
    parser.add_argument("--shell", action="store_true")
    parser.add_argument("--brackets", action="store_true")
    parser.add_argument("--name", default="r")
    parser.add_argument("--copies")
    parser.add_argument("--every", type=int, default=10)
    parser.add_argument("--ddl", action="store_true")
    parser.add_argument("--drop", action="store_true")
    parser.add_argument("--rename", action="store_true")
    parser.add_argument("--temporary", action="store_true")
    parser.add_argument("--silent", action="store_true")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--checkpoints", action="store_true")
    parser.add_argument("--encoding")
    parser.add_argument("--prefix", default="travelog_")
    options = parser.parse_args()
    if options.encoding:
        order = "little" if options.encoding == "UTF-16le" else "big"
        for units in UNITS:
            text = b"".join(unit.to_bytes(2, order) for unit in units)
            UNUSUAL.append("CAST(x'%s' AS TEXT)" % text.hex())
    if options.large:
        LARGE.extend([100, 600, 2500, 2500, 9000])
    rng = random.Random(options.seed)
    reader = sqlite3.connect(options.file, isolation_level=None, timeout=30)
    schema = reader.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall()
    tables = own_tables(reader, schema, options.prefix)
    # All rows are fetched, because a statement that is not finished would lock the file.
    indexes = reader.execute("SELECT 1 FROM sqlite_master WHERE type = 'index' AND sql LIKE '%lower(%'").fetchall()
    if options.encoding and indexes:
        # In UTF-16, SQLite computes such an index wrongly for a blob that a program binds.
        OTHERS.remove("x'00ff'")
    reader.close()
    if options.shell:
        connection = Shell(options.file)
    else:
        connection = sqlite3.connect(options.file, isolation_level=None, timeout=30)
        connection.text_factory = lambda text: text.decode("utf-8", "replace")
    if options.silent:
        # The module of Python can't disable triggers before version 3.12.
        assert options.shell
        connection.execute(".dbconfig enable_trigger off")
    # The tests don't cut the power.
    connection.execute("PRAGMA synchronous = OFF")
    if rng.random() < 0.3:
        connection.execute("PRAGMA recursive_triggers = ON")
    connection.execute("PRAGMA foreign_keys = %s" % rng.choice(["ON", "OFF"]))
    if not any("fts5" in sql.lower() for _, sql in schema):
        connection.execute("PRAGMA trusted_schema = OFF")
    if options.temporary:
        add_temporary_triggers(connection, tables)
    context = options.prefix + "context"
    commits = 0
    # Each of these statements commits.
    if options.large:
        AFTER.append(lambda: copy())

    def copy():
        """Copies the file after a commit without a bracket."""
        nonlocal commits
        if options.copies and not options.brackets and not connection.in_transaction:
            commits += 1
            connection.execute("VACUUM INTO ?", ("%s/%05d.db" % (options.copies, commits),))

    number = 0
    left = options.count
    while left > 0:
        number += 1
        request = "%s%d" % (options.name, number)
        if options.checkpoints and rng.random() < 0.1:
            try:
                connection.execute("PRAGMA " + rng.choice(CHECKPOINTS)).fetchall()
            except sqlite3.Error:
                pass  # Another program uses the file.
        if options.ddl and rng.random() < 0.05:
            change_table(connection, rng, rng.choice(tables), number)
        if options.drop and rng.random() < 0.1:
            drop(connection, rng, tables, number)
        if options.rename and rng.random() < 0.1:
            rename(connection, rng.choice(tables), number)
        size = rng.choice([1, 1, 2, 3, 6])
        left -= size
        begun = options.brackets or rng.random() < 0.6
        try:
            if begun:
                connection.execute(rng.choice(["BEGIN", "BEGIN IMMEDIATE"]))
            if options.brackets:
                connection.execute(
                    "UPDATE %s SET author = ?, reason = ?, request = ?" % context, ("user%d" % (number % 7), "test", request)
                )
            before = snapshot_of(connection, tables) if options.brackets else None
            for _ in range(size):
                try:
                    if begun and rng.random() < 0.1:
                        connection.execute("SAVEPOINT s")
                        run(connection, rng, tables)
                        connection.execute(rng.choice(["ROLLBACK TO s", "RELEASE s"]))
                    run(connection, rng, tables)
                    copy()
                except sqlite3.Error:
                    if begun and not connection.in_transaction:
                        raise
                    if options.large:
                        copy()  # OR FAIL keeps the rows before the one that failed.
            if options.brackets:
                connection.execute("UPDATE %s SET author = NULL" % context)
            changed = options.brackets and snapshot_of(connection, tables) != before
            if begun:
                if rng.random() < 0.08:
                    connection.execute("ROLLBACK")
                    changed = False
                else:
                    connection.execute("COMMIT")
                    copy()
            if changed:
                print(request, flush=True)
                if options.copies and number % options.every == 0:
                    connection.execute("VACUUM INTO ?", ("%s/%s.db" % (options.copies, request),))
        except sqlite3.Error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
    connection.close()


def add_temporary_triggers(connection, tables):
    """Adds triggers of this connection that change each new or updated row again.

    If such a trigger fails, OR FAIL keeps its row and runs no other trigger of the row.
    """
    CONFLICTS.remove("OR FAIL")
    for number, table in enumerate(tables):
        column = table.columns[-1][0]
        for event in ("INSERT", "UPDATE OF %s" % table.columns[0][0]):
            try:
                connection.execute(
                    "CREATE TEMP TRIGGER temporary_%d_%s AFTER %s ON %s BEGIN"
                    " UPDATE OR IGNORE %s SET %s = 'again' WHERE rowid = NEW.rowid; END"
                    % (number, event[:6], event, table.name, table.name, column)
                )
            except sqlite3.Error:
                pass


def alter(connection, sql):
    connection.execute(sql)
    for function in AFTER:
        function()


def change_table(connection, rng, table, number):
    """Changes a table as a migration does; what the schema forbids is left out."""
    old = rng.choice(table.columns)[0]
    new = quote("c%d" % number)
    statements = {
        "ALTER TABLE %s ADD COLUMN %s INT DEFAULT 3" % (table.name, new): lambda: table.columns.append((new, "INT")),
        "ALTER TABLE %s RENAME COLUMN %s TO %s" % (table.name, old, new): lambda: table.rename(old, new),
        "CREATE INDEX %s ON %s (%s)" % (new, table.name, old): None,
        "CREATE TABLE %s (a, b)" % new: None,
        "VACUUM": None,
    }
    statement = rng.choice(list(statements))
    if table.full_text and "TABLE" in statement and "CREATE" not in statement:
        return
    try:
        alter(connection, statement)
        if statements[statement]:
            statements[statement]()
    except sqlite3.Error:
        pass


def drop(connection, rng, tables, number):
    """Drops a column or a table, or rebuilds a table with or without its key."""
    table = rng.choice(tables)
    column, name, new = rng.choice(table.columns), table.name, quote("t%d" % number)
    if table.full_text:
        return
    kind = rng.random()
    try:
        if kind < 0.4:
            alter(connection, "ALTER TABLE %s DROP COLUMN %s" % (name, column[0]))
            table.columns.remove(column)
        elif kind < 0.5 and len(tables) > 2:
            alter(connection, "DROP TABLE %s" % name)
            tables.remove(table)
        elif kind < 0.8:
            key = ", PRIMARY KEY (%s)" % ", ".join(table.key) if table.key and kind < 0.7 else ""
            names = ", ".join(column[0] for column in table.columns)
            alter(connection, "CREATE TABLE %s (%s%s)" % (new, names, key))
            alter(connection, "INSERT INTO %s SELECT %s FROM %s" % (new, names, name))
            alter(connection, "DROP TABLE %s" % name)
            alter(connection, "ALTER TABLE %s RENAME TO %s" % (new, name))
        else:
            rename(connection, table, number)
    except sqlite3.Error:
        pass


def rename(connection, table, number):
    new = quote("t%d" % number)
    if table.full_text:
        return
    try:
        alter(connection, "ALTER TABLE %s RENAME TO %s" % (table.name, new))
        table.name = new
    except sqlite3.Error:
        pass


def run(connection, rng, tables):
    connection.execute(statement(rng, rng.choice(tables))).fetchall()


def exact(value):
    """SQL for a value; quote() leaves out what follows a NUL, and replaces unpaired surrogates."""
    return "quote(%s), hex(CAST(%s AS BLOB))" % (value, value)


def snapshot_of(connection, tables):
    return [
        sorted(connection.execute("SELECT %s FROM %s" % (
            ", ".join([exact(column[0]) for column in table.columns] + [exact(table.identity)]), table.name)).fetchall(),
            # In SQLite 3.31, quote() returns some numbers unchanged.
            key=repr)
        for table in tables
    ]


main()
