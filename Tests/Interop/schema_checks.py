#!/usr/bin/env python3
"""Lets Django, Alembic and Room's rules check the tables of adopted files.

    schema_checks.py TRAVELOG FOLDER
"""
import os, shutil, sqlite3, subprocess, sys
from pathlib import Path

MODELS = """
from django.db import models
class Author(models.Model):
    name = models.CharField(max_length=40, unique=True)
class Book(models.Model):
    author = models.ForeignKey(Author, on_delete=models.CASCADE)
    title = models.CharField(max_length={length})
    price = models.DecimalField(max_digits=8, decimal_places=2)
    sold = models.DateTimeField(null=True)
    {more}
"""
SETTINGS = """
import os
SECRET_KEY = "test"
INSTALLED_APPS = ["django.contrib.contenttypes", "django.contrib.auth", "shop"]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["DATABASE"]}}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
"""
ADD = """
from shop.models import Author, Book
author = Author.objects.create(name="A{number}")
for title in "xyz": Book.objects.create(author=author, title=title, price="1.50")
Book.objects.filter(title="x").update(price="2.25")
Book.objects.filter(title="z").delete()
"""


def run(*command, codes=(0,), **variables):
    """Runs a program, which must end with one of some codes; returns its output."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          env=os.environ | {name: str(value) for name, value in variables.items()})
    if done.returncode not in codes:
        raise SystemExit(f"{command} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def rows(path, sql):
    with sqlite3.connect(path) as connection:
        found = connection.execute(sql).fetchall()
    connection.close()
    return found


def check_django(travelog, folder):
    """Django adds rows, migrates and checks its tables, in an adopted file and in its replica."""
    (folder / "shop").mkdir(parents=True)
    (folder / "shop" / "__init__.py").touch()
    (folder / "settings.py").write_text(SETTINGS)
    models, database = folder / "shop" / "models.py", folder / "db.sqlite3"
    prefix = (sys.executable, "-m", "django")

    def django(*words, of=database):
        return run(*prefix, *words, PYTHONPATH=folder, DJANGO_SETTINGS_MODULE="settings", DATABASE=of)

    def check(path):
        django("check", "--database", "default", of=path)
        django("migrate", "--check", of=path)
        django("makemigrations", "--check", "--dry-run", of=path)

    models.write_text(MODELS.format(length=20, more=""))
    django("makemigrations", "shop")
    django("migrate")
    django("shell", "-c", ADD.format(number=1))
    schema = rows(database, "SELECT * FROM sqlite_schema")
    run(travelog, "adopt", database)
    check(database)
    django("shell", "-c", ADD.format(number=2))
    # A new length makes Django create the table again.
    models.write_text(MODELS.format(length=30, more="pages = models.IntegerField(default=0)"))
    django("makemigrations", "shop")
    run(travelog, "adopt", "--suspend", database, "--", *prefix, "migrate",
        PYTHONPATH=folder, DJANGO_SETTINGS_MODULE="settings", DATABASE=database)
    check(database)
    django("shell", "-c", ADD.format(number=3))
    run(travelog, "export", database, "--to", folder / "logs")
    run(travelog, "import", folder / "logs", "--into", folder / "replica.db")
    check(folder / "replica.db")
    books = "SELECT * FROM shop_book ORDER BY id"
    assert rows(database, books) == rows(folder / "replica.db", books) != []
    django("migrate", "shop", "0001")
    run(travelog, "adopt", "--detach", "--discard-history", database)
    names = {row[1] for row in rows(database, "SELECT * FROM sqlite_schema")}
    assert names == {row[1] for row in schema}, names


def check_alembic(travelog, folder):
    """With the setting that ADOPT names, Alembic finds no difference between models and tables."""
    import sqlalchemy
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    folder.mkdir(parents=True)
    metadata = sqlalchemy.MetaData()
    sqlalchemy.Table("note", metadata, sqlalchemy.Column("id", sqlalchemy.Integer, primary_key=True),
                     sqlalchemy.Column("text", sqlalchemy.String(20), index=True))
    engine = sqlalchemy.create_engine(f"sqlite:///{folder / 'app.db'}")
    metadata.create_all(engine)
    run(travelog, "adopt", folder / "app.db")

    def differences(**options):
        with engine.connect() as connection:
            return compare_metadata(MigrationContext.configure(connection, opts=options), metadata)

    assert {change[0] for change in differences()} >= {"remove_table"}, differences()
    found = differences(include_name=lambda name, kind, parents:
                        kind != "table" or not name.startswith("travelog_"))
    assert found == [], found


def check_room(travelog, folder):
    """What Room reads when it opens a file is the same after the file was adopted.

    Room compares its identity hash, and the columns, keys and indexes of the tables of its entities.
    """
    folder.mkdir(parents=True)
    path = folder / "room.db"
    connection = sqlite3.connect(path)
    connection.executescript("""
        CREATE TABLE room_master_table (id INTEGER PRIMARY KEY,identity_hash TEXT);
        INSERT INTO room_master_table VALUES (42, 'c103703e120ae8cc73c9248622f3cd1e');
        CREATE TABLE IF NOT EXISTS `User` (`uid` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, `name` TEXT);
        CREATE TABLE IF NOT EXISTS `Pet` (`id` INTEGER NOT NULL, `owner` INTEGER, PRIMARY KEY(`id`),
          FOREIGN KEY(`owner`) REFERENCES `User`(`uid`) ON UPDATE NO ACTION ON DELETE CASCADE);
        CREATE UNIQUE INDEX IF NOT EXISTS `index_Pet_owner` ON `Pet` (`owner`);
        PRAGMA user_version = 3;
    """)
    connection.close()

    def seen():
        answers = ["SELECT identity_hash FROM room_master_table WHERE id = 42", "PRAGMA user_version"]
        for table in ("User", "Pet"):
            answers += [f"PRAGMA {name}(`{table}`)"
                        for name in ("table_info", "foreign_key_list", "index_list")]
        return [rows(path, answer) for answer in answers + ["PRAGMA index_xinfo(`index_Pet_owner`)"]]

    before = seen()
    run(travelog, "adopt", path)
    assert seen() == before, seen()


def main(travelog, folder):
    folder = Path(folder).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    for check in (check_django, check_alembic, check_room):
        name = check.__name__.removeprefix("check_")
        check(Path(travelog).resolve(), folder / name)
        print(f"{name}: agrees", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
