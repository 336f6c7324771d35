"""What a load should do, and what it did."""
import os
from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta

from .exits import FOUND, SUCCESS, UNPROVEN


@dataclass
class LoadRequest:
    source: str
    target: str
    warehouse: str | None = None
    # The catalog that other loads share; None for one in the target.
    catalog: str | None = None
    travelog: str = "travelog"
    workers: int = os.cpu_count() or 1
    batch: int = 200
    # Stores whose last transaction is older than this are in quarantine.
    silent: timedelta | None = None
    allows_unproven: bool = False
    # Where stores are read; the master of Spark, and its options.
    engine: str = "local"
    master: str | None = None
    spark: dict = field(default_factory=dict)


@dataclass
class LoadResult:
    stores: int = 0
    changed: int = 0
    transactions: int = 0
    changes: int = 0
    # The transactions whose rows were replaced, because values were erased from their logs.
    replaced: int = 0
    commits: int = 0
    orphans: int = 0
    merged: int = 0
    requests: Counter = field(default_factory=Counter)
    quarantined: list = field(default_factory=list)
    unproven: list = field(default_factory=list)
    seconds: float = 0

    def code(self, request):
        if self.quarantined:
            return FOUND
        return UNPROVEN if self.unproven and not request.allows_unproven else SUCCESS
