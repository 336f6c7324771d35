"""Files of a target that prevent a second load at the same time, and show whether a load was killed."""
import fcntl, json, os
from contextlib import contextmanager

from .exits import LOCKED, FleetError


@contextmanager
def lock(target):
    """Prevents a second load of a target at the same time."""
    with open(target / ".lock", "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FleetError(f"Another load is writing to {target}.", "Try again when the other load has ended.",
                             LOCKED) from None
        yield


class Mark:
    """A file that exists while a load runs, and remains if the load is killed."""

    def __init__(self, target):
        self.path = target / "_loading.json"

    def read(self):
        """What the last load recorded, if it was killed; None if it ended."""
        try:
            return json.loads(self.path.read_text())
        except FileNotFoundError:
            return None

    def write(self, load, *, erases):
        """Records durably which load runs, and whether it removes erased values."""
        new = self.path.with_suffix(".new")
        with open(new, "w") as file:
            json.dump({"load": load, "erases": erases}, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, self.path)

    def remove(self):
        self.path.unlink(missing_ok=True)
