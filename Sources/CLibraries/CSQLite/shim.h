#ifndef TRAVELOG_CSQLITE_SHIM_H
#define TRAVELOG_CSQLITE_SHIM_H

#include <malloc.h>
#include <sqlite3.h>

// Swift can't import variadic functions, so each setting in use has a function.

static inline int travelog_sqlite_set_trigger(sqlite3 *database, int enabled) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, enabled, (int *)0);
}

static inline int travelog_sqlite_set_foreign_keys(sqlite3 *database, int enabled) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_FKEY, enabled, (int *)0);
}

// Otherwise a name in double quotes that is not a column is taken for a text.
static inline int travelog_sqlite_refuse_quoted_texts(sqlite3 *database) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
}

static inline int travelog_sqlite_set_no_checkpoint_on_close(sqlite3 *database, int enabled) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, enabled, (int *)0);
}

static inline int travelog_sqlite_set_memory_statistics(int enabled) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, enabled);
}

// The methods of an open file are function pointers in a structure.

static inline sqlite3_file *travelog_sqlite_file(sqlite3 *database) {
  sqlite3_file *file = 0;
  int code = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  return code == SQLITE_OK && file && file->pMethods ? file : 0;
}

static inline sqlite3_file *travelog_sqlite_log_file(sqlite3 *database) {
  sqlite3_file *file = 0;
  int code = sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file);
  return code == SQLITE_OK && file && file->pMethods ? file : 0;
}

static inline int travelog_sqlite_file_size(sqlite3_file *file, sqlite3_int64 *size) {
  return file->pMethods->xFileSize(file, size);
}

static inline int travelog_sqlite_file_read(
    sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  return file->pMethods->xRead(file, bytes, count, offset);
}

static inline int travelog_sqlite_file_write(
    sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  return file->pMethods->xWrite(file, bytes, count, offset);
}

static inline int travelog_sqlite_file_sync(sqlite3_file *file) {
  return file->pMethods->xSync(file, SQLITE_SYNC_NORMAL);
}

// Macros that cast an integer to a function pointer are not imported either.
static inline sqlite3_destructor_type travelog_sqlite_transient(void) { return SQLITE_TRANSIENT; }
static inline sqlite3_destructor_type travelog_sqlite_static(void) { return SQLITE_STATIC; }

// Memory of large blocks is returned to the system when it is freed. The C library would keep it if
// blocks of that size had been freed before.
static inline void travelog_return_large_memory(void) { mallopt(M_MMAP_THRESHOLD, 1 << 18); }

#endif
