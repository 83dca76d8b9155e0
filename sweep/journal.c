/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sweep/journal.h"

#include <string.h>

/* The first has room for a fold of the timeline in a step that is about to end. */
enum { FIRST_BYTES = 80 << 10, BYTES_MOST = 1280 << 10 };

static struct hd_journal_record *make(const struct hd_journal *journal, uint64_t bytes, uint64_t *limit) {
  const size_t content = bytes - HD_BLOCK_HEADER_BYTES;
  *limit = (content - sizeof(struct hd_journal_record)) / sizeof(struct hd_journal_entry);
  return hd_journal_add_record(journal, HD_BLOCK_JOURNAL, content);
}

bool hd_journal_begin(struct hd_journal *journal, const void *base) {
  journal->base = base;
  journal->record = make(journal, FIRST_BYTES, &journal->limit);
  return journal->record;
}

/* For a moment both are valid: to undo twice is as good as once. */
bool hd_journal_grow(struct hd_journal *journal, uint64_t needed) {
  struct hd_journal_record *old = journal->record;
  uint64_t limit = 0;
  uint64_t bytes = FIRST_BYTES;
  while (bytes < (needed + 8) * sizeof(struct hd_journal_entry))
    bytes *= 2;
  struct hd_journal_record *record = old && bytes <= BYTES_MOST ? make(journal, bytes, &limit) : NULL;
  if (!record)
    return false;
  memcpy(record->entries, old->entries, old->count * sizeof *record->entries);
  __atomic_store_n(&record->count, old->count, __ATOMIC_RELEASE);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  __atomic_store_n(&old->count, 0, __ATOMIC_RELEASE);
  journal->record = record;
  journal->limit = limit;
  return true;
}
