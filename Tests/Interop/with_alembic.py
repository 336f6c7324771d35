#!/usr/bin/env python3
"""Lets programs with SQLAlchemy write to an adopted file, and Alembic migrate it.

    with_alembic.py TRAVELOG FOLDER

Alembic writes its migrations itself, from the models. It must not touch the tables of travelog.
"""
import sys

import adopted

MODELS = """
import datetime, decimal
from sqlalchemy import *
from sqlalchemy.orm import *

class Base(DeclarativeBase):
    metadata = MetaData(naming_convention={{"ix": "ix_%(column_0_label)s", "uq": "uq_%(table_name)s_%(column_0_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s", "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s"}})

label = Table("label_of_note", Base.metadata,
    Column("note_id", ForeignKey("note.id", ondelete="CASCADE"), primary_key=True),
    Column("label_id", ForeignKey("label.id", ondelete="CASCADE"), primary_key=True))

class Person(Base):
    __tablename__ = "person"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String({length}), unique=True)
    notes: Mapped[list["Note"]] = relationship(back_populates="person", cascade="all, delete-orphan")

class Note(Base):
    __tablename__ = "note"
    id: Mapped[int] = mapped_column(primary_key=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id", ondelete="CASCADE"), index=True)
    text: Mapped[str] = mapped_column(Text)
    amount: Mapped[decimal.Decimal | None] = mapped_column(Numeric(10, 2))
    made: Mapped[datetime.datetime | None]
    picture: Mapped[bytes | None]
    settings: Mapped[dict | None] = mapped_column(JSON)
    person: Mapped[Person] = relationship(back_populates="notes")
    labels: Mapped[list["Label"]] = relationship(secondary=label)
    version = mapped_column(Integer, nullable=False)
    __mapper_args__ = {{"version_id_col": version}}

class Label(Base):
    __tablename__ = "label"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(40), unique=True)
    {more}
"""
ENVIRONMENT = """
import os, sys
from alembic import context
from sqlalchemy import create_engine
import models
engine = create_engine("sqlite:///" + os.environ["DATABASE"])
with engine.connect() as connection:
    context.configure(connection=connection, target_metadata=models.Base.metadata, render_as_batch=True,
        include_name=lambda name, kind, parents: not (name or "").startswith("travelog_"))
    with context.begin_transaction():
        context.run_migrations()
"""
TEMPLATE = '''
from alembic import op
import sqlalchemy as sa
revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}
branch_labels = depends_on = None
def upgrade():
    ${upgrades if upgrades else "pass"}
def downgrade():
    ${downgrades if downgrades else "pass"}
'''
# What the program does: sessions in several threads, one after the other for each thread.
WORK = """
import datetime, os, random, sys, threading
from sqlalchemy import create_engine, event
from models import *
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.exc import IntegrityError

name = sys.argv[1]
engine = create_engine("sqlite:///" + os.environ["DATABASE"], connect_args={"timeout": 60})

@event.listens_for(engine, "connect")
def connected(connection, record):
    connection.isolation_level = None
    connection.execute("PRAGMA foreign_keys = ON")

@event.listens_for(engine, "begin")
def begun(connection):
    # A transaction that reads first could not get the lock later.
    connection.exec_driver_sql("BEGIN IMMEDIATE")

def work(thread):
    chance = random.Random(f"{name} {thread}")
    for round in range(12):
        with Session(engine, expire_on_commit=False) as session, session.begin():
            person = Person(name=f"{name} {thread} {round}")
            person.notes = [Note(text="text " + chance.choice("aäß書"), amount=chance.randint(0, 999) / 4,
                                 made=datetime.datetime(2026, 1, 1 + round),
                                 picture=chance.randbytes(chance.randint(0, 9)),
                                 settings={"round": round, "x": [None, 1.5]}) for _ in range(5)]
            session.add(person)
            session.flush()
            values = {"name": f"label {round % 3}"}
            label = session.scalar(insert(Label).values(values)
                .on_conflict_do_update(index_elements=["name"], set_=values).returning(Label.id))
            for note in person.notes[:2]:
                note.labels.append(session.get(Label, label))
        with Session(engine, expire_on_commit=False) as session, session.begin():
            # An update of many rows with one statement, and of many rows by their keys.
            session.execute(update(Note).where(Note.amount > 200).values(amount=Note.amount - 1))
            notes = session.scalars(select(Note).where(Note.person_id == person.id)).all()
            session.execute(update(Note), [
                {"id": note.id, "text": "changed " + str(note.id), "version": note.version} for note in notes[1:]])
            session.execute(insert(Note), [
                {"person_id": person.id, "text": f"bulk {number}", "version": 1} for number in range(4)])
            try:
                with session.begin_nested():
                    session.add(Person(name=f"{name} {thread} {round}"))
                    session.flush()
            except IntegrityError:
                pass
        with Session(engine, expire_on_commit=False) as session:
            session.add(Person(name="rolled back"))
            session.flush()
            session.rollback()
        if round % 4 == 1:
            # The objects' cascade, the tables' cascade, and an orphan.
            with Session(engine, expire_on_commit=False) as session, session.begin():
                former = Person.name == f"{name} {thread} {round - 1}"
                session.delete(session.scalars(select(Person).where(former)).one())
            with Session(engine, expire_on_commit=False) as session, session.begin():
                session.execute(delete(Person).where(Person.name == f"{name} {thread} {round}"))
        if round % 4 == 2:
            with Session(engine, expire_on_commit=False) as session, session.begin():
                owner = session.get(Person, person.id)
                owner.notes.pop()

failures = []
def run(thread):
    try:
        work(thread)
    except BaseException as error:
        failures.append(error)
        raise
threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
sys.exit(bool(failures))
"""


class Program:
    def __init__(self, folder, database):
        self.folder = folder
        (folder / "alembic" / "versions").mkdir(parents=True)
        (folder / "alembic.ini").write_text("[alembic]\nscript_location = %(here)s/alembic\n")
        (folder / "alembic" / "env.py").write_text(ENVIRONMENT)
        (folder / "alembic" / "script.py.mako").write_text(TEMPLATE)
        (folder / "work.py").write_text(WORK)
        self.variables = {"PYTHONPATH": folder, "DATABASE": database, "PYTHONDONTWRITEBYTECODE": 1}
        self.alembic = (sys.executable, "-m", "alembic", "-c", folder / "alembic.ini")

    def define(self, length=40, more=""):
        (self.folder / "models.py").write_text(MODELS.format(length=length, more=more))

    def revise(self, name):
        """Lets Alembic write a migration, which must not name the tables of travelog."""
        adopted.run(*self.alembic, "revision", "--autogenerate", "-m", name, **self.variables)
        text = next((self.folder / "alembic" / "versions").glob(f"*_{name}.py")).read_text()
        assert "op." in text and "travelog" not in text, text

    def run(self, name):
        adopted.run(sys.executable, self.folder / "work.py", name, **self.variables)


def check(travelog, folder):
    database = folder / "app.db"
    program = Program(folder / "program", database)
    program.define()
    program.revise("first")
    adopted.run(*program.alembic, "upgrade", "head", **program.variables)
    file = adopted.Adopted(travelog, database, folder / "history")
    adopted.run(*program.alembic, "check", **program.variables)
    program.run("first")
    file.compare("sessions in threads")
    assert not file.differing(), file.differing()
    assert not adopted.rows(database, "SELECT 1 FROM person WHERE name = 'rolled back'")

    tables, same = ("person", "note", "label"), 0
    for number, (label, options) in enumerate({
        # A batch of Alembic creates the table again.
        "a batch that changes a column": {"length": 60},
        "a batch with a column, an index and a constraint": {"length": 60, "more":
            'color: Mapped[str] = mapped_column(String(9), server_default="red", index=True)\n'
            '    __table_args__ = (UniqueConstraint("name", "color", name="uq_pair"),)'},
        "a batch that drops them": {},
    }.items()):
        origins = {table: file.origins(table) for table in tables}
        program.define(**options)
        program.revise(f"batch_{number}")
        file.suspend(*program.alembic, "upgrade", "head", **program.variables)
        file.compare(label)
        same += sum(file.compare_origins(table, origins[table]) for table in tables)
        adopted.run(*program.alembic, "check", **program.variables)
        program.run(f"after {number}")
        file.compare(f"sessions after {label}")
    file.suspend(*program.alembic, "downgrade", "-2", **program.variables)
    file.compare("a downgrade")
    adopted.run(*program.alembic, "upgrade", "head", **program.variables)
    program.run("last")
    file.compare("an upgrade that travelog did not run")
    count = len(file.history())
    file.detach()
    return f"{count} transactions agree, and {same} values kept their origin in migrations"


if __name__ == "__main__":
    adopted.main(check)
