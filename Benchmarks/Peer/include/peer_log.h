#ifndef TRAVELOG_BENCHMARK_PEER_LOG_H
#define TRAVELOG_BENCHMARK_PEER_LOG_H

#include <stdint.h>

// Reads the history of a store and writes it as the lines of a log, in gzip members of a mebibyte that
// two threads compress, without digests. Returns 0, or another number after a failure.
int peer_export(const char *store, const char *file, int level);

// Parsed rows, ready to be written.
typedef struct peer_rows peer_rows;

peer_rows *peer_rows_new(void);
void peer_rows_free(peer_rows *rows);
// Adds a statement, and returns its number.
int peer_rows_statement(peer_rows *rows, const char *sql);
// Begins a row for a statement; its values follow in order.
void peer_rows_begin(peer_rows *rows, int statement);
void peer_rows_null(peer_rows *rows);
void peer_rows_integer(peer_rows *rows, int64_t value);
void peer_rows_real(peer_rows *rows, double value);
void peer_rows_bytes(peer_rows *rows, const void *bytes, int64_t count, int is_text);
// Ends a transaction; a commit is possible here.
void peer_rows_end_transaction(peer_rows *rows);

// Writes all rows into a store, with a commit every rows_per_commit rows.
// Returns 0 or a code of SQLite.
int peer_rows_write(peer_rows *rows, const char *store, int64_t rows_per_commit);

// The same operations as changesets, one for each transaction, recorded by writing them into a store.
// NULL if the library has no sessions.
typedef struct peer_changesets peer_changesets;
peer_changesets *peer_changesets_record(peer_rows *rows, const char *store);
void peer_changesets_free(peer_changesets *changesets);
int peer_changesets_apply(const peer_changesets *changesets, const char *store,
                          int64_t transactions_per_commit);

#endif
