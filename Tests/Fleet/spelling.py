"""The rows of logs, by Python's json: a second way to turn lines into rows, with which the loader is
compared."""
import gzip, json, sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Python"))
from travelog_fleet.names import logs_and_bases

# Numbers stay as they are written: a float would lose their spelling, and digits of long integers.
decode = json.JSONDecoder(parse_float=str, parse_int=str).decode


def canonical(value):
    """A value as text: a string without its quotes, null as None, anything else as in the log."""
    if value is None or isinstance(value, str):
        return value
    if value is True or value is False:
        return "true" if value else "false"
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def texts(values):
    return [(name, canonical(value)) for name, value in values.items()]


def sizes(values):
    """References to large values; their sizes are numbers."""
    return [
        (name, f'{{"sha256":"{value["sha256"]}","size":{value["size"]}}}')
        for name, value in values.items()
    ]


COLUMNS = ("kind", "ts", "author", "reason", "request", "op", "entity", "id", "changed", "digest")


def row_of(line, header, name, store):
    """The row of a line that is not a header or a trailer; `schema` is the digest of the schema."""
    found = decode(line)
    row = {column: found.get(column) for column in COLUMNS}
    for column in ("txn", "seq", "n", "count"):
        row[column] = int(found[column]) if column in found else None
    for column in ("before", "after", "meta"):
        row[column] = texts(found[column]) if column in found else None
    for notes, spell in (("special", texts), ("large", sizes)):
        for side in ("before", "after"):
            values = found.get(notes, {}).get(side)
            row[f"{notes}_{side}"] = None if values is None else spell(values)
    if name.is_snapshot and row["kind"] == "transaction":
        row["meta"].append(("previous", header["meta"]["previous"]))
    return {**row, "store": store, "partial": name.partial, "lineage": name.lineage,
            "schema": header["meta"]["schema"]}


def rows_of_store(logs, store):
    """The rows of the whole logs of a store, or of its filtered logs if it has no others."""
    folder = logs / f"store={store}"
    keys = [str(path.relative_to(logs)) for path in folder.rglob("*.ndjson.gz")]
    is_whole = any("/partial=" not in key for key in keys)
    for name in logs_and_bases([key for key in keys if not (is_whole and "/partial=" in key)]):
        with gzip.open(logs / name.key, "rt", encoding="utf-8", newline="\n") as file:
            header = json.loads(file.readline())
            for line in file:
                if not line.startswith('{"kind":"trailer"'):
                    yield row_of(line, header, name, store)
