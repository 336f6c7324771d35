"""The values of logs and of histories as values of Python: see docs/FORMAT.md."""
from __future__ import annotations

import enum
import json
from base64 import b64decode
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Tuple, Union
from uuid import UUID

Decoder = Callable[[Any], Any]


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
    MISSING = "missing"


Value = Union[None, bool, int, float, str, bytes, Decimal, datetime, UUID, Reference, Tuple[Reference, ...], Large,
              Unknown]


def date(text: str) -> datetime:
    """A date of RFC 3339 in UTC, whose digits after the microseconds are cut off."""
    seconds, _, fraction = text[:-1].partition(".")
    return datetime.fromisoformat(f"{seconds}.{fraction[:6]:0<6}+00:00")


def _reference(link: Dict[str, str]) -> Reference:
    return Reference(link["entity"], int(link["id"]))


def _references(links: List[Dict[str, str]]) -> Tuple[Reference, ...]:
    return tuple(map(_reference, links))


def _undecodable(text: str) -> str:
    """A text whose bytes are not UTF-8; encode(…, "surrogateescape") gives the bytes."""
    return b64decode(text).decode("utf-8", "surrogateescape")


_CLASSES: Dict[str, Decoder] = {"text": str, "integer": int, "real": float, "blob": b64decode, "text64": _undecodable}


def storage_class(text: str) -> Value:
    """A value as SQLite stores it, in the history of an adopted file."""
    name, _, value = text.partition(":")
    decoded: Value = _CLASSES[name](value)
    return decoded


# The types of JSON that need no decoding are absent.
_TYPES: Dict[str, Decoder] = {"any": storage_class, "data": b64decode, "date": date, "decimal": Decimal,
                              "transformed": b64decode, "uint64": int, "uuid": UUID}
_UNKNOWN = {reason.value: reason for reason in Unknown}


def _special(text: str, type: str) -> Value:
    """A value that the type of its property can't express."""
    if text in _UNKNOWN:
        return _UNKNOWN[text]
    name = text.partition(":")[0]
    if name in _CLASSES:
        return storage_class(text)
    if name == "hash":
        return text
    if type == "decimal" and text == "nan":
        return Decimal("NaN")
    return int(text) if text.lstrip("-").isdigit() else float(text)


class _Property(NamedTuple):
    name: str
    type: str
    decode: Optional[Decoder]


class Schema:
    """The properties of all entities, by their names in lines."""

    def __init__(self, definition: str) -> None:
        self._entities: Dict[str, Dict[str, _Property]] = {}
        for entity in json.loads(definition)["entities"]:
            parts = self._entities[entity["name"]] = {}
            for part in entity["attributes"]:
                parts[part["name"]] = _Property(part["name"], part["type"], _TYPES.get(part["type"]))
            for part in entity["relationships"]:
                decode = _reference if "column" in part["storage"] else _references
                parts[part["name"]] = _Property(part["name"], "link", decode)

    def _property(self, entity: str, line: str) -> _Property:
        parts = self._entities[entity]
        if line not in parts:
            # If names conflict, the owner's name is before the property's name. Only the names of an
            # adopted file have points themselves, and there the entity is the owner.
            own = line[len(entity) + 1:] if line.startswith(entity + ".") else line.partition(".")[2]
            parts[line] = parts[own]
        return parts[line]

    def decode(self, entity: str, side: Mapping[str, Any], special: Mapping[str, str],
               large: Mapping[str, Mapping[str, Any]], blobs: Path) -> Dict[str, Value]:
        """The values before or after a change, by the names of the properties."""
        parts = self._entities[entity]
        values: Dict[str, Value] = {}
        for line, value in side.items():
            part = parts.get(line) or self._property(entity, line)
            if line in large:
                digest = large[line]["sha256"]
                values[part.name] = Large(digest, large[line]["size"], blobs / digest)
            elif value is None:
                values[part.name] = _special(special[line], part.type) if line in special else None
            else:
                values[part.name] = part.decode(value) if part.decode else value
        return values
