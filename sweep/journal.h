/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file journal.h
 * Makes a step of the sweep whole: what it is about to change in the profile file is written down first, so that the
 * reader can take back a step in the middle of which the program was killed (hd_journal_record).
 *
 * A kill takes effect between two instructions, and what was stored before stays: the compiler's order is all that is
 * needed. Not thread-safe: the caller has the sweep's lock. Cost: two stores a word.
 */
#ifndef HEDDLE_SWEEP_JOURNAL_H
#define HEDDLE_SWEEP_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "heddle-format.h"

/** A zeroed record that goes to the file; NULL: no space. */
typedef void *hd_record_allocator(void *context, enum hd_block_type type, size_t bytes);

struct hd_journal {
  struct hd_journal_record *record; /* NULL: steps need not be whole (the reader's) */
  uint64_t limit;                   /* entries in it */
  uint32_t step;                    /* number of the present one, from 1 on */
  const char *base;                 /* of the file */
  hd_record_allocator *allocate;    /* for a longer one */
  void *context;
};

/** From now on steps are whole. False: no space. */
bool hd_journal_begin(struct hd_journal *journal, const void *base, hd_record_allocator *allocate, void *context);

/** A longer one, for at least so many entries. False: there is none. */
bool hd_journal_grow(struct hd_journal *journal, uint64_t needed);

/** Likewise when it is full: without a longer one this step will not be whole. */
void hd_journal_overflow(struct hd_journal *journal, uint64_t needed);

/** Writes down what so many words hold: called before they are changed. They lie in the file. */
static inline void hd_journal_keep(struct hd_journal *journal, const void *from, size_t words) {
  if (!journal->record)
    return;
  if (__builtin_expect(journal->record->count + words > journal->limit, false))
    hd_journal_overflow(journal, journal->record->count + words);
  const uint64_t count = journal->record->count;
  if (count + words > journal->limit)
    return;
  struct hd_journal_entry *entry = &journal->record->entries[count];
  const char *word = from;
  for (size_t i = 0; i < words; i++, word += sizeof entry->before) {
    entry[i].offset = (uint64_t)(word - journal->base);
    memcpy(&entry[i].before, word, sizeof entry->before);
  }
  __atomic_store_n(&journal->record->count, count + words, __ATOMIC_RELEASE);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/** Likewise a whole record, once in a step: `kept_in` is its own, and says in which it was kept last. */
static inline void hd_journal_keep_once(struct hd_journal *journal, uint32_t *kept_in, const void *from, size_t words) {
  if (*kept_in == journal->step)
    return;
  hd_journal_keep(journal, from, words);
  *kept_in = journal->step;
}

/** Whether there may soon be no room. */
static inline bool hd_journal_is_filling(const struct hd_journal *journal) {
  return journal->record && journal->record->count > journal->limit / 3;
}

/** What was changed so far stays: the next step begins. */
static inline void hd_journal_end_step(struct hd_journal *journal) {
  if (journal->record)
    __atomic_store_n(&journal->record->count, 0, __ATOMIC_RELEASE);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  journal->step++;
}

#endif
