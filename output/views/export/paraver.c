/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file paraver.c
 * Paraver's trace format: a profile's trace as three texts, NAME.prv with its records, NAME.pcf with what their numbers
 * stand for, and NAME.row with the threads' names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/views/export/export.h"
#include "output/views/export/paraver_records.h"
#include "support/command/memory.h"
#include "support/command/output_stream.h"

#define PRV ".prv"

static bool write_records(struct hd_paraver *paraver, const char *path, bool force) {
  FILE *out = hd_stream_create(path, force);
  if (!out)
    return false;
  const bool is_whole = hd_paraver_write_records(paraver, out);
  return hd_stream_finish(out, path) && is_whole;
}

static bool write_names(const struct hd_model *model, const char *path, bool force,
                        void (*write)(const struct hd_model *model, FILE *out)) {
  FILE *out = hd_stream_create(path, force);
  if (!out)
    return false;
  write(model, out);
  return hd_stream_finish(out, path);
}

static bool write_all(const struct hd_model *model, const char *path, size_t stem, bool force) {
  char *labels = hd_print("%.*s.pcf", (int)stem, path), *rows = hd_print("%.*s.row", (int)stem, path);
  struct hd_paraver paraver;
  bool done = hd_paraver_start(&paraver, model);
  if (done) {
    done = write_names(model, labels, force, hd_paraver_write_labels) &&
           write_names(model, rows, force, hd_paraver_write_rows) && write_records(&paraver, path, force);
    hd_paraver_finish(&paraver);
  }
  free(labels);
  free(rows);
  return done;
}

static bool write_paraver(const struct hd_model *model, const char *path, bool force) {
  const size_t length = strlen(path), end = strlen(PRV);
  if (length > end && strcmp(path + length - end, PRV) == 0 && path[length - end - 1] != '/')
    return write_all(model, path, length - end, force);
  fprintf(stderr, "heddle: %s: -f paraver needs -o NAME.prv: it writes NAME.pcf and NAME.row, too\n", path);
  return false;
}

const struct hd_exporter hd_export_paraver = {
    "paraver",
    "for Paraver: the trace ('heddle run --trace') as -o NAME.prv, with NAME.pcf and\n"
    "             NAME.row beside it",
    .write_files = write_paraver, .of_trace = true};
