"""The bracket: two statements that name the author of a transaction.

The first one is the first statement of the transaction, and the second one is the last statement.
docs/ADOPT.md describes what Travelog does with them.
"""
from __future__ import annotations

import contextlib
import re
import sqlite3
from typing import Any, Callable, Iterator, NamedTuple

_OPENING = "UPDATE {}context SET author = ?, reason = ?, request = ?"
_CLOSING = "UPDATE {}context SET author = NULL"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# A statement whose changes the triggers of Travelog can capture. A question about rows can contain
# one of the words after WITH, for example in a text; its bracket is then empty and is not recorded.
_WRITING = re.compile(
    r"(?:\s|--[^\n]*\n|/\*.*?\*/)*(?:WITH\b.*\b)?(?:INSERT|UPDATE|DELETE|REPLACE)\b",
    re.IGNORECASE | re.DOTALL)

# Executes SQL with parameters, and returns what has the rows.
Execute = Callable[..., Any]


class NotAdopted(LookupError):
    """The database has no history of Travelog: `travelog adopt` adds one."""


class Description(NamedTuple):
    """What a bracket says. A transaction without an author can still have a request."""
    author: str
    reason: str | None = None
    request: str | None = None


def is_writing(sql: str) -> bool:
    """Whether a statement can change rows."""
    return _WRITING.match(sql) is not None


def find_prefix(execute: Execute) -> str | None:
    """The prefix of the tables that Travelog added to a database, or None if it added none.

    In every adopted file and every store of the library, the trigger PREFIXauthor records brackets,
    also while `adopt --suspend` runs a migration.
    """
    triggers = execute("SELECT name, tbl_name, sql FROM sqlite_master"
                       " WHERE type = 'trigger' AND name LIKE '%author'").fetchall()
    for name, table, sql in triggers:
        prefix = str(name[:-len("author")])
        # The statements of a bracket have the prefix without quotes.
        if table == prefix + "context" and f"INTO {prefix}bracket" in sql \
                and _NAME.fullmatch(prefix):
            return prefix
    return None


class Bracket:
    """The bracket of the transactions of a connection that a framework controls.

    A framework decides itself when a transaction begins and ends. So the bracket begins before the
    first statement that writes: a transaction that only reads gets no bracket and takes no lock.
    """

    def __init__(self, execute: Execute) -> None:
        """Looks whether the database has a history.

        The caller must do this outside a transaction. A deferred transaction that reads before it
        writes fails if another program has written meanwhile.
        """
        self.prefix = find_prefix(execute)
        self._is_describing = False
        self.begin()

    def begin(self) -> None:
        """Another transaction has begun."""
        # The clock of the capture when the bracket began, if it did.
        self._clock: int | None = None
        self._may_be_undone = False

    def rolled_back_to_savepoint(self) -> None:
        """A part of the transaction, perhaps with the beginning of the bracket, was rolled back."""
        self._may_be_undone = True

    def write(self, execute: Execute, describe: Callable[[], Description]) -> None:
        """Begins the bracket if the transaction has none. The next statement writes.

        `describe` may itself use the connection.
        """
        if self.prefix is None or self._is_describing or self._is_open(execute):
            return
        self._is_describing = True
        try:
            # Takes the lock for writing, without a change: see __init__.
            execute(f"UPDATE {self.prefix}context SET reason = NULL WHERE 0")
            execute(_OPENING.format(self.prefix), describe())
            self._clock = self._read_clock(execute)
        finally:
            self._is_describing = False

    def close(self, execute: Execute) -> None:
        """Ends the bracket, if the transaction has one. The next statement is COMMIT."""
        if self._is_open(execute):
            execute(_CLOSING.format(self.prefix))
            self.begin()

    def _is_open(self, execute: Execute) -> bool:
        if self._clock is not None and self._may_be_undone:
            # The clock only goes back if what it counted is rolled back.
            if self._read_clock(execute) < self._clock:
                self._clock = None
            self._may_be_undone = False
        return self._clock is not None

    def _read_clock(self, execute: Execute) -> int:
        return int(execute(f"SELECT clock FROM {self.prefix}context").fetchone()[0])


@contextlib.contextmanager
def author(connection: sqlite3.Connection, name: str, *, reason: str | None = None,
           request: str | None = None, missing_ok: bool = False) -> Iterator[None]:
    """Runs a block as one transaction with an author, which an exception rolls back.

    The transaction takes the lock for writing at once, because a transaction that reads first can
    fail with "database is locked". A database without a history raises `NotAdopted`; with
    `missing_ok`, its transaction is an ordinary one.
    """
    if not name:
        raise ValueError("the name of the author is empty")
    if connection.in_transaction:
        raise RuntimeError("the connection has an open transaction: commit it first. With "
                           "autocommit=False, a connection always has one.")
    connection.execute("BEGIN IMMEDIATE")
    try:
        prefix = find_prefix(connection.execute)
        if prefix is not None:
            connection.execute(_OPENING.format(prefix), (name, reason, request))
        elif not missing_ok:
            raise NotAdopted("the database has no history: run travelog adopt")
        yield
        if not connection.in_transaction:
            raise RuntimeError(f"the block ended its transaction, so the history can't name {name}")
        if prefix is not None:
            connection.execute(_CLOSING.format(prefix))
        connection.execute("COMMIT")
    except BaseException:
        # Some errors have already rolled back.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
