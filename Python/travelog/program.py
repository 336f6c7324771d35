"""The program `travelog`, which turns captured changes into history."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import Any


class ProgramError(RuntimeError):
    """The program is missing, or it reported an error."""


def find(name: str = "travelog") -> str | None:
    """The program that was installed with this package, or else the one on the PATH."""
    places = os.pathsep.join((os.path.join(sys.prefix, "bin"), os.environ.get("PATH", "")))
    return shutil.which(name, path=places)


def log(store: str, *flags: str, path: str | None = None) -> tuple[list[dict[str, Any]], str]:
    """The answer of `travelog log`, which first records the captured changes, and a warning, for
    example that another program is writing, so its last changes are not in the answer."""
    path = path or find()
    if path is None:
        raise ProgramError("There is no program travelog with this package or on the PATH.")
    # `log` leaves many captured changes to `status`, which also looks for changes without capture
    # and then ends with 1.
    for words in ["log", store, *flags], ["status", store], ["log", store, *flags]:
        try:
            done = subprocess.run([path, *words, "--json"], stdin=subprocess.DEVNULL,
                                  capture_output=True, encoding="utf-8")
        except OSError as error:
            raise ProgramError(f"{path} can't be run: {error.strerror}") from error
        if done.returncode != 0 and (words[0], done.returncode) != ("status", 1):
            errors = [json.loads(line) for line in done.stderr.splitlines() if line[:1] == "{"]
            raise ProgramError(" ".join(text for error in errors for text in (
                error["message"], error.get("hint")) if text) or done.stderr)
        if words[0] == "log" and not done.stderr:
            break
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr.strip()
