"""The brackets of Django's transactions."""
from __future__ import annotations

import contextlib
from typing import Any, Callable, Iterator

from django.db import connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from ..brackets import Bracket, Description, is_writing


@contextlib.contextmanager
def author(name: str, *, reason: str | None = None, request: str | None = None) -> Iterator[None]:
    """Names the author of all transactions that begin in a block.

    This is for management commands, tasks and the shell, which have no request. In a request, it
    takes the place of the user.
    """
    with described(lambda: Description(name, reason, request)):
        yield


@contextlib.contextmanager
def described(describe: Callable[[], Description]) -> Iterator[None]:
    """Writes a bracket for each transaction in a block, in all databases of SQLite."""
    with contextlib.ExitStack() as stack:
        for connection in connections.all():
            if connection.vendor == "sqlite":
                stack.enter_context(_described(connection, describe))
        yield


@contextlib.contextmanager
def _described(connection: BaseDatabaseWrapper, describe: Callable[[], Description]
               ) -> Iterator[None]:
    for outer in connection.execute_wrappers:
        if isinstance(outer, _Brackets):
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

    def __init__(self, connection: BaseDatabaseWrapper,
                 describe: Callable[[], Description]) -> None:
        self.describe = describe
        self._connection = connection
        # The connection of sqlite3 that the bracket belongs to.
        self._file: Any = None

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool,
                 context: dict[str, Any]) -> Any:
        file: Any = self._connection.connection
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
                self._bracket.write(file.execute, self.describe)
        return execute(sql, params, many, context)

    def _execute_alone(self, execute: Callable[..., Any], sql: str, params: Any, many: bool,
                       context: dict[str, Any]) -> Any:
        """Executes a statement that has no transaction, in one with a bracket."""
        cursor = context["cursor"]
        with transaction.atomic(self._connection.alias):
            result = self(execute, sql, params, many, context)
            rows = cursor.fetchall() if cursor.description else []
        if rows:
            # SQLite can't commit before it has returned all rows of a RETURNING, and the caller
            # reads them from the cursor.
            row = f"({', '.join(['%s'] * len(rows[0]))})"
            cursor.cursor.execute("VALUES " + ", ".join([row] * len(rows)),
                                  [value for each in rows for value in each])
        return result

    def close(self) -> None:
        """Ends the bracket of the open transaction, if it has one."""
        file: Any = self._connection.connection
        if file is not None and file is self._file and file.in_transaction:
            with self._connection.wrap_database_errors:
                self._bracket.close(file.execute)
