"""The tag of the admin's page with the history of an object."""
from __future__ import annotations

import re
from typing import Any, Dict, List, Set

from django import template
from django.contrib.admin.utils import flatten_fieldsets
from django.core.exceptions import FieldDoesNotExist
from django.db import models

from ..history import Entry, history
from ...program import ProgramError

register = template.Library()

# The form of a user shows a password field, but not its hash.
_SECRET = re.compile("password|secret|token|key", re.IGNORECASE)


@register.simple_tag(takes_context=True)
def travelog_history(context: template.Context) -> Dict[str, Any]:
    """The changes of the page's object, with the columns that its form shows to the user."""
    found = context["object"]
    try:
        entries, warning = history(type(found), found.pk)
    except ProgramError as error:
        return {"message": error}
    shown = _shown_columns(context["request"], found)
    return {"message": warning, "entries": [
        entry._replace(values=[each for each in entry.values if each.column in shown])
        for entry in entries]}


def _shown_columns(request: Any, found: models.Model) -> Set[str]:
    admin = request.resolver_match.func.model_admin
    columns: Set[str] = set()
    for name in flatten_fieldsets(admin.get_fieldsets(request, found)):
        try:
            field = found._meta.get_field(name)
        except FieldDoesNotExist:
            continue
        if isinstance(field, models.Field) and not _SECRET.search(str(field.column)):
            columns.add(str(field.column))
    return columns
