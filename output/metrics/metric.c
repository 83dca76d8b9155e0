/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/metrics/metric.h"

#include <math.h>
#include <string.h>

static const char *const times[] = {"busy", "elapsed", "time"};
enum { TIME_COUNT = sizeof times / sizeof *times };

const char *hd_metric_meaning(const char *name) {
  for (size_t i = 0; i < TIME_COUNT; i++)
    if (strcmp(name, times[i]) == 0)
      return i == 0 ? "the busy time" : "the elapsed time";
  return hd_formula_meaning(name);
}

bool hd_metric_compile(struct hd_group *group, struct hd_metric *metric, struct hd_formula_error *error) {
  struct hd_formula_variable variables[HD_EVENTS_MOST + TIME_COUNT];
  size_t count = 0;
  for (uint32_t i = 0; i < group->event_count; i++)
    variables[count++] = (struct hd_formula_variable){group->events[i].alias, &group->values[i]};
  for (size_t i = 0; i < TIME_COUNT; i++)
    variables[count++] = (struct hd_formula_variable){times[i], i == 0 ? &group->busy_s : &group->elapsed_s};
  const struct hd_formula_scope scope = {.variables = variables, .count = count, .what = "event of this group"};
  metric->parser = hd_formula_new(metric->formula, &scope, error);
  if (!metric->parser)
    return false;
  metric->uses_elapsed = hd_formula_uses(metric->parser, &group->elapsed_s);
  for (uint32_t i = 0; i < group->event_count; i++)
    if (hd_formula_uses(metric->parser, &group->values[i]))
      metric->events[metric->event_count++] = i;
  return true;
}

double hd_metric_value(const struct hd_group *group, const struct hd_metric *metric) {
  (void)group; /* the formula knows where its numbers are */
  return metric->parser ? hd_formula_value(metric->parser) : NAN;
}
