#!/usr/bin/env python3
"""Writes tree_vectors.json beside it: results of tree.py, for tests of other programs.

Leaf i of every tree is the hash of the text of i. Long lists stand as the SHA-256 of all they have.
The hidden leaves of the tree of n leaves are those i for which the first byte of the SHA-256 of the
text "n i" is below 77, that is 30 percent.
"""
import json, os, sys
from tree import *

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
        need(root_of_inclusion(leaves[index], index, count, hashes) == root(leaves), "inclusion")
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
    hashes = [values_digest(salt[i], values[i]) for i in (0, 1)]
    leaves = [line_hash(first, hashes[0]), line_hash(second, hashes[1])]
    previous = sha256(b"travelog/1 6F9619FF-8B86-D011-B42D-00CF4FC964FF 0")
    body = body_digest(root(leaves), closing)
    return {"public": [first.decode(), second.decode()], "values": [one.decode() for one in values],
            "closing": closing.decode(), "seed": seed.hex(), "salts": [one.hex() for one in salt],
            "values_digests": [one.hex() for one in hashes], "root": root(leaves).hex(),
            "restated_salt": restated_salt(salt[0]).hex(), "previous": previous.hex(),
            "body": body.hex(), "digest": transaction_digest(previous, body).hex()}

def note():
    """A checkpoint, signed by a key that is made of the text "key"."""
    private, name = sha256(b"key"), "example.org/travelog"
    text = checkpoint(name, 7, root([leaf_hash(str(index).encode()) for index in range(7)]))
    signed = signed_note(text, name, private)
    need(opened_note(signed, name, public_key(private)) == text, "note")
    der = bytes.fromhex("302e020100300506032b657004220420") + private
    spki = bytes.fromhex("302a300506032b6570032100") + public_key(private)
    pem = [f"-----BEGIN {kind} KEY-----\n{base64.b64encode(text).decode()}\n-----END {kind} KEY-----\n"
           for kind, text in (("PRIVATE", der), ("PUBLIC", spki))]
    return {"private": private.hex(), "public": public_key(private).hex(), "name": name,
            "private_pem": pem[0], "public_pem": pem[1], "note": signed,
            "verifier": verifier_key(name, public_key(private))}

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
