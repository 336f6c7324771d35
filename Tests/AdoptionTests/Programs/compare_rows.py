#!/usr/bin/env python3
"""Compares the rows of a database with those that a reader finds in its logs.

    compare_rows.py DATABASE READER LOG...

READER is the program that was written from docs/FORMAT.md only.
"""
import collections
import hashlib
import json
import sqlite3
import subprocess
import sys
from base64 import b64decode


def spelled(kind, value):
    """A value as a log has it, except that a large value has the digest of its bytes."""
    if kind == b"real":
        return "real", value
    if kind in (b"null", b"integer"):
        return kind.decode(), value
    return kind.decode(), hashlib.sha256(value).hexdigest()


def parsed(value):
    """A value of a log in the same form."""
    if value is None:
        return "null", None
    if isinstance(value, dict):
        # The digest of a large value is that of its bytes.
        return "large", value["large"]["sha256"]
    kind, text = value.split(":", 1)
    if kind == "integer":
        return kind, int(text)
    if kind == "real":
        return kind, float(text)
    data = text.encode() if kind == "text" else b64decode(text)
    return kind.replace("64", ""), hashlib.sha256(data).hexdigest()


def matches(left, right):
    return left == right or right[0] == "large" and left[1] == right[1]


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def main(database, reader, *logs):
    found = collections.defaultdict(list)
    lines = subprocess.run([sys.executable, reader, *logs], stdout=subprocess.PIPE, check=True).stdout
    for line in lines.splitlines():
        row = json.loads(line)
        found[row["entity"]].append(row["values"])
    connection = sqlite3.connect(database)
    connection.text_factory = bytes
    for table, rows in found.items():
        names = sorted(rows[0])
        # If two names differ only in case, the logs qualify them with the name of the table.
        columns = [quoted(name.removeprefix(table + ".")) for name in names]
        columns = ", ".join(f"typeof({column}), {column}" for column in columns)
        wanted = [tuple(spelled(*row[index:index + 2]) for index in range(0, len(row), 2))
                  for row in connection.execute(f"SELECT {columns} FROM {quoted(table)}")]
        got = [tuple(parsed(row[name]) for name in names) for row in rows]
        order = lambda row: [(str(content), kind) for kind, content in row]
        pairs = zip(sorted(wanted, key=order), sorted(got, key=order), strict=True)
        for left, right in pairs:
            if not all(map(matches, left, right)):
                sys.exit(f"{table}: {left} in the database, {right} in the logs")
    print(sum(map(len, found.values())))


if __name__ == "__main__":
    main(*sys.argv[1:])
