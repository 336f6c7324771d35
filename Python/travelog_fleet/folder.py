"""Logs in a folder."""
import os, stat
from pathlib import Path

from .content import UNCHANGED, Content, Counts
from .exits import MISSING, FleetError
from .names import STORE


def tag_of(status):
    return f"{status.st_ino}-{status.st_mtime_ns}-{status.st_size}"


class FolderSource:
    """A log folder on a disk. It follows no links, and opens only regular files."""

    def __init__(self, path):
        self.path, self.counts = Path(path), Counts()

    def stores(self):
        """The identifiers of all stores, in order."""
        self.counts.lists += 1
        try:
            names = sorted(os.listdir(self.path))
        except OSError as error:
            raise FleetError(
                f"The log folder {self.path} can't be read: {error.strerror}.",
                "Name the folder that “travelog export --to” writes.", MISSING,
            ) from error
        return [match[1] for match in map(STORE.fullmatch, names) if match]

    def _open(self, key):
        descriptor = os.open(self.path / key, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        file = os.fdopen(descriptor, "rb")
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            file.close()
            raise OSError(f"{self.path / key} is not a regular file")
        return file

    def read(self, key, tag=None):
        """The content of a small object: None if it is missing, UNCHANGED if it has the given tag."""
        self.counts.reads += 1
        try:
            with self._open(key) as file:
                status = os.fstat(file.fileno())
                found = tag_of(status)
                if found == tag:
                    return UNCHANGED
                content = Content(file.read(), found)
        except FileNotFoundError:
            return None
        self.counts.bytes += len(content.data)
        return content

    def list(self, prefix, after=""):
        """The keys that begin with a prefix and follow another key, in order."""
        self.counts.lists += 1
        base, found = prefix.rpartition("/")[0], []
        for folder, _, names in os.walk(self.path / base):
            place = os.path.relpath(folder, self.path)
            found += (f"{place}/{name}" for name in names)
        return sorted(key for key in found if key.startswith(prefix) and key > after)

    def tags(self, prefix):
        """The keys that begin with a prefix, each with a tag that changes with its content."""
        return {key: tag_of(os.stat(self.path / key)) for key in self.list(prefix)}

    def fetch(self, key, path):
        """Copies an object into a file."""
        self.counts.reads += 1
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with self._open(key) as file, open(path, "wb") as copy:
            while block := file.read(1 << 20):
                self.counts.bytes += copy.write(block)
