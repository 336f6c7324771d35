"""The history of an object, as `travelog log` reads it from the database."""
from __future__ import annotations

import json
from datetime import datetime
from typing import Any, Dict, List, NamedTuple, Optional, Type

from django.conf import settings
from django.db import connections, models, router

from .. import program
from ..values import Value, date, storage_class

# The newest changes of an object, which a page can show.
_LIMIT = 200


class ValueChange(NamedTuple):
    column: str
    before: Value
    after: Value


class Entry(NamedTuple):
    """What one transaction did with one row."""
    transaction: int
    time: datetime
    author: str
    reason: str
    request: str
    #: insert, update or delete
    op: str
    values: List[ValueChange]


class History(NamedTuple):
    #: The newest first.
    entries: List[Entry]
    #: Why the newest changes are missing, if they are.
    warning: str


def history(model: Type[models.Model], key: Any) -> History:
    """The changes of an object's row, also of a deleted object.

    The program follows the table and the columns through migrations. A parent model has a table
    with a row of its own.
    """
    connection = connections[router.db_for_read(model)]
    answer = program.log(
        str(connection.settings_dict["NAME"]), "--patch", "--limit", str(_LIMIT),
        "--entity", model._meta.db_table, "--id", _row(model, key, connection),
        path=getattr(settings, "TRAVELOG_PROGRAM", None))
    return History([
        Entry(each["transaction"], date(each["time"]), each.get("author", ""),
              each.get("reason", ""), each.get("request", ""), change["op"],
              [_value_change(value) for value in change["properties"]])
        for each in answer.objects for change in each.get("differences", ())], answer.warning)


def _row(model: Type[models.Model], key: Any, connection: Any) -> str:
    """The id of a row in the history: the integer of its key, or a list with the key's value."""
    field = model._meta.pk
    assert field is not None
    value = field.get_db_prep_value(field.to_python(key), connection)
    # SQLite: only a column of the type INTEGER is the row's number.
    if str(field.db_type(connection)).lower() == "integer":
        return str(value)
    kind = {int: "integer", float: "real"}.get(type(value), "text")
    return json.dumps([f"{kind}:{value}"], ensure_ascii=False, separators=(",", ":"))


def _value_change(change: Dict[str, Any]) -> ValueChange:
    before, after = (_value(change, side) for side in ("before", "after"))
    return ValueChange(change["name"], before, after)


def _value(change: Dict[str, Any], side: str) -> Optional[Value]:
    unknown = change.get(f"{side}_special")
    if unknown is not None:
        return f"({unknown})"
    if f"{side}_large" in change:
        return f"({change[f'{side}_large']['size']} bytes)"
    text = change.get(side)
    return None if text is None else storage_class(text)
