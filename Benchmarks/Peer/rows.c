// dlsym needs it.
#define _GNU_SOURCE
#include "peer_log.h"

#include <dlfcn.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { ROW_NULL, ROW_INTEGER, ROW_REAL, ROW_TEXT, ROW_BLOB, ROW_BEGIN, ROW_END_TRANSACTION };

struct peer_rows {
  char *bytes;
  size_t count, room;
  char *statements[4096];
  int statement_count;
};

peer_rows *peer_rows_new(void) { return calloc(1, sizeof(peer_rows)); }

void peer_rows_free(peer_rows *rows) {
  if (!rows) return;
  for (int i = 0; i < rows->statement_count; i++) free(rows->statements[i]);
  free(rows->bytes);
  free(rows);
}

int peer_rows_statement(peer_rows *rows, const char *sql) {
  if (rows->statement_count == 4096) abort();
  rows->statements[rows->statement_count] = strdup(sql);
  return rows->statement_count++;
}

// A word with the kind in its lowest byte and the length above it; then eight bytes, or the bytes.
static void append(peer_rows *rows, enum kind kind, uint64_t length, const void *bytes, size_t count) {
  size_t padded = (count + 7) & ~(size_t)7;
  if (rows->count + 8 + padded > rows->room) {
    rows->room = rows->room * 2 + padded + 4096;
    rows->bytes = realloc(rows->bytes, rows->room);
    if (!rows->bytes) abort();
  }
  uint64_t word = length << 8 | kind;
  memcpy(rows->bytes + rows->count, &word, 8);
  if (count) memcpy(rows->bytes + rows->count + 8, bytes, count);
  rows->count += 8 + padded;
}

void peer_rows_begin(peer_rows *rows, int statement) {
  append(rows, ROW_BEGIN, (uint64_t)statement, NULL, 0);
}
void peer_rows_null(peer_rows *rows) { append(rows, ROW_NULL, 0, NULL, 0); }
void peer_rows_integer(peer_rows *rows, int64_t value) { append(rows, ROW_INTEGER, 8, &value, 8); }
void peer_rows_real(peer_rows *rows, double value) { append(rows, ROW_REAL, 8, &value, 8); }
void peer_rows_bytes(peer_rows *rows, const void *bytes, int64_t count, int is_text) {
  append(rows, is_text ? ROW_TEXT : ROW_BLOB, (uint64_t)count, bytes, (size_t)count);
}
void peer_rows_end_transaction(peer_rows *rows) { append(rows, ROW_END_TRANSACTION, 0, NULL, 0); }

// The fastest settings that keep a commit after a power cut.
static int open_store(const char *path, sqlite3 **database) {
  int code = sqlite3_open_v2(path, database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
  if (code != SQLITE_OK) return code;
  sqlite3_db_config(*database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
  return sqlite3_exec(*database,
                      "PRAGMA synchronous = FULL; PRAGMA cache_size = -16384;"
                      "PRAGMA foreign_keys = OFF",
                      NULL, NULL, NULL);
}

// Called at the end of each transaction of the source.
typedef int (*end_function)(void *context, sqlite3 *database);

static int run(peer_rows *rows, sqlite3 *database, int64_t rows_per_commit, end_function end,
               void *context) {
  sqlite3_stmt **statements = calloc((size_t)rows->statement_count + 1, sizeof *statements);
  sqlite3_stmt *current = NULL;
  int64_t written = 0;
  int parameter = 0;
  int code = sqlite3_exec(database, "BEGIN IMMEDIATE", NULL, NULL, NULL);
  for (size_t place = 0; place < rows->count && code == SQLITE_OK;) {
    uint64_t word;
    memcpy(&word, rows->bytes + place, 8);
    const char *bytes = rows->bytes + place + 8;
    uint64_t length = word >> 8;
    enum kind kind = word & 0xff;
    place += 8;
    if (kind >= ROW_BEGIN && current) {
      code = sqlite3_step(current) == SQLITE_DONE ? sqlite3_reset(current) : SQLITE_ERROR;
      current = NULL;
      written++;
      if (code != SQLITE_OK) break;
    }
    switch (kind) {
      case ROW_BEGIN:
        if (!statements[length])
          code = sqlite3_prepare_v3(database, rows->statements[length], -1,
                                    SQLITE_PREPARE_PERSISTENT, &statements[length], NULL);
        current = statements[length];
        parameter = 0;
        break;
      case ROW_END_TRANSACTION:
        if (end) code = end(context, database);
        if (code == SQLITE_OK && written >= rows_per_commit) {
          code = sqlite3_exec(database, "COMMIT; BEGIN IMMEDIATE", NULL, NULL, NULL);
          written = 0;
        }
        break;
      case ROW_NULL:
        code = sqlite3_bind_null(current, ++parameter);
        break;
      case ROW_INTEGER: {
        int64_t value;
        memcpy(&value, bytes, 8);
        code = sqlite3_bind_int64(current, ++parameter, value);
        place += 8;
        break;
      }
      case ROW_REAL: {
        double value;
        memcpy(&value, bytes, 8);
        code = sqlite3_bind_double(current, ++parameter, value);
        place += 8;
        break;
      }
      case ROW_TEXT:
        code = sqlite3_bind_text(current, ++parameter, bytes, (int)length, SQLITE_STATIC);
        place += (length + 7) & ~(uint64_t)7;
        break;
      case ROW_BLOB:
        code = sqlite3_bind_blob(current, ++parameter, bytes, (int)length, SQLITE_STATIC);
        place += (length + 7) & ~(uint64_t)7;
        break;
    }
  }
  if (code == SQLITE_OK) code = sqlite3_exec(database, "COMMIT", NULL, NULL, NULL);
  if (code != SQLITE_OK) fprintf(stderr, "peer: %s\n", sqlite3_errmsg(database));
  for (int i = 0; i < rows->statement_count; i++) sqlite3_finalize(statements[i]);
  free(statements);
  return code;
}

int peer_rows_write(peer_rows *rows, const char *store, int64_t rows_per_commit) {
  sqlite3 *database = NULL;
  int code = open_store(store, &database);
  if (code == SQLITE_OK) code = run(rows, database, rows_per_commit, NULL, NULL);
  sqlite3_close(database);
  return code;
}

struct peer_changesets {
  int64_t count, room;
  void **bytes;
  int *sizes;
};

// The header declares sessions only on request, and a library may lack them.
typedef struct sqlite3_session sqlite3_session;
typedef struct sqlite3_changeset_iter sqlite3_changeset_iter;

struct recording {
  int (*create)(sqlite3 *, const char *, sqlite3_session **);
  int (*attach)(sqlite3_session *, const char *);
  int (*changeset)(sqlite3_session *, int *, void **);
  void (*delete)(sqlite3_session *);
  sqlite3_session *session;
  peer_changesets *changesets;
};

static int begin_session(struct recording *recording, sqlite3 *database) {
  int code = recording->create(database, "main", &recording->session);
  return code == SQLITE_OK ? recording->attach(recording->session, NULL) : code;
}

static int end_session(void *context, sqlite3 *database) {
  struct recording *recording = context;
  peer_changesets *all = recording->changesets;
  if (all->count == all->room) {
    all->room = all->room * 2 + 1024;
    all->bytes = realloc(all->bytes, (size_t)all->room * sizeof *all->bytes);
    all->sizes = realloc(all->sizes, (size_t)all->room * sizeof *all->sizes);
    if (!all->bytes || !all->sizes) abort();
  }
  int code = recording->changeset(recording->session, &all->sizes[all->count], &all->bytes[all->count]);
  all->count++;
  recording->delete(recording->session);
  return code == SQLITE_OK ? begin_session(recording, database) : code;
}

peer_changesets *peer_changesets_record(peer_rows *rows, const char *store) {
  struct recording recording = {0};
  *(void **)&recording.create = dlsym(RTLD_DEFAULT, "sqlite3session_create");
  *(void **)&recording.attach = dlsym(RTLD_DEFAULT, "sqlite3session_attach");
  *(void **)&recording.changeset = dlsym(RTLD_DEFAULT, "sqlite3session_changeset");
  *(void **)&recording.delete = dlsym(RTLD_DEFAULT, "sqlite3session_delete");
  if (!recording.create || !recording.attach || !recording.changeset || !recording.delete) return NULL;
  sqlite3 *database = NULL;
  recording.changesets = calloc(1, sizeof *recording.changesets);
  int code = open_store(store, &database);
  if (code == SQLITE_OK) code = begin_session(&recording, database);
  if (code == SQLITE_OK) code = run(rows, database, 50000, end_session, &recording);
  if (recording.session) recording.delete(recording.session);
  sqlite3_close(database);
  if (code == SQLITE_OK) return recording.changesets;
  peer_changesets_free(recording.changesets);
  return NULL;
}

void peer_changesets_free(peer_changesets *changesets) {
  if (!changesets) return;
  for (int64_t i = 0; i < changesets->count; i++) sqlite3_free(changesets->bytes[i]);
  free(changesets->bytes);
  free(changesets->sizes);
  free(changesets);
}

static int on_conflict(void *context, int conflict, sqlite3_changeset_iter *change) {
  (void)context, (void)conflict, (void)change;
  return 2;  // SQLITE_CHANGESET_ABORT
}

int peer_changesets_apply(const peer_changesets *changesets, const char *store,
                          int64_t transactions_per_commit) {
  int (*apply)(sqlite3 *, int, void *, int (*)(void *, const char *),
               int (*)(void *, int, sqlite3_changeset_iter *), void *);
  *(void **)&apply = dlsym(RTLD_DEFAULT, "sqlite3changeset_apply");
  sqlite3 *database = NULL;
  int code = apply ? open_store(store, &database) : SQLITE_ERROR;
  if (code == SQLITE_OK) code = sqlite3_exec(database, "BEGIN IMMEDIATE", NULL, NULL, NULL);
  for (int64_t i = 0; i < changesets->count && code == SQLITE_OK; i++) {
    code = apply(database, changesets->sizes[i], changesets->bytes[i], NULL, on_conflict, NULL);
    if (code == SQLITE_OK && (i + 1) % transactions_per_commit == 0)
      code = sqlite3_exec(database, "COMMIT; BEGIN IMMEDIATE", NULL, NULL, NULL);
  }
  if (code == SQLITE_OK) code = sqlite3_exec(database, "COMMIT", NULL, NULL, NULL);
  if (code != SQLITE_OK) fprintf(stderr, "peer: %s\n", database ? sqlite3_errmsg(database) : "");
  sqlite3_close(database);
  return code;
}
