/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the program executed outside regions, by samples: functions that are not instrumented have no time of their own.
 */
#include <stdlib.h>
#include <string.h>

#include "output/analysis/findings/findings_internal.h"
#include "output/analysis/lines/hot_places.h"
#include "output/model/node_text.h"
#include "output/model/place.h"
#include "support/command/memory.h"

static const double samples_least = 10, share_least_percent = 10;
static const double covered_least = 0.5; /* there are none before the runtime has loaded Heddle */

/* A function that others are inlined into stands for these, without a line: theirs are in another place. */
static struct hd_model_sample by_outer_function(const struct hd_model_sample *from) {
  struct hd_model_sample sample = *from;
  if (!from->inlined_into)
    return sample;
  sample.name = (struct hd_name){.function = from->inlined_into};
  sample.inlined_into = NULL;
  return sample;
}

static uint32_t take_outside(const struct hd_diagnosis *diagnosis, struct hd_model_sample *samples) {
  const struct hd_model *model = diagnosis->model;
  uint32_t count = 0;
  for (uint32_t i = 0; i < model->sample_count; i++)
    if (model->samples[i].state == HD_BUSY && diagnosis->book->place[model->samples[i].node] == HD_PLACE_OUTSIDE)
      samples[count++] = by_outer_function(&model->samples[i]);
  return count;
}

static const struct hd_model_sample *hottest_line(const struct hd_hot_places *lines,
                                                  const struct hd_model_sample *place) {
  for (uint32_t i = 0; i < lines->count; i++) {
    const struct hd_model_sample *line = &lines->items[i];
    if (line->module == place->module && line->name.line > 0 && line->name.function &&
        strcmp(line->name.function, place->name.function) == 0)
      return line;
  }
  return NULL;
}

/* "61 % in read_input (most at input.c:17)". */
static void add_place(const struct hd_diagnosis *diagnosis, const struct hd_hot_places *lines,
                      const struct hd_model_sample *place, double percent, char sentence[HD_FINDING_BYTES]) {
  char function[HD_FUNCTION_BYTES], before[HD_FINDING_BYTES];
  const struct hd_model_sample *line = hottest_line(lines, place);
  snprintf(before, sizeof before, "%s", sentence);
  hd_function_text(function, place->name.function);
  if (line)
    hd_say(sentence, "%s%s %.0f %% in %.48s (most at %.40s:%u)", before, *before ? "," : "samples:", percent, function,
           hd_base_name(line->name.file), line->name.line);
  else
    hd_say(sentence, "%s%s %.0f %% in %.48s (%.40s)", before, *before ? "," : "samples:", percent, function,
           place->module == HD_NONE ? "?" : hd_base_name(diagnosis->model->modules[place->module].path));
}

static bool are_enough(const struct hd_model *model, double count, double outside_ticks) {
  const double sampled_s = 1e-9 * (double)model->header.sample_period_ns * count;
  return count >= samples_least && sampled_s >= covered_least * outside_ticks * model->seconds_per_tick;
}

bool hd_say_functions(const struct hd_diagnosis *diagnosis, double outside_ticks, char sentence[HD_FINDING_BYTES]) {
  struct hd_model_sample *samples = hd_new((size_t)diagnosis->model->sample_count + 1, sizeof *samples);
  const uint32_t count = take_outside(diagnosis, samples);
  struct hd_hot_places places = hd_hot_places_new(samples, count, 0);
  struct hd_hot_places lines = hd_hot_places_new(samples, count, HD_HOT_LINES);
  double all = 0;
  sentence[0] = '\0';
  for (uint32_t i = 0; i < count; i++)
    all += (double)samples[i].count;
  for (uint32_t i = 0; i < places.count && i < 2 && are_enough(diagnosis->model, all, outside_ticks); i++) {
    const double percent = 100 * (double)places.items[i].count / all;
    if (places.items[i].name.function && percent >= share_least_percent)
      add_place(diagnosis, &lines, &places.items[i], percent, sentence);
  }
  hd_hot_places_free(&places);
  hd_hot_places_free(&lines);
  free(samples);
  return sentence[0] != '\0';
}
