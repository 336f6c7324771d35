"""Logs in a bucket, and a lake in another one."""
import json, os, shutil, subprocess, sys, time, unittest
from collections import Counter
from pathlib import Path

import boto3

from support import FLEET, FolderTests, add_journey, fleet, load, places_in_lake
from cluster import free_port
from test_erasure import SECRET, erase_secret, with_secret
import world
from travelog_fleet.bucket import BucketSource

ENVIRONMENT = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test",
               "AWS_DEFAULT_REGION": "us-east-1", "AWS_REGION": "us-east-1"}


class BucketTests(FolderTests):
    @classmethod
    def setUpClass(cls):
        port = free_port()
        cls.address = f"http://127.0.0.1:{port}"
        cls.server = subprocess.Popen(
            [sys.executable, "-m", "moto.server", "-p", str(port)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        cls.addClassCleanup(cls.server.wait)
        cls.addClassCleanup(cls.server.kill)
        cls.before = dict(os.environ)
        cls.addClassCleanup(os.environ.update, cls.before)
        for name in (*ENVIRONMENT, "AWS_ENDPOINT_URL"):
            if name not in cls.before:
                cls.addClassCleanup(os.environ.pop, name, None)
        os.environ.update(ENVIRONMENT, AWS_ENDPOINT_URL=cls.address)
        cls.client = boto3.client("s3")
        for _ in range(100):
            try:
                cls.client.list_buckets()
                break
            except Exception:
                time.sleep(0.2)
        for bucket in ("logs", "lake"):
            cls.client.create_bucket(Bucket=bucket)

    def upload(self, logs, prefix="fleet"):
        """Makes a part of the bucket what the folder is; logs first, tokens last."""
        paths = [path for path in Path(logs).rglob("*") if path.is_file()]
        keys = {f"{prefix}/{path.relative_to(logs)}": path for path in paths}
        for key in sorted(keys, key=lambda key: key.endswith("_token.json")):
            self.client.upload_file(str(keys[key]), "logs", key)
        for found in self.client.list_objects_v2(Bucket="logs", Prefix=f"{prefix}/").get("Contents", []):
            if found["Key"] not in keys:
                self.client.delete_object(Bucket="logs", Key=found["Key"])

    def test_a_load_from_a_bucket_into_a_bucket_is_that_of_a_folder(self):
        logs, members = self.make(world.plain, world.incremental, world.restored, world.filtered,
                                  world.incomplete, with_secret)
        self.upload(logs)
        options = ("--warehouse", "s3://lake/warehouse")
        load("s3://logs/fleet", self.lake, *options)
        self.assert_once(logs, members)

        answer = load("s3://logs/fleet", self.lake)["fleet_load"][0]
        self.assertEqual(answer["transactions"], 0)
        add_journey(members[0], logs, "One more")
        world.run(world.TRAVELOG, "compact", logs, codes=(0, 1, 4))
        self.upload(logs)
        answer = load("s3://logs/fleet", self.lake)["fleet_load"][0]
        self.assertEqual((answer["changed"], answer["transactions"]), (1, 1))
        self.assert_once(logs, members)

        erase_secret(logs, members[-1])
        self.upload(logs)
        load("s3://logs/fleet", self.lake)
        self.assert_once(logs, members)
        for found in self.client.list_objects_v2(Bucket="lake")["Contents"]:
            path = self.folder / "object"
            self.client.download_file("lake", found["Key"], str(path))
            self.assertNotIn(SECRET.encode(), path.read_bytes())
            if found["Key"].endswith(".parquet"):
                import pyarrow.parquet as parquet
                self.assertNotIn(SECRET, str(parquet.read_table(path).to_pylist()))

        done = fleet("query", self.lake, "SELECT count(*) FROM lines WHERE txn > 0")
        self.assertEqual(done.stdout.strip(), str(sum(places_in_lake(self.lake).values())), done.stderr)

    def test_loads_at_the_same_time_from_a_bucket_into_a_bucket_make_the_requests_of_one_load(self):
        logs, members = self.make(world.plain, world.incremental, world.migrated, world.restored)
        for name, half in (("europe", members[:2]), ("asia", members[2:])):
            for member in half:
                shutil.copytree(logs / f"store={member.identifier}",
                                self.folder / name / f"store={member.identifier}")
            self.upload(self.folder / name, name)
        self.upload(logs, "world")
        alone = load("s3://logs/world", self.folder / "alone", "--warehouse", "s3://lake/alone")

        self.lake = self.folder / "europe-lake"
        options = ("--catalog", f"sqlite:///{self.folder / 'catalog.sqlite'}",
                   "--warehouse", "s3://lake/shared",
                   "--travelog", world.TRAVELOG, "--json")
        for changed in (4, 0):
            loads = [subprocess.Popen([*FLEET, "load", f"s3://logs/{name}", str(self.folder / f"{name}-lake"),
                                       *options], stdout=subprocess.PIPE, text=True)
                     for name in ("europe", "asia")]
            answers = [json.loads(load.communicate(timeout=300)[0].splitlines()[-1]) for load in loads]
            self.assertEqual([load.returncode for load in loads], [0, 0])
            self.assertEqual(sum(answer["changed"] for answer in answers), changed)
            requests = sum((Counter(answer["requests"]) for answer in answers), Counter())
            # Each load makes a listing of stores.
            self.assertEqual(requests["lists"] - 1, alone["fleet_load"][0]["requests"]["lists"])
            self.assertEqual(requests["reads"], alone["fleet_load"][0]["requests"]["reads"])
            self.assertEqual(requests["bytes"], alone["fleet_load"][0]["requests"]["bytes"])
            self.assert_once(logs, members)
            alone = load("s3://logs/world", self.folder / "alone")

    def test_an_object_is_read_with_one_request_and_again_if_the_connection_breaks(self):
        source, path = BucketSource("logs", "objects"), self.folder / "copy"
        self.client.put_object(Bucket="logs", Key="objects/one", Body=b"content")
        sent, breaks = [], [True]

        def answer(**_):
            sent.append(1)

        def break_once(parsed, **_):
            if breaks:
                breaks.pop()
                parsed["Body"].close()

        source.client.meta.events.register("before-send.s3", answer)
        source.client.meta.events.register("after-call.s3.GetObject", break_once)
        source.fetch("one", path)
        self.assertEqual((path.read_bytes(), len(sent), source.counts.reads), (b"content", 2, 2))
        source.fetch("one", path)
        self.assertEqual((len(sent), source.counts.reads, source.counts.bytes), (3, 3, 14))
        with self.assertRaises(FileNotFoundError):
            source.fetch("two", path)

    def test_a_missing_bucket_ends_with_10(self):
        self.assertEqual(fleet("load", "s3://nowhere/fleet", self.lake).returncode, 10)


if __name__ == "__main__":
    unittest.main()
