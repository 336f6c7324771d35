"""Where logs come from: a folder or a bucket, behind the same four functions.

A source counts its requests and bytes, because a bucket charges for both.
"""
from urllib.parse import urlparse

from .exits import USAGE, FleetError
from .folder import FolderSource


def open_source(url):
    """The source that a path or a URL names."""
    parts = urlparse(str(url))
    if parts.scheme in ("", "file"):
        return FolderSource(parts.path if parts.scheme else url)
    if parts.scheme == "s3":
        from .bucket import BucketSource
        return BucketSource(parts.netloc, parts.path.strip("/"))
    raise FleetError(f"{url} is neither a folder nor an s3: URL.", code=USAGE)
