"""Trees, seeds, proofs, notes and checkpoints, according to docs/decisions/0004 only.

All hashes are bytes of SHA-256. A range is a pair: its first leaf, and the leaf after its last.
"""
import base64, hashlib

def need(is_right, what):
    if not is_right: raise ValueError(what)

def sha256(*parts): return hashlib.sha256(b"".join(parts)).digest()

# The tree of hashes of RFC 6962.

EMPTY = sha256()

def leaf_hash(data): return sha256(b"\0", data)
def node_hash(left, right): return sha256(b"\1", left, right)

def split(count):
    """The number of leaves below the left child of a node: the largest power of two below count."""
    return 1 << (count - 1).bit_length() - 1

def root(leaves):
    """The root over hashes of leaves."""
    if len(leaves) < 2: return leaves[0] if leaves else EMPTY
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

def root_of_inclusion(leaf, index, count, hashes):
    """The root that a proof of inclusion gives."""
    need(0 <= index < count, "there is no such leaf")
    path = inclusion_path(index, count)
    need(len(path) == len(hashes), "the proof has another length")
    for (first, _), other in zip(path, hashes):
        leaf = node_hash(leaf, other) if first > index else node_hash(other, leaf)
    return leaf

def roots_of_consistency(old, old_root, count, hashes):
    """The roots of both trees that a proof of consistency gives."""
    need(0 <= old <= count, "the older tree is larger")
    path = consistency_path(old, count)
    need(len(path) == len(hashes), "the proof has another length")
    if old == 0: return EMPTY, None  # any tree extends one without leaves
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
    both = sha256(b"\2", seed)
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

# The digests of a line and of a transaction.

def values_digest(salt, values): return sha256(b"\3", salt, values)
def restated_salt(salt): return sha256(b"\4", salt)[:16]
def line_hash(public, values): return leaf_hash(sha256(public) + values)
def body_digest(changes, closing): return sha256(b"\5", changes, closing)
def transaction_digest(previous, body): return sha256(b"\6", previous, body)

# Signed notes and checkpoints of C2SP, with Ed25519 by RFC 8032.

P, ORDER = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D, ROOT = -121665 * pow(121666, P - 2, P) % P, pow(2, (P - 1) // 4, P)

def add(p, q):
    a, b = (p[1] - p[0]) * (q[1] - q[0]), (p[1] + p[0]) * (q[1] + q[0])
    c, d = 2 * p[3] * q[3] * D, 2 * p[2] * q[2]
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P

def multiply(number, point):
    result = 0, 1, 1, 0
    for bit in bin(number)[2:]:
        result = add(result, result)
        if bit == "1": result = add(result, point)
    return result

def decode_point(text):
    number = int.from_bytes(text, "little")
    y, sign = number & (1 << 255) - 1, number >> 255
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square: x = x * ROOT % P
    need(x * x % P == square and y < P and (x or not sign), "this is not a public key")
    if x & 1 != sign: x = P - x
    return x, y, 1, x * y % P

def encode_point(point):
    inverse = pow(point[2], P - 2, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")

BASE = decode_point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))

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

def ed25519_is_valid(public, message, signature):
    number = int.from_bytes(signature[32:], "little")
    if len(signature) != 64 or number >= ORDER: return False
    times = challenge(signature[:32], public, message)
    right = add(decode_point(signature[:32]), multiply(times, decode_point(public)))
    return encode_point(multiply(number, BASE)) == encode_point(right)

def key_id(name, public): return sha256(name.encode(), b"\n\1", public)[:4]

def verifier_key(name, public):
    return f"{name}+{key_id(name, public).hex()}+{base64.b64encode(bytes([1]) + public).decode()}"

def signed_note(text, name, private):
    signature = key_id(name, public_key(private)) + ed25519_sign(private, text.encode())
    return f"{text}\n\u2014 {name} {base64.b64encode(signature).decode()}\n"

def opened_note(note, name, public):
    """The text of a note, signed by a key."""
    text, _, signatures = note.rpartition("\n\n")
    lines = [line.split(" ") for line in signatures.splitlines()]
    need(text and lines and all(len(line) == 3 and line[0] == "\u2014" for line in lines),
         "this is not a signed note")
    text, found = text + "\n", [base64.b64decode(line[2]) for line in lines if line[1] == name]
    found = [signature[4:] for signature in found if signature[:4] == key_id(name, public)]
    need(found and all(ed25519_is_valid(public, text.encode(), one) for one in found),
         f"{name} has not signed this")
    return text

def checkpoint(origin, count, root):
    return f"{origin}\n{count}\n{base64.b64encode(root).decode()}\n"
