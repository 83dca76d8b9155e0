/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Begin and end: what has been added up becomes records. */
#include "sweep/locks/locks_internal.h"

void hd_locks_begin(struct hd_lock_book *book, struct hd_file_header *header) {
  *book = (struct hd_lock_book){.is_kept = true, .header = header};
  header->lock_flags = HD_LOCKS_ASKED;
}

static bool write_sums(const struct hd_lock_book *book, hd_lock_adder *add, void *context) {
  for (uint32_t i = 0; i < book->sum_limit; i++) {
    const struct hd_lock_record *sum = &book->sums[i];
    if (sum->waits == 0 && sum->holds == 0)
      continue;
    struct hd_lock_record *record = add(context, HD_BLOCK_LOCKS);
    if (!record)
      return false;
    *record = *sum;
    record->profile = i;
  }
  return true;
}

/* Empties the table. */
static bool write_pairs(struct hd_lock_book *book, hd_lock_adder *add, void *context) {
  for (struct hd_lock_pair *pair; (pair = hd_path_any(&book->pairs));) {
    struct hd_lock_pair_record *record = add(context, HD_BLOCK_LOCK_PAIRS);
    if (!record)
      return false;
    *record = (struct hd_lock_pair_record){.profile = (uint32_t)(pair->item.key >> 32),
                                           .holder = (uint32_t)pair->item.key,
                                           .ticks = pair->ticks,
                                           .count = pair->count};
    hd_path_take_out(&book->pairs, &pair->item);
    hd_heap_free(pair);
  }
  return true;
}

/* Threads that are waiting do so until the end. */
static void end_locks(struct hd_lock_book *book, uint64_t now) {
  for (struct hd_lock *lock; (lock = hd_path_any(&book->locks));) {
    if (now > 0)
      hd_lock_divide(book, lock, now);
    if (now > 0 && lock->state == HD_LOCK_HELD)
      hd_lock_end_hold(book, lock, now);
    for (struct hd_lock_waiters *waiters; (waiters = lock->waiters);) {
      lock->waiters = waiters->next;
      hd_heap_free(waiters);
    }
    hd_path_take_out(&book->locks, &lock->item);
    hd_heap_free(lock);
  }
}

void hd_locks_close(struct hd_lock_book *book, uint64_t now, hd_lock_adder *add, void *context) {
  if (!book->is_kept)
    return;
  end_locks(book, now);
  if (write_sums(book, add, context) && write_pairs(book, add, context))
    book->header->lock_flags |= HD_LOCKS_KNOWN;
  hd_locks_free(book);
}

void hd_locks_free(struct hd_lock_book *book) {
  end_locks(book, 0);
  for (struct hd_lock_pair *pair; (pair = hd_path_any(&book->pairs));) {
    hd_path_take_out(&book->pairs, &pair->item);
    hd_heap_free(pair);
  }
  hd_path_free_index(&book->locks);
  hd_path_free_index(&book->pairs);
  hd_heap_free(book->rings);
  hd_heap_free(book->sums);
  *book = (struct hd_lock_book){.header = book->header};
}
