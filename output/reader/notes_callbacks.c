/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file notes_callbacks.c
 * Which events the runtime does not always send, as it said when they were registered, and what is lost by it.
 */
#include "output/model/memory.h"
#include "output/reader/reader_internal.h"

/* By enum hd_callback. */
static const struct {
  const char *name; /* OMPT's */
  const char *loss;
} callbacks[HD_CALLBACK_COUNT] = {
    [HD_CALLBACK_THREAD_BEGIN] = {"thread_begin", "threads are known from their first event on"},
    [HD_CALLBACK_THREAD_END] = {"thread_end", "threads end with their last event"},
    [HD_CALLBACK_PARALLEL_BEGIN] = {"parallel_begin", "parallel regions are missing"},
    [HD_CALLBACK_PARALLEL_END] = {"parallel_end", "parallel regions do not end"},
    [HD_CALLBACK_IMPLICIT_TASK] = {"implicit_task", "what workers do in regions is missing"},
    [HD_CALLBACK_WORK] = {"work", "loops, sections and single are missing: their time is their regions'"},
    [HD_CALLBACK_SYNC_REGION_WAIT] = {"sync_region_wait", "waiting at barriers and for tasks counts as busy"},
    [HD_CALLBACK_MUTEX_ACQUIRE] = {"mutex_acquire", "waiting for criticals and locks counts as busy"},
    [HD_CALLBACK_MUTEX_ACQUIRED] = {"mutex_acquired", "what a critical or lock guards counts as waiting for it"},
    [HD_CALLBACK_MUTEX_RELEASED] = {"mutex_released", "criticals and locks do not end where they should"},
    [HD_CALLBACK_TASK_CREATE] = {"task_create", "tasks have no place in the source"},
    [HD_CALLBACK_TASK_SCHEDULE] = {"task_schedule", "tasks count as what the thread did before: often as waiting"},
    [HD_CALLBACK_CONTROL_TOOL] = {"control_tool", "omp_control_tool has no effect"},
    [HD_CALLBACK_MASKED] = {"masked", "blocks of masked and master are missing: their time is their regions'"},
};

static const char *name_of_answer(uint32_t registered) {
  static const char *const names[] = {"nothing",           "error", "never", "impossible", "sometimes",
                                      "sometimes, paired", "always"};
  return registered < sizeof names / sizeof *names ? names[registered] : "a new answer";
}

bool hd_reader_note_callbacks(struct hd_model *model) {
  const struct hd_file_header *header = &model->header;
  bool done = true;
  for (uint32_t i = 0; i < HD_CALLBACK_COUNT && done; i++)
    if (header->lost_callbacks >> i & 1)
      done =
          hd_model_add_note(model, "the runtime does not always tell of %s (it says: %s): %s", callbacks[i].name,
                            name_of_answer(hd_registered(header->registered, (enum hd_callback)i)), callbacks[i].loss);
  return done;
}
