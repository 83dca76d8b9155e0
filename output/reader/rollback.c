/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file rollback.c
 * A program that was killed in the middle of a step of its sweep left numbers that are half changed: they are made what
 * they were before the step, of which the journal has kept a note.
 */
#include <string.h>

#include "output/model/lazy_rows.h"
#include "output/model/memory.h"
#include "output/reader/reader_internal.h"

/* NULL: the step that it tells of was ended, or it is damaged. */
static const struct hd_journal_record *unended(const struct hd_reader_block *block) {
  const struct hd_journal_record *journal = (const void *)((const char *)block->header + HD_BLOCK_HEADER_BYTES);
  if (block->header->type != HD_BLOCK_JOURNAL || block->header->count == 0)
    return NULL;
  const uint64_t room = (uint64_t)block->header->span * HD_BLOCK_BYTES - HD_BLOCK_HEADER_BYTES - sizeof *journal;
  return journal->count <= room / sizeof journal->entries[0] ? journal : NULL;
}

/* In a block, and not in its header. */
static bool is_content(const struct hd_reader *reader, uint64_t offset) {
  if (offset < HD_HEADER_BYTES || offset % sizeof(uint64_t) != 0)
    return false;
  const uint64_t unit = (offset - HD_HEADER_BYTES) / HD_BLOCK_BYTES;
  return unit < reader->unit_count && offset >= reader->source->blocks[reader->unit_block[unit]].content;
}

static void take_back(const struct hd_reader *reader, const struct hd_journal_record *journal, char *bytes) {
  for (uint64_t i = journal->count; i-- > 0;)
    if (is_content(reader, journal->entries[i].offset))
      memcpy(bytes + journal->entries[i].offset, &journal->entries[i].before, sizeof(uint64_t));
}

void hd_reader_take_back(struct hd_reader *reader) {
  struct hd_row_source *source = reader->source;
  char *bytes = NULL; /* a copy: the file's are not ours to change */
  for (uint32_t i = 0; i < source->block_count; i++) {
    const struct hd_journal_record *journal = unended(&source->blocks[i]);
    if (!journal || journal->count == 0)
      continue;
    if (!bytes)
      bytes = hd_model_copy(reader->model, reader->bytes, reader->size);
    take_back(reader, journal, bytes);
  }
  for (uint32_t i = 0; bytes && i < source->block_count; i++)
    source->blocks[i].header = (const void *)(bytes + source->blocks[i].content - HD_BLOCK_HEADER_BYTES);
  if (bytes)
    reader->bytes = source->bytes = bytes;
}
