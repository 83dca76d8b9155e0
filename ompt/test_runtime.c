/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/test_runtime.h"

#include <dlfcn.h>
#include <string.h>

#include "ompt/thread/budget.h"

struct hd_test_runtime hd_test_runtime;

typedef void (*switch_function)(uint32_t event_class, bool off);

static void *address_of(ompt_function_lookup_t lookup, const char *name) {
  if (!lookup)
    return dlsym(RTLD_DEFAULT, name);
  const ompt_interface_fn_t entry = lookup(name);
  void *address;
  _Static_assert(sizeof address == sizeof entry, "POSIX: data and function pointers convert");
  memcpy(&address, &entry, sizeof address);
  return address;
}

void hd_test_runtime_find(ompt_function_lookup_t lookup) {
  hd_test_runtime.clock = address_of(lookup, "heddle_external_clock");
  void *advance = address_of(lookup, "heddle_external_advance");
  memcpy(&hd_test_runtime.advance, &advance, sizeof advance);
  void *open_samples = address_of(lookup, "heddle_external_samples");
  memcpy(&hd_test_runtime.open_samples, &open_samples, sizeof open_samples);
  if (!lookup)
    return;
  hd_test_runtime.entries = address_of(lookup, "heddle_external_entries");
  hd_test_runtime.mpi_calls = address_of(lookup, "heddle_external_mpi_calls");
  hd_test_runtime.is_exiting = address_of(lookup, "heddle_external_exiting");
  hd_test_runtime.has_gcc_regions = lookup("heddle_external_gomp");
  switch_function *to_be_told = address_of(lookup, "heddle_external_switch");
  if (to_be_told)
    *to_be_told = hd_budget_switch_for_test;
}
