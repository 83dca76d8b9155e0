/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file profile_writer.h
 * A profile file made by the command: put together in memory, block by block, then written at once.
 *
 * Records are appended to the block begun last; one block holds all records of its type.
 */
#ifndef HEDDLE_OUTPUT_WRITER_PROFILE_WRITER_H
#define HEDDLE_OUTPUT_WRITER_PROFILE_WRITER_H

#include <stdbool.h>
#include <stddef.h>

#include "output/model/row.h"

/** All zero: nothing yet. */
struct hd_writer {
  char *bytes; /* the file; owned, hd_writer_free() */
  size_t size;
  size_t limit;
  size_t block; /* where the last block begins; 0: there is none */
};

/** Begins the file. What describes the format itself (magic, sizes of records ...) is filled in here. */
void hd_writer_begin(struct hd_writer *writer, const struct hd_file_header *header);

/** Begins the block that the next records go to. */
void hd_writer_begin_block(struct hd_writer *writer, enum hd_block_type type);

/** Appends a copy of a record. */
void hd_writer_add(struct hd_writer *writer, const void *record, size_t bytes);

/** Appends a row, in as many records as its cells need. */
void hd_writer_add_row(struct hd_writer *writer, const struct hd_row *row);

/** Appends a text; the block is one of type HD_BLOCK_TEXT. */
void hd_writer_add_text(struct hd_writer *writer, enum hd_text_kind kind, uint32_t id, const char *text, size_t bytes);

/** Appends a block as it is in another file: `bytes` of records, or of texts. */
void hd_writer_add_block(struct hd_writer *writer, const struct hd_block_header *block, const void *content,
                         size_t bytes);

/** Ends the file: `bytes` and `size` are a whole one. False: it is larger than the format allows. */
bool hd_writer_end(struct hd_writer *writer);

/**
 * Writes the file to `path`: under a name of its own first, so that what stands under `path` is whole at any time.
 * Its mode is 0600, as of every profile. An existing file is replaced only when `replace` says so. False: errno says
 * why (EEXIST: there is one), and nothing is left behind.
 */
bool hd_writer_save(const struct hd_writer *writer, const char *path, bool replace);

void hd_writer_free(struct hd_writer *writer);

#endif
