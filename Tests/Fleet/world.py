"""A fleet of stores of every kind, from a seed."""
import gzip, os, shutil, sqlite3, zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from maker import TRAVELOG, TRIPS, Maker, run


def plain(maker):
    maker.begin()
    maker.export()
    return maker.member("plain")


def incremental(maker):
    maker.begin()
    for point in sorted({maker.point() for _ in range(4)}):
        maker.export("--until", point)
    maker.export()
    return maker.member("incremental")


def compacted(maker):
    maker.begin()
    for point in sorted({maker.point() for _ in range(4)}):
        maker.export("--until", point)
    run(TRAVELOG, "compact", maker.logs)
    maker.export()
    return maker.member("compacted")


def foreign(maker):
    maker.begin()
    maker.sql(
        "UPDATE Trip SET rating = 9e999 WHERE id % 2 = 0",
        "UPDATE BucketListItem SET title = 'quote \" [1] },{\"entity\":' || char(0) WHERE id % 3 = 0",
        "UPDATE Trip SET budget = '79228162514264337593543950335' WHERE id % 3 = 1",
        "UPDATE LivingAccommodation SET loyaltyPoints = 9007199254740993",
        "DELETE FROM BucketListItem WHERE id % 5 = 0",
    )
    maker.sql("DELETE FROM Tag_trips WHERE Trip % 2 = 0")
    maker.export()
    return maker.member("foreign")


def migrated(maker):
    maker.begin("--release", maker.random.choice((1, 2)))
    if maker.random.random() < 0.5:
        maker.export("--until", maker.point())
    maker.add()
    maker.edit("Alta")
    maker.export()
    return maker.member("migrated")


def gapped(maker):
    maker.begin()
    other = maker.folder / "other"
    maker.export("--until", maker.point())
    maker.export("--new-folder", logs=other)
    run(TRAVELOG, "prune", maker.store, "--logs", other, "--keep", "0d")
    if maker.random.random() < 0.5:
        maker.add()
    run(TRAVELOG, "recover", maker.store, "--to", maker.logs)
    return maker.member("gapped")


def begun_by_snapshot(maker):
    maker.begin()
    other = maker.folder / "other"
    maker.export(logs=other)
    run(TRAVELOG, "prune", maker.store, "--logs", other, "--keep", "0d")
    maker.add()
    maker.export("--new-folder")
    maker.edit("Alta")
    maker.export()
    return maker.member("begun by a snapshot")


def restored(maker):
    maker.begin()
    old = maker.folder / "old.store"
    maker.export("--until", maker.point())
    shutil.copy(maker.store, old)
    maker.add()
    maker.export()
    shutil.copy(old, maker.store)
    for suffix in ("-wal", "-shm"):
        (maker.folder / f"trips.store{suffix}").unlink(missing_ok=True)
    maker.add("Another journey")
    run(TRAVELOG, "recover", maker.store, "--to", maker.logs)
    maker.add("A third journey")
    maker.export()
    return maker.member("restored")


def filtered(maker):
    maker.begin()
    for name in ("A journey", "Another journey"):
        maker.export("--entity", "Trip", "--redact", "Trip.notes=drop")
        maker.add(name)
    maker.export("--entity", "Trip", "--redact", "Trip.notes=drop")
    return maker.member("filtered")


def erased(maker):
    maker.begin(changes=100)
    maker.add()
    maker.edit("Alta")
    run(TRIPS, "delete", maker.store, "Northern lights")
    maker.export("--until", maker.point())
    maker.export()
    member = maker.member("erased", whole_logs=maker.folder / "before")
    shutil.copytree(maker.logs, member.whole_logs)
    with sqlite3.connect(maker.store) as connection:
        member.erased = connection.execute(
            "SELECT entity, CAST(object AS TEXT) FROM history_change WHERE kind = 'delete' ORDER BY id DESC"
        ).fetchone()
    connection.close()
    if maker.random.random() < 0.7:
        erase(maker.logs, member)
    return member


def erase(logs, member):
    entity, identifier = member.erased
    run(TRAVELOG, "erase", logs, "--entity", entity, "--id", identifier,
        "--store", member.store, "--reason", "case 12", "--author", "officer")


def altered(data, random):
    """The bytes of a log in which something changed. A bit of the padding of gzip says nothing."""
    how = random.choice(("flip", "cut", "values"))
    if how == "cut":
        return data[:random.randrange(10, len(data))]
    if how == "values":
        # Every log has a transaction, but not every one has an insert.
        return gzip.compress(gzip.decompress(data).replace(b'"op":"recorded"', b'"op":"foreign"', 1))
    while True:
        found = bytearray(data)
        found[random.randrange(len(data) // 2, len(data))] ^= 1 << random.randrange(8)
        try:
            if gzip.decompress(found) != gzip.decompress(data):
                return found
        except (OSError, EOFError, zlib.error):
            return found


def damaged(maker):
    maker.begin()
    maker.export("--until", maker.point())
    maker.export()
    path = maker.random.choice(maker.files())
    path.write_bytes(altered(path.read_bytes(), maker.random))
    return maker.member("damaged", verdict="damaged")


def incomplete(maker):
    maker.begin()
    maker.export("--until", maker.head() // 2)
    maker.export()
    maker.files()[-1].unlink()
    return maker.member("incomplete", verdict="missing")


def newer(maker):
    maker.begin()
    maker.export()
    path = maker.files()[0]
    text = gzip.decompress(path.read_bytes()).replace(b'"travelog/1"', b'"travelog/9"', 1)
    path.write_bytes(gzip.compress(text))
    return maker.member("newer", verdict="unreadable")


def adopted(maker):
    from adopted import make_adopted
    return make_adopted(maker)


KINDS = [plain, incremental, foreign, migrated, gapped, begun_by_snapshot, restored, filtered,
         erased, damaged, compacted, migrated, incomplete, adopted, newer]


def make_fleet(folder, count, seed):
    """A log folder with the logs of some stores, and its members."""
    folder = Path(folder)
    logs = folder / "logs"
    logs.mkdir(parents=True)

    def make(number):
        maker = Maker(folder / f"{number}", seed * 100_000 + number)
        member = KINDS[number % len(KINDS)](maker)
        for path in maker.logs.glob("store=*"):
            shutil.move(path, logs / path.name)
        if (maker.logs / "blobs").exists():
            shutil.copytree(maker.logs / "blobs", logs / "blobs", dirs_exist_ok=True)
        return member

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return logs, list(pool.map(make, range(count)))
