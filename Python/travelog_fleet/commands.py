"""What each command does, and how it answers."""
import json, sys

from travelog.program import find

from .answers import Progress, counted, write_metrics
from .exits import NAMES, SUCCESS


def write(answer):
    print(json.dumps({"schema": 1, **answer}, sort_keys=True, ensure_ascii=False))


def load(options):
    from .load import load as run
    from .request import LoadRequest
    request = LoadRequest(
        options.source, options.target, options.warehouse, options.catalog,
        find(options.travelog) or options.travelog, options.workers, options.batch, options.silent,
        options.allow_unproven, options.engine, options.master, dict(options.spark),
    )
    with Progress(options.progress) as progress:
        result = run(request, progress)
    code = result.code(request)
    if options.metrics:
        write_metrics(options.metrics, result, code)
    if options.json:
        for row in result.quarantined:
            write({"type": "fleet_quarantined", **row})
        for row in result.unproven:
            write({"type": "fleet_unproven", **row})
        write({
            "type": "fleet_load", "stores": result.stores, "changed": result.changed,
            "transactions": result.transactions, "changes": result.changes,
            "replaced": result.replaced, "commits": result.commits, "orphans": result.orphans,
            "merged": result.merged, "quarantined": len(result.quarantined),
            "unproven": len(result.unproven), "requests": dict(result.requests),
            "seconds": round(result.seconds, 3), "code": code, "name": NAMES[code],
        })
        return code
    for row in result.quarantined:
        place = f"{row['store']} (filter {row['partial']})" if row["partial"] else row["store"]
        print(f"{row['verdict']}: {place}: {row['message']}", file=sys.stderr)
    for row in result.unproven:
        print(f"unproven: {row['store']}: {', '.join(row['except'])}", file=sys.stderr)
    if not options.quiet:
        print(f"{result.changed} of {counted(result.stores, 'store')} had new logs:"
              f" {counted(result.transactions, 'transaction')} with"
              f" {counted(result.changes, 'change')}.")
        if result.replaced:
            print(f"Erased values were removed from {counted(result.replaced, 'transaction')}.")
    return code


def query(options):
    from .engines import DuckDB, Spark, rules
    from .lake import Lake
    lake, times = Lake(options.target), dict(options.moment)
    findings = rules(options.bulk, options.office_hours)
    if options.engine == "duckdb":
        engine = DuckDB(lake, times, findings)
    else:
        engine = Spark(lake, times, findings, options.master)
    try:
        names, rows = engine.query(options.sql)
    finally:
        engine.close()
    for row in rows:
        if options.json:
            print(json.dumps(dict(zip(names, row)), ensure_ascii=False, default=str))
        else:
            print(*("" if value is None else value for value in row), sep="\t")
    return SUCCESS


def page(options):
    from .engines import DuckDB, rules
    from .lake import Lake
    from .page import write_page
    engine = DuckDB(Lake(options.target), findings=rules(options.bulk, options.office_hours))
    try:
        write_page(engine, options.output, options.target)
    finally:
        engine.close()
    if options.json:
        write({"type": "fleet_page", "output": options.output})
    return SUCCESS
