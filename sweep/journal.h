/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file journal.h
 * The sweep's way into the profile file: new records, and steps that are whole. Before a step changes something it
 * writes down what was there, so that the reader can undo a step if a kill hit the program in the middle of it
 * (hd_journal_record).
 *
 * A kill takes effect between two instructions, and what was stored before stays: so it is enough that the compiler
 * keeps the order. Not thread-safe: the caller has the sweep's lock. Cost: two stores a word.
 */
#ifndef HEDDLE_SWEEP_JOURNAL_H
#define HEDDLE_SWEEP_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "heddle-format.h"

/** Makes a zeroed record in the file; NULL: no space. */
typedef void *hd_record_allocator(void *context, enum hd_block_type type, size_t bytes);

struct hd_journal {
  hd_record_allocator *allocate; /* for all records of the sweep */
  void *context;
  uint32_t step;                    /* number of the present one, from 1 on */
  struct hd_journal_record *record; /* NULL: steps need not be whole (the reader's) */
  uint64_t limit;                   /* entries in it */
  const char *base;                 /* of the file */
};

/** A record that goes to the file, zeroed; NULL: no space. */
static inline void *hd_journal_add_record(const struct hd_journal *journal, enum hd_block_type type, size_t bytes) {
  return journal->allocate(journal->context, type, bytes);
}

/** Makes steps whole from now on; `base` is where the file is mapped. False: no space. */
bool hd_journal_begin(struct hd_journal *journal, const void *base);

/** Makes the journal longer, for at least so many entries. False: no space. */
bool hd_journal_grow(struct hd_journal *journal, uint64_t needed);

/** Writes down what so many words of the file hold; the caller changes them afterwards. If the journal is full and
 *  cannot grow, this step will not be whole. */
static inline void hd_journal_keep(struct hd_journal *journal, const void *from, size_t words) {
  if (!journal->record)
    return;
  if (__builtin_expect(journal->record->count + words > journal->limit, false) &&
      !hd_journal_grow(journal, journal->record->count + words))
    __atomic_store_n(&journal->record->count, 0, __ATOMIC_RELEASE);
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

/** The same for a record, once in a step: its `kept_in` is the step in which this last happened. */
static inline void hd_journal_keep_once(struct hd_journal *journal, uint32_t *kept_in, const void *from, size_t words) {
  if (*kept_in == journal->step)
    return;
  hd_journal_keep(journal, from, words);
  *kept_in = journal->step;
}

/** The same for what a ring's sweep says of its stack and its team. */
static inline void hd_journal_keep_ring(struct hd_journal *journal, struct hd_ring_sweep *ring) {
  enum {
    FIRST = offsetof(struct hd_ring_sweep, height),
    WORDS = (offsetof(struct hd_ring_sweep, thread) - FIRST) / sizeof(uint64_t)
  };
  hd_journal_keep_once(journal, &ring->kept_in, &ring->height, WORDS);
}

/** Ends the step: what it has changed stays. */
static inline void hd_journal_end_step(struct hd_journal *journal) {
  if (journal->record)
    __atomic_store_n(&journal->record->count, 0, __ATOMIC_RELEASE);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  journal->step++;
}

#endif
