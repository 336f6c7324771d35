"""The values of logs and of histories as values of Python: see docs/FORMAT.md."""
from __future__ import annotations

import enum
import json
from base64 import b64decode
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Callable, Mapping, NamedTuple, Tuple, Union
from uuid import UUID


class Reference(NamedTuple):
    """A reference to an object of a store."""
    entity: str
    id: int


class Large(NamedTuple):
    """A value of more than 1 MiB, which is not in the line of its change."""
    sha256: str
    size: int
    #: Where logs have the bytes. A store has them there only if the value is external.
    path: Path


class Unknown(enum.Enum):
    """Why nobody knows a value."""
    ERASED = "erased"
    REDACTED = "redacted"
    #: The history of the origin has no values.
    UNKNOWN = "unknown"
    MISSING = "missing"


Value = Union[None, bool, int, float, str, bytes, Decimal, datetime, UUID, Reference,
              Tuple[Reference, ...], Large, Unknown]


def date(text: str) -> datetime:
    """A date of RFC 3339 in UTC, whose digits after the microseconds are cut off."""
    seconds, _, fraction = text[:-1].partition(".")
    return datetime.fromisoformat(f"{seconds}.{fraction[:6]:0<6}+00:00")


def storage_class(text: str) -> Value:
    """A value as SQLite stores it, in the history of an adopted file."""
    name, _, value = text.partition(":")
    return _CLASSES[name](value)


def _link(value: Any) -> Value:
    """A reference, or all references of a relationship to many objects."""
    if isinstance(value, list):
        return tuple(Reference(link["entity"], int(link["id"])) for link in value)
    return Reference(value["entity"], int(value["id"]))


_CLASSES: dict[str, Callable[[str], Value]] = {
    "text": str, "integer": int, "real": float, "blob": b64decode,
    # A text whose bytes are not UTF-8; encode(…, "surrogateescape") gives the bytes.
    "text64": lambda text: b64decode(text).decode("utf-8", "surrogateescape")}
# The types of JSON that need no decoding are absent. A relationship has no type.
_TYPES: dict[str | None, Callable[[Any], Value]] = {
    "any": storage_class, "data": b64decode, "date": date, "decimal": Decimal,
    "transformed": b64decode, "uint64": int, "uuid": UUID, None: _link}
_UNKNOWN = {reason.value: reason for reason in Unknown}


def _special(text: str, decode: Callable[[Any], Value] | None) -> Value:
    """A value that the type of its property can't express."""
    name = text.partition(":")[0]
    if name in _CLASSES:
        return storage_class(text)
    if name == "hash" or text in _UNKNOWN:
        return _UNKNOWN.get(text, text)
    if decode is Decimal and text == "nan":
        return Decimal("NaN")
    return int(text) if text.lstrip("-").isdigit() else float(text)


class Schema:
    """The properties of all entities: their names and decoders, by their names in lines."""

    def __init__(self, definition: str) -> None:
        self._entities = {entity["name"]: {
            part["name"]: (part["name"], _TYPES.get(part.get("type")))
            for part in entity["attributes"] + entity["relationships"]}
            for entity in json.loads(definition)["entities"]}

    def decode(self, entity: str, change: Mapping[str, Any], side: str, blobs: Path
               ) -> dict[str, Value] | None:
        """The values before or after a change, by the names of the properties."""
        if side not in change:
            return None
        parts = self._entities[entity]
        special = change["special"].get(side, {}) if "special" in change else {}
        large = change["large"].get(side, {}) if "large" in change else {}
        values: dict[str, Value] = {}
        for line, value in change[side].items():
            if line not in parts:
                # Names that conflict have their owner before them. Only the names of an adopted
                # file have points themselves, and there the entity is the owner.
                owner = entity if line.startswith(f"{entity}.") else line.partition(".")[0]
                parts[line] = parts[line[len(owner) + 1:]]
            name, decode = parts[line]
            if line in large:
                digest = large[line]["sha256"]
                values[name] = Large(digest, large[line]["size"], blobs / digest)
            elif value is None:
                values[name] = _special(special[line], decode) if line in special else None
            else:
                values[name] = decode(value) if decode else value
        return values
