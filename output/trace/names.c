/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/trace/names.h"

#include <stdlib.h>

#include "support/command/memory.h"

#define uthash_fatal(why) hd_no_memory()
#include <uthash.h>

struct name {
  uint64_t address;
  uint64_t number;
  UT_hash_handle hh;
};

struct hd_names {
  struct name *known[HD_TRACE_NAMES];
  uint64_t count[HD_TRACE_NAMES];
};

struct hd_names *hd_names_new(void) {
  return hd_new(1, sizeof(struct hd_names));
}

static void forget_all(struct hd_names *names, unsigned kind) {
  struct name *name = names->known[kind];
  HASH_CLEAR(hh, names->known[kind]);
  while (name) {
    struct name *next = name->hh.next;
    free(name);
    name = next;
  }
}

void hd_names_free(struct hd_names *names) {
  for (unsigned kind = 0; kind < HD_TRACE_NAMES; kind++)
    forget_all(names, kind);
  free(names);
}

void hd_names_forget_tasks(struct hd_names *names) {
  forget_all(names, HD_TRACE_TASK);
}

static struct name *find(const struct hd_names *names, unsigned kind, uint64_t address) {
  struct name *name = NULL;
  HASH_FIND(hh, names->known[kind], &address, sizeof address, name);
  return name;
}

static uint64_t make(struct hd_names *names, unsigned kind, uint64_t address) {
  struct name *name = find(names, kind, address);
  if (!name) {
    name = hd_new(1, sizeof *name);
    name->address = address;
    HASH_ADD(hh, names->known[kind], address, sizeof address, name);
  }
  return name->number = ++names->count[kind];
}

static void forget(struct hd_names *names, unsigned kind, uint64_t address) {
  struct name *name = find(names, kind, address);
  if (!name)
    return;
  HASH_DEL(names->known[kind], name);
  free(name);
}

/* Tasks begin with their creation; the others when they are first named. */
static uint64_t number_of(struct hd_names *names, unsigned kind, uint64_t address) {
  if (kind == HD_TRACE_NUMBER || kind == HD_TRACE_NO_NAME || address == 0)
    return address;
  const struct name *name = find(names, kind, address);
  return name ? name->number : kind == HD_TRACE_TASK ? 0 : make(names, kind, address);
}

void hd_names_number(struct hd_names *names, struct hd_trace_entry *entry) {
  const enum hd_order order = (enum hd_order)entry->operand;
  const struct hd_trace_names kinds = hd_trace_names_of(order);
  const uint64_t address = entry->a;
  entry->a = order == HD_ORDER_CREATE ? make(names, HD_TRACE_TASK, address) : number_of(names, kinds.a, address);
  entry->b = number_of(names, kinds.b, entry->b);
  if (order == HD_ORDER_SWITCH || order == HD_ORDER_DEPENDS_END)
    forget(names, HD_TRACE_TASK, address);
}
