"""Tables of changes for Arrow, polars and pandas. All of them need PyArrow."""
from __future__ import annotations

import abc
from typing import TYPE_CHECKING, Any, Iterable
from uuid import UUID

from .values import Large, Reference, Unknown

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


class Frames(Iterable[Any], abc.ABC):
    """Changes as a table with the columns `before.NAME` and `after.NAME` for each property.

    An entity selects its changes, and so only its properties. A column has the type of its values.
    Integers and doubles become doubles. Other values of different types, which SQLite allows in a
    column, become texts. A reference is the id of its object. Unknown and large values are null.
    """

    def to_arrow(self, entity: str | None = None) -> pyarrow.Table:
        import pyarrow

        columns: dict[str, list[Any]] = {}
        count = 0
        for change in self:
            if entity not in (None, change.entity):
                continue
            row = change._asdict()
            for side in ("before", "after"):
                row.update({f"{side}.{name}": _plain(value)
                            for name, value in (row.pop(side) or {}).items()})
            for name, value in row.items():
                column = columns.setdefault(name, [])
                column.extend([None] * (count - len(column)))
                column.append(value)
            count += 1
        return pyarrow.table({
            name: _array(column + [None] * (count - len(column)))
            for name, column in columns.items()})

    def to_polars(self, entity: str | None = None) -> polars.DataFrame:
        import polars

        return polars.DataFrame(self.to_arrow(entity))

    def to_pandas(self, entity: str | None = None) -> pandas.DataFrame:
        """A frame with columns of Arrow, because NumPy turns integers with nulls into doubles."""
        import pandas

        return self.to_arrow(entity).to_pandas(types_mapper=pandas.ArrowDtype)


def _plain(value: Any) -> Any:
    if isinstance(value, Reference):
        return value.id
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, (Large, Unknown)):
        return None
    return [_plain(each) for each in value] if isinstance(value, tuple) else value


def _array(values: list[Any]) -> pyarrow.Array:
    import pyarrow

    try:
        return pyarrow.array(values)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError, OverflowError):
        return pyarrow.array([None if each is None else str(each) for each in values])
