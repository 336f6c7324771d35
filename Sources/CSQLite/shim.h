#ifndef TRAVELOG_CSQLITE_SHIM_H
#define TRAVELOG_CSQLITE_SHIM_H

#include <sqlite3.h>

// Swift can't import variadic functions, so the settings in use get names of their own.

static inline int travelog_sqlite_set_trigger(sqlite3 *database, int enabled) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, enabled, (int *)0);
}

static inline int travelog_sqlite_set_foreign_keys(sqlite3 *database, int enabled) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_FKEY, enabled, (int *)0);
}

static inline int travelog_sqlite_set_defensive(sqlite3 *database, int enabled) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, enabled, (int *)0);
}

static inline int travelog_sqlite_set_no_checkpoint_on_close(sqlite3 *database, int enabled) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, enabled, (int *)0);
}

// Macros that cast an integer to a function pointer are not imported either.
static inline sqlite3_destructor_type travelog_sqlite_transient(void) { return SQLITE_TRANSIENT; }
static inline sqlite3_destructor_type travelog_sqlite_static(void) { return SQLITE_STATIC; }

#endif
