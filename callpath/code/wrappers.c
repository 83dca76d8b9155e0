/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "callpath/code/wrappers.h"

#include <stddef.h>

#include "callpath/code/loaded_modules.h"

static const struct heddle_inside *(*innermost)(void); /* NULL: there are no wrappers */

void hd_wrappers_find(const struct heddle_entries *entries) {
  struct hd_loaded loaded;
  hd_code_entries = (struct hd_code_range){0, 0};
  innermost = NULL;
  if (!entries || !hd_loaded_find((uintptr_t)entries->innermost, &loaded))
    return;
  innermost = entries->innermost;
  hd_code_entries = (struct hd_code_range){loaded.begin, loaded.end};
}

/* The runtime calls some of its entry points itself. */
const void *hd_wrappers_caller(const void *address) {
  const struct heddle_inside *inside = innermost();
  while (inside && hd_code_in_runtime(inside->caller))
    inside = inside->outer;
  return inside ? inside->caller : address;
}

const struct heddle_iterations *hd_wrappers_loop(void) {
  const struct heddle_inside *inside = innermost ? innermost() : NULL;
  return inside ? inside->loop : NULL;
}

bool hd_wrappers_loop_is_by_runtime(void) {
  const struct heddle_inside *inside = innermost ? innermost() : NULL;
  return inside && inside->by_runtime;
}
