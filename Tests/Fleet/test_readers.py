"""Programs that know nothing of this pipeline read the table, and agree."""
import os, unittest

from support import FolderTests, load
import world

SUMS = "SELECT count(*), sum(lineage), sum(txn), sum(seq), sum(n), count(author) FROM lines"


class ReaderTests(FolderTests):
    def test_pyiceberg_duckdb_polars_and_spark_have_equal_sums(self):
        import polars
        from travelog_fleet.engines import DuckDB, Spark
        from travelog_fleet.lake import Lake
        logs, _ = self.make(world.plain, world.foreign, world.migrated, world.restored)
        load(logs, self.lake)
        lake = Lake(self.lake)
        columns = ("lineage", "txn", "seq", "n")

        table = lake.lines.scan().to_arrow()
        found = {"pyiceberg": (table.num_rows, *(sum(filter(None, table[name].to_pylist()))
                                                 for name in columns),
                               table.num_rows - table["author"].null_count)}
        frame = polars.scan_iceberg(lake.lines.metadata_location).select(
            polars.len(), *(polars.col(name).sum() for name in columns), polars.col("author").count()
        ).collect()
        found["polars"] = frame.row(0)
        engines = {"duckdb": DuckDB(lake)}
        if "FLEET_WITHOUT_SPARK" not in os.environ:
            engines["spark"] = Spark(lake, master="local[1]")
        for name, engine in engines.items():
            self.addCleanup(engine.close)
            found[name] = engine.query(SUMS)[1][0]
        self.assertEqual(len(set(found.values())), 1, found)


if __name__ == "__main__":
    unittest.main()
