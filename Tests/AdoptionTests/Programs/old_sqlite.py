"""Runs SQL on a database with a SQLite library of another version, and prints this version.

    old_sqlite.py LIBRARY FILE SQL

Python's module of SQLite needs a newer library, so this program calls the library itself.
"""
import ctypes
import sys


def main():
    library = ctypes.CDLL(sys.argv[1])
    library.sqlite3_libversion.restype = ctypes.c_char_p
    library.sqlite3_errmsg.restype = ctypes.c_char_p
    library.sqlite3_errmsg.argtypes = [ctypes.c_void_p]
    library.sqlite3_exec.argtypes = [ctypes.c_void_p, ctypes.c_char_p] + [ctypes.c_void_p] * 3
    database = ctypes.c_void_p()
    code = library.sqlite3_open(sys.argv[2].encode(), ctypes.byref(database))
    if code == 0:
        code = library.sqlite3_exec(database, sys.argv[3].encode(), None, None, None)
    if code != 0:
        sys.exit(library.sqlite3_errmsg(database).decode())
    library.sqlite3_close.argtypes = [ctypes.c_void_p]
    library.sqlite3_close(database)
    print(library.sqlite3_libversion().decode())


main()
