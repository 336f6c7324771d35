#!/usr/bin/env python3
"""Lets Room's rules check the tables of an adopted file.

    with_room.py TRAVELOG FOLDER
"""
import sqlite3

from adopted import main, rows, run


def check(travelog, folder):
    """What Room reads when it opens a file is the same after the file was adopted.

    Room compares its identity hash, and the columns, keys and indexes of the tables of its entities.
    """
    path = folder / "room.db"
    connection = sqlite3.connect(path)
    connection.executescript("""
        CREATE TABLE room_master_table (id INTEGER PRIMARY KEY,identity_hash TEXT);
        INSERT INTO room_master_table VALUES (42, 'c103703e120ae8cc73c9248622f3cd1e');
        CREATE TABLE IF NOT EXISTS `User` (`uid` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, `name` TEXT);
        CREATE TABLE IF NOT EXISTS `Pet` (`id` INTEGER NOT NULL, `owner` INTEGER, PRIMARY KEY(`id`),
          FOREIGN KEY(`owner`) REFERENCES `User`(`uid`) ON UPDATE NO ACTION ON DELETE CASCADE);
        CREATE UNIQUE INDEX IF NOT EXISTS `index_Pet_owner` ON `Pet` (`owner`);
        PRAGMA user_version = 3;
    """)
    connection.close()

    def seen():
        answers = ["SELECT identity_hash FROM room_master_table WHERE id = 42", "PRAGMA user_version"]
        for table in ("User", "Pet"):
            answers += [f"PRAGMA {name}(`{table}`)"
                        for name in ("table_info", "foreign_key_list", "index_list")]
        return [rows(path, answer) for answer in answers + ["PRAGMA index_xinfo(`index_Pet_owner`)"]]

    before = seen()
    run(travelog, "adopt", path)
    assert seen() == before, seen()
    return "the tables are those of the entities"


if __name__ == "__main__":
    main(check)
