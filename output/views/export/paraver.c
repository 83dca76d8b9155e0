/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file paraver.c
 * Paraver's trace format: a profile's trace as three texts, NAME.prv with its records, NAME.pcf with what their numbers
 * stand for, and NAME.row with the threads' names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/views/export/export.h"
#include "output/views/export/paraver_records.h"
#include "support/command/memory.h"
#include "support/command/output_stream.h"

enum { RECORDS, LABELS, ROWS, FILES };

/* So that none is made where one of the others cannot be. */
static bool are_free(char *const paths[FILES]) {
  for (int i = 0; i < FILES; i++)
    if (access(paths[i], F_OK) == 0) {
      fprintf(stderr, "heddle: %s: %s\n", paths[i], HD_STREAM_TAKEN);
      return false;
    }
  return true;
}

static bool write_file(struct hd_paraver *paraver, const char *path, bool force,
                       bool (*write)(struct hd_paraver *paraver, FILE *out)) {
  FILE *out = hd_stream_create(path, force);
  if (!out)
    return false;
  const bool is_whole = write(paraver, out);
  return hd_stream_finish(out, path) && is_whole;
}

static bool write_all(const struct hd_model *model, char *const paths[FILES], bool force) {
  struct hd_paraver paraver;
  if ((!force && !are_free(paths)) || !hd_paraver_start(&paraver, model))
    return false;
  const bool done = write_file(&paraver, paths[LABELS], force, hd_paraver_write_labels) &&
                    write_file(&paraver, paths[ROWS], force, hd_paraver_write_rows) &&
                    write_file(&paraver, paths[RECORDS], force, hd_paraver_write_records);
  hd_paraver_finish(&paraver);
  return done;
}

static bool write_paraver(const struct hd_model *model, const char *path, bool force) {
  static const char end[] = ".prv";
  const size_t length = strlen(path), stem = length - strlen(end);
  if (length <= strlen(end) || strcmp(path + stem, end) != 0 || path[stem - 1] == '/') {
    fprintf(stderr, "heddle: %s: -f paraver needs -o NAME.prv: it writes NAME.pcf and NAME.row, too\n", path);
    return false;
  }
  char *paths[FILES] = {
      [RECORDS] = hd_print("%s", path),
      [LABELS] = hd_print("%.*s.pcf", (int)stem, path),
      [ROWS] = hd_print("%.*s.row", (int)stem, path),
  };
  const bool done = write_all(model, paths, force);
  for (int i = 0; i < FILES; i++)
    free(paths[i]);
  return done;
}

const struct hd_exporter hd_export_paraver = {
    "paraver",
    "for Paraver: the trace ('heddle run --trace') as -o NAME.prv, with NAME.pcf and\n"
    "             NAME.row beside it",
    .write_files = write_paraver, .of_trace = true, .parts_of_trace = true};
