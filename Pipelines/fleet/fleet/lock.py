"""Files of a target that keep a second load away, and say whether a load was killed."""
import fcntl, json, os
from contextlib import contextmanager

from .exits import LOCKED, FleetError


@contextmanager
def lock(target):
    """Keeps a second load away from a target."""
    with open(target / ".lock", "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FleetError(f"Another load works on {target}.", "Try again when the other load has ended.",
                             LOCKED) from None
        yield


class Mark:
    """A file that is there while a load works, and after it was killed."""

    def __init__(self, target):
        self.path = target / "_loading.json"

    def read(self):
        """None if the last load ended; otherwise what it was doing."""
        try:
            return json.loads(self.path.read_text())
        except FileNotFoundError:
            return None

    def write(self, *, erases):
        """Says durably that a load works, and whether it removes erased values."""
        new = self.path.with_suffix(".new")
        with open(new, "w") as file:
            json.dump({"erases": erases}, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, self.path)

    def remove(self):
        self.path.unlink(missing_ok=True)
