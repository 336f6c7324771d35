"""A file in which a worker hands rows to the loader, which maps it into memory."""
import pyarrow as pa

from .lines import Rows
from .table import LINES


class RowFile:
    def __init__(self, path):
        self.path = str(path)

    def __enter__(self):
        self.sink = pa.OSFile(self.path, "wb")
        self.writer = pa.ipc.new_file(self.sink, LINES)
        self.rows = Rows(self.writer.write_batch)
        return self

    def __exit__(self, *_):
        self.rows.flush()
        self.writer.close()
        self.sink.close()


def read_rows(path):
    """The rows of a file, which stays on the disk."""
    return pa.ipc.open_file(pa.memory_map(path)).read_all()
