#!/usr/bin/env python3
"""Writes tree_vectors.json beside it: results in Python, for tests of other programs.

Leaf i of every tree is the hash of the text of i. A long list is given as its SHA-256.
The hidden leaves of the tree of n leaves are those i for which the first byte of the SHA-256 of the
text "n i" is below 77, that is 30 percent.
"""
import base64, hashlib, json, os, sys
sys.dont_write_bytecode = True
from read_log import (BASE, BODY, LEAF, NODE, ORDER, RESTATED, SEED, TRANSACTION, VALUES, is_valid,
                      multiply, need, root_above, sha256)

# The tree of RFC 6962. A range is a pair: its first leaf, and the leaf after its last.

def leaf_hash(data): return sha256(LEAF, data)
def node_hash(left, right): return sha256(NODE, left, right)

def split(count):
    """The number of leaves below the left child of a node: the largest power of two below count."""
    return 1 << (count - 1).bit_length() - 1

def root(leaves):
    """The root over hashes of leaves."""
    if len(leaves) < 2: return leaves[0] if leaves else sha256()
    middle = split(len(leaves))
    return node_hash(root(leaves[:middle]), root(leaves[middle:]))

def inclusion_path(index, count, start=0):
    """The ranges whose roots prove that a leaf is in a tree, from the leaf to the root."""
    if count == 1: return []
    middle = split(count)
    if index < middle:
        return inclusion_path(index, middle, start) + [(start + middle, start + count)]
    rest = inclusion_path(index - middle, count - middle, start + middle)
    return rest + [(start, start + middle)]

def consistency_path(old, count, start=0, is_known=True):
    """The ranges whose roots prove that a tree of `old` leaves is the beginning of another."""
    if old == 0: return []
    if old == count: return [] if is_known else [(start, start + count)]
    middle = split(count)
    if old <= middle:
        return consistency_path(old, middle, start, is_known) + [(start + middle, start + count)]
    rest = consistency_path(old - middle, count - middle, start + middle, False)
    return rest + [(start, start + middle)]

def proof(path, leaves): return [root(leaves[first:end]) for first, end in path]

def roots_of_consistency(old, old_root, count, hashes):
    """The roots of both trees that a proof of consistency gives."""
    need(0 <= old <= count, "the older tree is larger")
    path = consistency_path(old, count)
    need(len(path) == len(hashes), "the proof has another length")
    if old == 0: return sha256(), None  # any tree extends one without leaves
    known = list(zip(path, hashes))
    # If the older tree is one whole node of the newer one, the proof does not have its root.
    if not path or path[0][0] >= old: before, known = old_root, [((0, old), old_root)] + known
    else: before = hashes[0]
    after = known[0][1]
    for (first, _), other in known[1:]:
        if first >= old: after = node_hash(after, other)
        else: before, after = node_hash(other, before), node_hash(other, after)
    return before, after

# The tree of seeds: a node's seed gives those of its children, and a leaf's seed is its line's salt.

def children(seed):
    both = sha256(SEED, seed)
    return both[:16], both[16:]

def salts(seed, count):
    """The salts of a subtree's leaves."""
    if count < 2: return [seed] * count
    (left, right), middle = children(seed), split(count)
    return salts(left, middle) + salts(right, count - middle)

def cover(seed, hidden, count, start=0):
    """The fewest seeds that give the salts of all visible leaves, with their ranges."""
    if not any(start <= index < start + count for index in hidden):
        return [((start, start + count), seed)] if count else []
    if count == 1: return []
    (left, right), middle = children(seed), split(count)
    return (cover(left, hidden, middle, start)
            + cover(right, hidden, count - middle, start + middle))

# Signatures of Ed25519 by RFC 8032, and signed notes and checkpoints of C2SP.

def encode_point(point): return (point[1] | point[0] % 2 << 255).to_bytes(32, "little")

def secrets(private):
    both = hashlib.sha512(private).digest()
    return int.from_bytes(both[:32], "little") & (1 << 254) - 8 | 1 << 254, both[32:]

def challenge(*parts):
    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little") % ORDER

def public_key(private): return encode_point(multiply(secrets(private)[0], BASE))

def ed25519_sign(private, message):
    (scalar, prefix), public = secrets(private), public_key(private)
    once = challenge(prefix, message)
    point = encode_point(multiply(once, BASE))
    number = (once + challenge(point, public, message) * scalar) % ORDER
    return point + number.to_bytes(32, "little")

def key_id(name, kind, public): return sha256(name.encode(), b"\n", bytes([kind]), public)[:4]

def verifier_key(name, kind, public):
    number, key = key_id(name, kind, public).hex(), base64.b64encode(bytes([kind]) + public).decode()
    return f"{name}+{number}+{key}"

def signed_note(text, name, private):
    signature = key_id(name, 1, public_key(private)) + ed25519_sign(private, text.encode())
    return f"{text}\n\u2014 {name} {base64.b64encode(signature).decode()}\n"

def cosignature(text, name, private, time):
    signed = f"cosignature/v1\ntime {time}\n{text}".encode()
    blob = time.to_bytes(8, "big") + ed25519_sign(private, signed)
    line = key_id(name, 4, public_key(private)) + blob
    return f"\u2014 {name} {base64.b64encode(line).decode()}\n"

def checkpoint(origin, count, root):
    return f"{origin}\n{count}\n{base64.b64encode(root).decode()}\n"

# The vectors.

def joined(lists): return sha256(*(item for items in lists for item in items)).hex()

def vector(count):
    leaves = [leaf_hash(str(index).encode()) for index in range(count)]
    seed = sha256(f"seed {count}".encode())[:16]
    hidden = [i for i in range(count) if sha256(f"{count} {i}".encode())[0] < 77]
    covered = cover(seed, set(hidden), count)
    few = range(count) if count < 100 else [0, 1, count // 3, count // 2, count - 1]
    inclusions = [proof(inclusion_path(index, count), leaves) for index in few]
    consistencies = [proof(consistency_path(old, count), leaves) for old in [*few, count]]
    for index, hashes in zip(few, inclusions):
        need(root_above(leaves[index], index, count, hashes) == root(leaves), "inclusion")
    for old, hashes in list(zip([*few, count], consistencies))[1:]:
        roots = roots_of_consistency(old, root(leaves[:old]), count, hashes)
        need(roots == (root(leaves[:old]), root(leaves)), "consistency")
    return {"count": count, "root": root(leaves).hex(), "indexes": list(few),
            "inclusion": joined(inclusions), "consistency": joined(consistencies),
            "seed": seed.hex(), "salts": joined([salts(seed, count)]), "hidden": len(hidden),
            "ranges": sha256(str([list(pair) for pair, _ in covered]).encode()).hex(),
            "seeds": joined([[one for _, one in covered]]), "covered": len(covered)}

def transaction():
    """A transaction of two changes, the first of a lineage."""
    first, second = (b'"op":"update","entity":"Trip","id":"7","changed":["destination"]',
                     b'"op":"delete","entity":"BucketListItem","id":"31"')
    values = (b',"before":{"destination":"Oslo"},"after":{"destination":"Bergen"}',
              b',"before":{"title":"Fjord","trip":{"entity":"Trip","id":"7"}}')
    closing = (b'{"kind":"transaction","txn":121,"n":2,"ts":"2026-09-20T10:00:00.123456Z",'
               b'"author":"app","op":"recorded","meta":{"process":"trips","schema":"64"}}\n')
    seed = bytes(range(16))
    salt = salts(seed, 2)
    hashes = [sha256(VALUES, salt[i], values[i]) for i in (0, 1)]
    leaves = [leaf_hash(sha256(first) + hashes[0]), leaf_hash(sha256(second) + hashes[1])]
    previous = sha256(b"travelog/1 6F9619FF-8B86-D011-B42D-00CF4FC964FF 0")
    body = sha256(BODY, root(leaves), closing)
    return {"public": [first.decode(), second.decode()], "values": [one.decode() for one in values],
            "closing": closing.decode(), "seed": seed.hex(), "salts": [one.hex() for one in salt],
            "values_digests": [one.hex() for one in hashes], "root": root(leaves).hex(),
            "restated_salt": sha256(RESTATED, salt[0])[:16].hex(), "previous": previous.hex(),
            "body": body.hex(), "digest": sha256(TRANSACTION, previous, body).hex()}

def note():
    """A checkpoint, signed by a key that is made of the text "key", and cosigned by a witness."""
    private, name = sha256(b"key"), "example.org/travelog"
    text = checkpoint(name, 7, root([leaf_hash(str(index).encode()) for index in range(7)]))
    signed = signed_note(text, name, private)
    signature = base64.b64decode(signed.split(" ")[-1])[4:]
    need(is_valid(signature, public_key(private), text.encode()), "note")
    der = bytes.fromhex("302e020100300506032b657004220420") + private
    spki = bytes.fromhex("302a300506032b6570032100") + public_key(private)
    pem = [f"-----BEGIN {kind} KEY-----\n{base64.b64encode(text).decode()}\n-----END {kind} KEY-----\n"
           for kind, text in (("PRIVATE", der), ("PUBLIC", spki))]
    witness, observer, time = sha256(b"witness"), "witness.example/w1", 1679315147
    return {"private": private.hex(), "public": public_key(private).hex(), "name": name,
            "private_pem": pem[0], "public_pem": pem[1], "note": signed,
            "verifier": verifier_key(name, 1, public_key(private)),
            "witness": verifier_key(observer, 4, public_key(witness)), "time": time,
            "cosigned": signed + cosignature(text, observer, witness, time)}

def main():
    counts = [*range(34), 63, 64, 65, 255, 256, 257, 1000, 4097]
    trees = ",\n    ".join(json.dumps(vector(count)) for count in counts)
    parts = [f'"trees": [\n    {trees}\n  ]', f'"transaction": {json.dumps(transaction(), indent=2)}',
             f'"note": {json.dumps(note(), indent=2)}']
    text = "{\n  " + ",\n  ".join(parts) + "\n}\n"
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tree_vectors.json")
    if sys.argv[1:] == ["--check"]: need(open(path).read() == text, f"{path} is out of date")
    else: open(path, "w").write(text)

if __name__ == "__main__": main()
