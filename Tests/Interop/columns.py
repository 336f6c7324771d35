"""Reads logs with each reader's default options, and lets the reader compute a sum of every column.

A sum is a tuple: how many values are not null, and a number that tells whether they are the right
ones: for numbers their sum, for flags how many are true, for texts the number of their characters,
for references the sum of the ids, for links their number.
"""
import gzip, json, sqlite3

REAL, WHOLE, FLAG, TEXT, DATE, REFERENCE, LINKS = (
    "real", "whole", "flag", "text", "date", "reference", "links"
)
SIDES = ("before", "after")


def columns(files):
    """The columns of each side with their kinds, from the header."""
    with gzip.open(files[0], "rt") as lines:
        header = json.loads(next(lines))
    return {name: kind(value) for name, value in header["before"].items()}


def kind(value):
    if isinstance(value, bool):
        return FLAG
    if isinstance(value, dict):
        return REFERENCE
    if isinstance(value, list):
        return LINKS
    if isinstance(value, str):
        return DATE if value.startswith("1970") else TEXT
    return REAL if isinstance(value, float) else WHOLE


def sum_up(kind, values):
    """The sum of a column's JSON values."""
    values = [value for value in values if value is not None]
    measure = {
        REAL: float, WHOLE: int, FLAG: int, TEXT: len, DATE: lambda value: 0,
        REFERENCE: lambda value: int(value["id"]), LINKS: len,
    }[kind]
    return len(values), sum(map(measure, values))


def of_objects(names, changes):
    """The sums of changes that are dictionaries with a before and an after."""
    return {
        (side, name): sum_up(kind, [(change[side] or {}).get(name) for change in changes])
        for side in SIDES for name, kind in names.items()
    }


def of_store(path, names):
    """The reference for all readers: the history in SQLite."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as connection:
        changes = [
            {"before": json.loads(before or "{}"), "after": json.loads(after or "{}")}
            for before, after in connection.execute("SELECT before, after FROM history_change")
        ]
        transactions = connection.execute("SELECT count(*) FROM history_transaction").fetchone()[0]
    connection.close()
    return (len(changes), transactions), of_objects(names, changes)


def by_duckdb(files, names):
    import duckdb

    log = duckdb.read_json([str(file) for file in files])
    types = dict(zip(log.columns, map(str, log.types)))
    parts = []
    for side in SIDES:
        for name, kind in names.items():
            # DuckDB reads an object that has few of many properties as a map of JSON.
            isMap = types[side].startswith("MAP")
            value = f"""{side}['{name}']"""
            text = f"({value} ->> '$')" if isMap else value
            parts.append({
                REAL: f"count({text}), sum({text}::DOUBLE)",
                WHOLE: f"count({text}), sum({text}::HUGEINT)",
                FLAG: f"count({text}), count(*) FILTER (WHERE {text}::BOOLEAN)",
                TEXT: f"count({text}), sum(length({text}::VARCHAR))",
                DATE: f"count({text}::TIMESTAMPTZ), 0",
                REFERENCE: f"count({text}), sum(({value} ->> '$.id')::BIGINT)" if isMap
                else f"count({text}), sum({value}.id::BIGINT)",
                LINKS: f"count({text}), sum(json_array_length({value}))" if isMap
                else f"count({text}), sum(len({value}))",
            }[kind])
    found = log.filter("kind = 'change'").aggregate(", ".join(parts)).fetchall()[0]
    counts = tuple(
        log.filter(f"kind = '{kind}'").aggregate("count(*)").fetchall()[0][0]
        for kind in ("change", "transaction")
    )
    keys = [(side, name) for side in SIDES for name in names]
    return counts, dict(zip(keys, zip(found[::2], found[1::2])))


def by_polars(files, names):
    import polars

    log = polars.read_ndjson(files)
    changes = log.filter(polars.col("kind") == "change")
    measures = {
        REAL: lambda cell: cell.sum(), WHOLE: lambda cell: cell.sum(),
        FLAG: lambda cell: cell.sum(), TEXT: lambda cell: cell.str.len_chars().sum(),
        DATE: lambda cell: polars.lit(0), LINKS: lambda cell: cell.list.len().sum(),
        REFERENCE: lambda cell: cell.struct.field("id").cast(polars.Int64).sum(),
    }
    parts = []
    for side in SIDES:
        for name, kind in names.items():
            cell = polars.col(side).struct.field(name)
            parts.append(cell.count().alias(f"{side} {name} 0"))
            parts.append(measures[kind](cell).alias(f"{side} {name} 1"))
    found = changes.select(parts).row(0)
    counts = len(changes), len(log.filter(polars.col("kind") == "transaction"))
    keys = [(side, name) for side in SIDES for name in names]
    return counts, dict(zip(keys, zip(found[::2], found[1::2])))


def by_pandas(files, names):
    import pandas

    log = pandas.concat(pandas.read_json(file, lines=True) for file in files)
    changes = log[log["kind"] == "change"]
    sides = {
        side: [cell if isinstance(cell, dict) else None for cell in changes[side]] for side in SIDES
    }
    objects = [dict(zip(SIDES, pair)) for pair in zip(sides["before"], sides["after"])]
    counts = len(changes), len(log[log["kind"] == "transaction"])
    return counts, of_objects(names, objects)


def by_pyarrow(files, names):
    import pyarrow.compute as compute
    import pyarrow.dataset as dataset

    log = dataset.dataset([str(file) for file in files], format="json").to_table()
    changes = log.filter(compute.field("kind") == "change")
    measures = {
        REAL: lambda cell: cell, WHOLE: lambda cell: cell, FLAG: lambda cell: cell.cast("int64"),
        TEXT: compute.utf8_length, DATE: lambda cell: compute.multiply(compute.utf8_length(cell), 0),
        REFERENCE: lambda cell: compute.struct_field(cell, "id").cast("int64"),
        LINKS: compute.list_value_length,
    }
    sums = {}
    for side in SIDES:
        for name, kind in names.items():
            cell = compute.struct_field(changes[side], name)
            total = compute.sum(measures[kind](cell)).as_py()
            sums[side, name] = compute.count(cell).as_py(), total or 0
    return (len(changes), len(log.filter(compute.field("kind") == "transaction"))), sums


def by_pyspark(files, names):
    from pyspark.sql import SparkSession, functions as F

    spark = SparkSession.builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    log = spark.read.json([str(file) for file in files]).cache()
    parts = []
    for side in SIDES:
        for name, kind in names.items():
            cell = F.col(f"{side}.`{name}`")
            measure = {
                REAL: lambda: cell, WHOLE: lambda: cell, FLAG: lambda: cell.cast("int"),
                TEXT: lambda: F.length(cell), DATE: lambda: F.length(cell) * 0,
                REFERENCE: lambda: cell["id"].cast("long"), LINKS: lambda: F.size(cell),
            }[kind]()
            parts += [F.count(cell), F.sum(F.when(cell.isNotNull(), measure))]
    found = log.where("kind = 'change'").agg(*parts).collect()[0]
    counts = tuple(
        log.where(f"kind = '{kind}'").count() for kind in ("change", "transaction")
    )
    keys = [(side, name) for side in SIDES for name in names]
    return counts, dict(zip(keys, zip(found[::2], found[1::2])))


JQ = r"""
def measure: if type == "boolean" then (if . then 1 else 0 end)
  elif type == "object" then (.id | tonumber) elif type == "number" then . else length end;
reduce inputs as $line ({};
  .[$line.kind] += 1
  | if $line.kind == "change" then
      reduce ("before", "after") as $side (.;
        reduce (($line[$side] // {}) | to_entries[] | select(.value != null)) as $cell (.;
          "\($side) \($cell.key)" as $key
          | .[$key] = [(.[$key][0] // 0) + 1, (.[$key][1] // 0) + ($cell.value | measure)]))
    else . end)
"""


def by_jq(files, names):
    import subprocess

    lines = subprocess.Popen(["zcat", *map(str, files)], stdout=subprocess.PIPE)
    answer = subprocess.run(["jq", "-n", JQ], stdin=lines.stdout, stdout=subprocess.PIPE, check=True)
    lines.stdout.close()
    if lines.wait():
        raise RuntimeError(f"zcat ended with {lines.returncode}")
    found = json.loads(answer.stdout)
    sums = {}
    for side in SIDES:
        for name, kind in names.items():
            count, total = found.get(f"{side} {name}", (0, 0))
            sums[side, name] = count, 0 if kind == DATE else total
    return (found["change"], found["transaction"]), sums


READERS = {
    "duckdb": by_duckdb, "pandas": by_pandas, "polars": by_polars, "pyarrow": by_pyarrow,
    "pyspark": by_pyspark, "jq": by_jq,
}
