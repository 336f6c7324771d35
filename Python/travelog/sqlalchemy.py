"""Names the author of each transaction of an engine of SQLAlchemy."""
from __future__ import annotations

from typing import Any, Callable

from sqlalchemy import Connection, Engine, event

from .brackets import Bracket


def track(engine: Engine, author: Callable[[], str | None], *,
          reason: Callable[[], str | None] = lambda: None,
          request: Callable[[], str | None] = lambda: None) -> None:
    """Calls functions before the first writing statement of each transaction, for its bracket.

    This includes bulk updates, which have no event of a flush, and SQL without a session. In the
    isolation level AUTOCOMMIT, there is no transaction, and so no author.
    """
    if engine.dialect.driver != "pysqlite":
        raise ValueError(f"track needs the driver pysqlite, not {engine.dialect.driver}")

    @event.listens_for(engine, "engine_connect")
    def connected(connection: Connection) -> None:
        # Without SQLAlchemy, which would begin a transaction.
        file: Any = connection.connection.driver_connection
        connection.info["travelog"] = Bracket(file.execute)

    @event.listens_for(engine, "begin")
    def begun(connection: Connection) -> None:
        connection.info["travelog"].begin()

    @event.listens_for(engine, "before_cursor_execute")
    def executing(connection: Connection, cursor: Any, statement: str, *_: Any) -> None:
        file: Any = connection.connection.driver_connection
        # AUTOCOMMIT is the isolation level None. SQLAlchemy executes, because it converts errors.
        if file.in_transaction or file.isolation_level is not None:
            connection.info["travelog"].see(statement, connection.exec_driver_sql,
                                            lambda: (author() or "", reason(), request()))

    @event.listens_for(engine, "commit")
    def committing(connection: Connection) -> None:
        connection.info["travelog"].close(connection.exec_driver_sql)
