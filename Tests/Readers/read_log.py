#!/usr/bin/env python3
"""Reads change logs of the format travelog/1, according to docs/FORMAT.md only.

    read_log.py FILE...               the logs and snapshots of one store, in any order
    read_log.py --proof FILE VKEY     a proof, and the key that signed its checkpoint

It prints the proven line, or the state of the last lineage if no log is filtered. After an error, it ends with code 1.
"""
import copy
import gzip
import hashlib
import json
import pathlib
import re
import sys
from base64 import b64decode

# The first byte of a hashed message names its kind.
LEAF, NODE, SEED, VALUES, RESTATED, BODY, TRANSACTION = (bytes([kind]) for kind in range(7))

# The parts of a line: what all lines of its transaction share, the known bytes, the value bytes.
PARTS = re.compile(rb'{"kind":"\w+",("txn":\d+)(?:,"seq":\d+)?(,"n":.*?)(?:,"seed":"[^"]*")?'
                   rb'(?:,"values":"[^"]*")?(?:,"salt":"[^"]*")?,("op":.*?)'
                   rb'((?:,"(?:before|after|special|large)":.*)?)}\n')

UNKNOWN = {"special": "erased"}, {"special": "unknown"}
PROOF = re.compile(rb"""travelog-proof/1
(?P<change>{"kind":"change",.*\n)?(?P<closing>{"kind":"transaction",.*
)(?(change)(?:salt (?P<salt>[\w+/=]+)
)?(?P<path>(?:[\w+/=]+\n)*)|lines (?P<lines>[\w+/=]+)
)previous (?P<previous>[\w+/=]+)

c2sp.org/tlog-proof@v1
index (?P<index>\d+)
(?P<path_in_tree>(?:[\w+/=]+\n)*)
(?P<note>.+\n(?P<count>\d+)\n(?P<root>[\w+/=]+)\n(?:.+\n)*)
(?P<signed>(?:\xe2\x80\x94 [^ \n]+ [\w+/=]+\n)+)""")

# The types of a group count as one encoding. Every other type is a separate encoding.
GROUPS = {"integer": "int8 int16 int32 int64 uint8 uint16 uint32", "real": "float16 float double",
          "digits": "uint64 decimal", "text": "string url json", "bytes": "data transformed"}
ENCODINGS = {name: group for group, names in GROUPS.items() for name in names.split()}

# The curve of Ed25519 (RFC 8032). A point of the curve is its x and y.
P, ORDER = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D, ROOT = -121665 * pow(121666, -1, P) % P, pow(2, (P - 1) // 4, P)
BASE = 0x216936D3CD6E53FEC0A4E231FDD6DC5C692CC7609525A7B2C9562D608F25D51A, 4 * pow(5, -1, P) % P


def need(is_right, what):
    if not is_right:
        raise ValueError(what)


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def root_above(leaf, index, count, path):
    """The root over count leaves that follows from a leaf and the hashes on its path upwards."""
    need(0 <= index < count and bool(path) == (count > 1), "this is not the path of a leaf")
    if count == 1:
        return leaf
    (*below, sibling), middle = path, 1 << (count - 1).bit_length() - 1  # a power of two
    if index < middle:
        return sha256(NODE, root_above(leaf, index, middle, below), sibling)
    return sha256(NODE, sibling, root_above(leaf, index - middle, count - middle, below))


def line_hashes(record, line, salt, closing, left):
    """The hashes of a change line before erasures, and with its remaining values (also in left)."""
    txn, shared, known, values = PARTS.fullmatch(line).groups()
    need((txn, shared) == PARTS.fullmatch(closing).groups()[:2], "a line has another closing line")
    need(bool(salt) != ("values" in record), "a line has no salt, or a needless one")
    digest = remains = sha256(VALUES, salt, values) if salt else bytes.fromhex(record["values"])
    if "salt" in record:
        remains = sha256(VALUES, b64decode(record["salt"]), values)
        left[str(record["seq"])] = remains.hex()
    return [sha256(LEAF, sha256(known), values) for values in (digest, remains)]


def take(lines, closing, left, count, seed=b"", is_seeded=False):
    """Takes a subtree from the end of a list of lines: its two hashes, and the key that gave it."""
    (record, line), key = lines[-1], None
    if not seed and record["kind"] == "omitted" and record["count"] == count:
        return [bytes.fromhex(lines.pop()[0]["digest"])] * 2, "digest"
    if not seed and record.get("seed", "").startswith(f"{count}:"):
        seed, key, is_seeded = b64decode(record["seed"].split(":")[1]), "seed", True
    if count == 1:
        lines.pop()
        need(is_seeded == ("seed" in record), "a line has a needless seed")
        return line_hashes(record, line, seed, closing, left), key
    middle, seeds = 1 << (count - 1).bit_length() - 1, sha256(SEED, seed) if seed else b""
    ones, one = take(lines, closing, left, middle, seeds[:16], is_seeded)
    others, other = take(lines, closing, left, count - middle, seeds[16:])
    need(one is None or one != other, "two subtrees should be one")
    return [sha256(NODE, *pair) for pair in zip(ones, others)], key


def transaction_digest(previous, root, closing):
    """The digest of a transaction, by the root over its lines and the line that closes it."""
    member = b',"digest":"%s"' % json.loads(closing)["digest"].encode()
    start, _, rest = closing.partition(member)
    need(rest.startswith(b',"meta":{') and member not in rest, "its digest is in another place")
    return sha256(TRANSACTION, previous, sha256(BODY, root, start, rest))


def add(p, q):
    (a, b), (c, d), both = p, q, D * p[0] * p[1] * q[0] * q[1]
    return (a * d + b * c) * pow(1 + both, -1, P) % P, (b * d + a * c) * pow(1 - both, -1, P) % P


def multiply(number, point):
    if number == 0:
        return 0, 1
    even = multiply(number // 2, add(point, point))
    return add(even, point) if number % 2 else even


def is_valid(signature, public, text):
    """Whether the first half of a signature is its other half * BASE - digest * key."""
    sign, y = divmod(int.from_bytes(public, "little"), 2**255)
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    root = pow(square, (P + 3) // 8, P)
    roots = root, P - root, root * ROOT % P, -root * ROOT % P
    x = next(x for x in roots if x * x % P == square and x % 2 == sign and max(x, y) < P)
    digest = hashlib.sha512(signature[:32] + public + text).digest()
    number, factor = (int.from_bytes(part, "little") for part in (signature[32:], digest))
    x, y = add(multiply(number, BASE), multiply(factor % ORDER, (-x % P, y)))
    point = (y | x % 2 << 255).to_bytes(32, "little")
    return len(signature) == 64 and number < ORDER and point == signature[:32]


def entities(definition):
    """The entities of a schema by name; each property gets its encoding and its name in lines."""
    found, spellings = {entity["name"]: entity for entity in definition["entities"]}, {}
    for name, entity in found.items():
        entity["isEmptied"] = name in definition.get("replaced", ()) and definition["version"]
        entity["parts"] = {p["name"]: p for p in entity["attributes"] + entity["relationships"]}
        for name, part in entity["parts"].items():
            kind = part.get("type") or next(iter(part["storage"]))
            part["encoding"] = ENCODINGS.get(kind, kind)
            if kind != "inverseColumn":  # otherwise it is a property of the other side
                spellings.setdefault(name.lower(), set()).add((name, part["encoding"]))
    for entity in found.values():
        for name, part in entity["parts"].items():
            owner, is_clear = entity, len(spellings.get(name.lower(), ())) < 2
            while name in found.get(owner.get("parent"), {"parts": ()})["parts"]:
                owner = found[owner["parent"]]
            part["line"] = name if is_clear else f"{owner['name']}.{name}"
    return found


def origin(new, old, others):
    """The element of an old schema that an element of a new one continues, or nothing."""
    named = {part["name"]: part for part in old}
    claims = {part["name"]: part.get("originalName", part["name"]) for part in others}
    name, original, namesake = new["name"], claims[new["name"]], named.get(new["name"], {})
    if original in (name, namesake.get("originalName")):
        return namesake
    if original in named and claims.get(original) != original:
        return named[original]
    return {} if name in claims.values() else namesake


def initial(part):
    """The value that the existing rows of an adopted table get in a new column."""
    kind, value = next(iter(part.get("defaultValue", {"null": True}).items()))
    return f"{kind}:{value}" if part.get("type") == "any" and kind != "null" else None


def migrate(state, old, new):
    """The state under the entities of a new schema, before the changes of the migration."""
    heirs, parts, moved, wider = {}, {}, {}, {"digits": str, "real": float}

    def converted(value, encoding):
        if isinstance(value, list):
            return [converted(link, encoding) for link in value]
        if isinstance(value, dict) and "entity" in value:
            return {**value, "entity": heirs.get(value["entity"], value["entity"])}
        return wider.get(encoding, int)(value) if type(value) is int else value
    for name, entity in new.items():
        before = origin(entity, old.values(), new.values())
        heirs[before.get("name")], parts[name] = name, [
            (part, origin(part, before.get(kind, ()), entity[kind]))
            for kind in ("attributes", "relationships") for part in entity[kind]]
        need(all("type" in part or source.get("encoding") in (None, part["encoding"])
                 for part, source in parts[name]), f"{name} has links of another kind now")
    for (name, number), values in state.items():
        if name in heirs and not new[heirs[name]]["isEmptied"]:  # others are deleted or replaced
            moved[heirs[name], number] = {
                part["line"]: converted(
                    values.get(source.get("line"), initial(part)), part["encoding"])
                for part, source in parts[heirs[name]] if source.get("line") in values
                or part["encoding"] not in ("joinTable", "inverseColumn")}
    return moved


class Log:
    """The logs of a lineage, which can continue one of the snapshots; or one snapshot."""
    proven, restated, unexplained = [], set(), set()  # in all logs
    forks = set()  # the transactions of snapshots, and those with which later lineages begin

    def __init__(self, bases=None):
        self.bases, self.header, self.state = bases, None, {}
        self.details, self.states = {}, {}  # of the first transaction; at the forks

    def read(self, path):
        """Applies a file after the files before it."""
        count, lines = {"transaction": 0, "change": 0, "omitted": 0}, []
        with gzip.open(path, "rb") as file:
            line = file.readline(1 << 25)
            record, whole = json.loads(line), hashlib.sha256(line)
            self.begin(path, record["kind"], record["meta"])
            for line in iter(lambda: file.readline(1 << 25), b""):
                record = json.loads(line)
                if record["kind"] == "trailer":
                    break
                whole.update(line)
                count[record["kind"]] += 1
                lines.append((record, line))
                if record["kind"] == "transaction" or "seq" not in record:
                    self.close(*reversed(lines))
                    lines = []
            meta = dict(last=self.last, changes=count["change"], transactions=count["transaction"])
            need(record == {"kind": "trailer", "digest": whole.hexdigest(), "meta": meta}
                 and line.endswith(b"\n") and not lines and not file.read(1),
                 f"{path} was altered, or is cut off")

    def begin(self, path, kind, header):
        """Begins a file where the one before it ends."""
        need((kind, header["format"]) == ("header", "travelog/1")
             and header["features"] in ("", "unknown"), f"{path} has an unknown format or feature: {header['format']} {header['features']}")
        need(sha256(header["definition"].encode()).hex() == header["schema"], "another schema")
        schema = entities(json.loads(header["definition"]))
        if self.header is None:
            self.header, self.schema, self.last = header, schema, header["first"] - 1
            name = "travelog/1 {store} {lineage}".format(**header)
            self.read_erasures(path.parent.parent / "_erasures.ndjson", name)
            self.start = header["previous"] if self.bases is None else sha256(name.encode()).hex()
            base = (self.bases or {}).get(self.last, self)
            tree = path.parent.parent / "_tree/head"
            need(base is self or tree.exists()
                 and tree.read_text().split("\n")[3] == f"0 {header['first']}",
                 f"logs before transaction {header['first']} may be missing")
            self.state, self.schema, self.digest = base.state, base.schema, base.start
        need(all(header[key] == self.header[key] for key in ("store", "lineage", "partial")),
             f"{path} is of another store or lineage, or is filtered in another way")
        need((header["first"], header["previous"]) == (self.last + 1, self.digest),
             f"{path} does not go on from transaction {self.last}")
        if schema != self.schema:
            self.state = migrate(self.state, self.schema, schema)
        self.header, self.schema = header, schema

    def read_erasures(self, path, name):
        """Reads the digests of the values that remain in erased transactions, by transaction."""
        digest, self.erased = sha256(f"{name} erasures".encode()), {}
        for line in path.read_bytes().split(b"\n")[:-1] if path.exists() else ():
            record, digest = json.loads(line), sha256(digest, line[:-77], b"}\n")
            need(digest.hex() == record["digest"], f"{path}: a record was altered")
            self.erased[record["was"]] = record["lines"]

    def close(self, closing, *lines):
        """Checks and applies a transaction, from its last line, which closes it or replaces it."""
        (record, line), is_partial = closing, self.header["partial"] != ""
        txn, details = record["txn"], json.loads(record.get("meta", {}).get("details", "{}"))
        gap, before = details if record.get("op") == "gap" else {}, bytes.fromhex(self.digest)
        need(self.last + 1 in (txn, gap.get("first")), f"transaction {txn} is not the next one")
        self.last = txn
        if record["kind"] == "omitted":
            need(is_partial and not lines, f"transaction {txn} was left out")
            self.digest = sha256(TRANSACTION, before, bytes.fromhex(record["digest"])).hex()
            return
        altered, seq, left = f"transaction {txn} was altered", 0, {}
        need(record["meta"]["schema"] == self.header["schema"], altered)
        for one, _ in reversed(lines):
            need((one["txn"], one["n"], one["seq"]) == (txn, record["n"], seq), altered)
            need(("salt" in one) == ("values" in one and not is_partial), altered)
            need(is_partial or one["kind"] == "change", altered)
            seq += one.get("count", 1)
        need(seq == record["n"], altered)
        roots, _ = take(list(lines), line, left, seq) if lines else ([sha256()] * 2, None)
        digest, digest_left = (transaction_digest(before, root, line).hex() for root in roots)
        need(digest == record["digest"], altered)
        if digest_left not in (digest, self.erased.get(digest)):
            self.unexplained.update((digest, *line) for line in left.items())
        for change, _ in () if is_partial else reversed(lines):
            self.apply(change)
        if txn in self.forks:
            self.states[txn] = copy.deepcopy(self.state)
        if record["op"] == "snapshot" and self.bases is not None:
            self.details = details
        if record["op"] in ("mark", "prune"):
            self.proven.append(details.get("snapshot"))
        for part in details.get("restated", ()):
            self.restated.update((part["was"], *line) for line in part["lines"].items())
        self.digest = gap.get("resumes", digest)

    def apply(self, change):
        key = change["entity"], change["id"] if "[" in change["id"] else int(change["id"])
        before, after = ({**change.get(side, {}), **{
            name: {kind: note} for kind in ("large", "special")
            for name, note in change.get(kind, {}).get(side, {}).items() if note != "missing"}}
            for side in ("before", "after"))
        need((key in self.state) == (change["op"] != "insert"), f"{key} has an impossible op")
        values = self.state.setdefault(key, {})
        for name, value in before.items():
            old = values.get(name)
            if value in UNKNOWN or old in UNKNOWN:
                if isinstance(change.get("after", {}).get(name), list):
                    values[name] = []  # The other list has all links.
                continue
            for link in value if isinstance(value, list) else ():
                old.remove(link)
            need(isinstance(value, list) or old == value,
                 f"{name} of {key} should be {value} before, and is {old}")
        for name, value in after.items():
            if isinstance(value, list) and values.get(name) not in UNKNOWN:
                value = sorted(values.get(name, []) + value, key=lambda link: int(link["id"]))
            values[name] = value
        if change["op"] == "delete":
            del self.state[key]


def check_proof(path, vkey):
    """The line that a proof proves, if the key signed its checkpoint."""
    proof = PROOF.fullmatch(pathlib.Path(path).read_bytes())
    need(proof, "this is not a proof")
    path, path_in_tree = ([b64decode(line) for line in (proof[part] or b"").split()]
                          for part in ("path", "path_in_tree"))
    closing, change, root = proof["closing"], proof["change"], b64decode(proof["lines"] or b"")
    end = json.loads(closing)
    if change:
        record, salt = json.loads(change), b64decode(proof["salt"] or b"")
        need("seed" not in record and "salt" not in record, "its line has a salt")
        need(salt or not PARTS.fullmatch(change)[4], "it shows values that are hidden")
        leaf, _ = line_hashes(record, change, salt, closing, {})
        root = root_above(leaf, record["seq"], end["n"], path)
    digest = transaction_digest(b64decode(proof["previous"]), root, closing)
    need(digest.hex() == end["digest"], "it has other lines")
    root = root_above(sha256(LEAF, digest), int(proof["index"]), int(proof["count"]), path_in_tree)
    need(root == b64decode(proof["root"]), "its root is not that of the checkpoint")
    name, _, key = vkey.encode().split(b"+", 2)
    public, words = b64decode(key)[1:], re.findall(b" %s (.+)" % re.escape(name), proof["signed"])
    number = sha256(name, b"\n\1", public)[:4]
    found = [signature[4:] for signature in map(b64decode, words) if signature[:4] == number]
    need(found and all(is_valid(one, public, proof["note"]) for one in found), "it is not signed")
    return (change or closing).decode()


def read_lineage(paths):
    """Reads the logs and snapshots of a lineage."""
    logs, order = Log({}), lambda path: (path.parent.name != "snapshots", path.name)
    for path in sorted(paths, key=order):
        log = Log() if path.parent.name == "snapshots" else logs
        log.read(path)
        if log is not logs:
            logs.bases[log.last] = log
    return logs


def check_start(number, head, logs, read):
    """Checks that a lineage begins with a state of its parent and names the head before it."""
    parent, first = head.get("parent", head["lineage"]), min(logs.states)
    need(0 <= parent <= head["lineage"] == number - 1, f"lineage {number} names another number")
    need(parent in read and head["lineage"] in read, f"the parent of lineage {number} is missing")
    before = read[head["lineage"]]
    need((before.last, before.digest) == (head["transaction"], head["digest"]),
         f"lineage {number} names another end")
    need("common" not in head and read[parent].states.get(first) == logs.states[first],
         f"lineage {number} begins with another state than its parent had")


def main(paths):
    if paths[:1] == ["--proof"]:
        return print(check_proof(*paths[1:]), end="")
    lineages = {}
    for path in map(pathlib.Path, paths):
        number = re.search(r"lineage=(\d+)", str(path))
        lineages.setdefault(int(number[1]) if number else 0, []).append(path)
    Log.forks = {min(int(path.name[:20]) for path in paths if path.parent.name != "snapshots")
                 for number, paths in lineages.items() if number > 0}
    Log.forks |= {int(path.name[:20]) for paths in lineages.values() for path in paths
                  if path.parent.name == "snapshots"}
    read = {number: read_lineage(lineages[number]) for number in sorted(lineages)}
    need(Log.unexplained <= Log.restated, "no record has the values that are left in a line")
    for number, logs in read.items():
        for last, log in logs.bases.items():
            proof = {"txn": last, "digest": log.digest}
            need(proof in logs.proven or logs.states.get(last) == log.state,
                 f"nothing proves snapshot {last}")
        if logs.details:
            check_start(number, logs.details, logs, read)
    logs = read[max(read)]
    by_id = "{0[0][0]} {0[0][1]:>20}".format
    for (entity, number), values in sorted(logs.state.items(), key=by_id):
        print(json.dumps({"entity": entity, "id": number, "values": values}, sort_keys=True,
                         ensure_ascii=False, separators=(",", ":")))


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Exception as error:  # the bytes of a file can cause any error
        sys.exit(f"read_log: {type(error).__name__}: {error}")
