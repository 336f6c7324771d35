"""A program that executes statements on a database, says so, and keeps the database open.

    waiting_program.py FILE STATEMENT…

It ends when its standard input ends.
"""
import sqlite3
import sys

connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)
for statement in sys.argv[2:]:
    connection.execute(statement).fetchall()
print("ready", flush=True)
sys.stdin.read()
connection.close()
