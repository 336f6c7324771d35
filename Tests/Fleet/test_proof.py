"""The lake says about each store what `travelog` says, value by value, in both engines.

FLEET_STORES says how many stores the fleet has.
"""
import os, random, shutil, tempfile, threading, unittest
from pathlib import Path

from support import SEED, load
import oracle, proof, world
from travelog_fleet.engines import DuckDB, Spark, rules
from travelog_fleet.lake import Lake

STORES = int(os.environ.get("FLEET_STORES", "30"))
# Findings that need rules, with values that the sample stores break.
BULK, HOURS = 8, (8, 18)


class ProofTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        print(f"seed {SEED}, {STORES} stores")
        cls.folder = Path(tempfile.mkdtemp(prefix="fleet-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.logs, cls.members = world.make_fleet(cls.folder / "world", STORES, SEED)
        load(cls.logs, cls.folder / "lake")
        late = [member for member in cls.members if member.kind == "erased"][::2]
        for member in late:
            world.erase(cls.logs, member)
        cls.answers = load(cls.logs, cls.folder / "lake")
        cls.lake = Lake(cls.folder / "lake")
        cls.duckdb = DuckDB(cls.lake, findings=rules(BULK, HOURS))
        cls.loaded = [member for member in cls.members
                      if member.verdict is None and member.kind != "filtered"]
        cls.times = proof.times_of(cls.duckdb, 5)
        cls.expected = proof.expected_states(cls.loaded, cls.logs, cls.times, cls.folder / "oracle")
        # At the earlier times many stores have no history yet.
        late = sorted(cls.times, key=cls.times.get)[-4:]
        chosen = sorted(random.Random(SEED).sample(late, 2), key=cls.times.get)
        cls.pair = dict(zip(("before", "after"), chosen))

    def test_stores_that_are_not_sound_are_in_quarantine_by_name_and_no_others(self):
        found = {row["store"]: row["verdict"] for row in self.answers["fleet_quarantined"]}
        self.assertEqual(found, {member.identifier: member.verdict for member in self.members
                                 if member.verdict is not None})

    def check_engine(self, engine):
        self.check_states(engine)
        self.check_differences(engine)
        self.check_findings(engine)

    def check_states(self, engine):
        engine.look_at(self.times, rules(BULK, HOURS))
        found, compared = proof.states(engine), 0
        for member in self.loaded:
            for moment in self.times:
                expected = self.expected[member.identifier, moment]
                if expected is None:
                    continue
                state = found.get((member.identifier, moment), {})
                complaints = list(proof.complaints_about_state(state, expected, member.erased))
                self.assertEqual(complaints[:3], [], f"{member.kind} {member.seed} at {moment}")
                compared += sum(map(len, state.values()))
        print(f"{compared} values of states are equal")

    def check_differences(self, engine):
        engine.look_at({name: self.times[moment] for name, moment in self.pair.items()},
                       rules(BULK, HOURS))
        found, compared, answers = proof.differences(engine), 0, 0
        for member in self.loaded:
            if member.erased:
                continue  # An import refuses erased logs, so the states come from copies.
            before, after = (self.expected[member.identifier, moment] for moment in self.pair.values())
            if None in (before, after) or proof.has_other_names(before, after, member):
                continue
            values, links = found.get(member.identifier, (set(), set()))
            expected_values, expected_links = proof.difference(before, after)
            where = f"{member.kind} {member.seed}"
            self.assertEqual(values ^ expected_values, set(), where)
            self.assertEqual(links ^ expected_links, set(), where)
            compared += len(values)
            said = oracle.differences(self.logs, member.identifier,
                                      *(self.times[moment] for moment in self.pair.values()))
            if said is not None:
                said_values, said_links = proof.difference_by_tool(said)
                self.assertEqual(values ^ said_values, set(), where)
                self.assertEqual(links ^ said_links, set(), where)
                answers += 1
        print(f"{compared} differing values are equal, in {answers} answers of travelog diff too")

    def check_findings(self, engine):
        engine.look_at(self.times, rules(BULK, HOURS))
        found, counts, compared = proof.findings(engine), proof.counts(engine), 0
        for member in self.loaded:
            expected, report = oracle.findings(self.logs, member.identifier, BULK, HOURS)
            self.assertEqual(found.get(member.identifier, {}), expected, f"{member.kind} {member.seed}")
            self.assertEqual(
                counts.get(member.identifier, (0, 0, 0, 0)),
                (report["transactions"],
                 *(report["changes"][name] for name in ("inserted", "updated", "deleted"))),
                f"{member.kind} {member.seed}",
            )
            compared += len(expected)
        print(f"{compared} findings are equal")

    def test_states_differences_and_findings_in_duckdb_are_those_of_travelog(self):
        self.check_engine(self.duckdb)

    @unittest.skipIf("FLEET_WITHOUT_SPARK" in os.environ, "without Spark")
    def test_states_differences_and_findings_in_spark_are_those_of_travelog(self):
        from cluster import Cluster
        cluster = Cluster(self.folder)
        self.addCleanup(cluster.stop)
        spark = Spark(self.lake, master=cluster.master, **cluster.options())
        self.addCleanup(spark.close)
        self.check_engine(spark)

        _, expected = self.duckdb.query("SELECT store, kind, count(*), sum(txn), sum(seq) FROM lines GROUP BY 1, 2")
        killer = threading.Timer(1, cluster.workers[0].kill)
        killer.start()
        for _ in range(3):
            _, rows = spark.query("SELECT store, kind, count(*), sum(txn), sum(seq) FROM lines GROUP BY 1, 2")
            self.assertEqual(sorted(map(tuple, rows)), sorted(expected))
        killer.join()
        self.check_findings(spark)


if __name__ == "__main__":
    unittest.main()
