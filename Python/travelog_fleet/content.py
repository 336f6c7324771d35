"""What a source of logs returns, and what it counts."""
from typing import NamedTuple


class Content(NamedTuple):
    """The bytes of a small object, and a tag that changes with them."""

    data: bytes
    tag: str


class Counts:
    """The requests and bytes of a source so far."""

    def __init__(self):
        self.reads = self.lists = self.bytes = 0

    def take(self):
        """The counts since the last call."""
        taken = {"reads": self.reads, "lists": self.lists, "bytes": self.bytes}
        self.reads = self.lists = self.bytes = 0
        return taken


# The answer to a conditional read whose tag is still right.
UNCHANGED = object()
