#!/usr/bin/env python3
"""Reads change logs of the format travelog/1, according to docs/FORMAT.md only.

    read_log.py FILE...               the logs and snapshots of one lineage, in any order
    read_log.py --proof FILE VKEY     a proof, and the key that signed its checkpoint

It verifies digests (with tree.py beside it), chain and trailers, applies the changes, and prints the
resulting state: one object on a line, by entity and id; none for filtered logs. A transaction must prove
each snapshot. Of a proof it prints the line that is proven. Any fault ends it with status 1.
"""
import base64, bisect, gzip, hashlib, json, os, sys, zlib
sys.dont_write_bytecode = True
from tree import (body_digest, leaf_hash, line_hash, need, node_hash, opened_note,
                  root_of_inclusion, salts, split, transaction_digest, values_digest)

ENCODINGS = {"float16": "real", "float": "real", "double": "real", "uint64": "digits",
             "decimal": "digits", "string": "text", "json": "text", "uuid": "uuid", "url": "text",
             "data": "base64", "transformed": "base64", "date": "date", "bool": "bool"}
# All others are integers.

def beginning(*names):
    return hashlib.sha256(" ".join(["travelog/1", *map(str, names)]).encode())

class Schema:
    """The properties of each entity by their names in lines."""

    def __init__(self, definition):
        self.entities = {entity["name"]: entity for entity in definition["entities"]}
        kinds = {}
        for entity in self.entities.values():
            for name, kind in properties(entity):
                kinds.setdefault(name.lower(), set()).add((name, kind))
        self.clashing = {name for name, found in kinds.items() if len(found) > 1}

    def name_in_lines(self, entity, name):
        parent = self.entities.get(entity.get("parent"))
        if name.lower() not in self.clashing: return name
        is_inherited = parent is not None and name in dict(properties(parent))
        return self.name_in_lines(parent, name) if is_inherited else entity["name"] + "." + name

def properties(entity):
    """The properties in lines, each with its kind of encoding."""
    for attribute in entity["attributes"]:
        yield attribute["name"], ENCODINGS.get(attribute["type"], "integer")
    for relationship in entity["relationships"]:
        for storage, kind in (("column", "reference"), ("joinTable", "links")):
            if storage in relationship["storage"]: yield relationship["name"], kind

def origin(new, old, others):
    """The part of an old schema that a part of a new one comes from, or None."""
    named, original = {part["name"]: part for part in old}, new.get("originalName", new["name"])
    namesake = named.get(new["name"])
    if original == new["name"] or namesake and namesake.get("originalName") == original:
        return namesake
    claims = {part["name"]: part.get("originalName", part["name"]) for part in others}
    if claims.get(original) != original and original in named: return named[original]
    return None if any(name != new["name"] == claim for name, claim in claims.items()) else namesake

def migrate(state, old, new):
    """The state under a new schema, before the changes of the migration."""
    sources = {entity["name"]: origin(entity, old.entities.values(), new.entities.values())
               for entity in new.entities.values()}
    heirs = {source["name"]: name for name, source in sources.items() if source is not None}
    result = {}
    for (name, number), values in state.items():
        if name not in heirs: continue  # the migration deletes it under the old schema
        entity, before = new.entities[heirs[name]], old.entities[name]
        moved = result[heirs[name], number] = {}
        for part in ("attributes", "relationships"):
            for member in entity[part]:
                storage = member.get("storage", {})
                source, value = origin(member, before[part], entity[part]), None
                if source is not None:
                    need(set(source.get("storage", {})) == set(storage),
                         f"{member['name']} of {name} has links of another kind now")
                    value = values.get(old.name_in_lines(before, source["name"]))
                    value = converted(value, ENCODINGS.get(member.get("type")), heirs)
                if "inverseColumn" not in storage and ("joinTable" not in storage or value):
                    moved[new.name_in_lines(entity, member["name"])] = value
    return result

def converted(value, kind, heirs):
    """A value in the encoding of another type, or with the new names of entities."""
    if isinstance(value, list): return [converted(link, kind, heirs) for link in value]
    if isinstance(value, dict) and "entity" in value:
        return {**value, "entity": heirs.get(value["entity"], value["entity"])}
    return {"digits": str, "real": float}.get(kind, int)(value) if type(value) is int else value

def side(change, name):
    """The values of one side, with special values replaced."""
    values = dict(change.get(name, {}))
    for kind in ("large", "special"):
        notes = change.get(kind, {}).get(name, {})
        values.update((key, {kind: note}) for key, note in notes.items() if note != "missing")
    return values

def apply(state, change, where):
    key = change["entity"], int(change["id"])
    before, after = side(change, "before"), side(change, "after")
    need((key in state) == (change["op"] != "insert"), f"{where}: {key} should not be as it is")
    values = state.setdefault(key, {})
    for name, value in before.items():
        old = values.get(name)
        if isinstance(value, list) or isinstance(after.get(name), list):
            links = {link["id"]: link for link in old or []}
            for link in value or []:
                need(links.pop(link["id"], None) == link, f"{where}: {key} had no link {link}")
            links.update((link["id"], link) for link in after.pop(name, None) or [])
            values[name] = sorted(links.values(), key=lambda link: int(link["id"]))
        else:
            need(old == value or {"special": "erased"} in (old, value),
                 f"{where}: {name} of {key} should be {value} before, and is {old}")
    values.update(after)
    if change["op"] == "delete": del state[key]

def erasures(path, identity):
    """The digests of what remains of the lineage's erased transactions, by the transactions' digests."""
    name = os.path.join(os.path.dirname(os.path.dirname(path)), "_erasures.ndjson")
    chain, found = beginning(*identity, "erasures"), {}
    for line in open(name, "rb") if os.path.exists(name) else []:
        if not line.endswith(b"\n"): break  # a record is written before its erasure
        record = json.loads(line)
        chain = hashlib.sha256(chain.digest() + line[:-78] + line[-2:])
        need(chain.hexdigest() == record["digest"], f"{name}: a record was altered")
        found[record["was"]] = record["lines"]
    return found

def subtrees(others, first, end):
    """The fewest subtrees with all lines of a range but others, which ascend."""
    place = bisect.bisect_left(others, first)
    if place == len(others) or others[place] >= end: return [(first, end)][:end - first]
    if end - first == 1: return []
    middle = first + split(end - first)
    return subtrees(others, first, middle) + subtrees(others, middle, end)

def parts(line):
    """The prefix, the known bytes and the value bytes of a change line without its line feed."""
    start = line.index(b',"op":') + 1
    members = (line.find(b',"%s":' % key, start)
               for key in (b"before", b"after", b"special", b"large"))
    end = min((found for found in members if found > 0), default=len(line) - 1)
    return line[:start - 1], line[start:end], line[end:-1]

class Lines:
    """The lines of a transaction, from which its digest is made."""

    def __init__(self, first):
        self.shared, self.count = self.members(first), first["n"]
        self.next, self.salts, self.seeds = 0, {}, []
        # The nodes of the tree by their ranges, and the nodes of erased lines with their remaining values.
        self.nodes, self.remaining, self.restated = {}, {}, {}
        # The lines without a salt, and those that are there.
        self.hidden, self.shown = [], []

    def members(self, record): return [record.get(key) for key in ("txn", "n", "ts", "author")]

    def omit(self, record, where):
        first = record["seq"]
        need(first == self.next and record["count"] > 0, f"{where}: another line is next")
        self.next = first + record["count"]
        self.hidden += range(first, self.next)
        self.nodes[first, self.next] = bytes.fromhex(record["digest"])

    def change(self, line, record, where):
        need(self.next == record["seq"] < self.count, f"{where}: another line is next")
        place, self.next = self.next, self.next + 1
        self.shown.append(place)
        if "seed" in record:
            count, seed = record["seed"].split(":")
            self.seeds.append((place, place + int(count)))
            self.salts.update(enumerate(salts(base64.b64decode(seed), int(count)), place))
        _, known, values = parts(line[:-1])
        if "values" not in record:
            need(place in self.salts, f"{where}: it has no salt")
            digest = values_digest(self.salts[place], values)
            self.nodes[place, place + 1] = line_hash(known, digest)
            return
        self.hidden.append(place)
        self.nodes[place, place + 1] = line_hash(known, bytes.fromhex(record["values"]))
        if "salt" in record:
            digest = values_digest(base64.b64decode(record["salt"]), values)
            self.remaining[place, place + 1] = line_hash(known, digest)
            self.restated[place] = digest.hex()

    def root(self, nodes, first, end):
        if first == end: return hashlib.sha256().digest()
        if (first, end) in nodes: return nodes[first, end]
        middle = first + split(end - first)
        return node_hash(self.root(nodes, first, middle), self.root(nodes, middle, end))

    def digests(self, previous, closing, record, where):
        """The digest, and that of the lines with their remaining values, or None if none is erased."""
        need(record["n"] == self.next == self.count, f"{where}: lines are missing")
        if self.shown:
            need(self.shared == self.members(record), f"{where}: the lines before differ")
        shown = set(self.shown)
        omitted = [nodes for nodes in self.nodes if nodes[0] not in shown]
        need(self.seeds == subtrees(self.hidden, 0, self.count)
             and omitted == subtrees(self.shown, 0, self.count), f"{where}: other subtrees are due")
        roots = [self.root(nodes, 0, self.count)
                 for nodes in (self.nodes, {**self.nodes, **self.remaining})]
        whole, left = [transaction_digest(previous, body_digest(root, closing)).hex()
                       for root in roots]
        return whole, left if self.remaining else None

def read(path, log):
    """Applies a file to the state after the files before it."""
    whole, header, trailer, lines = hashlib.sha256(), None, None, None
    changes = transactions = 0
    with gzip.open(path, "rb") as file:
        for number, line in enumerate(iter(lambda: file.readline((1 << 25) + 1), b""), 1):
            where = f"{path}, line {number}"
            need(trailer is None, f"{where}: there is more after the trailer")
            need(line.endswith(b"\n"), f"{where}: it is cut off, or too long")
            record = json.loads(line)
            kind, header = record["kind"], header or record["meta"]
            if number == 1: begin(path, kind, header, log)
            elif kind == "change":
                need(record["txn"] > log["last"], f"{where}: another change is next")
                if lines is None: lines = Lines(record)
                if not lines.shown: lines.shared = lines.members(record)
                need(lines.shared == lines.members(record), f"{where}: the lines before differ")
                need(("salt" in record) == ("values" in record and not header["partial"]),
                     f"{where}: it should not have a salt, or should have one")
                lines.change(line, record, where)
                if not header["partial"]: apply(log["state"], record, where)
                changes += 1
            elif kind == "omitted":
                need(header["partial"] and record["txn"] > log["last"], f"{where}: it is left out")
                if "seq" in record:
                    if lines is None: lines = Lines(record)
                    lines.omit(record, where)
                else:
                    need(lines is None and record["txn"] == log["last"] + 1, f"{where}: not next")
                    log["digest"] = transaction_digest(bytes.fromhex(log["digest"]),
                                                       bytes.fromhex(record["digest"])).hex()
                    log["last"] = record["txn"]
            elif kind == "transaction":
                details = record["meta"].get("details", "{}")
                gap = json.loads(details) if record["op"] == "gap" else {}
                need(log["last"] + 1 in (record["txn"], gap.get("first")),
                     f"{where}: it is not the transaction that is next")
                need(record["meta"]["schema"] == header["schema"], f"{where}: another schema")
                member = b',"digest":"%s"' % record["digest"].encode()
                need(line.count(member) == 1, f"{where}: its digest is not where it should be")
                lines = lines or Lines(record)
                digest, left = lines.digests(
                    bytes.fromhex(log["digest"]), line.replace(member, b""), record, where)
                altered = f"{where}: transaction {record['txn']} was altered"
                need(digest == record["digest"], altered)
                if left != log["erased"].get(digest):
                    log["unexplained"][digest] = lines.restated, altered
                confirm(record, log)
                log["last"], log["digest"] = record["txn"], gap.get("resumes", record["digest"])
                lines, transactions = None, transactions + 1
            else:
                need(kind == "trailer" and lines is None, f"{where}: it is not a line of a log")
                trailer = record
            whole.update(line if trailer is None else b"")
    need(trailer is not None, f"{path} has no trailer: the rest is missing")
    need(trailer["digest"] == whole.hexdigest(), f"{path} was altered")
    need(trailer["meta"] == {"last": log["last"], "transactions": transactions, "changes": changes},
         f"{path}: the trailer's counts are not those of the file")

def confirm(record, log):
    """A transaction can confirm a snapshot, and what remains in erased lines of earlier transactions."""
    details = json.loads(record["meta"].get("details", "{}"))
    if "snapshot" in details: log["proven"].append(details["snapshot"])
    for part in details.get("restated", []):
        left, _ = log["unexplained"].get(part["was"], ({}, None))
        for place, digest in part["lines"].items():
            if left.get(int(place)) == digest: del left[int(place)]

def is_snapshot(path): return os.path.dirname(path).endswith("snapshots")

def begin(path, kind, header, log):
    """Whether a file continues where the one before it ends."""
    need(kind == "header", f"{path} is not a change log")
    need(header["format"] == "travelog/1", f"{path} has an unknown format, {header['format']}")
    need(header["features"] == "", f"{path} uses what is not known: {header['features']}")
    text = header["definition"].encode()
    need(hashlib.sha256(text).hexdigest() == header["schema"], f"{path} has an altered schema")
    schema, identity = Schema(json.loads(text)), (header["store"], header["lineage"])
    need(log.setdefault("identity", (identity, header["partial"])) == (identity, header["partial"]),
         f"{path} is of another store or lineage, or has other things left out")
    if "digest" not in log:
        log.update(last=header["first"] - 1, start=header["previous"], digest=beginning(*identity).hexdigest())
        base = log if is_snapshot(path) else log["snapshots"].get(log["last"], {"start": log["digest"]})
        log.update(base, digest=base["start"])
    need(header["first"] == log["last"] + 1 and header["previous"] == log["digest"],
         f"{path} does not go on from transaction {log['last']}")
    if log.get("definition", text) != text:
        log["state"] = migrate(log["state"], log["schema"], schema)
    log.update(definition=text, schema=schema, erased=erasures(path, identity))

def check_proof(path, key):
    """The line that a proof proves, if the key signed its checkpoint."""
    with open(path, "rb") as file: statement, proof, note = file.read().split(b"\n\n", 2)
    title, *lines = statement.split(b"\n")
    tree, index, *path_in_tree = proof.decode().split("\n")
    need((title, tree) == (b"travelog-proof/1", "c2sp.org/tlog-proof@v1"), f"{path} is not a proof")
    def value(name, line):
        need(line.startswith(name + b" "), f"{path} has no {name.decode()} in its place")
        return base64.b64decode(line[len(name) + 1:], validate=True)
    previous, line = value(b"previous", lines.pop()), lines.pop(0)
    closing = lines.pop(0) if lines[0].startswith(b"{") else line
    end, opening = json.loads(closing), b'{"kind":"transaction","txn":%d' % json.loads(closing)["txn"]
    member = b',"digest":"%s","meta":{' % end["digest"].encode()
    need(closing.startswith(opening) and closing.count(member) == 1, f"{path} has no closing line")
    if line is closing: root, = (value(b"lines", line) for line in lines)
    else:
        (prefix, known, values), record = parts(line), json.loads(line)
        shared = closing[len(opening):closing.index(b',"op":')]
        expected = b'{"kind":"change","txn":%d,"seq":%d%s' % (end["txn"], record["seq"], shared)
        if "values" in record:
            need(not values, f"{path} shows values that are hidden")
            digest, expected = record["values"], expected + b',"values":"%s"' % record["values"].encode()
        else: digest = values_digest(value(b"salt", lines.pop(0)), values).hex()
        need(prefix == expected, f"{path} has a line of another transaction")
        hashes = [base64.b64decode(hash, validate=True) for hash in lines]
        leaf = line_hash(known, bytes.fromhex(digest))
        root = root_of_inclusion(leaf, record["seq"], end["n"], hashes)
    body = body_digest(root, closing.replace(member, b',"meta":{') + b"\n")
    need(transaction_digest(previous, body).hex() == end["digest"], f"{path} has other lines")
    name, _, public = key.split("+", 2)
    text = opened_note(note.decode(), name, base64.b64decode(public)[1:]).split("\n")
    found = root_of_inclusion(leaf_hash(bytes.fromhex(end["digest"])), int(index.split(" ")[1]),
                              int(text[1]), [base64.b64decode(hash) for hash in path_in_tree])
    need(base64.b64encode(found).decode() == text[2], f"{path} does not lead to the checkpoint")
    return line.decode()

def main(paths):
    if paths[:1] == ["--proof"]: return print(check_proof(*paths[1:]))
    logs = {"state": {}, "unexplained": {}, "proven": [], "snapshots": {}}
    for path in sorted(paths, key=lambda path: (not is_snapshot(path), os.path.basename(path))):
        log = {**logs, "state": {}} if is_snapshot(path) else logs
        read(path, log)
        if is_snapshot(path): logs["snapshots"][log["last"]] = log
    for left, altered in logs["unexplained"].values(): need(not left, altered)
    for last, state in logs["snapshots"].items():
        need({"txn": last, "digest": state["digest"]} in logs["proven"], f"nothing proves snapshot {last}")
    for (entity, number), values in sorted(logs["state"].items()):
        print(json.dumps({"entity": entity, "id": number, "values": values}, sort_keys=True,
                         ensure_ascii=False, separators=(",", ":")))

if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (OSError, EOFError, ValueError, KeyError, zlib.error) as error:
        sys.exit(f"read_log: {error}")
