"""The history of an object, as `travelog log` reads it from the database."""
from __future__ import annotations

import json
from datetime import datetime
from typing import Any, NamedTuple

from django.conf import settings
from django.db import connections, models, router

from .. import program
from ..values import Value, date, storage_class

# The newest changes of an object, which a page can show.
_LIMIT = 200


class Entry(NamedTuple):
    """What one transaction did with one row."""
    time: datetime
    author: str
    reason: str
    request: str
    #: insert, update or delete
    op: str
    #: The changed columns, each with its value before and after.
    values: list[tuple[str, Value, Value]]


def history(model: type[models.Model], key: Any) -> tuple[list[Entry], str]:
    """The changes of an object's row, the newest first, and why some are missing, if they are.

    The object can be deleted. The program follows the table and the columns through migrations. A
    parent model has a table with a row of its own.
    """
    connection = connections[router.db_for_read(model)]
    objects, warning = program.log(
        str(connection.settings_dict["NAME"]), "--patch", "--limit", str(_LIMIT),
        "--entity", model._meta.db_table, "--id", _row(model, key, connection),
        path=getattr(settings, "TRAVELOG_PROGRAM", None))
    return [
        Entry(date(each["time"]), each.get("author", ""), each.get("reason", ""),
              each.get("request", ""), change["op"], [
                  (value["name"], _value(value, "before"), _value(value, "after"))
                  for value in change["properties"]])
        for each in objects for change in each["differences"]], warning


def _row(model: type[models.Model], key: Any, connection: Any) -> str:
    """The id of a row in the history: the integer of its key, or a list with the key's value."""
    field = model._meta.pk
    assert field is not None
    value = field.get_db_prep_value(field.to_python(key), connection)
    # SQLite: only a column of the type INTEGER is the row's number.
    if str(field.db_type(connection)).lower() == "integer":
        return str(value)
    kind = {int: "integer", float: "real"}.get(type(value), "text")
    return json.dumps([f"{kind}:{value}"], ensure_ascii=False, separators=(",", ":"))


def _value(change: dict[str, Any], side: str) -> Value:
    if f"{side}_special" in change:
        return f"({change[f'{side}_special']})"
    if f"{side}_large" in change:
        return f"({change[f'{side}_large']['size']} bytes)"
    return None if change.get(side) is None else storage_class(change[side])
