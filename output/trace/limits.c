/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/trace/limits.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "output/model/duration.h"
#include "output/model/format_names.h"
#include "output/trace/entry.h"
#include "output/trace/size.h"
#include "output/trace/stretches.h"
#include "support/command/memory.h"

enum { STRETCHES_NAMED = 4 };

struct telling {
  hd_trace_limit_teller *tell;
  void *context;
  unsigned count;
};

/* Frees the text. */
static void tell(struct telling *telling, char *text) {
  if (telling->tell)
    telling->tell(telling->context, text);
  telling->count++;
  free(text);
}

static const char *duration_at(const struct hd_model *model, uint64_t ticks, struct hd_cell *cell) {
  *cell = hd_duration(hd_trace_seconds(model, ticks));
  return cell->text;
}

static void tell_begin(struct telling *telling, const struct hd_model *model, const struct hd_trace_size *size) {
  struct hd_cell at;
  tell(telling, hd_print("begins at %s, not with the run: it keeps the last %.1f MB, what came before has been written "
                         "over ('heddle run --trace-last SIZE' keeps more)",
                         duration_at(model, size->from_ticks, &at), (double)size->limit_bytes / 0x1p20));
}

static void tell_end(struct telling *telling, const struct hd_model *model, const struct hd_trace_size *size) {
  struct hd_cell at;
  duration_at(model, size->full_ticks, &at);
  tell(telling, size->lacked_room
                    ? hd_print("ends at %s, not with the run: the folder of live profiles was full then "
                               "('HEDDLE_STORE_DIR' names another one)",
                               at.text)
                    : hd_print("ends at %s, not with the run: it had its %.1f MB then ('heddle run --trace=SIZE' takes "
                               "more)",
                               at.text, (double)size->limit_bytes / 0x1p20));
}

/* Whoever asks for the part from one of these to the other has it all. */
static double down(double seconds) {
  return floor(1e6 * seconds) / 1e6;
}

static double up(double seconds) {
  return ceil(1e6 * seconds) / 1e6;
}

char *hd_trace_stretches_text(const struct hd_model *model) {
  struct hd_trace_stretches stretches = hd_trace_stretches_find(model);
  char *text = hd_print("%s", "");
  for (uint32_t i = 0; i < stretches.count && i < STRETCHES_NAMED; i++) {
    char *longer = hd_print("%s%s%.6f s to %.6f s", text, i > 0 ? ", " : "",
                            down(hd_trace_seconds(model, stretches.items[i].from_ticks)),
                            up(hd_trace_seconds(model, stretches.items[i].to_ticks)));
    free(text);
    text = longer;
  }
  if (stretches.count > STRETCHES_NAMED) {
    char *longer = hd_print("%s, ...", text);
    free(text);
    text = longer;
  }
  hd_trace_stretches_free(&stretches);
  return text;
}

static void tell_stretches(struct telling *telling, const struct hd_model *model, const struct hd_trace_size *size) {
  struct hd_cell whole;
  char *stretches = hd_trace_stretches_text(model);
  tell(telling, hd_print("has %" PRIu32 " stretch%s, %s of %s, in which the condition of --trace-when held%s%s",
                         size->stretch_count, size->stretch_count == 1 ? "" : "es",
                         hd_duration(hd_model_seconds(model, size->stretch_ticks)).text,
                         duration_at(model, model->end_ticks, &whole), *stretches ? ": " : "", stretches));
  free(stretches);
}

unsigned hd_trace_limits(const struct hd_model *model, hd_trace_limit_teller *teller, void *context) {
  struct telling telling = {teller, context, 0};
  struct hd_trace_size size;
  if (!hd_trace_size(model, &size))
    return 0;
  if (size.from_ticks > 0)
    tell_begin(&telling, model, &size);
  if (size.full_ticks > 0)
    tell_end(&telling, model, &size);
  if (size.has_condition)
    tell_stretches(&telling, model, &size);
  return telling.count;
}

static void tell_on_stderr(void *context, const char *text) {
  const struct hd_model *model = context;
  fprintf(stderr, "heddle: %s: the trace %s\n", model->path, text);
}

void hd_trace_tell_limits(const struct hd_model *model) {
  hd_trace_limits(model, tell_on_stderr, (void *)(uintptr_t)model);
}
