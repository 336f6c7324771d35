"""Exit codes and errors; the codes are those of docs/EXIT_CODES.md."""

SUCCESS, FOUND, FAILURE, UNREADABLE = 0, 1, 2, 4
MISSING, LOCKED, UNPROVEN, USAGE = 10, 11, 17, 64
INTERRUPTED, TERMINATED = 130, 143

NAMES = {
    SUCCESS: "success", FOUND: "found", FAILURE: "failure", UNREADABLE: "unreadable",
    MISSING: "missing", LOCKED: "locked", UNPROVEN: "unproven", USAGE: "usage",
    INTERRUPTED: "interrupted", TERMINATED: "terminated",
}


class FleetError(Exception):
    """An error that ends a command: what happened, what to do, and an exit code."""

    def __init__(self, message, hint=None, code=FAILURE):
        super().__init__(message)
        self.message, self.hint, self.code = message, hint, code


class Stopped(BaseException):
    """A signal asked the program to stop."""

    def __init__(self, code):
        super().__init__(code)
        self.code = code
