/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/unify/same_build.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* NULL: no callpath lies in the executable, or the file does not say which module that is. */
static const struct hd_module *executable_of(const struct hd_model *model) {
  for (uint32_t i = 0; i < model->module_count; i++)
    if (strcmp(hd_base_name(model->modules[i].path), model->header.program) == 0)
      return &model->modules[i];
  return NULL;
}

/* As far as is known. */
static bool is_other_build(const struct hd_module *a, const struct hd_module *b) {
  if (!a || !b || a->build_id_bytes == 0 || b->build_id_bytes == 0)
    return false;
  return !hd_module_is_same(a, b);
}

static enum hd_same_program compare_programs(const struct hd_model *a, const struct hd_model *b,
                                             const struct hd_module **module) {
  if (strcmp(a->header.program, b->header.program) != 0)
    return HD_OTHER_PROGRAM;
  if (!is_other_build(executable_of(a), executable_of(b)))
    return HD_SAME_PROGRAM;
  *module = executable_of(b);
  return HD_OTHER_BUILD;
}

/* ---- libraries ---- */

/* Where the call site is not known the address is the runtime's: that is no callpath in it. */
static bool has_callpaths_in(const struct hd_model *model, uint32_t module) {
  for (uint32_t i = 0; i < model->node_count; i++)
    if (model->nodes[i].module == module && !(model->nodes[i].flags & HD_PROFILE_IN_RUNTIME))
      return true;
  return false;
}

/* Of a's modules, one of that name that is another build; NULL: none, or a has this build, too. */
static const struct hd_module *other_build_in(const struct hd_model *a, const struct hd_module *module) {
  const struct hd_module *other = NULL;
  for (uint32_t i = 0; i < a->module_count; i++) {
    const struct hd_module *known = &a->modules[i];
    if (strcmp(hd_base_name(known->path), hd_base_name(module->path)) != 0)
      continue;
    if (!is_other_build(known, module))
      return NULL;
    if (has_callpaths_in(a, i))
      other = known;
  }
  return other;
}

static const struct hd_module *rebuilt_library(const struct hd_model *a, const struct hd_model *b) {
  for (uint32_t i = 0; i < b->module_count; i++)
    if (has_callpaths_in(b, i) && other_build_in(a, &b->modules[i]))
      return &b->modules[i];
  return NULL;
}

enum hd_same_program hd_same_program(struct hd_model *const *models, size_t count, size_t *a, size_t *b,
                                     const struct hd_module **module) {
  *module = NULL;
  for (*b = 1; *b < count; ++*b)
    for (*a = 0; *a < *b; ++*a) {
      const enum hd_same_program same = compare_programs(models[*a], models[*b], module);
      if (same != HD_SAME_PROGRAM)
        return same;
    }
  for (*b = 1; *b < count; ++*b)
    for (*a = 0; *a < *b; ++*a)
      if ((*module = rebuilt_library(models[*a], models[*b])))
        return HD_OTHER_BUILD;
  *a = *b = 0;
  return HD_SAME_PROGRAM;
}

bool hd_is_same_build(const struct hd_model *a, const struct hd_model *b) {
  const struct hd_module *left = executable_of(a);
  const struct hd_module *right = executable_of(b);
  return left && right && left->build_id_bytes > 0 && right->build_id_bytes > 0 && !is_other_build(left, right) &&
         !rebuilt_library(a, b);
}

/* ---- commands ---- */

/* Moves past a number; whether it is this one. */
static bool skip_number(const char **text, uint32_t expected) {
  char *end;
  errno = 0;
  const unsigned long number = strtoul(*text, &end, 10);
  *text = end;
  return errno == 0 && number == expected;
}

static bool is_same_argument(const char *a, uint32_t a_threads, const char *b, uint32_t b_threads) {
  while (*a && *b) {
    if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
      const char *a_number = a, *b_number = b;
      const bool a_is_threads = skip_number(&a, a_threads);
      const bool b_is_threads = skip_number(&b, b_threads);
      if (!(a_is_threads && b_is_threads) &&
          (a - a_number != b - b_number || strncmp(a_number, b_number, (size_t)(a - a_number)) != 0))
        return false;
    } else if (*a++ != *b++) {
      return false;
    }
  }
  return !*a && !*b;
}

bool hd_is_same_command(const struct hd_strings *a, uint32_t a_threads, const struct hd_strings *b,
                        uint32_t b_threads) {
  if (a->count != b->count)
    return false;
  for (size_t i = 0; i < a->count; i++)
    if (!is_same_argument(a->items[i], a_threads, b->items[i], b_threads))
      return false;
  return true;
}
