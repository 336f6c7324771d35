"""Reads stores on the workers of Spark."""
import shutil, tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .engines import spark_session
from .workers import call_in_task

PACKAGE = Path(__file__).parent


class SparkPool:
    """Calls the methods of a worker, each in a job of Spark with one task.

    Spark runs the task again if it loses the worker. The file that a lost task wrote is in no commit, and
    the load deletes it at its end.
    """

    def __init__(self, setting, schemas, master=None, **options):
        self.session = spark_session("fleet load", master, **options)
        self.context, self.schemas = self.session.sparkContext, schemas
        self.count = max(self.context.defaultParallelism, 2)
        self.place = tempfile.TemporaryDirectory(prefix="fleet-spark-")
        self.context.addPyFile(shutil.make_archive(f"{self.place.name}/travelog_fleet", "zip",
                                                   PACKAGE.parent, PACKAGE.name))
        self.context.addFile(setting.travelog)
        self.setting = setting._replace(travelog=Path(setting.travelog).name)
        self.threads = ThreadPoolExecutor(2 * self.count)

    def submit(self, method, tasks):
        """Calls a method of a worker on any machine."""
        return self.threads.submit(self._run, method, tasks)

    def _run(self, method, tasks):
        # A worker gets only the schemas that there are now, which grow while others read.
        setting, schemas = self.setting, dict(self.schemas)
        found, = self.context.parallelize([tasks], 1).map(
            lambda tasks: call_in_task(setting, schemas, method, tasks)).collect()
        if method == "read":
            self.schemas.update((schema.name, schema) for reading in found[0]
                                for schema in reading.schemas)
        return found

    def end(self):
        self.threads.shutdown()
        self._stop()

    def kill(self):
        """Ends the tasks at once."""
        self.context.cancelAllJobs()
        self.threads.shutdown(wait=False, cancel_futures=True)
        self._stop()

    def _stop(self):
        self.session.stop()
        self.place.cleanup()
