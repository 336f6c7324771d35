"""Processes that each read one store at a time."""
import ctypes, multiprocessing, os, signal, sys
from concurrent.futures import ProcessPoolExecutor

from .reader import read_store
from .source import open_source

PR_SET_PDEATHSIG = 1
worker = None


class Worker:
    def __init__(self, url, travelog, folder, schemas):
        self.source, self.travelog = open_source(url), travelog
        self.folder, self.schemas = folder, schemas

    def read(self, store, known):
        readings = read_store(self.source, self.travelog, self.folder, store, self.schemas, known)
        for reading in readings:
            self.schemas.update((schema.name, schema) for schema in reading.schemas)
        return readings, self.source.counts.take()


def start(parent, *arguments):
    """Begins a worker, which ends with the process that started it."""
    global worker
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    worker = Worker(*arguments)


def read(store, known):
    return worker.read(store, known)


def kill(pool):
    """Ends the workers at once, and does not wait for them: they write nothing that anyone needs."""
    for process in list((pool._processes or {}).values()):
        process.kill()
    pool.shutdown(wait=False, cancel_futures=True)


def workers(count, url, travelog, folder, schemas):
    """A pool of workers, in which `read` is called."""
    # A load that is stopped leaves semaphores to a process that would report them as leaked.
    sys.warnoptions.append("ignore:resource_tracker")
    return ProcessPoolExecutor(
        count, multiprocessing.get_context("spawn"), start,
        (os.getpid(), str(url), travelog, str(folder), schemas),
    )
