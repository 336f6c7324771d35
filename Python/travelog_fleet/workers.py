"""Processes that each read some stores at a time."""
import ctypes, multiprocessing, os, signal, sys, tempfile, uuid
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

from .reader import read_stores, with_news
from .source import open_source

PR_SET_PDEATHSIG = 1


class Setting(NamedTuple):
    """What all tasks of a load share."""

    url: str
    travelog: str
    # The folder for copies of logs.
    folder: str
    destination: object


class Worker:
    def __init__(self, setting, schemas):
        self.setting, self.schemas = setting, schemas
        self.source = open_source(setting.url)

    def with_news(self, tasks):
        """The tasks that have news, and the counts of requests."""
        return with_news(self.source, tasks), self.source.counts.take()

    def read(self, tasks):
        """The readings of some stores, the file with their rows, and the counts of requests."""
        folder = Path(self.setting.folder) / str(uuid.uuid4())
        readings, file = read_stores(self.source, self.setting.travelog, folder, tasks, self.schemas,
                                     self.setting.destination)
        for reading in readings:
            self.schemas.update((schema.name, schema) for schema in reading.schemas)
        return readings, file, self.source.counts.take()


def start(parent, *arguments):
    """Begins a worker, which ends with the process that started it."""
    global worker
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    worker = Worker(*arguments)


def call(method, tasks):
    return getattr(worker, method)(tasks)


def call_in_task(setting, schemas, method, tasks):
    """Calls a method of a worker in a task of Spark, which has the program among its files."""
    from pyspark import SparkFiles
    program = SparkFiles.get(setting.travelog)
    os.chmod(program, 0o755)
    with tempfile.TemporaryDirectory(prefix="fleet-task-") as folder:
        setting = setting._replace(travelog=program, folder=folder)
        return getattr(Worker(setting, schemas), method)(tasks)


class Processes:
    """Processes of this machine."""

    def __init__(self, count, setting, schemas):
        # A load that is stopped leaves semaphores to a process that would report them as leaked.
        sys.warnoptions.append("ignore:resource_tracker")
        self.count = count
        self.pool = ProcessPoolExecutor(count, multiprocessing.get_context("spawn"), start,
                                        (os.getpid(), setting, schemas))

    def submit(self, method, tasks):
        """Calls a method of a worker, in any of the processes."""
        return self.pool.submit(call, method, tasks)

    def end(self):
        self.pool.shutdown()

    def kill(self):
        """Ends the processes at once, and does not wait for them: nobody needs what they write."""
        for process in list((self.pool._processes or {}).values()):
            process.kill()
        self.pool.shutdown(wait=False, cancel_futures=True)
