"""An adopted file whose last transactions have reasons, and the reasons as each reader finds them.

Most lines have no reason, so a reader that infers types knows these columns only from the header.
"""
import json, sqlite3, subprocess

REASONS = [("billing", "ticket 7", "POST /invoices/7"), ("sync", "two\nlines \" \u0001", None),
           ("import", None, "é 日本語"), ("large", "x" * 100_000, "y")]


def make_logs(travelog, folder):
    """Creates the file and its logs, and returns their paths."""
    folder.mkdir(parents=True)
    (folder / "logs").mkdir()
    path = folder / "app.db"
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("CREATE TABLE note(id INTEGER PRIMARY KEY, text)")
    subprocess.run([travelog, "adopt", path], check=True, stderr=subprocess.DEVNULL)
    connection.execute("BEGIN")
    connection.executemany("INSERT INTO note (text) VALUES (?)", ([str(n)] for n in range(30_000)))
    connection.execute("COMMIT")
    for values in REASONS:
        connection.execute("BEGIN")
        connection.execute("UPDATE travelog_context SET author = ?, reason = ?, request = ?", values)
        connection.execute("INSERT INTO note (text) VALUES ('last')")
        connection.execute("UPDATE travelog_context SET author = NULL")
        connection.execute("COMMIT")
    connection.close()
    subprocess.run([travelog, "export", path, "--to", folder / "logs", "--quiet"], check=True)
    return sorted((folder / "logs").glob("store=*/lineage=*/date=*/*.ndjson.gz"))


def by_duckdb(files):
    import duckdb
    log = duckdb.read_json([str(file) for file in files])
    return log.filter("kind = 'transaction'").project("author, reason, request").fetchall()


def by_polars(files):
    import polars
    log = polars.read_ndjson(files).filter(polars.col("kind") == "transaction")
    return log.select("author", "reason", "request").rows()


def by_pandas(files):
    import pandas
    log = pandas.concat(pandas.read_json(file, lines=True) for file in files)
    log = log[log["kind"] == "transaction"][["author", "reason", "request"]]
    return list(log.astype(object).where(log.notna(), None).itertuples(index=False, name=None))


def by_pyarrow(files):
    import pyarrow.compute as compute, pyarrow.dataset as dataset
    log = dataset.dataset([str(file) for file in files], format="json").to_table()
    log = log.filter(compute.field("kind") == "transaction")
    return list(zip(*(log[name].to_pylist() for name in ("author", "reason", "request"))))


def by_pyspark(files):
    from pyspark.sql import SparkSession
    log = SparkSession.builder.getOrCreate().read.json([str(file) for file in files])
    log = log.filter("kind = 'transaction'").orderBy("txn")
    return [tuple(row) for row in log.select("author", "reason", "request").collect()]


def by_jq(files):
    text = subprocess.run(
        f"zcat {' '.join(map(str, files))} | jq -c 'select(.kind == \"transaction\") | [.author, .reason, .request]'",
        shell=True, check=True, capture_output=True, encoding="utf-8").stdout
    return [tuple(json.loads(line)) for line in text.splitlines()]


READERS = {
    "duckdb": by_duckdb, "pandas": by_pandas, "polars": by_polars, "pyarrow": by_pyarrow,
    "pyspark": by_pyspark, "jq": by_jq,
}


def complaints(reader, files):
    """The wrong results of a reader with its default options."""
    found = [row for row in READERS[reader](files) if row[0] is not None]
    return [] if found == REASONS else [f"reasons are {str(found)[:300]}"]
