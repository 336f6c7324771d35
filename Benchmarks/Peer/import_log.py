"""Writes what logs say into an empty store: the rows and their history, as a script would.

    import_log.py STORE LOG...
"""
import base64, binascii, gzip, json, sqlite3, sys
from datetime import datetime, timezone

REFERENCE = datetime(2001, 1, 1, tzinfo=timezone.utc)


def stored(value, kind):
    """A value as the store keeps it."""
    if value is None:
        return None
    if kind == "date":
        return (datetime.fromisoformat(value.replace("Z", "+00:00")) - REFERENCE).total_seconds()
    if kind in ("data", "transformed"):
        return base64.b64decode(value)
    if kind == "bool":
        return int(value)
    if kind == "reference":
        return int(value["id"])
    if kind == "uint64":
        return int(value) if int(value) < 1 << 63 else value.zfill(20)
    return value


def main(store, logs):
    database = sqlite3.connect(store, isolation_level=None)
    database.execute("PRAGMA synchronous = FULL")
    database.execute("PRAGMA foreign_keys = OFF")
    row = 0
    written = 0
    database.execute("BEGIN")
    for log in logs:
        pending = []
        with gzip.open(log, "rb") as lines:
            header = json.loads(next(lines))
            definition = json.loads(header["meta"]["definition"])
            entities = {}
            for entity in definition["entities"]:
                columns = {a["name"]: (a["column"], a["type"]) for a in entity["attributes"]}
                joins = {}
                for r in entity["relationships"]:
                    if "column" in r["storage"]:
                        columns[r["name"]] = (r["storage"]["column"], "reference")
                    elif "joinTable" in r["storage"]:
                        joins[r["name"]] = r["storage"]
                entities[entity["name"]] = entity, columns, joins
            for line in lines:
                record = json.loads(line)
                if record["kind"] == "change":
                    pending.append(record)
                    continue
                if record["kind"] == "trailer":
                    break
                meta = record["meta"]
                seed = pending[0].get("seed", ":").split(":")[1] if pending else ""
                seed = base64.b64decode(seed)
                database.execute(
                    "INSERT INTO history_transaction (id, time, author, process, process_id, host,"
                    " bundle, schema, first_change, changes, seed, op, digest) VALUES"
                    " (?,?,?,?,?,?,?,(SELECT id FROM store_schema WHERE digest = ?),?,?,?,?,?)",
                    (record["txn"], record["ts"], record.get("author"), meta.get("process", ""),
                     meta.get("pid", 0), meta.get("host", ""), meta.get("bundle"), meta["schema"],
                     row + 1, record["n"], seed, record["op"],
                     binascii.unhexlify(record["digest"])))
                for change in pending:
                    row += 1
                    text = [json.dumps(change[key], ensure_ascii=False, separators=(",", ":"))
                            if key in change else None
                            for key in ("changed", "before", "after", "special", "large")]
                    database.execute(
                        "INSERT INTO history_change (id, transaction_id, sequence, kind, entity, object,"
                        " changed, before, after, special, large) VALUES (?,?,?,?,?,?,?,?,?,?,?)",
                        [row, change["txn"], change["seq"], change["op"], change["entity"],
                         int(change["id"])] + text)
                    write(database, change, *entities[change["entity"]])
                written += len(pending)
                pending = []
                if written >= 50_000:
                    database.execute("COMMIT")
                    database.execute("BEGIN")
                    written = 0
    database.execute("COMMIT")


def write(database, change, entity, columns, joins):
    table, number = entity["table"], int(change["id"])
    after = change.get("after", {})
    links = [name for name in joins if name in after or name in change.get("before", {})]
    names = [name for name in after if name in columns]
    values = [stored(after[name], columns[name][1]) for name in names]
    if change["op"] == "insert":
        quoted = ["id"] + (["_entity"] if entity["sharesTable"] else [])
        fixed = [number] + ([entity["name"]] if entity["sharesTable"] else [])
        quoted += [columns[name][0] for name in names]
        marks = ",".join("?" * len(quoted))
        quoted = ",".join(f'"{name}"' for name in quoted)
        database.execute(f'INSERT INTO "{table}" ({quoted}) VALUES ({marks})', fixed + values)
    elif change["op"] == "update" and names:
        settings = ",".join(f'"{columns[name][0]}" = ?' for name in names)
        database.execute(f'UPDATE "{table}" SET {settings} WHERE id = ?', values + [number])
    for name in links:
        join = joins[name]
        for link in change.get("before", {}).get(name, []):
            database.execute(
                f'DELETE FROM "{join["joinTable"]}" WHERE "{join["source"]}" = ? AND'
                f' "{join["target"]}" = ?', (number, int(link["id"])))
        for link in after.get(name, []):
            database.execute(
                f'INSERT INTO "{join["joinTable"]}" ("{join["source"]}", "{join["target"]}")'
                " VALUES (?, ?)", (number, int(link["id"])))
    if change["op"] == "delete":
        database.execute(f'DELETE FROM "{table}" WHERE id = ?', (number,))


main(sys.argv[1], sys.argv[2:])
