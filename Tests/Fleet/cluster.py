"""A standalone master of Spark with two workers, as processes of this machine."""
import os, socket, subprocess, sys, time
from pathlib import Path

import pyspark

HOME = Path(pyspark.__file__).parent


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Cluster:
    def __init__(self, folder):
        self.folder, self.processes = folder, []
        self.environment = {**os.environ, "SPARK_HOME": str(HOME), "SPARK_LOCAL_IP": "127.0.0.1",
                            "PYSPARK_PYTHON": sys.executable, "SPARK_NO_DAEMONIZE": "1",
                            "SPARK_WORKER_OPTS": "-Dspark.worker.timeout=15",
                            "SPARK_MASTER_OPTS": "-Dspark.worker.timeout=15"}
        self.port, self.web = free_port(), free_port()
        self.master = f"spark://127.0.0.1:{self.port}"
        self._start("org.apache.spark.deploy.master.Master", "--host", "127.0.0.1",
                    "--port", self.port, "--webui-port", self.web)
        self._wait(self.port)
        self.workers = [self.add_worker(number) for number in range(2)]

    def _start(self, *arguments):
        command = [str(HOME / "bin" / "spark-class"), *map(str, arguments)]
        with open(self.folder / f"spark-{len(self.processes)}.log", "w") as log:
            process = subprocess.Popen(command, env=self.environment, stdout=log, stderr=log)
        self.processes.append(process)
        return process

    def add_worker(self, number):
        return self._start("org.apache.spark.deploy.worker.Worker", self.master, "--cores", "1",
                           "--memory", "1g", "--host", "127.0.0.1", "--webui-port", free_port(),
                           "--work-dir", self.folder / f"worker-{number}")

    def _wait(self, port):
        """Waits for the master; a busy machine needs more than a minute to start it."""
        while self.processes[0].poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return
            time.sleep(0.1)
        raise AssertionError((self.folder / "spark-0.log").read_text())

    def options(self):
        return {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1",
                "spark.executor.memory": "700m", "spark.executor.cores": "1",
                "spark.sql.shuffle.partitions": "4", "spark.driver.memory": "1g"}

    def stop(self):
        for process in reversed(self.processes):
            process.kill()
            process.wait()
