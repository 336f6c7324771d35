"""The command line, which needs no other package until a command runs."""
import argparse, json, os, re, signal, sys
from datetime import timedelta

from .exits import FAILURE, INTERRUPTED, NAMES, SUCCESS, TERMINATED, USAGE, FleetError, Stopped


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise FleetError(f"{message[:1].upper()}{message[1:]}.", f"See “{self.prog} --help”.", USAGE)


def duration(text):
    """Reads 12h, 30d and so on."""
    match = re.fullmatch(r"(\d{1,6})([mhd])", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text} is not a duration such as 12h or 30d")
    return timedelta(**{{"m": "minutes", "h": "hours", "d": "days"}[match[2]]: int(match[1])})


def positive(text):
    """Reads a whole number above 0."""
    if not re.fullmatch(r"[1-9]\d{0,8}", text):
        raise argparse.ArgumentTypeError(f"{text} is not a whole number above 0")
    return int(text)


def moment(text):
    """Reads NAME=TIME; a time is spelled as in lines, or is a day or a minute."""
    name, _, time = text.partition("=")
    if re.fullmatch(r"\d{4}-\d\d-\d\d", time):
        time += "T00:00Z"
    match = re.fullmatch(r"(\d{4}-\d\d-\d\dT\d\d:\d\d)(:\d\d)?(\.\d{1,6})?Z", time)
    if not re.fullmatch(r"\w+", name) or match is None:
        raise argparse.ArgumentTypeError(f"{text} is not NAME=TIME, as before=2026-11-03T08:00Z")
    return name, f"{match[1]}{match[2] or ':00'}{(match[3] or '.').ljust(7, '0')}Z"


def option(text):
    """Reads NAME=VALUE."""
    name, separator, value = text.partition("=")
    if not name or not separator:
        raise argparse.ArgumentTypeError(f"{text} is not NAME=VALUE")
    return name, value


def hours(text):
    """Reads 8-18."""
    match = re.fullmatch(r"(\d\d?)-(\d\d?)", text)
    if match is None or not int(match[1]) < int(match[2]) <= 24:
        raise argparse.ArgumentTypeError(f"{text} are not hours such as 8-18")
    return int(match[1]), int(match[2])


def parser():
    result = Parser(prog="travelog-fleet",
                    description="Loads the logs of many stores into one table.")
    commands = result.add_subparsers(dest="command", required=True, metavar="COMMAND")
    common = Parser(add_help=False)
    common.add_argument("--json", action="store_true", help="Write the answer as JSON.")
    common.add_argument("-q", "--quiet", action="store_true",
                        help="Write nothing unless something is wrong.")

    load = commands.add_parser("load", parents=[common], help="Loads new logs into a lake.")
    load.add_argument("source", metavar="SOURCE", help="A log folder, or s3://BUCKET/PREFIX.")
    load.add_argument("target", metavar="TARGET", help="The folder of the lake.")
    load.add_argument("--warehouse", metavar="URL",
                      help="The folder for the files of a new lake. Default: TARGET/warehouse.")
    load.add_argument("--catalog", metavar="URL",
                      help="The catalog that several loads share, as SQLAlchemy names it.")
    load.add_argument("--travelog", metavar="FILE", default=os.environ.get("TRAVELOG", "travelog"),
                      help="The program that verifies logs.")
    load.add_argument("--workers", metavar="NUMBER", type=positive, default=os.cpu_count() or 1,
                      help="The number of stores that are read at the same time.")
    load.add_argument("--engine", choices=("local", "spark"), default="local",
                      help="Where stores are read: in processes of this machine, or on Spark.")
    load.add_argument("--master", metavar="URL",
                      help="The master of Spark. Default: this machine, or the master of spark-submit.")
    load.add_argument("--spark", metavar="NAME=VALUE", type=option, action="append", default=[],
                      help="An option of Spark.")
    load.add_argument("--batch", metavar="NUMBER", type=positive, default=200,
                      help="The number of stores in one commit.")
    load.add_argument("--silent", metavar="DURATION", type=duration,
                      help="Report stores that have had no transaction for this long.")
    load.add_argument("--allow-unproven", action="store_true",
                      help="Exit with 0 even if a part of the logs is not proven.")
    load.add_argument("--metrics", metavar="FILE", help="Write metrics for Prometheus.")
    load.add_argument("--progress", choices=("auto", "always", "never"), default="auto",
                      help="When to show progress.")

    query = commands.add_parser("query", parents=[common], help="Runs SQL over a lake.")
    query.add_argument("target", metavar="TARGET", help="The folder of the lake.")
    query.add_argument("sql", metavar="SQL", help="A query over the views.")
    query.add_argument("--engine", choices=("duckdb", "spark"), default="duckdb",
                       help="The engine that runs the query.")
    query.add_argument("--master", metavar="URL",
                       help="The master of Spark. Default: this machine, or the master of spark-submit.")
    query.add_argument("--moment", metavar="NAME=TIME", type=moment, action="append",
                       default=[], help="A time for the views state and differences.")

    page = commands.add_parser("page", parents=[common], help="Writes a page about a lake.")
    page.add_argument("target", metavar="TARGET", help="The folder of the lake.")
    page.add_argument("--output", metavar="FILE", required=True, help="The page to write.")
    for command in (query, page):
        command.add_argument("--bulk", metavar="NUMBER", type=positive, default=1000,
                             help="A transaction with at least this many changes is a finding.")
        command.add_argument("--office-hours", metavar="HOURS", type=hours,
                             help="Working hours in UTC, as 8-18; changes at other times are findings.")
    return result


def main(arguments=None):
    arguments = sys.argv[1:] if arguments is None else arguments
    for number, code in ((signal.SIGINT, INTERRUPTED), (signal.SIGTERM, TERMINATED)):
        signal.signal(number, stop(code))
    try:
        options = parser().parse_args(arguments)
        if sys.version_info < (3, 11):
            raise FleetError("travelog-fleet needs Python 3.11 or newer.")
        from . import commands
        return getattr(commands, options.command)(options)
    except Stopped as stopped:
        return stopped.code
    except FleetError as error:
        write_error(error, as_json="--json" in arguments)
        return error.code
    except BrokenPipeError:
        # The reader of the answer has stopped early, which is not a failure.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return SUCCESS
    except ModuleNotFoundError as error:
        library = error.name.partition(".")[0]
        what = "pyspark" if library == "pyspark" else "'travelog[fleet]'"
        write_error(FleetError(f"The Python library {library} is not installed.",
                               f"Run “pip install {what}”."), as_json="--json" in arguments)
        return FAILURE
    except Exception as error:
        # Without this, Python would end with 1, which means that a store is damaged.
        write_error(FleetError(f"{type(error).__name__}: {error}"), as_json="--json" in arguments)
        if "FLEET_TRACEBACK" in os.environ:
            raise
        return FAILURE


def stop(code):
    def handle(*_):
        raise Stopped(code)
    return handle


def write_error(error, *, as_json):
    if as_json:
        answer = {"schema": 1, "type": "error", "code": error.code, "name": NAMES[error.code],
                  "message": error.message, "hint": error.hint}
        print(json.dumps({key: value for key, value in answer.items() if value is not None},
                         sort_keys=True, ensure_ascii=False), file=sys.stderr)
        return
    print(f"error: {error.message}", file=sys.stderr)
    if error.hint:
        print(f"hint: {error.hint}", file=sys.stderr)


def run():
    """Runs the command line, and ends the program without waiting for threads of a stopped load."""
    code = main()
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        code = code or SUCCESS
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    run()
