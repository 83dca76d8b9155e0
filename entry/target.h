/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file target.h
 * The runtime's entry point behind a wrapper.
 *
 * Without the wrapper a module's call goes to the first library that defines the entry point: among those that all
 * modules see (the global scope) or, if none of these does, among those that the module itself needs. So what stands
 * behind a wrapper may differ between modules: two extensions of an interpreter may have brought a runtime each.
 */
#ifndef HEDDLE_ENTRY_TARGET_H
#define HEDDLE_ENTRY_TARGET_H

#include <stdint.h>

/** As many modules find the entry point in their own libraries as are remembered; others are looked up at each call. */
enum { HD_TARGET_MODULES = 4 };

struct hd_target {
  const char *name;
  struct hd_target_of {
    uintptr_t begin; /* of the calling code it holds for */
    uintptr_t bytes; /* set last; 0: none yet */
    void (*function)(void);
  } modules[HD_TARGET_MODULES];
};

/** Looks the entry point up. Ends the program, as the loader would, if no library has it. Keeps errno. */
void (*hd_target_find(struct hd_target *target, const void *caller))(void);

/** What a name leads to from `caller`: a function, or data. NULL: nothing. For what is looked up once; errno may
 *  change. */
void *hd_target_look_up(const char *name, const void *caller);

/** The entry point that a call from `caller` would reach without the wrapper. One comparison in the steady state. */
static inline void (*hd_target_of(struct hd_target *target, const void *caller))(void) {
  const struct hd_target_of *first = &target->modules[0];
  const uintptr_t bytes = __atomic_load_n(&first->bytes, __ATOMIC_ACQUIRE);
  if (__builtin_expect((uintptr_t)caller - first->begin < bytes, 1))
    return first->function;
  return hd_target_find(target, caller);
}

/** For wrappers: what they export; where one returns to (`caller`) and what stands behind it (`next`). */
#define HD_EXPORTED __attribute__((visibility("default")))
#define HD_FIND_NEXT(type, name, parameters)                                                                           \
  static struct hd_target behind = {#name, {{0}}};                                                                     \
  const void *const caller = __builtin_return_address(0);                                                              \
  type(*const next) parameters = (type(*) parameters)hd_target_of(&behind, caller)

#endif
