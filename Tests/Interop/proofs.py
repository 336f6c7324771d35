#!/usr/bin/env python3
"""Lets other implementations of transparency logs check our trees, checkpoints and proofs.

    proofs.py TRAVELOG TRIPS FOLDER

aics-tlog and pymerkle, from PyPI, accept each proof of inclusion and of consistency of a history of 199 transactions,
and refuse forged ones. Two witnesses of aics-witness sign each checkpoint after the request of "checkpoint --since", and
"verify" requires their signatures. Ends with 1 if one of them disagrees.
"""
import base64, json, logging, shutil, subprocess, sys
from pathlib import Path

import aics_tlog, aics_witness, pymerkle


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
        self.checkpoints, self.cosigned, self.witnesses, self.refused, since = [], [], [], 0, []
        for point in (1, 64, 128, 129, 199):
            run(travelog, "export", folder / "trips.store", "--to", self.logs, "--until", point)
            answer = json.loads(run(travelog, "checkpoint", self.logs, "--key", key, "--json", *since))
            published = Path(answer["path"])
            note = aics_tlog.parse_note(published.read_text())
            self.key = aics_tlog.parse_vkey(answer["vkey"])
            result = aics_tlog.verify_checkpoint(note, self.key)
            assert result.log_ok, result
            self.checkpoints.append(aics_tlog.parse_checkpoint(note.text))
            if not since:
                self.witnesses = [self.witness(folder, answer["origin"], name) for name in ("one", "two")]
            request = answer.get("request", f"old 0\n\n{answer['note']}")
            lines = [self.submit(request, witness) for witness in self.witnesses]
            self.cosigned.append(folder / f"{point}.checkpoint")
            self.cosigned[-1].write_text(answer["note"] + "".join(lines))
            # So that proofs have the signatures of the witnesses too.
            shutil.copy(self.cosigned[-1], published)
            since = ["--since", self.cosigned[-1]]
        self.tree = next(self.logs.glob("store=*/lineage=0/_tree"))
        self.keys = folder / "key", folder / "witnesses"
        self.keys[0].write_text(answer["vkey"] + "\n")
        self.keys[1].write_text("".join(f"{witness.vkey_text}\n" for witness in self.witnesses))

    def witness(self, folder, origin, name):
        """A witness that knows the name and the key of the tree."""
        key, _, _ = aics_witness.load_or_create_key(folder / f"{name}.key")
        store = aics_witness.WitnessStore(folder / f"{name}.db", create=True)
        config = aics_witness.LogConfig(origin=origin, vkeys=(self.key,))
        return aics_witness.Witness(f"witness.example/{name}", key, store, [config])

    def submit(self, request, witness):
        """The signature by which a witness answers a request; it must refuse the request with another hash."""
        for hash in request.split("\n\n")[0].split("\n")[1:]:
            wrong = base64.b64encode(altered(base64.b64decode(hash))).decode()
            try:
                witness.add_checkpoint(request.replace(hash, wrong).encode())
            except aics_witness.WitnessError as error:
                assert error.status == 422, error
                self.refused += 1
            else:
                raise AssertionError("a witness accepts another hash")
        return witness.add_checkpoint(request.encode()).decode()

    def verify(self, *arguments):
        """The exit code of "verify" with the keys of the signer and of the witnesses."""
        command = [self.travelog, "verify", *arguments, "--key", self.keys[0], "--witness", self.keys[1]]
        return subprocess.run([str(part) for part in command], stdout=subprocess.DEVNULL).returncode

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


def check_witnesses(log, folder):
    """Checks the signatures of witnesses by both programs, and forged ones."""
    keys, count = [witness.vkey for witness in log.witnesses], 0
    forged = folder / "forged"
    for cosigned in log.cosigned:
        note = aics_tlog.parse_note(cosigned.read_text())
        assert aics_tlog.verify_checkpoint(note, log.key, keys, quorum=2).ok
        assert log.verify(log.logs, "--since", cosigned) == 0
        *lines, first, second = cosigned.read_text().splitlines(keepends=True)
        name, word = second.rsplit(" ", 1)
        for place in (4, 11, 12, 75):
            wrong = base64.b64encode(altered(base64.b64decode(word), place)).decode()
            forged.write_text("".join([*lines, first, f"{name} {wrong}\n"]))
            assert log.verify(log.logs, "--since", forged) == 1
            count += 1
        for given in ([], [first], [second], [first, first]):
            forged.write_text("".join(lines + given))
            assert log.verify(log.logs, "--since", forged) == 1
            count += 1
        assert log.verify(log.logs, "--since", forged, "--quorum", 1) == 0
    proof = folder / "change.proof"
    proof.write_text(log.proof("7"))
    assert log.verify("--proof", proof) == 0
    proof.write_text("".join(proof.read_text().splitlines(keepends=True)[:-1]))
    assert log.verify("--proof", proof) == 1
    return count + 1 + log.refused


def main(travelog, trips, folder):
    # The witnesses report each forged request on standard error.
    logging.disable(logging.WARNING)
    log = Log(*(Path(path).resolve() for path in (travelog, trips, folder)))
    peer = pymerkle.InmemoryTree(algorithm="sha256")
    for transaction in range(1, log.checkpoints[-1].size + 1):
        peer.append_entry(parse(log.proof(transaction))[0])
    refused = check_notes(log), check_inclusion(log, peer), check_consistency(log, peer)
    print(f"aics-tlog {aics_tlog.__version__} and pymerkle accept the proofs of {peer.get_size()} transactions and"
          f" {len(log.checkpoints)} checkpoints, and refuse {sum(refused)} forged ones")
    refused = check_witnesses(log, Path(folder).resolve())
    print(f"{len(log.witnesses)} witnesses of aics-witness {aics_witness.__version__} sign"
          f" {len(log.cosigned)} checkpoints, which verify accepts, and {refused} forged ones are refused")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
