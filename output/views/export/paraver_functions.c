/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/views/export/paraver_functions.h"

#include <stdlib.h>
#include <string.h>

#include "output/model/samples.h"
#include "output/trace/sample.h"
#include "support/command/memory.h"

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Without its line; where no function is known, the library. */
static char *name_of(const struct hd_model *model, const struct hd_model_sample *sample) {
  static const struct hd_model_sample no_line;
  char text[HD_PLACE_BYTES];
  hd_sample_text(text, sample, &no_line,
                 sample->module == HD_NONE ? "outside all libraries" : hd_base_name(model->modules[sample->module].path));
  return hd_print("%s", text);
}

static void keep_different(struct hd_paraver_functions *functions, uint32_t count) {
  if (count > 0)
    qsort(functions->names, count, sizeof *functions->names, by_name);
  for (uint32_t i = 0; i < count; i++) {
    if (functions->count > 0 && strcmp(functions->names[functions->count - 1], functions->names[i]) == 0)
      free(functions->names[i]);
    else
      functions->names[functions->count++] = functions->names[i];
  }
}

static uint32_t find(const struct hd_paraver_functions *functions, char *name) {
  char *const *found = bsearch(&name, functions->names, functions->count, sizeof *functions->names, by_name);
  free(name);
  return found ? (uint32_t)(found - functions->names) : 0;
}

struct hd_paraver_functions hd_paraver_functions_new(const struct hd_model *model) {
  const size_t most = (size_t)model->sample_count + 1;
  struct hd_paraver_functions functions = {.names = hd_new(most, sizeof *functions.names),
                                           .of_sample = hd_new(most, sizeof *functions.of_sample)};
  for (uint32_t i = 0; i < model->sample_count; i++)
    functions.names[i] = name_of(model, &model->samples[i]);
  keep_different(&functions, model->sample_count);
  for (uint32_t i = 0; i < model->sample_count; i++)
    functions.of_sample[i] = find(&functions, name_of(model, &model->samples[i]));
  return functions;
}

void hd_paraver_functions_free(struct hd_paraver_functions *functions) {
  for (uint32_t i = 0; i < functions->count; i++)
    free(functions->names[i]);
  free(functions->names);
  free(functions->of_sample);
}

uint32_t hd_paraver_function_of(const struct hd_paraver_functions *functions, const struct hd_model *model,
                                const struct hd_trace_entry *entry) {
  const struct hd_model_sample key = hd_trace_sample_of(model, entry);
  const struct hd_model_sample *sample = hd_samples_find(model, &key);
  return sample ? 1 + functions->of_sample[sample - model->samples] : 0;
}
