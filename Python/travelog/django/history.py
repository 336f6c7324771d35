"""The history of an object, as `travelog log` reads it from the database, and what a page shows."""
from __future__ import annotations

import json
import re
from typing import Any

from django.conf import settings
from django.contrib.admin.utils import flatten_fieldsets
from django.db import connections, models, router

from .. import program
from ..values import Value, date, storage_class

# The newest changes of an object, which a page can show.
_LIMIT = 200
# The form of a user shows a password field, but not its hash.
_SECRET = re.compile("password|secret|token|key", re.IGNORECASE)


def history(model: type[models.Model], key: Any) -> tuple[list[dict[str, Any]], str]:
    """The changes of an object's row, the newest first, and why some are missing, if they are.

    A change is an object of `travelog log` with `values`: the changed columns, each with its value
    before and after. The object can be deleted. The program follows the table and the columns
    through migrations. A parent model has a table with a row of its own.
    """
    connection = connections[router.db_for_read(model)]
    objects, warning = program.log(
        str(connection.settings_dict["NAME"]), "--patch", "--limit", str(_LIMIT),
        "--entity", model._meta.db_table, "--id", _row(model, key, connection),
        path=getattr(settings, "TRAVELOG_PROGRAM", None))
    return [{**each, **change, "time": date(each["time"]), "values": [
        (value["name"], _value(value, "before"), _value(value, "after"))
        for value in change["properties"]]}
        for each in objects for change in each["differences"]], warning


def _row(model: type[models.Model], key: Any, connection: Any) -> str:
    """The id of a row in the history: the integer of its key, or a list with the key's value."""
    field: Any = model._meta.pk
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


def page_history(context: Any) -> dict[str, Any]:
    """The changes of the object of an admin's page, with the columns that its form shows."""
    found, request = context["object"], context["request"]
    try:
        changes, warning = history(type(found), found.pk)
    except program.ProgramError as error:
        return {"message": error}
    names = flatten_fieldsets(request.resolver_match.func.model_admin.get_fieldsets(request, found))
    shown = {field.column for field in found._meta.concrete_fields
             if field.name in names and not _SECRET.search(field.column)}
    return {"message": warning, "entries": [
        {**each, "values": [value for value in each["values"] if value[0] in shown]}
        for each in changes]}
