"""Logs in a bucket. Address and credentials are those of boto3: AWS_ENDPOINT_URL, AWS_PROFILE and so on."""
import os, shutil

import boto3
from botocore.exceptions import BotoCoreError, ClientError
from urllib3.exceptions import HTTPError

from .content import UNCHANGED, Content, Counts
from .exits import FAILURE, MISSING, FleetError
from .names import STORE

# How often an object is read whose connection breaks.
ATTEMPTS = 5


class BucketSource:
    def __init__(self, bucket, prefix):
        self.bucket, self.prefix = bucket, prefix + "/" if prefix else ""
        self.client, self.counts = boto3.client("s3"), Counts()

    def _pages(self, prefix, **options):
        pages = self.client.get_paginator("list_objects_v2").paginate(
            Bucket=self.bucket, Prefix=self.prefix + prefix, **options
        )
        for page in pages:
            self.counts.lists += 1
            yield page

    def stores(self):
        try:
            prefixes = [
                found["Prefix"][len(self.prefix):].rstrip("/")
                for page in self._pages("store=", Delimiter="/")
                for found in page.get("CommonPrefixes", [])
            ]
        except (BotoCoreError, ClientError) as error:
            raise FleetError(
                f"The bucket {self.bucket} can't be listed: {error}.",
                "Check its name and the credentials in the environment.",
                MISSING if "NoSuchBucket" in str(error) else FAILURE,
            ) from error
        return [match[1] for match in map(STORE.fullmatch, prefixes) if match]

    def read(self, key, tag=None):
        self.counts.reads += 1
        condition = {"IfNoneMatch": tag} if tag else {}
        try:
            answer = self.client.get_object(Bucket=self.bucket, Key=self.prefix + key, **condition)
        except ClientError as error:
            status = error.response["ResponseMetadata"]["HTTPStatusCode"]
            if status == 304:
                return UNCHANGED
            if status == 404:
                return None
            raise OSError(f"{key}: {error}") from error
        content = Content(answer["Body"].read(), answer["ETag"])
        self.counts.bytes += len(content.data)
        return content

    def list(self, prefix, after=""):
        options = {"StartAfter": self.prefix + after} if after else {}
        return [
            found["Key"][len(self.prefix):]
            for page in self._pages(prefix, **options)
            for found in page.get("Contents", [])
        ]

    def tags(self, prefix):
        return {
            found["Key"][len(self.prefix):]: found["ETag"]
            for page in self._pages(prefix) for found in page.get("Contents", [])
        }

    def fetch(self, key, path):
        """Copies an object into a file, with one request unless the connection breaks."""
        os.makedirs(os.path.dirname(path), exist_ok=True)
        for attempt in range(ATTEMPTS):
            self.counts.reads += 1
            try:
                body = self.client.get_object(Bucket=self.bucket, Key=self.prefix + key)["Body"]
                with open(path, "wb") as file:
                    shutil.copyfileobj(body, file)
                break
            except ClientError as error:
                is_missing = error.response["ResponseMetadata"]["HTTPStatusCode"] == 404
                raise (FileNotFoundError if is_missing else OSError)(f"{key}: {error}") from error
            except (BotoCoreError, HTTPError) as error:
                if attempt + 1 == ATTEMPTS:
                    raise OSError(f"{key}: {error}") from error
        self.counts.bytes += os.path.getsize(path)
