/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/sleds/sleds.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "callpath/code/elf_symbols.h"
#include "callpath/code/outlined.h"
#include "heddle-control.h"
#include "ompt/sleds/trampolines.h"
#include "support/inprocess/memory_budget.h"
#include "support/log.h"
#include "support/name_choice.h"
#include "support/own_file.h"

/* ---- XRay's runtime, in the program ---- */

/* Of compiler-rt's xray_interface.h; __cxa_demangle is in programs that link the C++ library statically. */
enum {
  SET_HANDLER,
  PATCH,
  ADDRESS,
  MOST_ID,
  ENTRY,
  EXIT,
  TAIL_EXIT,
  XRAY_FUNCTIONS,
  DEMANGLE = XRAY_FUNCTIONS,
  FUNCTIONS
};
static const char *const names[FUNCTIONS] = {
    "__xray_set_handler",   "__xray_patch_function", "__xray_function_address", "__xray_max_function_id",
    "__xray_FunctionEntry", "__xray_FunctionExit",   "__xray_FunctionTailExit", "__cxa_demangle"};

enum { PATCHED = 1 }; /* XRayPatchingStatus */

struct runtime {
  uintptr_t base; /* of the program in memory */
  uintptr_t functions[FUNCTIONS];
  int (*set_handler)(void (*handler)(int32_t, int32_t));
  int (*patch)(int32_t id);
  uintptr_t (*address)(int32_t id);
  size_t (*most_id)(void);
  char *(*demangle)(const char *name, char *buffer, size_t *bytes, int *status); /* NULL: there is none */
  void (*free)(void *memory);
};

static void take_function(void *context, uint64_t value, const char *name) {
  struct runtime *runtime = context;
  if (name[0] != '_' || name[1] != '_')
    return;
  for (size_t i = 0; i < FUNCTIONS; i++)
    if (!strcmp(name, names[i]))
      runtime->functions[i] = runtime->base + value;
}

/* The first is the program. */
static int take_base(struct dl_phdr_info *info, size_t size, void *base) {
  (void)size;
  *(uintptr_t *)base = info->dlpi_addr;
  return 1;
}

/* ISO C knows no conversion from an address to a function. */
static void convert(const void *from, void *to) {
  memcpy(to, from, sizeof(void *));
}

static void find_demangler(struct runtime *runtime) {
  void *found = dlsym(RTLD_DEFAULT, "__cxa_demangle");
  void *release = dlsym(RTLD_DEFAULT, "free");
  if (!release)
    return;
  convert(&release, &runtime->free);
  convert(found ? (const void *)&found : &runtime->functions[DEMANGLE], &runtime->demangle);
}

static bool find_runtime(const struct hd_elf_symbols *symbols, struct runtime *runtime) {
  dl_iterate_phdr(take_base, &runtime->base);
  if (!hd_elf_symbols_each(symbols, take_function, runtime))
    return false;
  for (size_t i = 0; i < XRAY_FUNCTIONS; i++)
    if (!runtime->functions[i])
      return false;
  convert(&runtime->functions[SET_HANDLER], &runtime->set_handler);
  convert(&runtime->functions[PATCH], &runtime->patch);
  convert(&runtime->functions[ADDRESS], &runtime->address);
  convert(&runtime->functions[MOST_ID], &runtime->most_id);
  find_demangler(runtime);
  return true;
}

/* ---- which functions ---- */

struct candidate {
  uintptr_t address; /* in the file */
  int32_t id;
  int32_t rule;
  bool is_body; /* of a construct */
};

struct candidates {
  const struct runtime *runtime;
  const struct hd_name_choice *choice;
  struct candidate *items; /* by address */
  size_t count;
};

static int compare(const void *a, const void *b) {
  const uintptr_t left = ((const struct candidate *)a)->address;
  const uintptr_t right = ((const struct candidate *)b)->address;
  return left < right ? -1 : left > right;
}

static int32_t rule_of(const struct candidates *candidates, const char *name) {
  const struct runtime *runtime = candidates->runtime;
  int status = -1;
  char *readable = runtime->demangle && !strncmp(name, "_Z", 2) ? runtime->demangle(name, NULL, NULL, &status) : NULL;
  const int32_t by_symbol = hd_name_choice_rule(candidates->choice, name);
  const int32_t by_name = readable ? hd_name_choice_rule(candidates->choice, readable) : HD_CHOICE_NONE;
  if (readable)
    runtime->free(readable);
  return by_symbol > by_name ? by_symbol : by_name;
}

static void take_name(void *context, uint64_t value, const char *name) {
  struct candidates *candidates = context;
  const struct candidate key = {.address = value};
  struct candidate *found = bsearch(&key, candidates->items, candidates->count, sizeof key, compare);
  if (!found)
    return;
  const int32_t rule = rule_of(candidates, name);
  found->rule = rule > found->rule ? rule : found->rule;
  found->is_body |= hd_outlined_is_name(name);
}

static void *map(size_t bytes) {
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

static void list_candidates(struct candidates *candidates) {
  const struct runtime *runtime = candidates->runtime;
  for (size_t i = 0; i < candidates->count; i++) {
    const int32_t id = (int32_t)i + 1;
    candidates->items[i] = (struct candidate){runtime->address(id) - runtime->base, id, HD_CHOICE_NONE, false};
  }
  qsort(candidates->items, candidates->count, sizeof *candidates->items, compare);
}

/* ---- patching ---- */

/* What can be measured, kept for more of it. */
static struct prepared {
  const struct candidate *items; /* by address */
  size_t count;
  uintptr_t base;
  uintptr_t *table; /* hd_sleds.functions */
  int (*patch)(int32_t id);
} prepared;

static bool is_chosen(const struct candidates *candidates, const struct candidate *candidate) {
  return !candidate->is_body && hd_name_choice_takes(candidates->choice, candidate->rule);
}

/* For good. What is chosen at start is there before the first is patched. */
static bool make_table(const struct candidates *candidates, size_t *chosen) {
  const size_t bytes = (candidates->count + 1) * sizeof(void *);
  uintptr_t *table = map(bytes);
  if (!table)
    return false;
  hd_memory_take_surely(bytes);
  for (size_t i = 0; i < candidates->count; i++) {
    const struct candidate *candidate = &candidates->items[i];
    if (!is_chosen(candidates, candidate))
      continue;
    table[candidate->id] = candidates->runtime->base + candidate->address;
    ++*chosen;
  }
  hd_sleds.functions = (const void *const *)(const void *)table;
  hd_sleds.count = (uint32_t)candidates->count + 1;
  prepared = (struct prepared){candidates->items, candidates->count, candidates->runtime->base, table,
                               candidates->runtime->patch};
  return true;
}

static void patch_chosen(const struct candidates *candidates) {
  size_t failed = 0;
  for (uint32_t id = 1; id < hd_sleds.count; id++)
    if (hd_sleds.functions[id])
      failed += candidates->runtime->patch((int32_t)id) != PATCHED;
  if (failed)
    hd_log("%zu functions that HEDDLE_ROUTINES chooses cannot be patched, and are not measured", failed);
}

static void choose_and_patch(struct candidates *candidates, const struct hd_elf_symbols *symbols, const char *list) {
  size_t chosen = 0;
  list_candidates(candidates);
  if (!hd_elf_symbols_each(symbols, take_name, candidates) || !make_table(candidates, &chosen))
    hd_log("no memory to choose functions by HEDDLE_ROUTINES: none is measured");
  else if (!chosen && strcmp(list, "-.") != 0) /* which chooses none at first */
    hd_log("HEDDLE_ROUTINES=%s chooses none of the %zu functions that can be measured", list, candidates->count);
  else
    patch_chosen(candidates);
}

static void connect(const struct runtime *runtime, const struct hd_name_choice *choice,
                    const struct hd_elf_symbols *symbols, const char *list) {
  struct candidates candidates = {runtime, choice, NULL, runtime->most_id()};
  if (!candidates.count || candidates.count >= INT32_MAX)
    return;
  if (!runtime->set_handler(hd_sled_event) || !hd_trampolines_measure(&runtime->functions[ENTRY])) {
    hd_log("HEDDLE_ROUTINES: this version of XRay is not known: no function is measured");
    return;
  }
  const size_t bytes = candidates.count * sizeof *candidates.items;
  candidates.items = map(bytes);
  if (!candidates.items)
    return;
  choose_and_patch(&candidates, symbols, list);
  if (prepared.items)
    hd_memory_take_surely(bytes);
  else
    munmap(candidates.items, bytes);
}

void hd_sleds_connect(const char *list, hd_sled_taker *enter, hd_sled_taker *leave) {
  char path[PATH_MAX];
  char why[256];
  struct hd_elf_symbols symbols;
  struct hd_name_choice choice;
  struct runtime runtime = {0};
  hd_sleds.enter = enter;
  hd_sleds.leave = leave;
  if (!hd_trampolines_can_be_measured() || !hd_own_file(path) || !hd_elf_symbols_open(path, &symbols))
    return;
  if (find_runtime(&symbols, &runtime)) {
    if (hd_name_choice_read(list, &choice, why, sizeof why)) {
      connect(&runtime, &choice, &symbols, list);
      hd_name_choice_free(&choice);
    } else {
      hd_log("HEDDLE_ROUTINES=%s: %s: no function is measured", list, why);
    }
  }
  hd_elf_symbols_close(&symbols);
}

/* The first that begins at `address` or behind it. */
static const struct candidate *find_from(uintptr_t address) {
  size_t low = 0, high = prepared.count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (prepared.items[middle].address < address)
      low = middle + 1;
    else
      high = middle;
  }
  return low < prepared.count ? &prepared.items[low] : NULL;
}

bool hd_sleds_add(uint64_t address) {
  const struct candidate *found = find_from((uintptr_t)address);
  if (!found || found->address - address >= HD_CONTROL_ROUTINE_UNIT || found->is_body)
    return false;
  if (prepared.table[found->id])
    return true;
  if (prepared.patch(found->id) != PATCHED)
    return false;
  /* Only now: a thread that is in it when the entry is patched must not leave before the exit is. */
  __atomic_store_n(&prepared.table[found->id], prepared.base + found->address, __ATOMIC_RELEASE);
  return true;
}
