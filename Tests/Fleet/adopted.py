"""Makes a database that another program writes, adopts it, and changes it in every way that keys allow."""
import base64, hashlib, json, sqlite3

TABLES = """
    CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, score REAL, photo BLOB);
    CREATE TABLE country (code TEXT PRIMARY KEY, name) WITHOUT ROWID;
    CREATE TABLE token (key BLOB PRIMARY KEY, value, size AS (length(value)) STORED);
    CREATE TABLE badge (person INT, code BLOB, level, note, PRIMARY KEY (person, code));
    CREATE TABLE event (what, at);
"""


class Program:
    """A program that writes random rows and knows nothing of `travelog`."""

    def __init__(self, path, random):
        self.path, self.random, self.countries = path, random, True

    def run(self, *statements):
        connection = sqlite3.connect(self.path, isolation_level=None)
        for statement in statements:
            connection.execute(*statement)
        connection.close()

    def value(self):
        return self.random.choice((
            None, self.random.randint(-5, 5), 1 << 60, self.random.random(), float("inf"), "",
            f"text {self.random.randint(1, 9)}", 'quote " [1] },{"id":', "Tromsø 🏔️",
            self.random.randbytes(self.random.randint(0, 9)),
        ))

    def statement(self):
        """A statement about a random row, which may not be there."""
        number, value = self.random.randint(1, 9), self.value
        choices = [
            ("INSERT OR REPLACE INTO person (id, name, score, photo) VALUES (?, ?, ?, ?)",
             (number, value(), value(), value())),
            ("UPDATE OR REPLACE person SET name = ?, id = id + ? WHERE id = ?",
             (value(), self.random.choice((0, 20)), number)),
            ("DELETE FROM person WHERE id = ?", (number,)),
            ("INSERT OR REPLACE INTO token (key, value) VALUES (?, ?)", (bytes([number]), value())),
            ("DELETE FROM token WHERE key = ?", (bytes([number]),)),
            # A key with NULL is unlike every other.
            ("INSERT OR IGNORE INTO badge VALUES (?, ?, ?, ?)",
             (self.random.choice((None, 1, 2)), bytes([number]), value(), value())),
            ("UPDATE OR REPLACE badge SET level = ?, person = ? WHERE code = ? AND person IS NULL",
             (value(), self.random.choice((None, number)), bytes([number]))),
            ("INSERT INTO event VALUES (?, ?)", (value(), number)),
            ("UPDATE event SET what = ? WHERE at = ?", (value(), number)),
            ("DELETE FROM event WHERE at = ?", (number,)),
        ]
        if self.countries:
            choices += [
                ("INSERT OR REPLACE INTO country VALUES (?, ?)", (f"{number}é", value())),
                ("UPDATE OR REPLACE country SET code = code || ?, name = ? WHERE code = ?",
                 (number, value(), f"{number}é")),
            ]
        return self.random.choice(choices)

    def work(self):
        """One transaction, perhaps in a bracket that names its author."""
        statements = [self.statement() for _ in range(self.random.randint(1, 6))]
        if self.random.random() < 0.5:
            author = self.random.choice(("billing", "Zoë"))
            statements = [("UPDATE travelog_context SET author = ?", (author,)), *statements,
                          ("UPDATE travelog_context SET author = NULL",)]
        self.run(("BEGIN",), *statements, ("COMMIT",))


def make_adopted(maker):
    from maker import TRAVELOG, run
    maker.store = maker.folder / "app.db"
    program = Program(maker.store, maker.random)
    connection = sqlite3.connect(maker.store)
    if maker.random.random() < 0.7:
        connection.execute("PRAGMA journal_mode = WAL")
    connection.executescript(TABLES)
    connection.close()
    program.run(*(program.statement() for _ in range(20)))
    run(TRAVELOG, "adopt", maker.store)
    changes = [
        [("ALTER TABLE person ADD COLUMN age DEFAULT 7",)],
        [("DROP TABLE country",)],
        [("ALTER TABLE badge RENAME TO medal",), ("ALTER TABLE medal RENAME TO badge",)],
        [("CREATE TABLE IF NOT EXISTS late (a, b, PRIMARY KEY (b, a)) WITHOUT ROWID",),
         ("INSERT OR REPLACE INTO late VALUES (1, 'x')",)],
        [("VACUUM",)],
        [("UPDATE person SET photo = zeroblob(1200000) WHERE id = 20",),
         ("INSERT OR REPLACE INTO person (id, name) VALUES (30, printf('%.1100000c', 'x'))",)],
    ]
    maker.random.shuffle(changes)
    for number in range(8):
        for _ in range(maker.random.randint(1, 4)):
            program.work()
        if number % 2 and (statements := changes.pop()):
            program.countries &= "country" not in statements[0][0]
            program.run(*statements)
        if number == 0 or maker.random.random() < 0.6:
            maker.export(codes=(0, 17))
    maker.export(codes=(0, 17))
    return maker.member("adopted")


def is_adopted(path):
    """Whether a replica is an ordinary database with tables of ours beside the others."""
    with sqlite3.connect(path) as connection:
        found = connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'travelog_catalog'").fetchone()
    connection.close()
    return found is not None


def spelled(value):
    """A value of SQLite as docs/FORMAT.md spells the type `any`."""
    if value is None:
        return None
    if isinstance(value, str):
        return f"text:{value}"
    if isinstance(value, bytes):
        return f"blob:{base64.b64encode(value).decode()}"
    return f"{'integer' if isinstance(value, int) else 'real'}:{value}"


def entry(value):
    """The same with what a line has for a large value."""
    data = value.encode() if isinstance(value, str) else value
    if isinstance(data, bytes) and len(data) > 1 << 20:
        digest = hashlib.sha256(data).hexdigest()
        return spelled(value[:0]), None, f'{{"sha256":"{digest}","size":{len(data)}}}'
    return spelled(value), None, None


def read_database(path):
    """The rows of the program's tables, by the names that they have in logs."""
    connection, found = sqlite3.connect(path), {}
    for _, table, kind, _, has_no_rowid, _ in connection.execute("PRAGMA main.table_list").fetchall():
        if kind != "table" or table.startswith(("travelog_", "sqlite_")):
            continue
        columns = connection.execute(f'PRAGMA table_xinfo("{table}")').fetchall()
        keys = [column[1] for column in sorted(columns, key=lambda column: column[5]) if column[5]]
        types = {column[1]: column[2] for column in columns}
        is_number = not keys or (len(keys) == 1 and types[keys[0]] == "INTEGER")
        rowid = "NULL" if has_no_rowid else "rowid"
        rows = connection.execute(f'SELECT {rowid}, {", ".join(types)} FROM "{table}"')
        for number, *values in rows.fetchall():
            row = dict(zip(types, values))
            parts = [spelled(row[key]) for key in keys]
            name = [f"rowid:{number}"] if None in parts else parts
            name = str(number) if is_number else json.dumps(name, ensure_ascii=False,
                                                             separators=(",", ":"))
            found[table, name] = {column: entry(value) for column, value in row.items()}
    connection.close()
    return found
