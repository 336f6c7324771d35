#include "peer.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const char *const cities[8] = {
  "Oslo", "Bergen", "Reykjav\xc3\xadk", "Kyoto", "San Francisco", "Buenos Aires", "Nairobi", "Wellington",
};

peer_trip *peer_make_trips(int64_t count) {
  peer_trip *trips = calloc((size_t)count, sizeof(peer_trip));
  if (!trips) return NULL;
  for (int64_t i = 0; i < count; i++) {
    snprintf(trips[i].name, sizeof trips[i].name, "Trip number %lld", (long long)i);
    trips[i].destination = cities[i % 8];
    trips[i].start_date = 700000000.5 + 3600.0 * (double)i;
    trips[i].end_date = trips[i].start_date + 604800.0;
    trips[i].rating = i % 5;
    trips[i].is_favorite = i % 7 == 0;
  }
  return trips;
}

void peer_free_trips(peer_trip *trips) { free(trips); }

// Uses the settings of the store's connections.
static int open_store(const char *path, sqlite3 **database) {
  int code = sqlite3_open_v2(path, database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
  if (code != SQLITE_OK) return code;
  sqlite3_db_config(*database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
  return sqlite3_exec(*database,
                      "PRAGMA synchronous = FULL; PRAGMA cache_size = -16384;"
                      "PRAGMA foreign_keys = ON",
                      NULL, NULL, NULL);
}

// An instant in the form of history, for seconds since 2001 that end in a half.
static void put_date(char *text, size_t room, double seconds) {
  time_t whole = (time_t)(int64_t)seconds + 978307200;
  struct tm parts;
  gmtime_r(&whole, &parts);
  size_t count = strftime(text, room, "%Y-%m-%dT%H:%M:%S", &parts);
  snprintf(text + count, room - count, ".5Z");
}

// Writes the rows of history for a save of the trips; names and towns need no escapes.
static int insert_history(sqlite3 *database, const peer_trip *trips, int64_t count) {
  sqlite3_stmt *insert = NULL;
  int code = sqlite3_prepare_v2(
    database,
    "INSERT INTO history_change (id, kind, after, transaction_id, sequence, entity, object)"
    " VALUES (?1, 'insert', ?2, 1, ?3, 'Trip', ?1)",
    -1, &insert, NULL);
  for (int64_t i = 0; i < count && code == SQLITE_OK; i++) {
    char start[40], end[40], after[512];
    put_date(start, sizeof start, trips[i].start_date);
    put_date(end, sizeof end, trips[i].end_date);
    int size = snprintf(after, sizeof after,
                        "{\"name\":\"%s\",\"destination\":\"%s\",\"startDate\":\"%s\","
                        "\"endDate\":\"%s\",\"rating\":%lld,\"isFavorite\":%s}",
                        trips[i].name, trips[i].destination, start, end,
                        (long long)trips[i].rating, trips[i].is_favorite ? "true" : "false");
    sqlite3_bind_int64(insert, 1, i + 1);
    sqlite3_bind_text(insert, 2, after, size, SQLITE_STATIC);
    sqlite3_bind_int64(insert, 3, i);
    code = sqlite3_step(insert);
    if (code == SQLITE_DONE) code = sqlite3_reset(insert);
  }
  sqlite3_finalize(insert);
  if (code != SQLITE_OK) return code;
  char *sql = sqlite3_mprintf(
    "INSERT INTO history_transaction (id, time, op, process, process_id, host, schema,"
    " first_change, changes, seed) VALUES (1, '2026-01-01T00:00:00.000000Z', 'recorded',"
    " 'peer', 1, 'peer', (SELECT max(id) FROM store_schema), 1, %lld, randomblob(16))",
    (long long)count);
  code = sql ? sqlite3_exec(database, sql, NULL, NULL, NULL) : SQLITE_NOMEM;
  sqlite3_free(sql);
  return code;
}

int peer_insert(const char *path, const peer_trip *trips, int64_t count, int with_history) {
  sqlite3 *database = NULL;
  sqlite3_stmt *insert = NULL;
  int code = open_store(path, &database);
  if (code == SQLITE_OK) code = sqlite3_exec(database, "BEGIN IMMEDIATE", NULL, NULL, NULL);
  if (code == SQLITE_OK)
    code = sqlite3_prepare_v2(database,
                              "INSERT INTO Trip (id, name, destination, startDate, endDate,"
                              " rating, isFavorite) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                              -1, &insert, NULL);
  for (int64_t i = 0; i < count && code == SQLITE_OK; i++) {
    sqlite3_bind_int64(insert, 1, i + 1);
    sqlite3_bind_text(insert, 2, trips[i].name, -1, SQLITE_STATIC);
    sqlite3_bind_text(insert, 3, trips[i].destination, -1, SQLITE_STATIC);
    sqlite3_bind_double(insert, 4, trips[i].start_date);
    sqlite3_bind_double(insert, 5, trips[i].end_date);
    sqlite3_bind_int64(insert, 6, trips[i].rating);
    sqlite3_bind_int64(insert, 7, trips[i].is_favorite);
    code = sqlite3_step(insert);
    if (code == SQLITE_DONE) code = sqlite3_reset(insert);
  }
  sqlite3_finalize(insert);
  if (code == SQLITE_OK && with_history) code = insert_history(database, trips, count);
  if (code == SQLITE_OK) code = sqlite3_exec(database, "COMMIT", NULL, NULL, NULL);
  if (code != SQLITE_OK) fprintf(stderr, "peer: %s\n", sqlite3_errmsg(database));
  sqlite3_close(database);
  return code;
}

int64_t peer_fetch(const char *path) {
  sqlite3 *database = NULL;
  sqlite3_stmt *select = NULL;
  int64_t sum = 0;
  int code = open_store(path, &database);
  if (code == SQLITE_OK)
    code = sqlite3_prepare_v2(database,
                              "SELECT id, name, destination, startDate, endDate, rating,"
                              " isFavorite FROM Trip",
                              -1, &select, NULL);
  if (code == SQLITE_OK) {
    while ((code = sqlite3_step(select)) == SQLITE_ROW) {
      const unsigned char *name = sqlite3_column_text(select, 1);
      const unsigned char *destination = sqlite3_column_text(select, 2);
      if (!name || !destination || sqlite3_column_int64(select, 0) <= 0) break;
      sum += sqlite3_column_bytes(select, 1) + sqlite3_column_bytes(select, 2);
      sum += (int64_t)sqlite3_column_double(select, 3) + (int64_t)sqlite3_column_double(select, 4);
      sum += sqlite3_column_int64(select, 5) + sqlite3_column_int64(select, 6);
    }
  }
  if (code != SQLITE_DONE) fprintf(stderr, "peer: %s\n", sqlite3_errmsg(database));
  sqlite3_finalize(select);
  sqlite3_close(database);
  return code == SQLITE_DONE ? sum : -1;
}

peer_database *peer_open(const char *path) {
  sqlite3 *database = NULL;
  if (open_store(path, &database) == SQLITE_OK) return database;
  fprintf(stderr, "peer: %s\n", database ? sqlite3_errmsg(database) : "no memory");
  sqlite3_close(database);
  return NULL;
}

void peer_close(peer_database *database) { sqlite3_close(database); }

static int64_t sum_of_row(sqlite3_stmt *statement) {
  int64_t sum = 0;
  for (int column = 0; column < sqlite3_column_count(statement); column++) {
    if (sqlite3_column_type(statement, column) == SQLITE_TEXT) {
      // Reads the bytes, as a program that copies them would.
      sum += sqlite3_column_text(statement, column) ? sqlite3_column_bytes(statement, column) : 0;
    } else {
      sum += sqlite3_column_int64(statement, column);
    }
  }
  return sum;
}

int64_t peer_run(peer_database *database, const char *sql, const char *prefix, int64_t first,
                 int64_t count, int64_t other) {
  sqlite3_stmt *statement = NULL;
  int64_t sum = 0;
  int code = sqlite3_prepare_v2(database, sql, -1, &statement, NULL);
  int parameters = statement ? sqlite3_bind_parameter_count(statement) : 0;
  for (int64_t number = first; number < first + count && code == SQLITE_OK; number++) {
    char text[64];
    int size = snprintf(text, sizeof text, "%s %lld", prefix, (long long)number);
    if (parameters > 0) sqlite3_bind_int64(statement, 1, number);
    if (parameters > 1) sqlite3_bind_text(statement, 2, text, size, SQLITE_TRANSIENT);
    if (parameters > 2) sqlite3_bind_int64(statement, 3, other);
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) sum += sum_of_row(statement);
    if (code == SQLITE_DONE) code = sqlite3_reset(statement);
  }
  if (code != SQLITE_OK) fprintf(stderr, "peer: %s\n", sqlite3_errmsg(database));
  sqlite3_finalize(statement);
  return code == SQLITE_OK ? sum : -1;
}
