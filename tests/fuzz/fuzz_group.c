/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files of groups with formulas, and what the formulas make of numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "output/metrics/group.h"
#include "output/metrics/metric.h"

static void evaluate(struct hd_group *group) {
  static const double numbers[] = {0, 1, -1, 1e300, INFINITY, NAN};
  for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
    for (uint32_t i = 0; i < HD_EVENTS_MOST; i++)
      group->values[i] = numbers[n] * (i + 1);
    group->busy_s = group->elapsed_s = numbers[n];
    for (uint32_t i = 0; i < group->metric_count; i++)
      if (isinf(hd_metric_value(&group->metrics[i])))
        abort(); /* a value is finite, or there is none */
  }
}

static void check_message(const char *error) {
  if (strncmp(error, "fuzz.txt:", 9) != 0)
    abort();
  for (; *error; error++)
    if (((unsigned char)*error < ' ' && *error != '\t') || *error == 0x7f)
      abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char error[512] = "";
  char *text = malloc(size + 1);
  if (!text)
    abort();
  memcpy(text, data, size);
  text[size] = '\0';
  struct hd_group *group = hd_group_parse("fuzz.txt", text, error, sizeof error);
  if (group)
    evaluate(group);
  else
    check_message(error);
  hd_group_free(group);
  free(text);
  return 0;
}
