"""The brackets of Django's transactions."""
from __future__ import annotations

import contextlib
import sqlite3
from typing import Any, Callable, Dict, Iterator, Optional

from django.db import connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from ..brackets import Bracket, Description, is_writing

Describe = Callable[[], Description]


@contextlib.contextmanager
def author(name: str, *, reason: Optional[str] = None,
           request: Optional[str] = None) -> Iterator[None]:
    """Names the author of all transactions that begin in a block.

    This is for management commands, tasks and the shell, which have no request. In a request, it
    takes the place of the user.
    """
    with described(lambda: Description(name, reason, request)):
        yield


@contextlib.contextmanager
def described(describe: Describe) -> Iterator[None]:
    """Writes a bracket for each transaction in a block, in all databases of SQLite."""
    with contextlib.ExitStack() as stack:
        for connection in connections.all():
            if connection.vendor == "sqlite":
                stack.enter_context(_described(connection, describe))
        yield


@contextlib.contextmanager
def _described(connection: BaseDatabaseWrapper, describe: Describe) -> Iterator[None]:
    outer = next((each for each in connection.execute_wrappers if isinstance(each, _Brackets)),
                 None)
    if outer is not None:
        before, outer.describe = outer.describe, describe
        try:
            yield
        finally:
            outer.describe = before
        return
    brackets = _Brackets(connection, describe)

    def commit() -> None:
        brackets.close()
        type(connection).commit(connection)

    # Django has no hook before a commit: on_commit functions run after it.
    setattr(connection, "commit", commit)
    try:
        with connection.execute_wrapper(brackets):
            yield
            # The transaction of a test goes on after the request.
            brackets.close()
    finally:
        delattr(connection, "commit")


class _Brackets:
    """Sees the statements of one connection, and writes brackets between them."""

    def __init__(self, connection: BaseDatabaseWrapper, describe: Describe) -> None:
        self.describe = describe
        self._connection = connection
        self._file: Optional[sqlite3.Connection] = None

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool,
                 context: Dict[str, Any]) -> Any:
        file = self._connection.connection
        assert file is not None
        with self._connection.wrap_database_errors:
            if file is not self._file:
                # The first statement in sight is outside a transaction, or begins one.
                self._file, self._bracket = file, Bracket(file.execute)
            elif not file.in_transaction:
                self._bracket.begin()
        if sql.startswith("ROLLBACK TO"):
            self._bracket.rolled_back_to_savepoint()
        elif is_writing(sql) and self._bracket.prefix is not None:
            if not file.in_transaction and self._connection.get_autocommit():
                return self._execute_alone(execute, sql, params, many, context)
            with self._connection.wrap_database_errors:
                self._bracket.write(file.execute, lambda: self.describe())
        return execute(sql, params, many, context)

    def _execute_alone(self, execute: Callable[..., Any], sql: str, params: Any, many: bool,
                       context: Dict[str, Any]) -> Any:
        """Executes a statement that has no transaction, in one with a bracket."""
        cursor = context["cursor"]
        with transaction.atomic(self._connection.alias):
            result = self(execute, sql, params, many, context)
            rows = cursor.fetchall() if cursor.description else []
        if rows:
            # SQLite can't commit before it has returned all rows of a RETURNING, and the caller
            # reads them from the cursor.
            row = ", ".join(["%s"] * len(rows[0]))
            cursor.cursor.execute("VALUES " + ", ".join([f"({row})"] * len(rows)),
                                  [value for row in rows for value in row])
        return result

    def close(self) -> None:
        """Ends the bracket of the open transaction, if it has one."""
        if self._file is not None and self._file is self._connection.connection \
                and self._file.in_transaction:
            with self._connection.wrap_database_errors:
                self._bracket.close(self._file.execute)
