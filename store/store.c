/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "store/profile_file.h"
#include "support/inprocess/keep_errno.h"
#include "support/inprocess/memory_budget.h"
#include "support/inprocess/seccomp.h"
#include "support/log.h"

/* Address space only; pages are reserved as the file grows. */
static const uint64_t mapping_usual = UINT64_C(256) << 20, mapping_least = UINT64_C(4) << 20;
static const uint64_t mapping_most = HD_STORE_BYTES_MOST;

enum { OPEN_STEP_BYTES = 1 << 20 };
enum { FIRST_BYTES = HD_HEADER_BYTES + (3 << 16), GROWTH_STEP_BYTES = 1 << 14 };

/* Where `heddle run` does not look for every live file, it looks for those that end like its private directory. */
static const char *suffix_of_run(const struct hd_store *store) {
  const char *dot = strrchr(store->run_directory, '.');
  return !store->in_private_directory && dot && !strchr(dot, '/') ? dot + 1 : "";
}

/* A name may be taken by what a killed process of this number left, by a process of another container that writes it,
 * or by this very process before it executed another program. */
static int open_live_file(struct hd_store *store, const char *directory, const char *program) {
  enum { MOST = 10000 };
  const char *run = suffix_of_run(store);
  for (int i = 0; i < MOST; i++) {
    char number[16] = "";
    if (i)
      snprintf(number, sizeof number, ".%d", i);
    const int length = snprintf(store->live_path, sizeof store->live_path, "%s/%s.%d.live%s%s%s", directory, program,
                                (int)getpid(), *run ? "-" : "", run, number);
    if (length < 0 || (size_t)length >= sizeof store->live_path) {
      errno = ENAMETOOLONG;
      return -1;
    }
    const int fd = open(store->live_path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd >= 0)
      fchmod(fd, 0600); /* whatever the program's umask is */
    if (fd >= 0 || errno != EEXIST)
      return fd;
  }
  return -1;
}

/* Growing a file past RLIMIT_FSIZE raises SIGXFSZ in the user's program. */
static size_t file_size_limit(void) {
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur == RLIM_INFINITY ? SIZE_MAX : (size_t)limit.rlim_cur;
}

/* To `value`, unless it is there or further: how far it was. */
static uint64_t advance(uint64_t *at, uint64_t value) {
  uint64_t before = __atomic_load_n(at, __ATOMIC_RELAXED);
  while (before < value && !__atomic_compare_exchange_n(at, &before, value, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    continue;
  return before;
}

/* Makes the mapping accessible up to `end`, in steps: a call for every block would disturb what is measured. Far beyond
 * the file's end nothing is accessible: who scans all memory (valgrind) would meet SIGBUS in every word there. */
static bool open_up(struct hd_store *store, uint64_t end) {
  const uint64_t open = __atomic_load_n(&store->open_bytes, __ATOMIC_ACQUIRE);
  uint64_t wanted = (end + OPEN_STEP_BYTES - 1) / OPEN_STEP_BYTES * OPEN_STEP_BYTES;
  if (end <= open)
    return true;
  if (wanted > store->limit_bytes)
    wanted = store->limit_bytes;
  if (mprotect(store->base + open, wanted - open, PROT_READ | PROT_WRITE))
    return false;
  advance(&store->open_bytes, wanted);
  return true;
}

static bool map_as_large(struct hd_store *store, int fd, size_t bytes) {
  const size_t most = file_size_limit() / HD_BLOCK_BYTES * HD_BLOCK_BYTES;
  if (bytes > most)
    bytes = most;
  void *base = bytes < HD_HEADER_BYTES || ftruncate(fd, (off_t)bytes)
                   ? MAP_FAILED
                   : mmap(NULL, bytes, PROT_NONE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  if (base == MAP_FAILED)
    return false;
  store->base = base;
  store->limit_bytes = bytes;
  store->header = base;
  return true;
}

/* As much as is wanted and the usual, for the threads' part of the limit; if RLIMIT_AS refuses that, less. */
static bool map_file(struct hd_store *store, int fd, uint64_t wanted) {
  uint64_t bytes = wanted < mapping_usual / 4 ? mapping_usual : wanted + mapping_usual;
  if (wanted >= mapping_most || bytes > mapping_most)
    bytes = mapping_most;
  for (; bytes >= mapping_least; bytes /= 4)
    if (map_as_large(store, fd, (size_t)(bytes / OPEN_STEP_BYTES * OPEN_STEP_BYTES)))
      return true;
  return false;
}

/* The page gets its space as the kernel writes to it: if there is none left, the call says so, where a store of our own
 * would end the program by SIGBUS. This call adds nothing to the page's first word, atomically, and wakes nobody:
 * another thread may have touched the page before, and write to it by now. It needs no descriptor and no name, and
 * every program with threads makes it: the file can grow when the program has closed all descriptors or opened all it
 * may, has changed its user or root directory, or must not make calls that only Heddle would
 * (support/inprocess/seccomp.h). */
static bool touch(char *page) {
  static uint32_t nobody_waits;
  return syscall(SYS_futex, &nobody_waits, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, 0, NULL, page,
                 FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_LT, 0)) >= 0;
}

/* Threads that do this at once all touch the same pages; nobody waits for another, who may not have a processor. What
 * two have counted is given back once. */
static bool reserve(struct hd_store *store, uint64_t end) {
  const uint64_t begin = __atomic_load_n(&store->reserved_bytes, __ATOMIC_ACQUIRE);
  uint64_t touched = begin;
  if (end <= begin)
    return true;
  if (end > store->limit_bytes || !open_up(store, end) || !hd_memory_take(end - begin))
    return false;
  while (touched < end && touch(store->base + touched))
    touched += HD_BLOCK_BYTES;
  const uint64_t before = advance(&store->reserved_bytes, touched);
  hd_memory_give(end - begin - (touched > before ? touched - before : 0));
  return touched == end;
}

/* Room for what every program needs, at once: where there is less, another place is better. */
static bool make_header(struct hd_store *store, int fd) {
  if (file_size_limit() < HD_HEADER_BYTES) {
    errno = EFBIG;
    return false;
  }
  if (!map_file(store, fd, store->wanted_bytes))
    return false;
  if (reserve(store, store->limit_bytes < FIRST_BYTES ? store->limit_bytes : FIRST_BYTES)) {
    hd_layout_set(store->header);
    return true;
  }
  hd_memory_give(store->reserved_bytes);
  munmap(store->base, store->limit_bytes);
  store->reserved_bytes = store->open_bytes = 0;
  errno = ENOSPC;
  return false;
}

static bool create_in(struct hd_store *store, const char *directory, const char *program, char *why, size_t why_bytes) {
  int fd = open_live_file(store, directory, program);
  if (fd < 0) {
    snprintf(why, why_bytes, "cannot create %s: %s", store->live_path, strerror(errno));
    return false;
  }
  const bool made = make_header(store, fd);
  const int error = errno;
  close(fd);
  if (made)
    return true;
  snprintf(why, why_bytes, "cannot map %s: %s", store->live_path, strerror(error));
  unlink(store->live_path);
  return false;
}

static bool create_somewhere(struct hd_store *store, const char *directory, const char *program, char *why,
                             size_t why_bytes) {
  const char *candidates[] = {directory, "/dev/shm", secure_getenv("TMPDIR"), "/tmp", store->last_place};
  for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
    store->in_private_directory = i == 0 && *store->run_directory;
    if (candidates[i] && create_in(store, candidates[i], program, why, why_bytes))
      return true;
  }
  return false;
}

bool hd_store_create(struct hd_store *store, const char *directory, const char *program, char *why, size_t why_bytes) {
  if (getauxval(AT_SECURE)) { /* what the environment says, libomp's OMP_TOOL_LIBRARIES included, is not its owner's */
    snprintf(why, why_bytes, "the program is set-user-id or set-group-id, or has capabilities of its own");
    return false;
  }
  if (store->is_collected && directory && strlen(directory) < sizeof store->run_directory)
    strcpy(store->run_directory, directory);
  struct stat root;
  if (!stat("/", &root)) {
    store->root_device = root.st_dev;
    store->root_inode = root.st_ino;
  }
  hd_seccomp_init();
  return create_somewhere(store, directory, program, why, why_bytes);
}

/* Space for the file up to `end`, and somewhat more if there is some. */
static bool reserve_up_to(struct hd_store *store, uint64_t end) {
  const uint64_t steps = (end - HD_HEADER_BYTES + GROWTH_STEP_BYTES - 1) / GROWTH_STEP_BYTES;
  return reserve(store, HD_HEADER_BYTES + steps * GROWTH_STEP_BYTES) || reserve(store, end);
}

/* The header's first words, which claim the place at once. */
union claim {
  struct {
    uint32_t magic;
    uint16_t type;
    uint16_t short_span;
  } is;
  uint64_t word;
};
_Static_assert(offsetof(struct hd_block_header, short_span) == 6, "as in the header");

/* The file goes on behind the block: whose it is need not be known for that. */
static void count_in(struct hd_store *store, struct hd_block_header *block, uint32_t unit, uint32_t span) {
  __atomic_store_n(&block->span, span, __ATOMIC_RELAXED);
  __atomic_compare_exchange_n(&store->header->block_count, &unit, unit + span, false, __ATOMIC_RELEASE,
                              __ATOMIC_RELAXED);
}

/* Reserves `span` units at the end of the file. Who finds the place taken counts in the block there, for a thread that
 * may have lost its processor before it could, and goes on behind it. */
static struct hd_block_header *claim(struct hd_store *store, enum hd_block_type type, uint32_t span) {
  const union claim mine = {.is = {HD_BLOCK_MAGIC, (uint16_t)type, (uint16_t)span}};
  for (;;) {
    const uint32_t unit = __atomic_load_n(&store->header->block_count, __ATOMIC_ACQUIRE);
    const uint64_t begin = HD_HEADER_BYTES + (uint64_t)unit * HD_BLOCK_BYTES;
    if (!reserve_up_to(store, begin + (uint64_t)span * HD_BLOCK_BYTES))
      return NULL;
    struct hd_block_header *block = (struct hd_block_header *)(store->base + begin);
    union claim there = {.word = 0};
    const bool is_mine = __atomic_compare_exchange_n((uint64_t *)(void *)block, &there.word, mine.word, false,
                                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    count_in(store, block, unit, is_mine ? span : there.is.short_span);
    if (is_mine)
      return block;
  }
}

static struct hd_block_header *add_block(struct hd_store *store, enum hd_block_type type, uint32_t owner,
                                         size_t bytes) {
  const size_t span = (bytes + HD_BLOCK_HEADER_BYTES + HD_BLOCK_BYTES - 1) / HD_BLOCK_BYTES;
  HD_KEEP_ERRNO;
  struct hd_block_header *block = span <= UINT16_MAX ? claim(store, type, (uint32_t)span) : NULL;
  if (block)
    block->owner = owner;
  else
    __atomic_fetch_or(&store->header->flags, HD_FILE_FULL, __ATOMIC_RELAXED);
  return block;
}

static char *block_content(struct hd_block_header *block) {
  return (char *)block + HD_BLOCK_HEADER_BYTES;
}

bool hd_store_reserve(struct hd_store *store, struct hd_store_cursor *cursor, enum hd_block_type type, uint32_t owner,
                      size_t record_bytes, uint32_t count) {
  struct hd_block_header *block = add_block(store, type, owner, record_bytes * count);
  if (!block)
    return false;
  cursor->block = block;
  cursor->used = 0;
  cursor->limit = (uint32_t)(hd_store_room_in(block) / record_bytes);
  return true;
}

void *hd_store_add(struct hd_store *store, struct hd_store_cursor *cursor, enum hd_block_type type, uint32_t owner,
                   size_t record_bytes) {
  if (cursor->used == cursor->limit && !hd_store_reserve(store, cursor, type, owner, record_bytes, 1))
    return NULL;
  return block_content(cursor->block) + record_bytes * cursor->used++;
}

void hd_store_publish(struct hd_store_cursor *cursor) {
  __atomic_store_n(&cursor->block->count, cursor->used, __ATOMIC_RELEASE);
}

void *hd_store_add_block(struct hd_store *store, enum hd_block_type type, uint32_t owner, size_t bytes) {
  struct hd_block_header *block = add_block(store, type, owner, bytes);
  if (!block)
    return NULL;
  __atomic_store_n(&block->count, 1, __ATOMIC_RELEASE);
  return block_content(block);
}

void hd_store_add_text(struct hd_store *store, struct hd_store_cursor *cursor, enum hd_text_kind kind, uint32_t id,
                       const char *text, size_t bytes) {
  if (bytes > HD_STORE_TEXT_MOST)
    bytes = HD_STORE_TEXT_MOST;
  uint32_t total = (uint32_t)(sizeof(struct hd_text_record) + ((bytes + 7) & ~(size_t)7));
  if (cursor->limit - cursor->used < total) {
    struct hd_block_header *block = add_block(store, HD_BLOCK_TEXT, HD_NONE, total);
    if (!block)
      return;
    *cursor = (struct hd_store_cursor){.block = block, .limit = hd_store_room_in(block)};
  }
  struct hd_text_record *record = (void *)(block_content(cursor->block) + cursor->used);
  *record = (struct hd_text_record){.kind = (uint16_t)kind, .id = id, .bytes = (uint32_t)bytes};
  memcpy(record + 1, text, bytes);
  cursor->used += total;
  hd_store_publish(cursor);
}

/* The link tells `heddle run` where the profile went. A process that ran another program by exec leaves two. */
static void leave_link_to(const struct hd_store *store, const char *prefix, const char *final_path) {
  char link_path[sizeof store->live_path + HD_FREE_NAME_BYTES];
  const int directory_length = (int)(strrchr(store->live_path, '/') - store->live_path);
  int status = -1;
  for (int i = 0; i < 100 && status; i++) {
    snprintf(link_path, sizeof link_path, i ? "%.*s/%s%u.%d" : "%.*s/%s%u", directory_length, store->live_path, prefix,
             store->header->pid, i);
    status = symlink(final_path, link_path);
    if (status && errno != EEXIST)
      break;
  }
  if (status)
    hd_log("cannot create %s: %s", link_path, strerror(errno));
}

/* chroot(2): the names of before lead elsewhere now. */
static bool has_other_root(const struct hd_store *store) {
  struct stat root;
  return stat("/", &root) || root.st_dev != store->root_device || root.st_ino != store->root_inode;
}

/* Why the live file had better stay where it is; NULL: no reason. */
static const char *reason_to_stay(const struct hd_store *store) {
  struct stat status;
  if (hd_seccomp_is_new())
    return "the program has a seccomp filter, or may have";
  if (has_other_root(store))
    return "the program has another root directory";
  if (store->in_private_directory && lstat(store->live_path, &status))
    return "the program has no access to its directory"; /* it has changed its user: whoever started it saves it */
  if (file_size_limit() < HD_HEADER_BYTES + (uint64_t)store->header->block_count * HD_BLOCK_BYTES)
    return "the program has a lower limit on file sizes"; /* ... and would be ended by SIGXFSZ */
  if (!store->in_private_directory && *store->run_directory && !lstat(store->run_directory, &status))
    return "the program cannot use the directory of 'heddle run'"; /* but it will look for the file */
  return NULL;
}

/* In the private directory the file stays when it cannot have its name: `heddle run` may do what the program may not.
 */
static bool save(const struct hd_store *store, char *final_path, size_t final_bytes) {
  int error;
  if (store->in_private_directory)
    return hd_profile_file_to_free_name(-1, store->base, store->output_path, final_path, final_bytes);
  if (!hd_profile_file_somewhere(-1, store->base, store->output_path, final_path, final_bytes, &error)) {
    errno = error;
    return false;
  }
  if (error)
    hd_log("cannot write %s: %s; the profile is in %s instead", store->output_path, strerror(error), final_path);
  return true;
}

static bool move(struct hd_store *store, char *final_path, size_t final_bytes) {
  if (!save(store, final_path, final_bytes))
    return false;
  if (unlink(store->live_path) && errno != ENOENT)
    hd_log("cannot remove %s: %s", store->live_path, strerror(errno));
  if (store->in_private_directory)
    leave_link_to(store, "", final_path);
  return true;
}

void hd_store_finish(struct hd_store *store) {
  char final_path[sizeof store->output_path + HD_FREE_NAME_BYTES];
  HD_KEEP_ERRNO;
  if (store->is_discarded)
    return;
  const char *reason = reason_to_stay(store);
  if (!reason && !move(store, final_path, sizeof final_path))
    reason = strerror(errno);
  if (reason && !store->in_private_directory)
    hd_log("cannot write %s: %s; for 'heddle recover' the profile stays in %s", store->output_path, reason,
           store->live_path);
}

bool hd_store_may_write(const struct hd_store *store) {
  return !hd_seccomp_is_new() && !has_other_root(store);
}

bool hd_store_save_other(const struct hd_store *store, int file, const char *path, char *final_path,
                         size_t final_bytes) {
  struct stat status;
  errno = EPERM;
  if (!hd_store_may_write(store) || fstat(file, &status) != 0)
    return false;
  errno = EFBIG;
  return (uint64_t)status.st_size <= file_size_limit() &&
         hd_profile_file_to_free_name(file, NULL, path, final_path, final_bytes);
}

void hd_store_link_job(const struct hd_store *store, const char *path) {
  HD_KEEP_ERRNO;
  if (store->in_private_directory && !reason_to_stay(store))
    leave_link_to(store, HD_JOB_LINK, path);
}

void hd_store_discard(struct hd_store *store) {
  HD_KEEP_ERRNO;
  if (!reason_to_stay(store) && (!unlink(store->live_path) || errno == ENOENT))
    store->is_discarded = true;
}
