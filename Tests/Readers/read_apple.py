#!/usr/bin/env python3
"""Reads a store of Core Data or SwiftData with the standard library only, and compares it.

    read_apple.py FILE                     what the file has; the model must explain each column
    read_apple.py FILE --replica STORE     a replica must have the same rows and links
    read_apple.py FILE --logs LOG...       logs must have the same history, and end with the rows

It prints the counts of the file as JSON. After an error, it ends with code 1.
"""
import base64
import decimal
import gzip
import json
import pathlib
import plistlib
import re
import shutil
import sqlite3
import struct
import sys
import tempfile
import zlib

import read_log

INTEGERS, REALS = (100, 200, 300, 800), (500, 600, 900)
TRANSIENT = "NSFetchedPropertyDescription", "NSExpressionDescription"
SQL_TYPES = {**dict.fromkeys(INTEGERS, "INTEGER"), 400: "DECIMAL", 500: "FLOAT", 600: "FLOAT",
             700: "VARCHAR", 900: "TIMESTAMP", 1200: "VARCHAR"}
MIGRATOR = "com.apple.coredata.schemamigrator: lightweight migration from model with digest {"


def need(is_right, what):
    if not is_right:
        raise ValueError(what)


class Archive:
    """The objects of a keyed archive."""

    def __init__(self, content):
        self.plist = plistlib.loads(content)
        self.root = self.get(self.plist["$top"]["root"])

    def get(self, value):
        value = self.plist["$objects"][value.data] if isinstance(value, plistlib.UID) else value
        return None if isinstance(value, str) and value == "$null" else value

    def name(self, value):
        return self.get(value["$class"])["$classname"]

    def list(self, value):
        return [self.get(one) for one in (self.get(value) or {}).get("NS.objects", ())]

    def dict(self, value):
        value = self.get(value) or {}
        if "searchMapping" in value:  # a dictionary with a fixed set of keys
            keys = self.list(self.get(value["searchMapping"])["keys"])
            pairs = zip(keys, self.get(value["values"])["NS.objects"])
            return {key: self.get(one) for key, one in pairs if one != value["emptyToken"]}
        return dict(zip(map(self.get, value.get("NS.keys", ())), self.list(value)))

    def plain(self, value):
        """The value of lists, dictionaries, texts and numbers; an error for anything else."""
        value = self.get(value)
        if isinstance(value, (bool, int, float, str)):
            return value
        if isinstance(value, bytes):
            return base64.b64encode(value).decode()
        kind = self.name(value).replace("Mutable", "")
        if kind == "NSArray":
            return [self.plain(one) for one in value["NS.objects"]]
        if kind == "NSDictionary":
            return {self.plain(key): self.plain(one)
                    for key, one in zip(value["NS.keys"], value["NS.objects"])}
        keys = {"NSString": "NS.string", "NSDate": "NS.time", "NSData": "NS.data"}
        return self.plain(value[keys[kind]])


class Part:
    """An attribute or a relationship that an entity declares."""

    def __init__(self, archive, name, content):
        get = archive.get
        while archive.name(content) == "_NSPropertyDescriptionProxy":
            content = get(content["NSUnderlyingProperty"])
        self.name, self.kind = name, archive.name(content)
        self.is_transient = bool(get(content.get("NSIsTransient"))) or self.kind in TRANSIENT
        self.is_optional = bool(get(content.get("NSIsOptional")))
        self.is_link = self.kind == "NSRelationshipDescription"
        self.type = get(content.get("NSAttributeType")) or 0
        flags = get(content.get("NSFlagsKey")) or 0
        self.is_external, self.is_kept = bool(flags & 4), bool(flags & 16)
        self.elements = [Part(archive, get(one["NSPropertyName"]), one)
                         for one in archive.list(content.get("NSCompositeElements"))]
        self.is_enum = bool(self.elements
                            and archive.dict(content.get("NSUserInfo")).get("EnumType"))
        self.is_raw = self.is_enum and [one.name for one in self.elements] == [name]
        self.is_to_many = self.is_link and get(content.get("NSMaxCount")) != 1
        self.is_ordered = bool(get(content.get("NSIsOrdered")))
        self.destination = get(content.get("_NSDestinationEntityName"))
        self.inverse = get(content.get("_NSInverseRelationshipName"))
        if self.is_link and not self.destination:
            self.destination = get(get(content["NSDestinationEntity"])["NSEntityName"])
        if self.is_link and not self.inverse and get(content.get("NSInverseRelationship")):
            self.inverse = get(get(content["NSInverseRelationship"])["NSPropertyName"])

    @property
    def leaves(self):
        if self.type != 2100:
            return [self]
        return [leaf for one in self.elements for leaf in one.leaves]


def by_bytes(part):
    return part.name.encode()


class File:
    """A store of Core Data, read from a copy."""

    def __init__(self, path, folder):
        copy = pathlib.Path(folder) / "copy.sqlite"
        for suffix in "", "-wal":
            if pathlib.Path(str(path) + suffix).exists():
                shutil.copyfile(str(path) + suffix, str(copy) + suffix)
        self.db = sqlite3.connect(copy)
        self.db.text_factory = lambda text: text.decode(errors="surrogateescape")
        self.external = path.parent / f".{path.stem}_SUPPORT/_EXTERNAL_DATA"
        self.uuid, = self.db.execute("SELECT Z_UUID FROM Z_METADATA").fetchone()
        names = self.db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        self.tables = {table: {column: (place, kind) for place, column, kind, *_ in
                               self.db.execute(f'PRAGMA table_info("{table}")')}
                       for table, in names.fetchall()}
        self.read_model()
        self.lay_out()

    def read_model(self):
        packed, = self.db.execute("SELECT Z_CONTENT FROM Z_MODELCACHE").fetchone()
        archive = Archive(zlib.decompress(packed, -15))
        need(archive.name(archive.root) == "NSManagedObjectModel", "this is not a model")
        entities = archive.dict(archive.root["NSEntities"])
        supers = {name: archive.get(one.get("NSSuperentity")) for name, one in entities.items()}
        self.parents = {name: one and archive.get(one["NSEntityName"])
                        for name, one in supers.items()}
        every = {name: {key: Part(archive, key, one)
                        for key, one in archive.dict(entity["NSProperties"]).items()}
                 for name, entity in entities.items()}
        self.parts = {name: sorted((part for key, part in parts.items() if not part.is_transient
                                    and key not in every.get(self.parents[name], ())), key=by_bytes)
                      for name, parts in every.items()}
        self.numbers = {}

        def walk(parent):
            for name in sorted((one for one in self.parents if self.parents[one] == parent),
                               key=lambda one: (one.lower(), one)):
                self.numbers[name] = len(self.numbers) + 1
                walk(name)
        walk(None)
        self.names = {number: name for name, number in self.numbers.items()}
        need(len(self.names) == len(every), "an entity inherits from itself")
        self.roots = [name for name in self.numbers if not self.parents[name]]

    def lineage(self, name):
        return (self.lineage(self.parents[name]) if self.parents[name] else []) + [name]

    def family(self, name):
        return [one for one in self.numbers if name in self.lineage(one)]

    def table(self, name):
        return "Z" + self.lineage(name)[0].upper()

    def part(self, entity, name):
        """A property with the entity that declares it, or nothing."""
        return next(((owner, part) for owner in self.lineage(entity) for part in self.parts[owner]
                     if part.name == name), (None, None))

    def inverse(self, part):
        return self.part(part.destination, part.inverse) if part.inverse else (None, None)

    def lay_out(self):
        """Predicts the columns; they must be those of the file."""
        self.columns, self.hidden, self.joins, predicted = {}, {}, {}, {}

        def take(entity, name, kind):
            table, number = predicted.setdefault(self.table(entity), {}), 0
            while name + (str(number) if number else "") in table:
                number += 1
            name += str(number) if number else ""
            table[name] = kind
            return name
        for entity in sorted(self.numbers, key=self.numbers.get):
            own = dict.fromkeys(("Z_PK", "Z_ENT", "Z_OPT"), "INTEGER")
            predicted.setdefault(self.table(entity), own)
            for part in self.parts[entity]:
                if not part.is_to_many:
                    self.columns[entity, part.name] = [
                        take(entity, "Z" + leaf.name.upper(), SQL_TYPES.get(leaf.type, "BLOB")
                             if not part.is_link else "INTEGER") for leaf in part.leaves]
        for entity in sorted(self.numbers, key=self.numbers.get):
            for part in self.parts[entity]:
                if part.is_link:
                    self.add_hidden(entity, part, take)
        for table, columns in predicted.items():
            found = {(name, kind) for name, (_, kind) in self.tables.get(table, {}).items()}
            others = found ^ set(columns.items())
            need(not others, f"{table} has other columns than the model: {others}")

    def add_hidden(self, entity, part, take):
        name, (owner, inverse) = part.name.upper(), self.inverse(part)
        number = self.numbers[entity]
        if not part.is_to_many:
            if len(self.family(part.destination)) > 1:
                take(entity, f"Z{self.numbers[part.destination]}_{name}", "INTEGER")
            if inverse and inverse.is_to_many and inverse.is_ordered:
                column = take(entity, "Z_FOK_" + name, "INTEGER")
                self.hidden[entity, f"_{inverse.name}_order"] = column
        elif not inverse:
            member = part.destination
            column = take(member, f"Z{number}{name}", "INTEGER")
            self.hidden[member, f"_{entity}_{part.name}"] = column
            if part.is_ordered:
                column = take(member, f"Z_FOK_{number}{name}", "INTEGER")
                self.hidden[member, f"_{part.name}_order"] = column
        elif inverse.is_to_many and ((owner, inverse.name) not in self.joins):
            mine = f"Z_{self.numbers[owner]}{name}"  # the column with the destinations
            other = f"Z_{number}{inverse.name.upper()}" if inverse is not part else "REFLEXIVE"
            for table in f"Z_{number}{name}", f"Z_{self.numbers[owner]}{inverse.name.upper()}":
                # Some columns have a number behind their name.
                columns = [next((one for one in self.tables.get(table, ())
                                 if re.fullmatch(start + r"\d*", one)), None)
                           for start in (other, mine)]
                if None not in columns:
                    self.joins[entity, part.name] = table, *columns
                    return
            raise ValueError(f"{entity}.{part.name} has no join table")

    # Values: None, int, float, str, bytes, a Path for a file, or a list with one element for JSON.

    def rows(self, root):
        """The rows of a table: number, entity, and values by property."""
        names = list(self.tables[self.table(root)])
        for row in self.db.execute(f'SELECT * FROM "{self.table(root)}"'):
            row = dict(zip(names, row))
            entity, values = self.names.get(row["Z_ENT"]), {}
            need(entity in self.family(root), f"{root} {row['Z_PK']} is of an unknown entity")
            for owner in self.lineage(entity):
                for part in self.parts[owner]:
                    if not part.is_to_many:
                        columns = [row[column] for column in self.columns[owner, part.name]]
                        values[part.name] = self.value(part, columns)
                for (member, name), column in self.hidden.items():
                    if member == owner:
                        values[name] = row[column]
            yield row["Z_PK"], entity, values

    def value(self, part, columns):
        value, kind = columns[0], part.type
        if part.is_link or kind in INTEGERS or value is None and kind != 2100:
            return value
        if kind == 2100 and part.is_raw:
            return value
        if kind == 2100:
            members = self.members(part, iter(columns))
            return None if not members and (part.is_optional or part.is_enum) else [members]
        if kind in REALS:
            return float(value)
        if kind == 400:
            return shortest(value)
        if kind == 1100:
            return uuid(value)
        if part.is_external and value[:1] == b"\1":
            return value[1:]
        if part.is_external and value[:1] == b"\2":
            return self.external / value[1:-1].decode()
        return value

    def members(self, part, columns):
        found = {}
        for one in part.elements:
            value = self.members(one, columns) if one.type == 2100 else next(columns)
            if value is None or value == {}:
                continue
            if part.is_enum and not part.is_raw:
                value = {}
            elif one.type == 800:
                value = bool(value)
            elif one.type == 600:
                texts = (f"{value:.{digits}g}" for digits in range(1, 18))
                value = next(float(text) for text in texts
                             if struct.pack("f", float(text)) == struct.pack("f", value))
            elif one.type == 1100:
                value = uuid(value)
            elif isinstance(value, bytes):
                try:
                    value = json.loads(value.decode())
                except ValueError:
                    value = base64.b64encode(value).decode()
            found[one.name] = value
        return found

    def links(self, entity, name):
        table, owner, target = self.joins[entity, name]
        return set(self.db.execute(f'SELECT "{owner}", "{target}" FROM "{table}"'))

    # History

    def slots(self, entity):
        """The names of bits, in two ways of counting composites, and of to-many relationships."""
        groups = [], [], [], [], [], []
        for owner in self.lineage(entity):
            for part in self.parts[owner]:
                if not part.is_link:
                    groups[3].append(part.name)
                    groups[4].extend(part.name for _ in part.leaves)
                elif part.is_to_many:
                    groups[5].append(part.name)
                else:
                    inverse = self.inverse(part)[1]
                    groups[0].append(part.name)
                    if len(self.family(part.destination)) > 1:
                        groups[1].append(part.name)
                    if inverse and inverse.is_to_many and inverse.is_ordered:
                        column = self.hidden[owner, f"_{inverse.name}_order"]
                        groups[2].append((self.tables[self.table(entity)][column][0], part.name))
        start = groups[0] + groups[1] + [name for _, name in sorted(groups[2])]
        return start + groups[3], start + groups[4], groups[5]

    def named(self, entity, bitmap):
        """The properties that an update names and its number of to-many bits, or nothing."""
        one, other, to_many = self.slots(entity)
        fitting = [names for names in ([one] if one == other else [one, other])
                   if (len(names) + len(to_many) + 7) // 8 == len(bitmap)]
        if len(fitting) != 1 and not (len(fitting) == 2 and len(one) == len(other)):
            return None
        bits = [bit for bit in range(8 * len(bitmap)) if bitmap[bit // 8] & 0x80 >> bit % 8]
        names = fitting[0] + [None] * len(to_many)
        if bits and bits[-1] >= len(names):
            return None
        found = {names[bit] for bit in bits}
        return found - {None}, sum(names[bit] is None for bit in bits)

    def transactions(self):
        """Number, time, author, context, process and bundle of each transaction."""
        columns = self.tables.get("ATRANSACTION", ())
        names = "ZAUTHOR", "ZCONTEXTNAME", "ZPROCESSID", "ZBUNDLEID"
        text = "coalesce((SELECT ZNAME FROM ATRANSACTIONSTRING s WHERE s.Z_PK = {0}TS), {0})"
        texts = [text.format(name) if name + "TS" in columns else name for name in names]
        return columns and self.db.execute(
            f"SELECT Z_PK, ZTIMESTAMP, {', '.join(texts)} FROM ATRANSACTION ORDER BY Z_PK")

    def changes(self, transaction):
        """Kind, entity, id, bitmap and kept values of each change."""
        kept = sorted((name for name in self.tables["ACHANGE"] if name.startswith("ZTOMBSTONE")),
                      key=lambda name: int(name[10:]))
        for kind, number, id, bitmap, *values in self.db.execute(
                f"SELECT {', '.join(['ZCHANGETYPE', 'ZENTITY', 'ZENTITYPK', 'ZCOLUMNS', *kept])}"
                " FROM ACHANGE WHERE ZTRANSACTIONID = ? ORDER BY Z_PK", (transaction,)):
            entity = self.names[number]
            parts = [part for owner in self.lineage(entity)
                     for part in self.parts[owner] if part.is_kept]
            need(not any(value is not None for value in values[len(parts):]),
                 "a value is kept for no attribute")
            yield kind, entity, id, bitmap, {
                part.name: self.value(part, [value])
                for part, value in zip(parts, values) if value is not None}

    def counts(self):
        """What the file has; each bitmap must be readable."""
        kinds, kept, unread, transactions = [0, 0, 0], 0, 0, 0
        for number, *_ in self.transactions():
            transactions += 1
            for kind, entity, _, bitmap, values in self.changes(number):
                kinds[kind] += 1
                kept += len(values)
                need((bitmap is not None) == (kind == 1), "only updates have bitmaps")
                unread += kind == 1 and self.named(entity, bitmap) is None
        rows = sum(1 for root in self.roots for _ in self.rows(root))
        links = sum(len(self.links(*place)) for place in self.joins)
        return dict(transactions=transactions, inserts=kinds[0], updates=kinds[1], deletes=kinds[2],
                    tombstones=kept, unread=unread, rows=rows, links=links)


def shortest(value):
    """The shortest decimal of a number, without an exponent."""
    if isinstance(value, str):
        return value
    text = format(decimal.Decimal(repr(value)), "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("", "-0") else text


def uuid(value):
    text = value.hex().upper()
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def canonical(value):
    """A value of JSON as text; a number has one spelling, and true is not 1."""
    def plain(one):
        if isinstance(one, dict):
            return {key: plain(member) for key, member in one.items()}
        if isinstance(one, list):
            return [plain(member) for member in one]
        return int(one) if isinstance(one, float) and one.is_integer() else one
    return json.dumps(plain(value), sort_keys=True)


def content(value, kind):
    """The value in the form in which our stores and logs have the type."""
    if isinstance(value, pathlib.Path):
        return value.read_bytes() if value.is_file() else None
    if isinstance(value, list):
        return canonical(value[0])
    if kind == "json" and isinstance(value, bytes):
        archive = Archive(value)
        return canonical(archive.plain(archive.plist["$top"]["root"]))
    return value


def in_store(value, kind, blobs):
    """The value of a column of our stores."""
    if kind == "json" and isinstance(value, str):
        return canonical(json.loads(value))
    if kind in ("data", "transformed") and isinstance(value, str):
        return (blobs / value).read_bytes()
    return value


def in_line(record, side, name, kind, blobs):
    """The value of a property in a line, or its mark."""
    mark = record.get("special", {}).get(side, {}).get(name)
    large = record.get("large", {}).get(side, {}).get(name)
    if large and mark is None:
        value = (blobs / large["sha256"]).read_bytes()
        return value if kind in ("data", "transformed") else value.decode()
    if mark is not None:
        return {"special": mark}
    value = record[side][name]
    if value is None:
        return value
    if isinstance(value, dict):
        return int(value["id"])
    if kind == "date":
        return seconds(value)
    if kind in ("data", "transformed"):
        return base64.b64decode(value)
    return canonical(json.loads(value)) if kind == "json" else value


def seconds(text):
    """Seconds since 2001 of a time in UTC."""
    date, time = text.rstrip("Z").split("T")
    (year, month, day), (hour, minute, second) = map(int, date.split("-")), time.split(":")
    # A year that begins with March has its leap day at the end.
    year, month = (year, month - 3) if month > 2 else (year - 1, month + 9)
    days = 365 * year + year // 4 - year // 100 + year // 400 + (153 * month + 2) // 5 + day
    whole = 86_400 * (days - 730_792) + 3600 * int(hour) + 60 * int(minute)
    return float(whole + decimal.Decimal(second))


def mark(value):
    """The text of a value that its type can't have."""
    if isinstance(value, bytes):
        return "blob:" + base64.b64encode(value).decode()
    return "text:" + value if isinstance(value, str) else str(value)


def is_same(value, other, kind):
    if isinstance(value, pathlib.Path) and not value.exists():
        return True  # what a reader makes of a missing file is not checked here
    value = content(value, kind)
    if isinstance(other, dict):
        return other == {"special": mark(value)}
    if isinstance(value, float) and isinstance(other, (int, float)):
        return struct.pack("d", value) == struct.pack("d", other)
    if kind == "bool" and isinstance(other, bool):
        return value == int(other)
    return type(value) is type(other) and value == other


def compare_replica(file, path):
    """Compares each value and each link of a replica with the file."""
    db, blobs = sqlite3.connect(f"file:{path}?mode=ro", uri=True), pathlib.Path(f"{path}-blobs")
    catalog = dict(db.execute("SELECT key, value FROM store_catalog"))
    need(catalog["identifier"].upper() == file.uuid.upper(), "the replica has another UUID")
    query = "SELECT json FROM store_schema WHERE id = ?"
    definition = json.loads(db.execute(query, (catalog["schema"],)).fetchone()[0])
    entities = {entity["name"]: entity for entity in definition["entities"]}
    need(set(entities) == set(file.numbers), "the replica has other entities")
    db.row_factory = sqlite3.Row
    compared, joins = 0, {}
    for root in file.roots:
        entity = entities[root]
        found = {row["id"]: row for row in db.execute(f'SELECT * FROM "{entity["table"]}"')}
        for id, name, values in file.rows(root):
            row, where = found.pop(id, None), f"{name} {id}"
            need(row is not None, f"{where} is missing in the replica")
            need(not entity["sharesTable"] or row["_entity"] == name, f"{where} is another entity")
            columns = {one["name"]: (one["column"], one["type"])
                       for one in entities[name]["attributes"]}
            columns |= {one["name"]: (one["storage"]["column"], None)
                        for one in entities[name]["relationships"] if "column" in one["storage"]}
            for key, value in values.items():
                if key not in columns:  # the other side of a one-to-one relationship has it
                    need(file.part(name, key)[1].is_link, f"{name}.{key} is not in the replica")
                    continue
                column, kind = columns.pop(key)
                other = in_store(row[column], kind, blobs)
                need(is_same(value, other, kind), f"{where}: {key} is {value!r}, not {other!r}")
                compared += 1
            need(not columns, f"{name} has more columns in the replica: {list(columns)}")
        need(not found, f"the replica has more objects of {root}: {list(found)[:9]}")
        for name in file.family(root):
            for one in entities[name]["relationships"]:
                if "joinTable" in one["storage"]:
                    joins[file.part(name, one["name"])[0], one["name"]] = one["storage"]
    db.row_factory = None
    for place in file.joins:
        table, source, target = (joins[place][key] for key in ("joinTable", "source", "target"))
        found = set(db.execute(f'SELECT "{source}", "{target}" FROM "{table}"'))
        need(found == file.links(*place), f"{table} has other links than {'.'.join(place)}")
        compared += len(found)
    return {"compared": compared}


def compare_logs(file, paths):
    """Compares the history of logs with that of the file, and their last state with its rows.

    A migration renames and removes what logs had before, so only logs with the last schema are
    compared in full; then a replica has the state.
    """
    logs = sorted((path for path in paths if path.parent.name != "snapshots"),
                  key=lambda path: path.name)
    first = int(logs[0].name[:20])
    logs[:0] = [path for path in paths if path.parent.name == "snapshots"
                and int(path.name[:20]) == first - 1]
    headers = [json.loads(gzip.open(path).readline())["meta"] for path in logs]
    need({header["store"].upper() for header in headers} == {file.uuid.upper()}, "another UUID")
    definitions = [header["definition"] for header in headers]
    schema = read_log.entities(json.loads(definitions[-1]))
    is_whole = len(set(definitions)) == 1
    transactions = list(file.transactions())
    start = transactions[0][0] if transactions else sys.maxsize
    state, links, wanted, seen = {}, {}, iter(transactions), 0
    for path, definition in zip(logs, definitions):
        changes, blobs, is_last = [], path.parents[3] / "blobs", definition == definitions[-1]
        for record in map(json.loads, gzip.open(path)):
            if record["kind"] == "change" and is_last:
                changes.append(record)
            elif record["kind"] == "transaction":
                details = json.loads(record["meta"].get("details", "{}")).get("apple", {})
                # The app can have deleted what logs have.
                if record["op"] == "recorded" and details.get("transaction", start) >= start:
                    number = compare_transaction(next(wanted, None), record)
                    seen += 1
                    if is_last:
                        compare_changes(file, number, record, changes, schema, blobs)
                for change in changes:
                    apply(change, state, links, schema, blobs, is_whole)
                changes = []
    need(next(wanted, None) is None, f"the logs have only {seen} transactions of the file")
    compared = compare_state(file, state, links, schema) if is_whole else 0
    return {"compared": compared, "recorded": seen}


def compare_state(file, state, links, schema):
    compared = 0
    for root in file.roots:
        for id, name, values in file.rows(root):
            found = state.pop((name, id), None)
            need(found is not None, f"{name} {id} is missing in the logs")
            for key, value in values.items():
                part = schema[name]["parts"][key]
                if part["encoding"] != "inverseColumn":
                    other = found.get(part["line"])
                    need(is_same(value, other, part.get("type")),
                         f"{name} {id}: {key} is {value!r}, not {other!r}")
                    compared += 1
    need(not state, f"the logs have more objects: {list(state)[:9]}")
    for entity, name in file.joins:
        owner, inverse = file.inverse(file.part(entity, name)[1])
        lines = (schema[entity]["parts"][name]["line"],
                 schema[owner]["parts"][inverse.name]["line"])
        found = set()
        for (one, key), pairs in links.items():
            if key == lines[0] and one in file.family(entity):
                found |= pairs
            elif key == lines[1] and one in file.family(owner):
                found |= {(target, source) for source, target in pairs}
        need(found == file.links(entity, name), f"{entity}.{name} has other links in the logs")
        compared += len(found)
    return compared


def compare_transaction(wanted, record):
    need(wanted is not None, f"transaction {record['txn']} is not in the file")
    number, time, *texts = wanted
    author, meta = record.get("author"), record["meta"]
    details = json.loads(meta.get("details", "{}")).get("apple", {})
    where = f"transaction {record['txn']} ({number})"
    need(details.get("transaction") == number, f"{where} has another number")
    need(abs(seconds(record["ts"]) - time) < 1e-6, f"{where} has another time")
    found = [author, details.get("context"), meta.get("process"), meta.get("bundle")]
    need(found == [text or None for text in texts], f"{where} has other texts: {found}")
    if author and author.startswith(MIGRATOR):
        digest = author[len(MIGRATOR):].split("}")[0].strip()
        need(details.get("migratedFrom") == digest, f"{where} does not name the digest {digest}")
    return number


def compare_changes(file, number, record, changes, schema, blobs):
    details = json.loads(record["meta"].get("details", "{}")).get("apple", {})
    where = f"transaction {record['txn']} ({number})"
    lines, count = {(line["entity"], int(line["id"])): line for line in changes}, 0
    for kind, entity, id, bitmap, kept in file.changes(number):
        line, count, what = lines.get((entity, id)), count + 1, f"{where}: {entity} {id}"
        need(line is not None, f"{what} has no change")
        need(line["op"] == ("insert", "update", "delete")[kind], f"{what} has another change")
        parts = schema[entity]["parts"]
        for name, value in kept.items():
            other = in_line(line, "before", parts[name]["line"], parts[name].get("type"), blobs)
            need(is_same(value, other, parts[name].get("type")), f"{what} {name} was {value!r}")
        if kind != 1:
            continue
        named = file.named(entity, bitmap)
        spelled = {one["line"]: name for name, one in parts.items()}
        changed = {spelled[name] for name in line["changed"]}
        # Hidden properties and many-to-many relationships are in no bitmap, or only as a number.
        hidden = {name for member, name in file.hidden if member in file.lineage(entity)}
        changed = {name for name in changed - hidden if parts[name]["encoding"] != "joinTable"}
        wanted = {name for name in (named or ((), 0))[0]
                  if parts[name]["encoding"] != "inverseColumn"}
        need(changed == wanted, f"{what} changed {changed}, in the file {wanted}")
        unread = {one.get("seq") for one in details.get("unread", ())}
        need(named or line["seq"] in unread, f"{what} should be unread")
    need(count == len(lines), f"{where} has {len(lines)} changes, in the file {count}")


def apply(change, state, links, schema, blobs, is_whole):
    key, parts = (change["entity"], int(change["id"])), schema[change["entity"]]["parts"]
    if is_whole:
        need((key in state) == (change["op"] != "insert"), f"{key} has an impossible op")
    lines, values = {part["line"]: part for part in parts.values()}, state.setdefault(key, {})
    for side in "before", "after":
        for name in change.get(side, ()):
            if lines[name]["encoding"] == "joinTable":
                pairs = links.setdefault((change["entity"], name), set())
                ids = {(key[1], int(link["id"])) for link in change[side][name] or ()}
                if change.get("special", {}).get(side, {}).get(name) == "unknown":
                    ids = {pair for pair in pairs if pair[0] == key[1]}  # then after has all links
                pairs.difference_update(ids) if side == "before" else pairs.update(ids)
            elif side == "after":
                values[name] = in_line(change, side, name, lines[name].get("type"), blobs)
    if change["op"] == "delete":
        del state[key]


def main(path, mode=None, *others):
    with tempfile.TemporaryDirectory() as folder:
        file = File(pathlib.Path(path), folder)
        result = file.counts()
        if mode == "--replica":
            result |= compare_replica(file, *others)
        elif mode == "--logs":
            result |= compare_logs(file, list(map(pathlib.Path, others)))
        print(json.dumps(result))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Exception as error:  # the bytes of a file can cause any error
        sys.exit(f"read_apple: {type(error).__name__}: {error}")
