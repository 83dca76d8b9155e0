/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/scale/scale_internal.h"
#include "support/command/memory.h"

/* What `heddle scale` and `heddle run` set themselves. */
static bool is_taken(const char *name) {
  static const char *const names[] = {"threads", "OMP_NUM_THREADS", "HEDDLE_OUTPUT", "HEDDLE_STORE_DIR"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i]) == 0)
      return true;
  return false;
}

static bool is_name(const char *name) {
  if (!*name || isdigit((unsigned char)*name))
    return false;
  for (; *name; name++)
    if (!isalnum((unsigned char)*name) && *name != '_')
      return false;
  return true;
}

/* The text up to the next comma, "\," being none; moves past it. */
static const char *take_value(const char **text, struct hd_scale_parameter *parameter) {
  char *value = hd_new(strlen(*text) + 1, 1);
  size_t length = 0;
  for (; **text && **text != ','; ++*text) {
    *text += **text == '\\' && (*text)[1] == ',';
    value[length++] = **text;
  }
  const char *wrong = length ? NULL : "values that are not empty";
  for (size_t i = 0; i < parameter->values.count && !wrong; i++)
    if (strcmp(parameter->values.items[i], value) == 0)
      wrong = "each value once";
  hd_texts_add(&parameter->values, value);
  return wrong;
}

const char *hd_scale_parse_parameter(const char *text, struct hd_scale_parameter *parameter) {
  const char *values = strchr(text, '=');
  memset(parameter, 0, sizeof *parameter);
  parameter->name = hd_print("%.*s", values ? (int)(values - text) : 0, text);
  if (!values || !is_name(parameter->name))
    return "NAME=VALUE,VALUE,..., where NAME consists of letters, digits and _";
  if (is_taken(parameter->name))
    return "a NAME that heddle does not set itself (thread counts: -t)";
  for (values++;; values++) {
    const char *wrong = take_value(&values, parameter);
    if (wrong || !*values)
      return wrong;
  }
}

void hd_scale_parameter_free(struct hd_scale_parameter *parameter) {
  free(parameter->name);
  hd_texts_free(&parameter->values);
}
