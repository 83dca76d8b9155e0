/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file store.h
 * The writer's side of the profile file (layout: heddle-format.h), inside the program.
 *
 * The file is mapped once, at an address that never changes, with all the room that it may ever need: it has holes
 * where nothing is yet, and its header says how much is in it. A page gets its space before anyone touches it, so that
 * a full disk refuses an allocation and never causes a SIGBUS in the user's program. That needs no descriptor, and the
 * end needs only the saved file's: the program may do with its descriptors what it likes. Each record has one owner
 * thread, which writes it without locks.
 *
 * Thread-safety: the file grows without a lock; pointers stay valid for the process's life.
 */
#ifndef HEDDLE_STORE_STORE_H
#define HEDDLE_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "heddle-format.h"

struct hd_store {
  uint64_t wanted_bytes;  /* how large it may have to grow; 0: as usual */
  bool is_collected;      /* `heddle run` looks for what is left in the directory */
  const char *last_place; /* a directory for the file where the usual ones have no room; NULL: none */
  char *base;             /* the mapping; record pointer - base = file offset */
  struct hd_file_header *header;
  size_t limit_bytes; /* of the mapping and the file */
  uint64_t
      reserved_bytes;  /* of the file: there is space for them, and they count (support/inprocess/memory_budget.h) */
  uint64_t open_bytes; /* of the mapping: accessible */
  bool in_private_directory; /* the live file lies where `heddle run` collects it */
  char run_directory[1024];  /* that one; "": nobody collects */
  bool is_discarded;         /* not saved */
  dev_t root_device;         /* of the root directory at start */
  ino_t root_inode;
  char live_path[1024];
  char output_path[1024]; /* absolute; the final name before a free suffix is sought */
};

enum { HD_STORE_TEXT_MOST = 16384 };
#define HD_STORE_BYTES_MOST (UINT64_C(1) << 36) /* a file is never larger */

/** Where one owner's records of one type go: its newest block. Zero-initialised. */
struct hd_store_cursor {
  struct hd_block_header *block;
  uint32_t used;
  uint32_t limit;
};

/** Creates the live file in `directory` (the private one of `heddle run`, the user's choice, or NULL), else in /dev/shm
 * or the temporary directory or store->last_place, and maps it, with address space for store->wanted_bytes if there is
 * so much. `program` names it. On failure returns false with the reason in `why`. */
bool hd_store_create(struct hd_store *store, const char *directory, const char *program, char *why, size_t why_bytes);

/** The next record of `type` for `owner`, zeroed; NULL when the file cannot grow (the header's FULL flag is then set:
 * no space, or the memory limit). `cursor` belongs to the owner; for the process's own records the caller holds its own
 * lock. The record is visible to readers only after hd_store_publish. */
void *hd_store_add(struct hd_store *store, struct hd_store_cursor *cursor, enum hd_block_type type, uint32_t owner,
                   size_t record_bytes);

/** Makes room for the first `count` records of a type, or somewhat more: the file then has a block of it whether or not
 *  one is ever added. False: the file cannot grow. */
bool hd_store_reserve(struct hd_store *store, struct hd_store_cursor *cursor, enum hd_block_type type, uint32_t owner,
                      size_t record_bytes, uint32_t count);

/** Makes all records handed out through `cursor` so far visible to readers. */
void hd_store_publish(struct hd_store_cursor *cursor);

/** A block of its own for `bytes` bytes of content (a ring); NULL when the file cannot grow. */
void *hd_store_add_block(struct hd_store *store, enum hd_block_type type, uint32_t owner, size_t bytes);

/** Bytes of content that a block has room for. Another thread may store the span once more, and the same. */
static inline uint32_t hd_store_room_in(const struct hd_block_header *block) {
  return __atomic_load_n(&block->span, __ATOMIC_RELAXED) * HD_BLOCK_BYTES - HD_BLOCK_HEADER_BYTES;
}

/** Appends a text record, cut to HD_STORE_TEXT_MOST bytes. Process-owned: only before threads run, or under a lock. */
void hd_store_add_text(struct hd_store *store, struct hd_store_cursor *cursor, enum hd_text_kind kind, uint32_t id,
                       const char *text, size_t bytes);

/** File offset of a pointer into the mapping. */
static inline uint64_t hd_store_offset(const struct hd_store *store, const void *pointer) {
  return (uint64_t)((const char *)pointer - store->base);
}

/** Moves the live file to the output path (never over an existing file; `.1`, `.2`... is appended) and, in a private
 *  directory, leaves a link PID -> path. The mapping stays usable: late events still land in memory.
 *  When it cannot be moved, or the program has confined itself so that trying might harm it, the file stays where it
 * is: `heddle run` then saves it; without it, stderr says where it is. */
void hd_store_finish(struct hd_store *store);

/** Whether the program lets this library write files, as far as is known. */
bool hd_store_may_write(const struct hd_store *store);

/** Copies another file to `path`, or to a free name like it, which `final_path` gets. False: errno says why. */
bool hd_store_save_other(const struct hd_store *store, int file, const char *path, char *final_path,
                         size_t final_bytes);

/** In a private directory: leaves a link job.PID -> path, of a job's file that has what this profile has. */
void hd_store_link_job(const struct hd_store *store, const char *path);

/** The profile is not needed: removes the live file, and nothing is saved at the end. Not where hd_store_finish would
 *  leave the file alone. */
void hd_store_discard(struct hd_store *store);

#endif
