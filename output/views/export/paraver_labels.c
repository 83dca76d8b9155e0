/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the numbers in the records stand for (NAME.pcf), and the names of threads (NAME.row). */
#include <inttypes.h>

#include "output/analysis/losses/causes.h"
#include "output/model/format_names.h"
#include "output/model/node_text.h"
#include "output/views/export/paraver_records.h"
#include "support/command/sanitize.h"

/* ---- NAME.pcf ---- */

static const struct {
  enum hd_paraver_state state;
  const char *name, *colour;
} states[] = {
    {HD_PARAVER_IDLE, "Idle", "{117,195,255}"},
    {HD_PARAVER_RUNNING, "Running", "{0,0,255}"},
    {HD_PARAVER_NOT_CREATED, "Not created", "{255,255,255}"},
    {HD_PARAVER_WAITING, "Synchronization", "{255,0,0}"},
    {HD_PARAVER_RUNTIME, "Scheduling and Fork/Join", "{255,255,0}"},
};
enum { STATES = sizeof states / sizeof *states };

static void write_states(FILE *out) {
  fputs("DEFAULT_OPTIONS\n\nLEVEL               THREAD\nUNITS               NANOSEC\n\n\n"
        "DEFAULT_SEMANTIC\n\nTHREAD_FUNC         State As Is\n\n\nSTATES\n",
        out);
  for (unsigned i = 0; i < STATES; i++)
    fprintf(out, "%d    %s\n", (int)states[i].state, states[i].name);
  fputs("\n\nSTATES_COLOR\n", out);
  for (unsigned i = 0; i < STATES; i++)
    fprintf(out, "%d    %s\n", (int)states[i].state, states[i].colour);
}

static void begin_type(enum hd_paraver_event type, const char *name, FILE *out) {
  fprintf(out, "\n\nEVENT_TYPE\n0    %d    %s\n", (int)type, name);
}

/* `regions`: these only. */
static void write_places(const struct hd_model *model, bool regions, FILE *out) {
  char place[HD_PLACE_BYTES];
  fprintf(out, "VALUES\n0    %s\n", regions ? "no region" : "program");
  for (uint32_t i = 1; i < model->node_count; i++) {
    if (regions && !hd_kind_is_region(model->nodes[i].kind))
      continue;
    hd_node_text(place, model, &model->nodes[i], NULL);
    fprintf(out, "%" PRIu32 "    ", i);
    hd_sanitize_write(place, out);
    fputc('\n', out);
  }
}

static void write_causes(FILE *out) {
  char text[HD_STATE_TEXT_BYTES];
  fputs("VALUES\n0    neither waits nor in the runtime\n", out);
  for (int state = HD_WAIT_FIRST; state <= HD_RUNTIME_LAST; state++) {
    hd_state_text(text, (enum hd_state)state);
    fprintf(out, "%d    %s\n", state, text);
  }
}

static void write_functions(const struct hd_paraver_functions *functions, FILE *out) {
  fputs("VALUES\n0    not known\n", out);
  for (uint32_t i = 0; i < functions->count; i++)
    fprintf(out, "%" PRIu32 "    %s\n", i + 1, functions->names[i]);
}

bool hd_paraver_write_labels(struct hd_paraver *paraver, FILE *out) {
  const struct hd_model *model = paraver->model;
  write_states(out);
  begin_type(HD_PARAVER_CALLPATH, "Callpath", out);
  write_places(model, false, out);
  begin_type(HD_PARAVER_REGION, "Parallel region", out);
  write_places(model, true, out);
  begin_type(HD_PARAVER_CAUSE, "Wait or work of the runtime", out);
  write_causes(out);
  begin_type(HD_PARAVER_TASK, "Task that runs (0: none)", out);
  begin_type(HD_PARAVER_CREATED, "Task created", out);
  begin_type(HD_PARAVER_ACQUIRED, "Lock acquired", out);
  begin_type(HD_PARAVER_RELEASED, "Lock released", out);
  begin_type(HD_PARAVER_FUNCTION, "Sampled function", out);
  write_functions(&paraver->functions, out);
  return true;
}

/* ---- NAME.row ---- */

bool hd_paraver_write_rows(struct hd_paraver *paraver, FILE *out) {
  const struct hd_model *model = paraver->model;
  fprintf(out, "LEVEL THREAD SIZE %" PRIu32 "\n", model->thread_count);
  for (uint32_t i = 0; i < model->thread_count; i++)
    fprintf(out, "thread %" PRIu32 " (%s)\n", i, hd_thread_kind_id(model->threads[i].kind));
  return true;
}
