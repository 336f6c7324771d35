"""The views of findings, for kinds of transactions that a random fleet may lack."""
import unittest
from collections import Counter

from support import FolderTests, load
from test_erasure import erase_secret, with_secret
import oracle, proof, world
from travelog_fleet.engines import DuckDB, moments, rules
from travelog_fleet.lake import Lake

BULK, HOURS = 8, (8, 18)


class ViewTests(FolderTests):
    def findings(self, logs, member):
        """The findings of the views, which must be those of `travelog report`."""
        load(logs, self.lake)
        engine = DuckDB(Lake(self.lake), findings=rules(BULK, HOURS))
        self.addCleanup(engine.close)
        found = proof.findings(engine).get(member.identifier, {})
        self.assertEqual(found, oracle.findings(logs, member.identifier, BULK, HOURS)[0])
        return found

    def test_the_transaction_of_an_erasure_is_a_finding_beside_those_that_lost_values(self):
        logs, members = self.make(with_secret, seed=1)
        erase_secret(logs, members[0])
        count, places = self.findings(logs, members[0])["erasure"]
        # A journey was planned, moved, deleted and erased.
        self.assertEqual((count, len({txn for _, txn in places})), (4, 4))

    def test_changes_of_another_program_are_a_finding_only_if_it_named_no_author(self):
        def named(maker):
            maker.store = maker.folder / "app.db"
            maker.sql("CREATE TABLE person (id INTEGER PRIMARY KEY, name)")
            world.run(world.TRAVELOG, "adopt", maker.store)
            maker.sql("INSERT INTO person VALUES (1, 'Zoë')")
            maker.sql("UPDATE travelog_context SET author = 'billing'",
                      "INSERT INTO person VALUES (2, 'Ida')",
                      "UPDATE travelog_context SET author = NULL")
            maker.export(codes=(0, 17))
            return maker.member("named")
        logs, members = self.make(named, seed=1)
        self.assertEqual(self.findings(logs, members[0])["foreign"][0], 1)

    def test_differences_follow_the_moments_that_a_session_names(self):
        logs, members = self.make(world.plain, world.restored, seed=2)
        load(logs, self.lake)
        engine = DuckDB(Lake(self.lake))
        self.addCleanup(engine.close)
        _, ((first, last),) = engine.query("SELECT min(ts), max(ts) FROM transactions")
        asked = []
        for before, after in ((first, last), (last, last), (last, first)):
            engine.connection.execute(
                f"CREATE OR REPLACE TEMPORARY VIEW moments AS {moments({'before': before, 'after': after})}")
            asked.append(Counter(op for op, in engine.query("SELECT op FROM differences")[1]))
        forward, none, back = asked
        self.assertEqual(none, Counter())
        # What was inserted since then, and still exists, is deleted on the way back.
        self.assertEqual((back["delete"], back["update"]), (forward["insert"], forward["update"]))
        self.assertGreater(forward["insert"], 0)


if __name__ == "__main__":
    unittest.main()
