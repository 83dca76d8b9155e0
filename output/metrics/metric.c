/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/metrics/metric.h"

#include <math.h>
#include <string.h>

/* What formulas may use besides the group's events. */
static const struct {
  const char *name, *meaning;
  size_t place; /* of its value in the group */
} times[] = {
    {"busy", "the busy time", offsetof(struct hd_group, busy_s)},
    {"elapsed", "the elapsed time", offsetof(struct hd_group, elapsed_s)},
    {"time", "the elapsed time", offsetof(struct hd_group, elapsed_s)},
};
enum { TIME_COUNT = sizeof times / sizeof *times };

const char *hd_metric_meaning(const char *name) {
  for (size_t i = 0; i < TIME_COUNT; i++)
    if (strcmp(name, times[i].name) == 0)
      return times[i].meaning;
  return hd_formula_meaning(name);
}

bool hd_metric_compile(struct hd_group *group, struct hd_metric *metric, struct hd_formula_error *error) {
  struct hd_formula_variable variables[HD_EVENTS_MOST + TIME_COUNT];
  size_t count = 0;
  for (uint32_t i = 0; i < group->event_count; i++)
    variables[count++] = (struct hd_formula_variable){group->events[i].alias, &group->values[i]};
  for (size_t i = 0; i < TIME_COUNT; i++)
    variables[count++] =
        (struct hd_formula_variable){times[i].name, (double *)(void *)((char *)group + times[i].place)};
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

double hd_metric_value(const struct hd_metric *metric) {
  return metric->parser ? hd_formula_value(metric->parser) : NAN;
}
