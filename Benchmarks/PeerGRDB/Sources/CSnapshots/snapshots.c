#include "snapshots.h"

#include <sqlite3.h>

int disable_triggers(void *database) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)0);
}

// GRDB links these functions, which the library of Debian does not have. No task calls them.
int sqlite3_snapshot_get(sqlite3 *database, const char *schema, sqlite3_snapshot **snapshot) {
  (void)database, (void)schema, (void)snapshot;
  return SQLITE_ERROR;
}

int sqlite3_snapshot_open(sqlite3 *database, const char *schema, sqlite3_snapshot *snapshot) {
  (void)database, (void)schema, (void)snapshot;
  return SQLITE_ERROR;
}

void sqlite3_snapshot_free(sqlite3_snapshot *snapshot) { (void)snapshot; }

int sqlite3_snapshot_cmp(sqlite3_snapshot *one, sqlite3_snapshot *other) {
  (void)one, (void)other;
  return 0;
}

int sqlite3_snapshot_recover(sqlite3 *database, const char *schema) {
  (void)database, (void)schema;
  return SQLITE_ERROR;
}
