/*
 * Makes one system call or allocation of a program fail, to test how the program handles it.
 *
 * Loaded with LD_PRELOAD, it counts the calls that change files, SQLite's included, and acts at
 * call number FAULT_AT:
 *
 *   FAULT_KIND   full: the call fails with ENOSPC, and so do all writes after it
 *                error: the call fails with EIO
 *                short: a write writes half of its bytes
 *                kill: the program is killed before the call
 *                killed-after: the program is killed after the call
 *   FAULT_MARK   a file that is created when the fault fires; it has the name of the call
 *
 * Only calls on regular files and folders count, not those on a terminal or a pipe.
 *
 * These kinds count allocations instead of calls:
 *
 *   memory       the allocation returns NULL
 *   no-memory    the allocation and all later ones return NULL
 *   count        nothing fails; at the end FAULT_MARK has the number of allocations
 *   FAULT_OF     a part of a library's name: only allocations that return into it count
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long calls;
static atomic_int is_full;
static long fault_at;
static const char *fault_kind = "";
static const char *fault_mark;

#define REAL(name) static __typeof__(name) *real; if (!real) real = dlsym(RTLD_NEXT, #name)

static int is(const char *kind) { return strcmp(fault_kind, kind) == 0; }

/* Uses only system calls, because an allocation may be failing here. */
static void mark(const char *name) {
  if (!fault_mark) return;
  int file = syscall(SYS_openat, AT_FDCWD, fault_mark, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0) return;
  syscall(SYS_write, file, name, strlen(name));
  syscall(SYS_close, file);
}

/* Which allocations count: none, those that return into the library, or all. */
static enum { NONE, LIBRARY, ALL } counted;
static uintptr_t library_start, library_end;

static int find_library(struct dl_phdr_info *info, size_t size, void *name) {
  (void)size;
  if (!strstr(info->dlpi_name, name)) return 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
    uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    if (!library_start) library_start = start;
    library_end = start + info->dlpi_phdr[i].p_memsz;
  }
  return 1;
}

__attribute__((constructor)) static void begin(void) {
  const char *at = getenv("FAULT_AT");
  fault_at = at ? atol(at) : 0;
  const char *kind = getenv("FAULT_KIND");
  if (kind) fault_kind = kind;
  fault_mark = getenv("FAULT_MARK");
  if (!is("memory") && !is("no-memory") && !is("count")) return;
  char *library = getenv("FAULT_OF");
  int has_name = library && *library;
  /* A library that is not loaded has no allocations. */
  if (has_name && !dl_iterate_phdr(find_library, library)) return;
  counted = has_name ? LIBRARY : ALL;
}

__attribute__((destructor)) static void end(void) {
  if (!is("count")) return;
  counted = NONE;
  char text[32];
  snprintf(text, sizeof text, "%ld", atomic_load(&calls));
  mark(text);
}

static int is_file(int descriptor) {
  struct stat status;
  return fstat(descriptor, &status) == 0 && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode));
}

enum act { GO, FAIL, SHORT, DIE_AFTER };

/* Decides what happens to the next call; sets errno if it fails. */
static enum act next(const char *name, int may_be_short) {
  if (atomic_load(&is_full) && may_be_short) { errno = ENOSPC; return FAIL; }
  if (!fault_at || counted || atomic_fetch_add(&calls, 1) + 1 != fault_at) return GO;
  mark(name);
  if (is("kill")) raise(SIGKILL);
  if (is("killed-after")) return DIE_AFTER;
  if (is("short")) { if (may_be_short) return SHORT; errno = EIO; return FAIL; }
  if (is("full")) { atomic_store(&is_full, 1); errno = ENOSPC; return FAIL; }
  errno = EIO;
  return FAIL;
}

#define ACT(name, descriptor_is_file, size, ...)                       \
  REAL(name);                                                          \
  if (!(descriptor_is_file)) return real(__VA_ARGS__);                 \
  switch (next(#name, (size) > 0)) {                                   \
    case FAIL: return -1;                                              \
    case DIE_AFTER: real(__VA_ARGS__); raise(SIGKILL); return -1;      \
    default: break;                                                    \
  }                                                                    \
  return real(__VA_ARGS__)

ssize_t write(int descriptor, const void *bytes, size_t count) {
  REAL(write);
  if (!is_file(descriptor)) return real(descriptor, bytes, count);
  switch (next("write", 1)) {
    case FAIL: return -1;
    case SHORT: return real(descriptor, bytes, count > 1 ? count / 2 : count);
    case DIE_AFTER: real(descriptor, bytes, count > 1 ? count / 2 : count); raise(SIGKILL); return -1;
    default: return real(descriptor, bytes, count);
  }
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t at) {
  REAL(pwrite);
  if (!is_file(descriptor)) return real(descriptor, bytes, count, at);
  switch (next("pwrite", 1)) {
    case FAIL: return -1;
    case SHORT: return real(descriptor, bytes, count > 1 ? count / 2 : count, at);
    case DIE_AFTER: real(descriptor, bytes, count > 1 ? count / 2 : count, at); raise(SIGKILL); return -1;
    default: return real(descriptor, bytes, count, at);
  }
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t at) {
  REAL(pwrite64);
  if (!is_file(descriptor)) return real(descriptor, bytes, count, at);
  switch (next("pwrite64", 1)) {
    case FAIL: return -1;
    case SHORT: return real(descriptor, bytes, count > 1 ? count / 2 : count, at);
    case DIE_AFTER: real(descriptor, bytes, count > 1 ? count / 2 : count, at); raise(SIGKILL); return -1;
    default: return real(descriptor, bytes, count, at);
  }
}

int fsync(int descriptor) { ACT(fsync, is_file(descriptor), 0, descriptor); }
int fdatasync(int descriptor) { ACT(fdatasync, is_file(descriptor), 0, descriptor); }
int ftruncate(int descriptor, off_t size) {
  ACT(ftruncate, is_file(descriptor), 0, descriptor, size);
}
int ftruncate64(int descriptor, off64_t size) {
  ACT(ftruncate64, is_file(descriptor), 0, descriptor, size);
}
int rename(const char *from, const char *to) { ACT(rename, 1, 0, from, to); }
int unlink(const char *path) { ACT(unlink, 1, 0, path); }
int mkdir(const char *path, mode_t mode) { ACT(mkdir, 1, 0, path, mode); }

/* Only opening for writing counts; reading changes nothing. */
#define OPEN(name)                                                     \
  int name(const char *path, int flags, ...) {                         \
    mode_t mode = 0;                                                   \
    if (flags & O_CREAT) {                                             \
      va_list list;                                                    \
      va_start(list, flags);                                           \
      mode = va_arg(list, mode_t);                                     \
      va_end(list);                                                    \
    }                                                                  \
    ACT(name, (flags & O_CREAT) != 0, 0, path, flags, mode);           \
  }
OPEN(open)
OPEN(open64)

/* Allocations before the start of main do not count. */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static int is_refused(void *caller) {
  if (counted == NONE) return 0;
  uintptr_t place = (uintptr_t)caller;
  if (counted == LIBRARY && (place < library_start || place >= library_end)) return 0;
  long number = atomic_fetch_add(&calls, 1) + 1;
  if (!fault_at || number < fault_at || (number > fault_at && !is("no-memory"))) return 0;
  if (number == fault_at) mark("allocation");
  errno = ENOMEM;
  return 1;
}

#define IS_REFUSED is_refused(__builtin_return_address(0))

void *malloc(size_t size) { return IS_REFUSED ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) {
  return IS_REFUSED ? NULL : __libc_calloc(count, size);
}
void *realloc(void *memory, size_t size) {
  return IS_REFUSED ? NULL : __libc_realloc(memory, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
  return IS_REFUSED ? NULL : __libc_memalign(alignment, size);
}
int posix_memalign(void **memory, size_t alignment, size_t size) {
  if (IS_REFUSED) return ENOMEM;
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}
