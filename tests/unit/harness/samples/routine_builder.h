/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file routine_builder.h
 * Profiles with routines, for tests of the views: one thread, one tick is one nanosecond.
 */
#ifndef HEDDLE_ROUTINE_BUILDER_H
#define HEDDLE_ROUTINE_BUILDER_H

#include "profile_builder.h"

#include <stdio.h>

#include "output/views/report/report.h"

/* A run of 1000 ticks with the program alone, which has no row yet. */
static inline void routines_start(struct builder *builder) {
  builder_init(builder);
  builder->header->flags |= HD_FILE_ROUTINES;
  builder->header->unwind_depth = 64;
  builder_profile(builder, 0, HD_KIND_PROGRAM);
  builder_thread(builder, HD_THREAD_INITIAL, 1000, 2000);
  builder_levels(builder);
}

/* A node with its numbers on thread 0. Its place is `name` in app.c; the same name is the same address. */
static inline uint32_t routines_node(struct builder *builder, uint32_t parent, enum hd_kind kind, const char *name,
                                     uint64_t visits, uint64_t busy) {
  struct hd_profile_record *record = builder_profile(builder, parent, kind);
  uint64_t address = 0x1000;
  for (const char *at = name; *at; at++)
    address = address * 31 + (unsigned char)*at;
  record->address = record->offset = address;
  record->flags = kind == HD_KIND_ROUTINE ? HD_PROFILE_CALLED : 0;
  struct hd_row_record *row = builder_row(builder, record->id, 0);
  row->visits = visits;
  builder_cell(row, HD_BUSY)->ticks = busy;
  builder_name(builder, record->id, kind == HD_KIND_ROUTINE ? name : "main", "/src/app.c", "0");
  return record->id;
}

static inline uint32_t routines_call(struct builder *builder, uint32_t parent, const char *name, uint64_t visits,
                                     uint64_t busy) {
  return routines_node(builder, parent, HD_KIND_ROUTINE, name, visits, busy);
}

/* The recursive calls of `name`, whose profile is `target`. */
static inline uint32_t routines_back(struct builder *builder, uint32_t parent, const char *name, uint64_t visits,
                                     uint32_t target) {
  const uint32_t id = routines_call(builder, parent, name, visits, 0);
  struct hd_profile_record *records = (void *)((char *)builder->newest[HD_BLOCK_PROFILES] + HD_BLOCK_HEADER_BYTES);
  records[id].flags |= HD_PROFILE_BACK; /* few enough for one block */
  records[id].target = target;
  return id;
}

/* Like a caller that is known from the stack only: no row, no flag. */
static inline uint32_t routines_unwound(struct builder *builder, uint32_t parent, const char *name) {
  const uint32_t id = routines_call(builder, parent, name, 0, 0);
  struct hd_profile_record *records = (void *)((char *)builder->newest[HD_BLOCK_PROFILES] + HD_BLOCK_HEADER_BYTES);
  records[id].flags = 0;
  return id;
}

static inline struct hd_entry_record *routines_entries(struct builder *builder, uint32_t profile) {
  struct hd_entry_record *record = builder_record(builder, HD_BLOCK_ENTRIES, sizeof *record);
  record->profile = profile;
  return record;
}

/* The report, as it must end. The caller frees. */
static inline char *routines_report(struct hd_model *model, const struct hd_report_options *options,
                                    enum hd_report_end expected) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  assert_non_null(out);
  enum hd_report_end end = hd_report_narrow(model, options, out);
  if (end == HD_REPORT_MADE)
    end = hd_report_print(model, options, out, out);
  fclose(out);
  assert_int_equal(end, expected);
  return text;
}

/* A line with these words in this order, spaces aside. */
static inline void routines_expect(const char *text, const char *words) {
  char line[1024], wanted[256];
  for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
    size_t length = 0;
    for (const char *from = at; *from && *from != '\n' && length + 2 < sizeof line; from++)
      if (*from != ' ' || (length > 0 && line[length - 1] != ' '))
        line[length++] = *from;
    line[length] = '\0';
    snprintf(wanted, sizeof wanted, "%s", words);
    if (strstr(line, wanted))
      return;
  }
  fail_msg("no line with \"%s\" in:\n%s", words, text);
}

#endif
