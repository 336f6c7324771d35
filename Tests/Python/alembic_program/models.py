import decimal
from typing import List, Optional

from sqlalchemy import ForeignKey, Numeric, String
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship


class Base(DeclarativeBase):
    pass


class Person(Base):
    __tablename__ = "person"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(60))
    notes: Mapped[List["Note"]] = relationship(cascade="all, delete-orphan")


class Note(Base):
    __tablename__ = "note"
    id: Mapped[int] = mapped_column(primary_key=True)
    person_id: Mapped[Optional[int]] = mapped_column(ForeignKey("person.id"))
    text: Mapped[str] = mapped_column(String(60))
    amount: Mapped[Optional[decimal.Decimal]] = mapped_column(Numeric(10, 2))
