"""Small parts against a naive reference, with random input."""
import datetime, gzip, json, random, unittest, zlib

import pyarrow as pa
from pyiceberg.expressions.visitors import bind
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField, StringType

from spelling import canonical, decode
from support import SEED
import world
from travelog_fleet.lake import any_of
from travelog_fleet.names import log_name, logs_and_bases
from travelog_fleet.position import Position
from travelog_fleet.schemas import first_schema, next_schema
from travelog_fleet.storerows import StoreRows
from travelog_fleet.table import LINES


class WordTests(unittest.TestCase):
    def setUp(self):
        print(f"seed {SEED}")
        self.random = random.Random(SEED)

    def value(self):
        """A value as it is spelled in a line."""
        text = "".join(chr(self.random.choice((0, 9, 10, 31, 34, 47, 92, 97, 233, 0x2028, 0x1F600)))
                       for _ in range(self.random.randint(0, 6)))
        number = self.random.choice((0, -1, 2**53 + 1, -2**63, 2**63 - 1))
        return self.random.choice((
            "null", "true", "false", str(number), "1.0", "1e-05", "1.5e+300", "-0.5",
            json.dumps(text, ensure_ascii=False),
            json.dumps({"entity": "Trip", "id": text}, ensure_ascii=False, separators=(",", ":")),
        ))

    def test_a_canonical_text_is_the_spelling_of_the_line_and_a_string_its_content(self):
        for _ in range(2000):
            spelled = self.value()
            found = canonical(decode(f'{{"a":{spelled}}}')["a"])
            if spelled == "null":
                self.assertIsNone(found)
            elif spelled[0] == '"':
                self.assertEqual(found, json.loads(spelled))
            else:
                self.assertEqual(found, spelled)

    def test_logs_are_sorted_by_lineage_and_begin_with_the_snapshot_before_them(self):
        store = "store=45CEAB7E-97C2-44B8-BEC8-8E33FD0553A6"
        def log(lineage, first, last):
            return f"{store}/lineage={lineage}/date=2026-01-0{lineage % 9 + 1}/{first:020}-{last:020}.ndjson.gz"
        base = f"{store}/lineage=2/snapshots/{6:020}.ndjson.gz"
        other = f"{store}/lineage=2/snapshots/{9:020}.ndjson.gz"
        keys = [log(10, 1, 5), base, other, log(2, 10, 12), log(2, 7, 9), f"{store}/_token.json"]
        self.random.shuffle(keys)
        self.assertEqual([name.key for name in logs_and_bases(keys)],
                         [base, log(2, 7, 9), log(2, 10, 12), log(10, 1, 5)])
        self.assertIsNone(log_name(base))

    def test_an_altered_log_of_the_test_fleet_never_says_what_it_said(self):
        # Without an insert, as the last log of the store 69 of SEED=340160.
        data = gzip.compress(b'{"kind":"header"}\n{"kind":"transaction","op":"recorded"}\n')
        for _ in range(300):
            try:
                found = gzip.decompress(world.altered(data, self.random))
            except (OSError, EOFError, zlib.error):
                continue
            self.assertNotEqual(found, gzip.decompress(data))

    def test_a_transaction_that_erased_values_names_the_transactions_whose_rows_are_replaced(self):
        # The second is a deletion in a store that keeps only tombstones.
        for op in ("erase", "recorded"):
            with self.subTest(op=op):
                self.read_erasure(op)

    def read_erasure(self, op):
        definition = json.dumps({"version": "1", "entities": []})
        restated = [{"lineage": 0, "txn": 1, "op": "recorded", "was": "a", "lines": "b"}]
        details = json.dumps({"entity": "Person", "id": "7", "restated": restated})
        same = {"store": "S", "partial": "", "lineage": 0, "schema": "d"}
        batch = pa.RecordBatch.from_pylist([
            {**same, "kind": "change", "txn": 1, "seq": 0, "n": 1, "op": "insert",
             "special_after": [("phone", "erased")]},
            {**same, "kind": "transaction", "txn": 1, "n": 1, "op": "recorded", "digest": "a",
             "meta": []},
            {**same, "kind": "transaction", "txn": 2, "n": 0, "op": op, "digest": "c",
             "meta": [("details", details)]},
        ], LINES)
        expected = [{2}, {1, 2}]
        for affected, numbers in zip((frozenset(), frozenset({(0, 1)})), expected):
            rows = StoreRows({}, lambda _: definition, after=Position(0, 1, "a", "", "d"),
                             affected=affected)
            rows.look(batch)
            self.assertEqual(rows.restated, {(0, 1)})
            self.assertEqual(rows.position[:3], (0, 2, "c"))
            # First only the new transaction, then also the one that lost a value.
            self.assertEqual(set(rows.rows(batch)["txn"].to_pylist()), numbers)

    def test_the_rows_of_thousands_of_erased_stores_are_one_condition(self):
        # A condition whose depth grew with the number of stores would end with a RecursionError.
        condition = any_of({(str(number), "", 0): [1] for number in range(2000)})
        columns = ((1, "store", StringType()), (2, "partial", StringType()),
                   (3, "lineage", LongType()), (4, "txn", LongType()))
        bind(Schema(*(NestedField(*column) for column in columns)), condition, True)

    def test_a_property_keeps_its_origin_through_changes_of_names_and_a_new_one_has_none(self):
        def definition(entity, properties, original=None):
            return json.dumps({"version": "1", "entities": [{
                "name": entity, **({"originalName": original} if original else {}),
                "relationships": [],
                "attributes": [{"name": name, "type": "string",
                                **({"originalName": old} if old else {})}
                               for name, old in properties],
            }]})
        schema = first_schema("d0", definition("Trip", [("a", None), ("b", None)]))
        origins = {"a": "a", "b": "b"}
        entity = "Trip"
        for number in range(1, 40):
            names = sorted(origins)
            how = self.random.choice(("rename", "add", "remove", "entity"))
            properties, after, original = [(name, None) for name in names], dict(origins), None
            if how == "rename" and names:
                name = self.random.choice(names)
                properties = [(f"p{number}", name) if other == name else (other, None)
                              for other in names]
                after[f"p{number}"] = after.pop(name)
            elif how == "add":
                properties.append((f"p{number}", None))
                after[f"p{number}"] = None
            elif how == "remove" and len(names) > 1:
                name = self.random.choice(names)
                properties.remove((name, None))
                del after[name]
            elif how == "entity":
                entity, original = f"E{number}", entity
            schema = next_schema(schema, f"d{number}", definition(entity, properties, original))
            found = {part.name: part.origin for part in schema.properties}
            for name, origin in after.items():
                if origin is None:
                    self.assertNotIn(found[name], origins.values())
                    after[name] = found[name]
                else:
                    self.assertEqual(found[name], origin, f"{name} in step {number}")
            self.assertEqual({part.origin_entity for part in schema.properties}, {"Trip"})
            origins = after

    def test_the_views_know_the_day_of_the_week_of_every_date(self):
        import duckdb
        from travelog_fleet.engines import statements
        connection = duckdb.connect()
        days = [datetime.date(self.random.randint(1, 9999), self.random.randint(1, 12),
                              self.random.randint(1, 28)) for _ in range(500)]
        connection.execute("CREATE TABLE transactions (store int, lineage int, txn int, ts text, author text, op text)")
        connection.executemany("INSERT INTO transactions VALUES (1, 0, ?, ?, NULL, NULL)",
                               [(number, f"{day.isoformat()}T23:00:00.000000Z")
                                for number, day in enumerate(days)])
        clock = next(view for view in statements() if " VIEW clock " in view)
        connection.execute(clock)
        found = dict(connection.execute("SELECT txn, weekday FROM clock").fetchall())
        for number, day in enumerate(days):
            self.assertEqual(found[number], (day.weekday() + 2) % 7, day)


if __name__ == "__main__":
    unittest.main()
