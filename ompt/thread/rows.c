/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/thread/rows.h"

#include "callpath/callpath.h"
#include "ompt/shared/measuring.h"
#include "store/numbered.h"
#include "support/inprocess/keep_errno.h"
#include "support/inprocess/memory_budget.h"

/* Threads take rows from common blocks, so many at a time: a thread in few callpaths has few rows, and what it writes
 * to lies together. */
enum { TAKEN_AT_ONCE = 9, ROWS_OF_BLOCK = (HD_BLOCK_BYTES - HD_BLOCK_HEADER_BYTES) / sizeof(struct hd_row_record) };
_Static_assert(ROWS_OF_BLOCK % TAKEN_AT_ONCE == 0, "blocks are used up");

static struct hd_numbered all = {.type = HD_BLOCK_ROWS, .record_bytes = TAKEN_AT_ONCE * sizeof(struct hd_row_record)};
static uint32_t taken; /* of `all` */

/* ---- places for rows ---- */

/* Readers may see all of a block at once: rows that are not used are all zero. */
static void show(const struct hd_row_record *rows) {
  struct hd_block_header *block = (void *)((uintptr_t)rows & ~(uintptr_t)(HD_BLOCK_BYTES - 1));
  if (__atomic_load_n(&block->count, __ATOMIC_RELAXED) == 0)
    __atomic_store_n(&block->count, ROWS_OF_BLOCK, __ATOMIC_RELEASE);
}

static bool take_rows(struct hd_thread *thread) {
  uint32_t number = __atomic_load_n(&taken, __ATOMIC_ACQUIRE);
  do
    if (!hd_numbered_record(&all, &hd_store, number))
      return false;
  while (!__atomic_compare_exchange_n(&taken, &number, number + 1, true, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
  thread->free_rows = hd_numbered_record(&all, &hd_store, number);
  thread->free_row_count = TAKEN_AT_ONCE;
  show(thread->free_rows);
  return true;
}

/* `part`: 0, or the number of the record with more of its cells. */
static struct hd_row_record *add(struct hd_thread *thread, uint32_t profile, uint32_t part) {
  if (thread->record->id >= HD_ROW_THREADS_MOST || !hd_row_index_make_room(&thread->index) ||
      (thread->free_row_count == 0 && !take_rows(thread)))
    return NULL;
  struct hd_row_record *row = thread->free_rows++;
  thread->free_row_count--;
  row->profile = profile;
  row->thread = thread->record->id & (HD_ROW_THREADS_MOST - 1);
  hd_row_index_add(&thread->index, HD_INDEX_ROW(profile, part), row);
  return row;
}

/* ---- rows of profiles ---- */

static struct hd_row_record *new_row(struct hd_thread *thread, uint32_t profile) {
  const uint32_t depth = hd_callpath_record(profile)->depth;
  const enum hd_memory_use use = depth > 2 ? HD_MEMORY_PATH_ROW : depth == 2 ? HD_MEMORY_SHORT_PATH : HD_MEMORY_SITE;
  const size_t bytes = sizeof(struct hd_row_record) + hd_row_index_growth_bytes(&thread->index);
  const bool may_add = thread->index.count == 0 || hd_memory_has_room(use, bytes);
  struct hd_row_record *row = may_add ? add(thread, profile, 0) : NULL;
  if (!row)
    return NULL;
  hd_memory_promise(HD_MEMORY_ENTRY, hd_measuring.has_routines);
  hd_memory_promise(HD_MEMORY_COUNTS, thread->counters != NULL);
  return row;
}

/* For a shorter path that stands for this one, too. */
static struct hd_row_record *shorter_row(struct hd_thread *thread, uint32_t profile) {
  struct hd_row_record *row = NULL;
  uint32_t shorter = profile;
  while (!row && (shorter = hd_callpath_shorter(shorter)) != HD_NONE) {
    row = hd_row_index_find(&thread->index, HD_INDEX_ROW(shorter, 0));
    if (!row)
      row = new_row(thread, shorter);
  }
  const size_t bytes = hd_row_index_growth_bytes(&thread->index);
  if (row && (bytes == 0 || hd_memory_has_room(HD_MEMORY_PATH_ROW, bytes)) && hd_row_index_make_room(&thread->index))
    hd_row_index_add(&thread->index, HD_INDEX_ROW(profile, 0), row);
  return row;
}

static struct hd_row_record *add_row(struct hd_thread *thread, uint32_t profile) {
  hd_thread_leave_program(thread);
  HD_KEEP_ERRNO;
  struct hd_row_record *row = new_row(thread, profile);
  if (!row)
    row = shorter_row(thread, profile);
  if (!row && !(hd_callpath_flags(hd_callpath_record(profile)) &
                HD_PROFILE_BACK)) /* what is entered there has its time elsewhere */
    __atomic_fetch_add(&hd_store.header->folded_paths, 1, __ATOMIC_RELAXED);
  return row;
}

struct hd_row_record *hd_thread_row(struct hd_thread *thread, uint32_t profile) {
  struct hd_row_record *row = hd_row_index_find(&thread->index, HD_INDEX_ROW(profile, 0));
  return __builtin_expect(row != NULL, true) ? row : add_row(thread, profile);
}

/* ---- cells ---- */

static struct hd_row_record *add_part(struct hd_thread *thread, uint32_t profile, uint32_t part) {
  hd_thread_leave_program(thread);
  HD_KEEP_ERRNO;
  return add(thread, profile, part);
}

/* NULL: no room. */
static struct hd_row_cell *find_cell(struct hd_thread *thread, struct hd_row_record *row, uint32_t kind) {
  struct hd_row_cell *cell = hd_row_claim(row, kind);
  for (uint32_t part = 1; !cell; part++) {
    struct hd_row_record *more = hd_row_index_find(&thread->index, HD_INDEX_ROW(row->profile, part));
    if (!more)
      more = add_part(thread, row->profile, part);
    if (!more)
      return NULL;
    cell = hd_row_claim(more, kind);
  }
  return cell;
}

struct hd_row_cell *hd_thread_known_cell(struct hd_thread *thread, const struct hd_row_record *row, uint32_t kind) {
  struct hd_row_record *in = hd_row_index_find(&thread->index, HD_INDEX_ROW(row->profile, 0));
  for (uint32_t part = 1; in; part++) {
    const uint32_t cell = hd_row_find(in, kind);
    if (cell < HD_ROW_CELLS)
      return &in->cells[cell];
    in = hd_row_index_find(&thread->index, HD_INDEX_ROW(row->profile, part));
  }
  return NULL;
}

struct hd_row_cell *hd_thread_cell_slow(struct hd_thread *thread, struct hd_row_record *row, uint32_t kind) {
  struct hd_row_cell *cell = find_cell(thread, row, kind);
  if (!cell && kind > HD_CELL_TEAM)
    return &thread->uncounted;
  if (!cell) /* the program gets the time; or what was idle time remains a wait */
    __atomic_fetch_add(&hd_store.header->folded_paths, 1, __ATOMIC_RELAXED);
  return cell ? cell : hd_thread_cell(thread, hd_thread_row(thread, HD_PROGRAM_PROFILE), kind);
}

/* A worker is idle most of the time that it spends here. */
bool hd_thread_make_first_row(struct hd_thread *thread) {
  struct hd_row_record *row = hd_thread_row(thread, HD_PROGRAM_PROFILE);
  bool made = row && find_cell(thread, row, HD_IDLE);
  for (uint32_t kind = HD_BUSY + 1; made && kind <= HD_CELL_TEAM; kind++)
    made = find_cell(thread, row, kind);
  return made;
}
