"""A real program with SQLAlchemy and Alembic. Needs the packages of requirements.txt."""
import contextvars
import os
import sqlite3
import subprocess
import sys
import threading
import unittest
from contextlib import closing

import support
from support import FolderTest, transactions, travelog, who

sys.path.insert(0, str(support.ROOT / "Tests/Python/alembic_program"))
import sqlalchemy
from models import Note, Person
from sqlalchemy import create_engine, event, func, insert, select, text, update
from sqlalchemy.orm import Session

from travelog.sqlalchemy import track

PROGRAM = support.ROOT / "Tests/Python/alembic_program"
user = contextvars.ContextVar("user", default=None)


def session_of_objects(engine, mark):
    with Session(engine) as session, session.begin():
        person = Person(name=f"person {mark}")
        session.add(person)
        session.flush()
        person.notes = [Note(text=f"{number} {mark}") for number in range(3)]


def reading_first(engine, mark):
    with Session(engine) as session, session.begin():
        session.scalar(select(func.count()).select_from(Note))
        session.add(Note(text=mark))


def bulk(engine, mark):
    """Statements that no event of a flush sees."""
    with Session(engine) as session, session.begin():
        session.execute(insert(Note), [{"text": f"{number} {mark}"} for number in range(5)])
        session.execute(update(Note).where(Note.text == f"4 {mark}").values(text=f"updated {mark}"))
        assert session.scalars(insert(Note).values(text=f"back {mark}").returning(Note.id)).one()


def core(engine, mark):
    with engine.begin() as connection:
        connection.execute(insert(Note), [{"text": mark}, {"text": mark}])
        connection.execute(text("INSERT INTO note (text) VALUES (:mark)"), {"mark": mark})
        connection.exec_driver_sql("DELETE FROM note WHERE text = 'nothing'")


def savepoints(engine, mark):
    """The first writing statement, before which the bracket begins, is rolled back."""
    with Session(engine) as session, session.begin():
        for kept in "kept", "second":
            try:
                with session.begin_nested():
                    session.add(Note(text=f"lost {mark}"))
                    session.flush()
                    raise KeyError
            except KeyError:
                session.add(Note(text=f"{kept} {mark}"))
                session.flush()


def two_commits(engine, mark):
    with Session(engine) as session:
        session.add(Note(text=f"first {mark}"))
        session.commit()
        session.add(Note(text=f"lost {mark}"))
        session.flush()
        session.rollback()
        session.add(Note(text=f"second {mark}"))
        session.commit()


def rollback(engine, mark):
    with Session(engine) as session:
        session.add(Note(text=f"lost {mark}"))
        session.flush()


def one_connection(engine, mark):
    with engine.connect() as connection:
        for kept in "lost", "first", "second":
            connection.execute(insert(Note).values(text=f"{kept} {mark}"))
            connection.rollback() if kept == "lost" else connection.commit()


COMMITS = {session_of_objects: 1, reading_first: 1, bulk: 1, core: 1, savepoints: 1, two_commits: 2,
           rollback: 0, one_connection: 2}


class TrackTests(FolderTest):
    def setUp(self):
        super().setUp()
        self.path = self.folder / "app.db"
        self.alembic("upgrade", "first")
        travelog("adopt", self.path)

    def command(self, *words):
        return [sys.executable, "-m", "alembic", "-c", PROGRAM / "alembic.ini", *words]

    def run_program(self, *command):
        done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {
            "PYTHONPATH": str(PROGRAM), "DATABASE": str(self.path), "PYTHONDONTWRITEBYTECODE": "1"})
        assert done.returncode == 0, done.stdout + done.stderr

    def alembic(self, *words):
        self.run_program(*self.command(*words))

    def engine(self, begin=None, **options):
        engine = create_engine(f"sqlite:///{self.path}", connect_args={"timeout": 60}, **options)
        self.addCleanup(engine.dispose)
        if begin is not None:
            @event.listens_for(engine, "connect")
            def connected(connection, record):
                connection.isolation_level = None

            @event.listens_for(engine, "begin")
            def begun(connection):
                connection.exec_driver_sql(begin)
        track(engine, user.get, reason=lambda: f"reason of {user.get()}")
        return engine

    def use(self, engine, prefix):
        """Lets threads write in each way; returns who wrote each mark, and in how many commits."""
        record = {}

        def work(name):
            user.set(name)
            for number, (way, commits) in enumerate(COMMITS.items()):
                mark = f"{prefix}-{name}-{number}."
                record[mark] = (name, f"reason of {name}", None), commits
                way(engine, mark)
        threads = [threading.Thread(target=work, args=(f"user{number}",)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return record

    def compare(self, record):
        found = dict.fromkeys(record, 0)
        for each in transactions(self.path):
            values = [value.get("after") or "" for change in each["differences"]
                      for value in change["properties"]]
            self.assertFalse(any(value.startswith("text:lost") for value in values))
            marks = {mark for mark in record if any(value.endswith(mark) for value in values)}
            if each["op"] == "foreign":
                [mark] = marks
                found[mark] += 1
                self.assertEqual(who(each), record[mark][0])
        self.assertEqual(found, {mark: commits for mark, (_, commits) in record.items()})

    def test_each_commit_has_its_author_also_after_a_migration(self):
        # The driver begins transactions itself, or SQLAlchemy's documented events do.
        record = self.use(self.engine(), "driver") | self.use(
            self.engine("BEGIN IMMEDIATE"), "immediate")
        self.compare(record)
        self.run_program(support.TRAVELOG, "adopt", "--suspend", self.path, "--",
                         *self.command("upgrade", "head"))
        self.alembic("check")
        record |= self.use(self.engine(), "later")
        self.compare(record)

    def test_a_session_that_only_reads_takes_no_lock(self):
        engine = self.engine()
        with closing(sqlite3.connect(self.path)) as other:
            other.execute("BEGIN IMMEDIATE")
            with Session(engine) as session, session.begin():
                self.assertEqual(session.scalar(select(func.count()).select_from(Note)), 0)

    def test_the_function_for_the_author_can_read_and_write(self):
        engine = create_engine(f"sqlite:///{self.path}")
        self.addCleanup(engine.dispose)
        with Session(engine) as session, session.begin():
            def author():
                session.execute(insert(Note).values(text="read"))
                return session.scalar(select(func.max(Note.text)))
            track(engine, author)
            session.connection()
        with Session(engine) as session, session.begin():
            session.execute(insert(Note).values(text="mine"))
        self.assertEqual(who(transactions(self.path)[-1])[0], "read")

    def test_a_lock_is_an_error_of_sqlalchemy(self):
        engine = create_engine(f"sqlite:///{self.path}", connect_args={"timeout": 0})
        self.addCleanup(engine.dispose)
        track(engine, lambda: "ada")
        with closing(sqlite3.connect(self.path)) as other:
            other.execute("BEGIN IMMEDIATE")
            with self.assertRaisesRegex(sqlalchemy.exc.OperationalError, "locked"):
                session_of_objects(engine, "a")
        session_of_objects(engine, "b")
        self.assertEqual(who(transactions(self.path)[-1])[0], "ada")

    def test_statements_in_autocommit_have_no_author(self):
        engine = self.engine(isolation_level="AUTOCOMMIT")
        user.set("ada")
        with engine.connect() as connection:
            connection.execute(insert(Note).values(text="alone"))
        [only] = transactions(self.path)
        self.assertEqual(who(only), (None, None, None))
        self.assertNotIn("unclosed", only["details"])

    def test_a_file_that_is_adopted_later_and_one_that_is_not(self):
        travelog("adopt", "--detach", self.path)
        engine = self.engine()
        user.set("ada")
        core(engine, "before")
        travelog("adopt", self.path, "--prefix", "audit_")
        core(engine, "after")
        self.assertEqual([who(each)[0] for each in transactions(self.path)], ["ada"])

    def test_other_drivers_are_refused(self):
        from types import SimpleNamespace
        with self.assertRaisesRegex(ValueError, "pysqlite, not aiosqlite"):
            track(SimpleNamespace(dialect=SimpleNamespace(driver="aiosqlite")), lambda: "ada")


if __name__ == "__main__":
    unittest.main()
