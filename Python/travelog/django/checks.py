"""What `manage.py check` finds."""
from __future__ import annotations

from typing import Any, List

from django.core.checks import CheckMessage, Warning
from django.db import connections


def check_transaction_mode(**_: Any) -> List[CheckMessage]:
    """Warns about transactions that read first.

    They fail with "database is locked", at once, if another one has written since they began.
    """
    return [
        Warning(
            f"The transactions of the database {connection.alias!r} take the lock for writing only "
            "when they write, so requests can fail with \"database is locked\".",
            hint='Set DATABASES[…]["OPTIONS"] = {"transaction_mode": "IMMEDIATE"} '
            "(Django 5.1 or newer).",
            id="travelog.W001")
        for connection in connections.all() if connection.vendor == "sqlite"
        and str(connection.settings_dict["OPTIONS"].get("transaction_mode")).upper()
        not in ("IMMEDIATE", "EXCLUSIVE")]
