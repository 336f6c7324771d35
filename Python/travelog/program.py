"""The program `travelog`, which turns captured changes into history."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import Any, Iterable, NamedTuple


class ProgramError(RuntimeError):
    """The program is missing, or it reported an error."""


class Answer(NamedTuple):
    objects: list[dict[str, Any]]
    #: For example, that another program is writing, so its last changes are not in the answer.
    warning: str


def log(store: str, *flags: str, path: str | None = None) -> Answer:
    """The answer of `travelog log`, which first records the captured changes."""
    answer = _run("log", store, *flags, path=path)
    if answer.warning:
        # `log` leaves many captured changes to `status`, which also looks for changes without
        # capture and then ends with 1.
        _run("status", store, path=path, codes=(0, 1))
        answer = _run("log", store, *flags, path=path)
    return answer


def _find() -> str:
    """The program that was installed with this package, or else the one on the PATH."""
    places = os.pathsep.join((os.path.join(sys.prefix, "bin"), os.environ.get("PATH", "")))
    found = shutil.which("travelog", path=places)
    if found is None:
        raise ProgramError("The program travelog is not installed with this package, and not on "
                           "the PATH.")
    return found


def _run(*words: str, path: str | None, codes: Iterable[int] = (0,)) -> Answer:
    command = [path or _find(), *words, "--json"]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True,
                              encoding="utf-8")
    except OSError as error:
        raise ProgramError(f"{command[0]} can't be run: {error.strerror}") from error
    if done.returncode not in codes:
        errors = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
        raise ProgramError(" ".join(text for error in errors for text in (
            error["message"], error.get("hint")) if text) or done.stderr)
    return Answer([json.loads(line) for line in done.stdout.splitlines()], done.stderr.strip())
