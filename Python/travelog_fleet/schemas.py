"""Schemas of stores, and where each property of a migrated schema comes from.

docs/FORMAT.md, “Migrations”, has the rules.
"""
import hashlib, json
from typing import NamedTuple

ENCODINGS = {
    "bool": "bool", "float16": "real", "float": "real", "double": "real", "uint64": "digits",
    "decimal": "digits", "date": "date", "string": "text", "url": "text", "json": "text",
    "uuid": "uuid", "data": "base64", "transformed": "base64", "any": "any",
}


class Property(NamedTuple):
    """A property of an entity, by its name in lines."""

    entity: str
    name: str
    encoding: str
    destination: str | None
    origin_entity: str
    origin: str
    # Whether the first transaction under the schema has all rows of the table, and those from before
    # no longer count. Only adopted databases have this.
    is_replaced: bool = False
    # What the rows of an adopted database had in this property when it appeared; no line says so.
    initial: str | None = None


class Schema(NamedTuple):
    """A schema of a store, with what it knows of the schemas before."""

    # The digest of the schema if it is the store's first, otherwise of its whole succession.
    name: str
    previous: str | None
    digest: str
    definition: str
    properties: list[Property]


def members(entity):
    """The properties of an entity that lines have: definition, encoding and destination."""
    for attribute in entity["attributes"]:
        yield attribute, ENCODINGS.get(attribute["type"], "integer"), None
    for relationship in entity["relationships"]:
        if "column" in relationship["storage"]:
            yield relationship, "reference", relationship["destination"]
        elif "joinTable" in relationship["storage"]:
            yield relationship, "links", relationship["destination"]


class Definition:
    """A schema's definition, and the spelling of its properties in lines."""

    def __init__(self, text):
        parsed = json.loads(text)
        self.entities = {entity["name"]: entity for entity in parsed["entities"]}
        self.replaced = set(parsed.get("replaced", ()))
        spellings = {}
        for entity in self.entities.values():
            for member, encoding, _ in members(entity):
                name = member["name"]
                spellings.setdefault(name.lower(), set()).add((name, encoding))
        self.clashing = {name for name, found in spellings.items() if len(found) > 1}

    def spelling(self, entity, name):
        """The name of a property in lines."""
        if name.lower() not in self.clashing:
            return name
        owner = entity
        while (parent := self.entities.get(owner.get("parent"))) is not None:
            if name not in (member["name"] for member, _, _ in members(parent)):
                break
            owner = parent
        return f"{owner['name']}.{name}"


def predecessor(part, old, new):
    """The entity or property of the old schema that one of the new schema comes from, or None."""
    by_name = {candidate["name"]: candidate for candidate in old}
    name, original = part["name"], part.get("originalName", part["name"])
    namesake = by_name.get(name)
    if original == name or (namesake is not None and namesake.get("originalName") == original):
        return namesake
    claims = {other["name"]: other.get("originalName", other["name"]) for other in new}
    if original in by_name and claims.get(original) != original:
        return by_name[original]
    is_claimed = any(claim == name != other for other, claim in claims.items())
    return None if is_claimed else namesake


def first_schema(digest, definition):
    """The schema with which a history begins."""
    parsed = Definition(definition)
    properties = [
        Property(entity["name"], parsed.spelling(entity, member["name"]), encoding, destination,
                 entity["name"], member["name"])
        for entity in parsed.entities.values()
        for member, encoding, destination in members(entity)
    ]
    return Schema(digest, None, digest, definition, properties)


def next_name(schema, digest):
    """The name of the schema that follows another one: a digest of the whole succession."""
    return hashlib.sha256(f"{schema.name} {digest}".encode()).hexdigest()


def next_schema(schema, digest, definition):
    """The schema after a migration."""
    name = next_name(schema, digest)
    old, new = Definition(schema.definition), Definition(definition)
    known = {(found.entity, found.name): found for found in schema.properties}
    properties = []
    for entity in new.entities.values():
        source = predecessor(entity, old.entities.values(), new.entities.values())
        origin_entity = f"{entity['name']} {name[:16]}"
        if source is not None:
            inherited = [found for found in schema.properties if found.entity == source["name"]]
            origin_entity = inherited[0].origin_entity if inherited else source["name"]
        for member, encoding, destination in members(entity):
            found = source and origin_of(member, source, entity, old, known)
            origin = found.origin if found else f"{member['name']} {name[:16]}"
            spelling = new.spelling(entity, member["name"])
            properties.append(
                Property(entity["name"], spelling, encoding, destination, origin_entity, origin,
                         entity["name"] in new.replaced,
                         found.initial if found else initial_value(member))
            )
    return Schema(name, schema.name, digest, definition, properties)


def initial_value(member):
    """The value that the existing rows of an adopted database get in a new column, or None."""
    kind, value = next(iter(member.get("defaultValue", {"null": True}).items()))
    return f"{kind}:{value}" if member.get("type") == "any" and kind != "null" else None


def origin_of(member, source, entity, old, known):
    """The known property that a property of a migrated entity comes from, or None."""
    part = "relationships" if "storage" in member else "attributes"
    before = predecessor(member, source[part], entity[part])
    return before and known.get((source["name"], old.spelling(source, before["name"])))
