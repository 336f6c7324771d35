"""The authors of Django's transactions: the middleware, and a block for code without a request."""
from __future__ import annotations

import contextlib
from contextvars import ContextVar, Token
from typing import Any, Callable, ContextManager, Iterator

from django.db import connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponseBase

from ..brackets import Bracket, Describe, is_writing

_describe: ContextVar[Describe] = ContextVar("describe")


class Middleware:
    """The first middleware of a site. Only requests that write get a bracket.

    A login changes the user during a request, so each transaction has the user at the time of its
    first writing statement. Without a user, the history has only the request.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        # The query of an address can contain secrets.
        text = f"{request.method} {request.path}"
        with _described(lambda: (self.author(request), None, text)):
            return self._get_response(request)

    def process_view(self, request: HttpRequest, *_: Any) -> None:
        """Reads the user before a transaction begins, which then has its lock for less time."""
        if request.method not in ("GET", "HEAD", "OPTIONS", "TRACE"):
            self.author(request)

    def author(self, request: HttpRequest) -> str:
        """The author of what a request writes; a subclass can name another one."""
        user = getattr(request, "user", None)
        return user.get_username() if user is not None and user.is_authenticated else ""


def author(name: str, *, reason: str | None = None, request: str | None = None
           ) -> ContextManager[None]:
    """Names the author of all transactions that begin in a block.

    This is for management commands, tasks and the shell, which have no request. In a request, it
    takes the place of the user.
    """
    return _described(lambda: (name, reason, request))


@contextlib.contextmanager
def _described(describe: Describe) -> Iterator[None]:
    """Lets all connections to SQLite write a bracket for each transaction of a block."""
    token = _describe.set(describe)
    try:
        yield
    finally:
        _describe.reset(token)
        if token.old_value is Token.MISSING:
            # The transaction of a test goes on after the request.
            for connection in connections.all(initialized_only=True):
                for brackets in connection.execute_wrappers:
                    if isinstance(brackets, _Brackets):
                        brackets.close()


@receiver(connection_created)
def _connected(connection: BaseDatabaseWrapper, **_: Any) -> None:
    """Django's connections are objects that stay, and that connect to their database repeatedly."""
    if connection.vendor == "sqlite":
        # At the end are wrappers for a time, which are removed from there.
        connection.execute_wrappers[:] = [_Brackets(connection), *(
            each for each in connection.execute_wrappers if not isinstance(each, _Brackets))]


class _Brackets:
    """Sees the statements of one connection, and writes brackets between those of a block."""

    def __init__(self, connection: BaseDatabaseWrapper) -> None:
        self._connection, self._file = connection, connection.connection
        # The bracket, and the block for which it was made.
        self._bracket: Bracket | None = None
        self._describe: Describe | None = None

        def commit() -> None:
            self.close()
            type(connection).commit(connection)

        # Django has no hook before a commit: on_commit functions run after it.
        setattr(connection, "commit", commit)

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool,
                 context: dict[str, Any]) -> Any:
        describe, file = _describe.get(None), self._file
        if describe is None:
            return execute(sql, params, many, context)
        with self._connection.wrap_database_errors:
            if self._bracket is None or not file.in_transaction and describe is not self._describe:
                # The first statement in sight is outside a transaction, or begins one.
                self._bracket, self._describe = Bracket(file.execute), describe
            elif not file.in_transaction:
                self._bracket.begin()
            # A statement that has no transaction is executed in one with a bracket.
            is_alone = (not file.in_transaction and self._connection.get_autocommit()
                        and self._bracket.prefix is not None and is_writing(sql))
            if not is_alone:
                self._bracket.see(sql, file.execute, describe)
        if not is_alone:
            return execute(sql, params, many, context)
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
        if self._bracket is not None:
            if self._file.in_transaction:
                with self._connection.wrap_database_errors:
                    self._bracket.close(self._file.execute)
            self._bracket.begin()
