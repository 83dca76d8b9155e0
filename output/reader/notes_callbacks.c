/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file notes_callbacks.c
 * Which events the runtime does not always send, as it said when they were registered, and what is lost by it.
 */
#include "output/model/memory.h"
#include "output/reader/reader_internal.h"

static const struct {
  const char *name; /* OMPT's */
  const char *loss;
} callbacks[HD_CALLBACK_COUNT] = {
#define ROW(name, ompt_name, type, class, loss) {#ompt_name, loss},
    HD_CALLBACK_TABLE(ROW)};

static const char *name_of_answer(uint32_t registered) {
  static const char *const names[] = {"nothing",           "error", "never", "impossible", "sometimes",
                                      "sometimes, paired", "always"};
  return registered < sizeof names / sizeof *names ? names[registered] : "a new answer";
}

void hd_reader_note_callbacks(struct hd_model *model) {
  const struct hd_file_header *header = &model->header;
  for (uint32_t i = 0; i < HD_CALLBACK_COUNT; i++)
    if (header->lost_callbacks >> i & 1)
      hd_model_add_note(model, "the runtime does not always report %s (it answers: %s): %s", callbacks[i].name,
                        name_of_answer(hd_registered(header->registered, (enum hd_callback)i)), callbacks[i].loss);
}
