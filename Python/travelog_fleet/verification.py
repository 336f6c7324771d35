"""Runs `travelog verify` over the staged logs of one store."""
import json, subprocess

from .exits import FOUND, MISSING, SUCCESS, UNPROVEN, UNREADABLE


class Refusal(Exception):
    """Why the logs of a store are not loaded: a verdict in one word, and a sentence."""

    def __init__(self, verdict, message):
        super().__init__(message)
        self.verdict, self.message = verdict, message


VERDICTS = {FOUND: "damaged", UNREADABLE: "unreadable", MISSING: "missing"}


def verify(travelog, folder, path, *, store=None, after=None, heads=()):
    """The answers of `verify` for sound logs, one for each lineage, whose lines are then in a file.

    Raises Refusal for all others. A finding names files by their place in the source.
    """
    folder = str(folder)
    command = [travelog, "verify", folder, "--json", "--arrow", str(path)]
    if store is not None:
        command += ["--store", store]
    if after is not None:
        command += ["--after", after]
    for head in heads:
        command += ["--head", head]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode in (SUCCESS, UNPROVEN):
        return answers
    findings = [finding for answer in answers for finding in answer["findings"]]
    errors = [line for line in done.stderr.splitlines() if line.startswith("{")]
    if findings:
        message = findings[0]["message"]
        verdict = verdict_of(findings)
    else:
        message = json.loads(errors[-1])["message"] if errors else done.stderr.strip()
        verdict = VERDICTS.get(done.returncode, "failed")
    message = message.replace(f"{folder}/", "").replace(folder, "the log folder")
    raise Refusal(verdict, message or f"verify ended with {done.returncode}")


def verdict_of(findings):
    """One word for some findings."""
    # Whatever is wrong with a log, the token is ahead of the sound logs before it.
    kinds = {finding["kind"] for finding in findings} - {"end-missing"}
    if not kinds:
        return "missing"
    return kinds.pop() if kinds <= {"unreadable"} or kinds <= {"unfinished"} else "damaged"
