#include "peer_log.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef PEER_DEFLATE
#include <libdeflate.h>
#else
#include <zlib.h>
#endif

enum { BLOCK = 1 << 20, ROOM = BLOCK + (4 << 20), SLOTS = 4, THREADS = 2 };

enum state { EMPTY, FULL, TAKEN, DONE };

struct slot {
  enum state state;
  int64_t number;
  size_t count, packed_count;
  char *bytes, *packed;
};

struct work {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  struct slot slots[SLOTS];
  int64_t next_to_write;
  int is_over, level, failed;
  FILE *file;
};

static size_t pack_bound(size_t count) { return count + count / 8 + 1024; }

static void *compress_slots(void *context) {
  struct work *work = context;
#ifdef PEER_DEFLATE
  struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(work->level);
#endif
  pthread_mutex_lock(&work->lock);
  while (1) {
    struct slot *slot = NULL;
    for (int i = 0; i < SLOTS; i++)
      if (work->slots[i].state == FULL && (!slot || work->slots[i].number < slot->number))
        slot = &work->slots[i];
    if (!slot) {
      if (work->is_over) break;
      pthread_cond_wait(&work->changed, &work->lock);
      continue;
    }
    slot->state = TAKEN;
    pthread_mutex_unlock(&work->lock);
    size_t room = pack_bound(slot->count);
#ifdef PEER_DEFLATE
    slot->packed_count =
        libdeflate_gzip_compress(compressor, slot->bytes, slot->count, slot->packed, room);
#else
    z_stream stream = {0};
    deflateInit2(&stream, work->level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    stream.next_in = (Bytef *)slot->bytes;
    stream.avail_in = (uInt)slot->count;
    stream.next_out = (Bytef *)slot->packed;
    stream.avail_out = (uInt)room;
    slot->packed_count = deflate(&stream, Z_FINISH) == Z_STREAM_END ? stream.total_out : 0;
    deflateEnd(&stream);
#endif
    pthread_mutex_lock(&work->lock);
    slot->state = DONE;
    pthread_cond_broadcast(&work->changed);
  }
  pthread_mutex_unlock(&work->lock);
#ifdef PEER_DEFLATE
  libdeflate_free_compressor(compressor);
#endif
  return NULL;
}

// Writes finished members in their order. The caller has the lock.
static void write_done(struct work *work) {
  for (int i = 0; i < SLOTS; i++) {
    struct slot *slot = &work->slots[i];
    if (slot->state != DONE || slot->number != work->next_to_write) continue;
    if (!slot->packed_count || fwrite(slot->packed, 1, slot->packed_count, work->file) == 0)
      work->failed = 1;
    slot->state = EMPTY;
    work->next_to_write++;
    i = -1;
  }
}

static struct slot *empty_slot(struct work *work) {
  pthread_mutex_lock(&work->lock);
  while (1) {
    write_done(work);
    for (int i = 0; i < SLOTS; i++)
      if (work->slots[i].state == EMPTY) {
        pthread_mutex_unlock(&work->lock);
        work->slots[i].count = 0;
        return &work->slots[i];
      }
    pthread_cond_wait(&work->changed, &work->lock);
  }
}

static void hand_over(struct work *work, struct slot *slot, int64_t number) {
  pthread_mutex_lock(&work->lock);
  slot->number = number;
  slot->state = FULL;
  pthread_cond_broadcast(&work->changed);
  pthread_mutex_unlock(&work->lock);
}

static void put(struct slot *slot, const void *bytes, size_t count) {
  if (slot->count + count > ROOM) abort();
  memcpy(slot->bytes + slot->count, bytes, count);
  slot->count += count;
}

#define PUT(text) put(slot, text, sizeof(text) - 1)

static void put_integer(struct slot *slot, int64_t value) {
  char digits[24];
  int start = 24;
  do digits[--start] = (char)('0' + value % 10);
  while (value /= 10);
  put(slot, digits + start, (size_t)(24 - start));
}

static void put_column(struct slot *slot, sqlite3_stmt *statement, int column) {
  const void *bytes = sqlite3_column_text(statement, column);
  put(slot, bytes, (size_t)sqlite3_column_bytes(statement, column));
}

static void put_member(struct slot *slot, const char *key, sqlite3_stmt *statement, int column) {
  if (sqlite3_column_type(statement, column) == SQLITE_NULL) return;
  put(slot, key, strlen(key));
  put_column(slot, statement, column);
}

static void put_shared(struct slot *slot, sqlite3_stmt *transactions) {
  PUT(",\"n\":");
  put_integer(slot, sqlite3_column_int64(transactions, 3));
  PUT(",\"ts\":\"");
  put_column(slot, transactions, 1);
  PUT("\"");
  if (sqlite3_column_type(transactions, 2) != SQLITE_NULL) {
    PUT(",\"author\":\"");
    put_column(slot, transactions, 2);
    PUT("\"");
  }
}

static void put_change(struct slot *slot, sqlite3_stmt *transactions, sqlite3_stmt *changes) {
  PUT("{\"kind\":\"change\",\"txn\":");
  put_integer(slot, sqlite3_column_int64(transactions, 0));
  PUT(",\"seq\":");
  put_integer(slot, sqlite3_column_int64(changes, 0));
  put_shared(slot, transactions);
  if (sqlite3_column_int64(changes, 0) == 0) {
    PUT(",\"seed\":\"");
    put_integer(slot, sqlite3_column_int64(transactions, 3));
    PUT(":");
    put_column(slot, transactions, 10);
    PUT("\"");
  }
  PUT(",\"op\":\"");
  put_column(slot, changes, 1);
  PUT("\",\"entity\":\"");
  put_column(slot, changes, 2);
  PUT("\",\"id\":\"");
  put_integer(slot, sqlite3_column_int64(changes, 3));
  PUT("\"");
  put_member(slot, ",\"changed\":", changes, 4);
  put_member(slot, ",\"before\":", changes, 5);
  put_member(slot, ",\"after\":", changes, 6);
  put_member(slot, ",\"special\":", changes, 7);
  put_member(slot, ",\"large\":", changes, 8);
  PUT("}\n");
}

static void put_closing(struct slot *slot, sqlite3_stmt *transactions) {
  PUT("{\"kind\":\"transaction\",\"txn\":");
  put_integer(slot, sqlite3_column_int64(transactions, 0));
  put_shared(slot, transactions);
  PUT(",\"op\":\"");
  put_column(slot, transactions, 4);
  PUT("\",\"digest\":\"");
  put_column(slot, transactions, 5);
  PUT("\",\"meta\":{\"process\":\"");
  put_column(slot, transactions, 6);
  PUT("\",\"pid\":");
  put_integer(slot, sqlite3_column_int64(transactions, 7));
  PUT(",\"host\":\"");
  put_column(slot, transactions, 8);
  PUT("\",\"schema\":\"");
  put_column(slot, transactions, 9);
  PUT("\"}}\n");
}

int peer_export(const char *store, const char *file, int level) {
  sqlite3 *database = NULL;
  sqlite3_stmt *transactions = NULL, *changes = NULL;
  struct work work = {.level = level};
  pthread_t threads[THREADS];
  if (sqlite3_open_v2(store, &database, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) ||
      sqlite3_exec(database, "PRAGMA cache_size = -16384; BEGIN", NULL, NULL, NULL) ||
      sqlite3_prepare_v2(database,
                         "SELECT t.id, time, author, changes, op, hex(t.digest), process, process_id,"
                         " host, s.digest, hex(seed) FROM history_transaction t JOIN store_schema s"
                         " ON s.id = t.schema ORDER BY t.id",
                         -1, &transactions, NULL) ||
      sqlite3_prepare_v2(database,
                         "SELECT sequence, kind, entity, object, changed, before, after, special,"
                         " large FROM history_change ORDER BY id",
                         -1, &changes, NULL) ||
      !(work.file = fopen(file, "wb"))) {
    fprintf(stderr, "peer: %s\n", sqlite3_errmsg(database));
    sqlite3_close_v2(database);
    return 1;
  }
  pthread_mutex_init(&work.lock, NULL);
  pthread_cond_init(&work.changed, NULL);
  for (int i = 0; i < SLOTS; i++) {
    work.slots[i].bytes = malloc(ROOM);
    work.slots[i].packed = malloc(pack_bound(ROOM));
  }
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, compress_slots, &work);
  int64_t number = 0;
  struct slot *slot = empty_slot(&work);
  while (sqlite3_step(transactions) == SQLITE_ROW) {
    for (int64_t left = sqlite3_column_int64(transactions, 3); left > 0; left--) {
      if (sqlite3_step(changes) != SQLITE_ROW) work.failed = 1;
      put_change(slot, transactions, changes);
      if (slot->count < BLOCK) continue;
      hand_over(&work, slot, number++);
      slot = empty_slot(&work);
    }
    put_closing(slot, transactions);
  }
  hand_over(&work, slot, number++);
  pthread_mutex_lock(&work.lock);
  work.is_over = 1;
  pthread_cond_broadcast(&work.changed);
  while (work.next_to_write < number && !work.failed) {
    write_done(&work);
    if (work.next_to_write < number) pthread_cond_wait(&work.changed, &work.lock);
  }
  pthread_mutex_unlock(&work.lock);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < SLOTS; i++) {
    free(work.slots[i].bytes);
    free(work.slots[i].packed);
  }
  if (fflush(work.file) || fsync(fileno(work.file)) || fclose(work.file)) work.failed = 1;
  sqlite3_finalize(transactions);
  sqlite3_finalize(changes);
  sqlite3_close(database);
  return work.failed;
}
