"""The tag of the admin's page with the history of an object."""
from __future__ import annotations

import re
from typing import Any

from django import template
from django.contrib.admin.utils import flatten_fieldsets
from django.db import models

from ...program import ProgramError
from ..history import history

register = template.Library()

# The form of a user shows a password field, but not its hash.
_SECRET = re.compile("password|secret|token|key", re.IGNORECASE)


@register.simple_tag(takes_context=True)
def travelog_history(context: template.Context) -> dict[str, Any]:
    """The changes of the page's object, with the columns that its form shows to the user."""
    found = context["object"]
    try:
        entries, warning = history(type(found), found.pk)
    except ProgramError as error:
        return {"message": error}
    shown = _shown_columns(context["request"], found)
    return {"message": warning, "entries": [
        entry._replace(values=[each for each in entry.values if each[0] in shown])
        for entry in entries]}


def _shown_columns(request: Any, found: models.Model) -> set[str]:
    admin = request.resolver_match.func.model_admin
    names = set(flatten_fieldsets(admin.get_fieldsets(request, found)))
    return {str(field.column) for field in found._meta.concrete_fields
            if field.name in names and not _SECRET.search(str(field.column))}
