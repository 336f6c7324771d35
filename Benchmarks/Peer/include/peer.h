#ifndef TRAVELOG_BENCHMARK_PEER_H
#define TRAVELOG_BENCHMARK_PEER_H

#include <stdint.h>

#include "peer_log.h"

// The same work in C with prepared statements: the limit that the machine and SQLite set.

// The trips of every measurement, created before the clock starts.
typedef struct {
  char name[32];
  const char *destination;
  double start_date;
  double end_date;
  int64_t rating;
  int64_t is_favorite;
} peer_trip;

peer_trip *peer_make_trips(int64_t count);
void peer_free_trips(peer_trip *trips);

// Inserts trips in one transaction into the tables of a store, with rows of history or without.
// Returns 0 or a code of SQLite.
int peer_insert(const char *path, const peer_trip *trips, int64_t count, int with_history);

// Reads every column of all trips; returns a sum over them, or -1.
int64_t peer_fetch(const char *path);

// A connection with the settings of a store's connections; NULL if it can't be opened.
typedef struct sqlite3 peer_database;
peer_database *peer_open(const char *path);
void peer_close(peer_database *database);

// Runs a statement for each number from `first` on. ?1 is the number, ?2 the text "prefix number", ?3
// another number. Reads every column of all rows; returns a sum over them, or -1.
int64_t peer_run(peer_database *database, const char *sql, const char *prefix, int64_t first,
                 int64_t count, int64_t other);

#endif
