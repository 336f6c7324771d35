"""DuckDB and Spark over the lake, with the same tables and views."""
import functools, importlib, os, re, sys
from pathlib import Path

from .exits import USAGE, FleetError

VIEWS = (Path(__file__).parent / "views.sql").read_text()
# The views of states.
STATES = "replacements|past|objects|latest|state"
TABLES = ("lines", "properties", "schemas", "quarantine")


def rules(bulk=1000, office_hours=None):
    """The view of the rules for findings; office hours are a pair of hours in UTC."""
    first, last = (str(hour) for hour in office_hours) if office_hours else ("NULL", "NULL")
    return (f"SELECT {int(bulk)} AS bulk, CAST({first} AS int) AS office_from,"
            f" CAST({last} AS int) AS office_to")


def statements(text=VIEWS):
    """The statements of a script, without its comments.

    The views of states exist twice: of all stores, and of those that `differences` compares as a whole.
    """
    code = "\n".join(line for line in text.splitlines() if not line.startswith("--"))
    for statement in filter(None, map(str.strip, code.split(";"))):
        yield statement
        if re.search(rf" VIEW ({STATES}) AS", statement):
            yield re.sub(rf"\b(points|{STATES})\b", r"whole_\1", statement)


def moments(times):
    """The view of the times to look at: by default one, “now”."""
    times = times or {"now": "9999-12-31T23:59:59.999999Z"}
    for text in [*times, *times.values()]:
        if "'" in text or "\\" in text:
            raise FleetError(f"{text} is not a name or a time.", code=USAGE)
    return " UNION ALL ".join(
        f"SELECT '{name}' AS moment, '{time}' AS time" for name, time in times.items()
    )


def wrong_query(engine, error):
    return FleetError(f"{engine} can't run the query: {error}",
                      "docs/FLEET.md has the tables and views.", USAGE)


class DuckDB:
    """DuckDB reads the tables through its Iceberg extension."""

    def __init__(self, lake, times=None, findings=None):
        import duckdb
        self.connection, self.are_settled = duckdb.connect(), False
        for name in ("avro", "iceberg", "httpfs"):
            self.connection.execute(f"LOAD '{extension(name)}'")
        if lake.warehouse.startswith("s3:"):
            use_environment(self.connection)
        # DuckDB checks each view when it is created, and would open the tables a hundred times for that.
        for name in TABLES:
            self.connection.register(f"empty_{name}", lake.tables[name].schema().as_arrow().empty_table())
            self.connection.execute(f"CREATE TEMPORARY VIEW {name} AS FROM empty_{name}")
        self.look_at(times, findings)
        for statement in statements():
            self.connection.execute(statement)
        for name in TABLES:
            if lake.tables[name].current_snapshot() is not None:
                place = lake.tables[name].metadata_location
                self.connection.execute(
                    f"CREATE OR REPLACE TEMPORARY VIEW {name} AS FROM iceberg_scan('{place}')")

    def look_at(self, times=None, findings=None):
        """Replaces the times and rules of the views."""
        self.connection.execute(f"CREATE OR REPLACE TEMPORARY VIEW moments AS {moments(times)}")
        self.connection.execute(f"CREATE OR REPLACE TEMPORARY VIEW rules AS {findings or rules()}")
        self._settle(False)

    def query(self, sql):
        """The names of the columns, and the rows."""
        from duckdb import BinderException, CatalogException, ParserException
        self._settle("differences" in sql.lower())
        try:
            result = self.connection.execute(sql)
        except (BinderException, CatalogException, ParserException) as error:
            raise wrong_query("DuckDB", error) from error
        return [column[0] for column in result.description], result.fetchall()

    def _settle(self, are_settled):
        """Computes the points once for a query that would compute them many times."""
        if not (are_settled or self.are_settled):
            return
        for name in ("points", "whole_points"):
            rows = f"found_{name}"
            if are_settled:
                self.connection.execute(f"CREATE OR REPLACE TEMPORARY TABLE settled_{name} AS FROM {rows}")
                rows = f"settled_{name}"
            self.connection.execute(f"CREATE OR REPLACE TEMPORARY VIEW {name} AS FROM {rows}")
        self.are_settled = are_settled

    def close(self):
        self.connection.close()


def extension(name):
    """The file of an extension that came as a package."""
    folder = Path(importlib.import_module(f"duckdb_extension_{name}").__file__).parent
    return next(folder.glob("extensions/*/*.duckdb_extension"))


def use_environment(connection):
    """Gives DuckDB the address and credentials that boto3 uses."""
    import boto3
    from urllib.parse import urlparse
    session = boto3.Session()
    found, address = session.get_credentials(), session.client("s3").meta.endpoint_url
    parts = urlparse(address)
    connection.execute(
        "CREATE SECRET (TYPE s3, KEY_ID $key, SECRET $secret, REGION $region, ENDPOINT $endpoint,"
        " URL_STYLE 'path', USE_SSL " + str(parts.scheme == "https").lower() + ")",
        {"key": found.access_key, "secret": found.secret_key,
         "region": session.region_name or "us-east-1", "endpoint": parts.netloc},
    )


class Spark:
    """Spark reads the files of the present snapshots, as PyIceberg lists them."""

    def __init__(self, lake, times=None, findings=None, master=None, **options):
        self.session = spark_session("fleet", master, **{"spark.sql.shuffle.partitions": "16", **options})
        self.open(lake, times, findings)

    def open(self, lake, times=None, findings=None):
        for name in TABLES:
            spark_table(self.session, lake.tables[name]).createOrReplaceTempView(name)
        self.look_at(times, findings)
        for statement in statements():
            self.session.sql(statement)

    def look_at(self, times=None, findings=None):
        self.session.sql(f"CREATE OR REPLACE TEMPORARY VIEW moments AS {moments(times)}")
        self.session.sql(f"CREATE OR REPLACE TEMPORARY VIEW rules AS {findings or rules()}")

    def query(self, sql):
        from pyspark.errors import AnalysisException
        try:
            result = self.session.sql(sql)
        except AnalysisException as error:
            raise wrong_query("Spark", error) from error
        return result.columns, [tuple(row) for row in result.collect()]

    def close(self):
        self.session.stop()


def spark_session(name, master=None, **options):
    from pyspark.sql import SparkSession
    # The first python3 on the PATH of a worker may not have the libraries.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName(name)
    if master or "PYSPARK_GATEWAY_PORT" not in os.environ:
        # Otherwise this program runs below spark-submit, which knows the master.
        builder = builder.master(master or "local[*]")
    options = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", **options}
    builder = functools.reduce(lambda made, option: made.config(*option), options.items(), builder)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session


def spark_table(session, table):
    """The rows of a table; copy-on-write leaves no deletion files to apply."""
    from .tidying import path_of
    files = [task.file.file_path for task in table.scan().plan_files()]
    schema = spark_schema(table)
    if not files:
        return session.createDataFrame([], schema)
    is_s3 = files[0].startswith("s3:")
    paths = ["s3a" + file[2:] if is_s3 else "file://" + path_of(file) for file in files]
    return session.read.schema(schema).parquet(*paths)


def spark_schema(table):
    from pyspark.sql import types
    from pyiceberg.types import BooleanType, ListType, LongType, MapType

    def converted(found):
        if isinstance(found, MapType):
            return types.MapType(converted(found.key_type), converted(found.value_type))
        if isinstance(found, ListType):
            return types.ArrayType(converted(found.element_type))
        if isinstance(found, BooleanType):
            return types.BooleanType()
        return types.LongType() if isinstance(found, LongType) else types.StringType()

    return types.StructType([
        types.StructField(field.name, converted(field.field_type)) for field in table.schema().fields
    ])
