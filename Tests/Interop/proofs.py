#!/usr/bin/env python3
"""Lets other implementations of transparency logs check our trees, checkpoints and proofs.

    proofs.py TRAVELOG TRIPS FOLDER

aics-tlog and pymerkle, from PyPI, accept each proof of inclusion and of consistency of a history of 199 transactions,
and refuse forged ones. Ends with 1 if one of them disagrees.
"""
import base64, json, shutil, subprocess, sys
from pathlib import Path

import aics_tlog, pymerkle


def parse(proof):
    """The digest of the transaction in a proof, its leaf's index and hashes, and the checkpoint."""
    statement, tree, checkpoint = proof.split("\n\n", 2)
    closing = next(line for line in statement.split("\n") if line.startswith('{"kind":"transaction"'))
    title, index, *hashes = tree.split("\n")
    assert title == "c2sp.org/tlog-proof@v1"
    digest = bytes.fromhex(json.loads(closing)["digest"])
    return digest, int(index.split(" ")[1]), [base64.b64decode(line) for line in hashes], checkpoint


def run(*command):
    return subprocess.run([str(part) for part in command], check=True, stdout=subprocess.PIPE).stdout.decode()


def altered(data, place=0):
    """Bytes with another bit."""
    return bytes(byte ^ (1 if index == place else 0) for index, byte in enumerate(data))


class Log:
    """Exported logs with a signed checkpoint after each export."""

    def __init__(self, travelog, trips, folder):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.travelog, self.logs, key = travelog, folder / "logs", folder / "key.pem"
        run("openssl", "genpkey", "-algorithm", "ed25519", "-out", key)
        run(trips, "seed", folder / "trips.store", "--changes", 1200, "--seed", 7)
        self.checkpoints = []
        for point in (1, 64, 128, 129, 199):
            run(travelog, "export", folder / "trips.store", "--to", self.logs, "--until", point)
            answer = json.loads(run(travelog, "checkpoint", self.logs, "--key", key, "--json"))
            note = aics_tlog.parse_note(Path(answer["path"]).read_text())
            result = aics_tlog.verify_checkpoint(note, aics_tlog.parse_vkey(answer["vkey"]))
            assert result.log_ok, result
            self.checkpoints.append(aics_tlog.parse_checkpoint(note.text))
        self.tree = next(self.logs.glob("store=*/lineage=0/_tree"))
        self.key = aics_tlog.parse_vkey(answer["vkey"])

    def proof(self, place):
        return run(self.travelog, "prove", self.logs, place)


def check_notes(log):
    """Whether a signature by another key, or over another text, is refused."""
    text = (log.tree / "checkpoint").read_text()
    size = log.checkpoints[-1].size
    forged = text.replace(f"\n{size}\n", f"\n{size - 1}\n")
    assert not aics_tlog.verify_checkpoint(aics_tlog.parse_note(forged), log.key).log_ok
    return 1


def check_inclusion(log, peer):
    """Checks the proof of every transaction by both programs, and forged ones."""
    head, count = log.checkpoints[-1], 0
    for position in range(head.size):
        digest, index, hashes, note = parse(log.proof(position + 1))
        assert (index, aics_tlog.parse_checkpoint(aics_tlog.parse_note(note).text)) == (position, head)
        leaf = aics_tlog.leaf_hash(digest)
        data = peer.prove_inclusion(index + 1, head.size).serialize()
        data["path"] = [leaf.hex()] + [hash.hex() for hash in hashes]

        def by_pymerkle(leaf, index, root, data):
            proof = pymerkle.MerkleProof.deserialize(data)
            try:
                pymerkle.verify_inclusion(leaf, root, proof, index=index + 1, size=head.size)
            except pymerkle.InvalidProof:
                return False
            return True

        assert aics_tlog.verify_inclusion(leaf, index, head.size, hashes, head.root)
        assert by_pymerkle(leaf, index, head.root, data)
        place = position % len(hashes)
        wrong = hashes[:place] + [altered(hashes[place])] + hashes[place + 1:]
        other = index ^ 1
        for forged in (
            (altered(leaf), index, hashes, head.root), (leaf, other, hashes, head.root),
            (leaf, index, wrong, head.root), (leaf, index, hashes[1:], head.root),
            (leaf, index, hashes + hashes[:1], head.root), (leaf, index, hashes, altered(head.root)),
        ):
            given, at, path, root = forged
            assert not aics_tlog.verify_inclusion(given, at, head.size, path, root), forged
            data["path"] = [given.hex()] + [hash.hex() for hash in path]
            assert not by_pymerkle(given, at, root, data), forged
            count += 1
    return count


def check_consistency(log, peer):
    """Checks that every checkpoint extends each one before it, by the tiles beside the logs."""
    tiles, count = aics_tlog.FileSystemTileReader(log.tree), 0
    size = log.checkpoints[-1].size
    for place, new in enumerate(log.checkpoints):
        for old in log.checkpoints[: place + 1]:
            proof = aics_tlog.consistency_proof_from_tiles(tiles, old.size, new.size, size)
            assert aics_tlog.verify_consistency(old.size, new.size, old.root, new.root, proof)
            mine = peer.prove_consistency(old.size, new.size)
            pymerkle.verify_consistency(old.root, new.root, mine, old.size, new.size)
            for roots in ((altered(old.root), new.root), (old.root, altered(new.root))):
                assert not aics_tlog.verify_consistency(old.size, new.size, *roots, proof)
                try:
                    pymerkle.verify_consistency(*roots, mine, old.size, new.size)
                except pymerkle.InvalidProof:
                    count += 1
                else:
                    raise AssertionError("pymerkle accepts another root")
    assert aics_tlog.tree_root_from_tiles(tiles, size) == log.checkpoints[-1].root
    return count


def main(travelog, trips, folder):
    log = Log(*(Path(path).resolve() for path in (travelog, trips, folder)))
    peer = pymerkle.InmemoryTree(algorithm="sha256")
    for transaction in range(1, log.checkpoints[-1].size + 1):
        peer.append_entry(parse(log.proof(transaction))[0])
    refused = check_notes(log), check_inclusion(log, peer), check_consistency(log, peer)
    print(f"aics-tlog {aics_tlog.__version__} and pymerkle accept the proofs of {peer.get_size()} transactions and"
          f" {len(log.checkpoints)} checkpoints, and refuse {sum(refused)} forged ones")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
