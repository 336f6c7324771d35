"""The bracket: the first and the last statement of a transaction, which name its author.

docs/ADOPT.md describes what Travelog does with them.
"""
from __future__ import annotations

import contextlib
import re
import sqlite3
from typing import Any, Callable, Iterator, Optional, Tuple

# Returns the author, the reason and the request of a transaction. A transaction without an author,
# whose name is then empty, can still have a request.
Describe = Callable[[], Tuple[str, Optional[str], Optional[str]]]
# Whether a statement can change rows, which the triggers of Travelog capture. A question about rows
# can contain one of the words after WITH, for example in a text; its bracket is then empty and is
# not recorded.
is_writing = re.compile(
    r"(?:\s|--[^\n]*\n|/\*.*?\*/)*(?:WITH\b.*\b)?(?:INSERT|UPDATE|DELETE|REPLACE)\b",
    re.IGNORECASE | re.DOTALL).match


class NotAdopted(LookupError):
    """The database has no history of Travelog: `travelog adopt` adds one."""


class Bracket:
    """The bracket of the transactions of a connection that a framework controls.

    A framework decides itself when a transaction begins and ends. So the bracket begins before the
    first statement that writes: a transaction that only reads gets no bracket and takes no lock.
    """

    def __init__(self, execute: Callable[..., Any]) -> None:
        """Looks whether the database has a history.

        The caller must do this outside a transaction. A deferred transaction that reads before it
        writes fails if another program has written meanwhile.
        """
        # The prefix of the tables that Travelog added. In every adopted file and every store of the
        # library, the trigger PREFIXauthor records brackets, also while `adopt --suspend` runs a
        # migration. The statements of a bracket have the prefix without quotes.
        [self.prefix] = execute(
            "SELECT substr(name, 1, length(name) - 6) AS prefix FROM sqlite_master"
            " WHERE type = 'trigger' AND name = prefix || 'author' AND tbl_name = prefix||'context'"
            " AND instr(sql, 'INTO ' || prefix || 'bracket')"
            " AND prefix GLOB '[A-Za-z_]*' AND prefix NOT GLOB '*[^A-Za-z0-9_]*'"
        ).fetchone() or [None]
        self._is_describing = False
        self.begin()

    def begin(self) -> None:
        """Another transaction has begun."""
        # The savepoints in the bracket, if there is a bracket.
        self._savepoints: set[str] | None = None

    def see(self, sql: str, execute: Callable[..., Any], describe: Describe) -> None:
        """Begins the bracket if the transaction has none, and if the next statement writes."""
        if self._savepoints is None:
            if is_writing(sql):
                self.open(execute, describe)
        elif sql.startswith("SAVEPOINT "):
            self._savepoints.add(sql.split()[-1])
        elif sql.startswith("ROLLBACK TO ") and sql.split()[-1] not in self._savepoints:
            # The beginning of the bracket is rolled back too.
            self.begin()

    def open(self, execute: Callable[..., Any], describe: Describe) -> None:
        """Begins the bracket. `describe` may itself use the connection."""
        if self.prefix is not None and not self._is_describing:
            self._is_describing = True
            try:
                # Takes the lock for writing, without a change: see __init__.
                execute(f"UPDATE {self.prefix}context SET reason = NULL WHERE 0")
                execute(f"UPDATE {self.prefix}context SET author = ?, reason = ?, request = ?",
                        describe())
                self._savepoints = set()
            finally:
                self._is_describing = False

    def close(self, execute: Callable[..., Any]) -> None:
        """Ends the bracket, if the transaction has one. The next statement is COMMIT."""
        if self._savepoints is not None:
            execute(f"UPDATE {self.prefix}context SET author = NULL")
            self.begin()


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
        bracket = Bracket(connection.execute)
        if bracket.prefix is None and not missing_ok:
            raise NotAdopted("the database has no history: run travelog adopt")
        bracket.open(connection.execute, lambda: (name, reason, request))
        yield
        if not connection.in_transaction:
            raise RuntimeError(f"the block ended its transaction, so the history can't name {name}")
        bracket.close(connection.execute)
        connection.execute("COMMIT")
    except BaseException:
        # Some errors have already rolled back.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
