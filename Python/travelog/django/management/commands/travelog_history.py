"""The command `manage.py travelog_history`."""
from __future__ import annotations

from typing import Any

from django.apps import apps
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from ....program import ProgramError
from ...history import history


class Command(BaseCommand):
    help = "Shows who changed an object, and what, the newest change first."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("model", help="the model, such as shop.Invoice")
        parser.add_argument("pk", help="the primary key; the object can be deleted")

    def handle(self, *, model: str, pk: str, **_: Any) -> None:
        try:
            changes, warning = history(apps.get_model(model), pk)
        except (LookupError, ValueError, ValidationError, ProgramError) as error:
            raise CommandError(str(error)) from error
        if warning:
            self.stderr.write(warning)
        for each in changes:
            about = map(each.get, ("reason", "request"))
            who = " ".join(filter(None, (each.get("author") or "(no author)", *about)))
            self.stdout.write(f"{each['time']:%Y-%m-%d %H:%M:%S}Z {each['op']} by {who}")
            for column, before, after in each["values"]:
                old = "" if each["op"] == "insert" else f"{before!r} -> "
                self.stdout.write(f"    {column}: {old}{after!r}")
