"""The app, and what `manage.py check` finds."""
from __future__ import annotations

from typing import Any

from django.apps import AppConfig
from django.core import checks
from django.db import connections


class TravelogConfig(AppConfig):
    name = "travelog.django"
    # The last part of the name would be "django".
    label = "travelog"


@checks.register
def _check_transaction_mode(**_: Any) -> list[checks.CheckMessage]:
    """Warns about transactions that read first.

    They fail with "database is locked", at once, if another one has written since they began.
    """
    return [
        checks.Warning(
            f"Transactions of the database {connection.alias!r} that read before they write can "
            "fail with \"database is locked\".",
            hint="Set \"transaction_mode\": \"IMMEDIATE\" in its OPTIONS (Django 5.1 or newer).",
            id="travelog.W001")
        for connection in connections.all() if connection.vendor == "sqlite"
        and str(connection.settings_dict["OPTIONS"].get("transaction_mode")).upper()
        not in ("IMMEDIATE", "EXCLUSIVE")]
