from __future__ import annotations

from django.apps import AppConfig
from django.core import checks

from .checks import check_transaction_mode


class TravelogConfig(AppConfig):
    name = "travelog.django"
    # The last part of the name would be "django".
    label = "travelog"

    def ready(self) -> None:
        checks.register(check_transaction_mode)
