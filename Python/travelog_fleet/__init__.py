"""Loads the logs of many stores into one Iceberg table, and queries it with DuckDB or Spark."""
