"""The program `travelog`, which turns captured changes into history."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any, Dict, List, Optional


class ProgramError(RuntimeError):
    """The program is missing, or it reported an error."""


def find(path: Optional[str] = None) -> str:
    """The path of the program: the given one, the one of this package, or the one on the PATH."""
    beside = (Path(__file__).with_name("bin") / "travelog",
              Path(sys.prefix, "bin", "travelog"))
    found = path or next((str(each) for each in beside if os.access(each, os.X_OK)), None)
    found = found or shutil.which("travelog")
    if found is None:
        raise ProgramError("The program travelog is not beside this package and not on the PATH.")
    return found


def run(*words: str, path: Optional[str] = None) -> List[Dict[str, Any]]:
    """Runs a command of the program, and returns the objects of its answer."""
    command = [find(path), *words, "--json"]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True,
                              encoding="utf-8")
    except OSError as error:
        raise ProgramError(f"{command[0]} can't be run: {error.strerror}") from error
    if done.returncode != 0:
        errors = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
        raise ProgramError(" ".join(text for error in errors for text in (
            error["message"], error.get("hint")) if text) or done.stderr)
    if done.stderr:
        # For example, that another program is writing, so its last changes are not shown yet.
        warnings.warn(done.stderr.strip(), stacklevel=3)
    return [json.loads(line) for line in done.stdout.splitlines()]
