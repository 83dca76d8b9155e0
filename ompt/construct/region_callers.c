/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/construct/region_callers.h"

#include "callpath/stack/stack_cache.h"
#include "ompt/construct/routine.h"
#include "ompt/shared/measuring.h"
#include "ompt/thread/step.h"
#include "ompt/thread/team.h"

/* The first of the chain's routines that is not on the callpath already. */
static uint32_t first_new(const struct hd_thread *thread, const struct hd_chain *chain) {
  const struct hd_frame *innermost = hd_thread_innermost(thread, HD_KIND_ROUTINE);
  uint32_t first = innermost ? chain->count : 0;
  for (uint32_t i = 0; innermost && i < chain->count; i++)
    if (chain->routines[i] == innermost->routine.function)
      first = i + 1;
  return first;
}

static struct hd_row_record *walk(struct hd_thread *thread, const struct hd_chain *chain) {
  struct hd_row_record *row = thread->top->row;
  for (uint32_t i = first_new(thread, chain); i < chain->count; i++)
    row = hd_thread_step_from(thread, row, HD_KIND_ROUTINE, chain->routines[i]).to;
  return row;
}

static struct hd_row_record *walk_and_remember(struct hd_thread *thread, const struct hd_chain *chain, uint64_t site) {
  const struct hd_row_record *from = thread->top->row;
  const struct hd_edge *known = hd_edges_find(&thread->edges, from, site);
  if (known)
    return hd_edge_to(known);
  const struct hd_way way = {.to = walk(thread, chain)};
  hd_thread_remember(thread, from, site, &way, NULL);
  return way.to;
}

/* From there outwards routines enclose what is around already. */
static uintptr_t enclosing_place(const struct hd_thread *thread) {
  const struct hd_frame *phase = hd_thread_innermost(thread, HD_KIND_PHASE);
  if (phase && phase->phase.place)
    return phase->phase.place;
  const struct hd_region *led = hd_team_base(thread)->base.led;
  return led ? led->place : 0;
}

/* The event reads its counters in any case: before the stack is looked through, which takes long the first time. */
static const struct hd_chain *find_chain(struct hd_thread *thread, const void *address, uintptr_t *place) {
  struct hd_stack_cache **cache = &thread->unwind_cache;
  const uintptr_t limit = enclosing_place(thread);
  const uint64_t unwound = hd_stack_cache_by_library(*cache);
  if (__builtin_expect(thread->counters != NULL, false))
    hd_counters_read(thread);
  const struct hd_chain *chain = hd_stack_cache_callers_below(cache, address, limit, place);
  if (__builtin_expect(hd_stack_cache_by_library(*cache) != unwound, false))
    hd_thread_leave_program(thread);
  return chain;
}

struct hd_row_record *hd_callers_row(struct hd_thread *thread, const void *address, uintptr_t *place) {
  struct hd_row_record *from = thread->top->row;
  *place = 0;
  if (!hd_measuring.unwinds)
    return from;
  const struct hd_chain *chain = find_chain(thread, address, place);
  if (!chain)
    return from;
  if (chain->cut)
    __atomic_fetch_add(&hd_store.header->cut_callers, 1, __ATOMIC_RELAXED);
  const uint64_t site = hd_edge_site(HD_EDGE_CALLERS, (uint64_t)(uintptr_t)chain);
  const struct hd_edge *edge = hd_edge_at_once(&thread->edges, from, site);
  return edge ? hd_edge_to(edge) : walk_and_remember(thread, chain, site);
}

struct hd_row_record *hd_callers_known_row(struct hd_thread *thread, const void *address) {
  struct hd_row_record *from = thread->top->row;
  uintptr_t place = 0;
  if (!hd_measuring.unwinds)
    return from;
  const struct hd_chain *chain =
      hd_stack_cache_callers_below(&thread->unwind_cache, address, enclosing_place(thread), &place);
  if (!chain)
    return from;
  const struct hd_edge *edge =
      hd_edges_find(&thread->edges, from, hd_edge_site(HD_EDGE_CALLERS, (uint64_t)(uintptr_t)chain));
  return edge && !chain->cut ? hd_edge_to(edge) : NULL;
}
