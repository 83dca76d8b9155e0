/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/thread/step.h"

#include <string.h>

#include "callpath/callpath.h"
#include "callpath/code/code_kind.h"
#include "callpath/code/modules.h"
#include "callpath/site/call_site.h"
#include "ompt/shared/measuring.h"
#include "ompt/thread/team.h"
#include "support/inprocess/heap.h"
#include "support/inprocess/keep_errno.h"
#include "support/inprocess/memory_budget.h"

enum { FEW_EDGES = 256, MOST_EDGES = 1 << 24 };

/* ---- rows ---- */

static struct hd_row_record *new_row(struct hd_thread *thread, uint32_t profile) {
  const uint32_t depth = hd_callpath_record(profile)->depth;
  const enum hd_memory_use use = depth > 2 ? HD_MEMORY_PATH_ROW : depth == 2 ? HD_MEMORY_SHORT_PATH : HD_MEMORY_SITE;
  const size_t bytes = sizeof(struct hd_row_record) + hd_index_growth_bytes(&thread->index);
  struct hd_row_record *row = NULL;
  if ((thread->index.count == 0 || hd_memory_has_room(use, bytes)) && hd_index_make_room(&thread->index))
    row = hd_store_add(&hd_store, &thread->row_cursor, HD_BLOCK_ROWS, thread->record->id, sizeof *row);
  if (!row)
    return NULL;
  row->profile = profile;
  row->thread = thread->record->id;
  hd_store_publish(&thread->row_cursor);
  hd_memory_promise(HD_MEMORY_ENTRY, 1);
  hd_memory_promise(HD_MEMORY_COUNTS, thread->counters != NULL);
  hd_index_add(&thread->index, HD_INDEX_ROW(profile), row);
  return row;
}

/* For a shorter path that stands for this one, too. */
static struct hd_row_record *shorter_row(struct hd_thread *thread, uint32_t profile) {
  struct hd_row_record *row = NULL;
  uint32_t shorter = profile;
  while (!row && (shorter = hd_callpath_shorter(shorter)) != HD_NONE) {
    row = hd_index_find(&thread->index, HD_INDEX_ROW(shorter));
    if (!row)
      row = new_row(thread, shorter);
  }
  const size_t bytes = hd_index_growth_bytes(&thread->index);
  if (row && (bytes == 0 || hd_memory_has_room(HD_MEMORY_PATH_ROW, bytes)) && hd_index_make_room(&thread->index))
    hd_index_add(&thread->index, HD_INDEX_ROW(profile), row);
  return row;
}

static struct hd_row_record *add_row(struct hd_thread *thread, uint32_t profile) {
  hd_thread_leave_program(thread);
  HD_KEEP_ERRNO;
  struct hd_row_record *row = new_row(thread, profile);
  if (!row)
    row = shorter_row(thread, profile);
  if (!row && !(hd_callpath_flags(hd_callpath_record(profile)) &
                HD_PROFILE_BACK)) /* what is entered there has its time elsewhere */
    __atomic_fetch_add(&hd_store.header->folded_paths, 1, __ATOMIC_RELAXED);
  return row;
}

struct hd_row_record *hd_thread_row(struct hd_thread *thread, uint32_t profile) {
  struct hd_row_record *row = hd_index_find(&thread->index, HD_INDEX_ROW(profile));
  return __builtin_expect(row != NULL, true) ? row : add_row(thread, profile);
}

/* ---- the edges that are remembered ---- */

static struct hd_edge *probe(struct hd_edge *edges, uint32_t mask, const void *from, uint64_t site) {
  uint32_t slot = (uint32_t)hd_thread_edge_hash(from, site) & mask;
  while (edges[slot].from && (edges[slot].from != from || edges[slot].site != site))
    slot = (slot + 1) & mask;
  return &edges[slot];
}

const struct hd_edge *hd_thread_edge_known(const struct hd_thread *thread, const void *from, uint64_t site) {
  if (thread->edges_bounded)
    return hd_thread_edge_at_once(thread, from, site);
  const struct hd_edge *edge = probe(thread->edges, thread->edge_mask, from, site);
  return edge->from ? edge : NULL;
}

static bool grow_edges(struct hd_thread *thread) {
  const uint32_t mask = thread->edge_mask * 2 + 1;
  const size_t bytes = ((size_t)mask + 1) * sizeof(struct hd_edge);
  const enum hd_memory_use use = mask < FEW_EDGES ? HD_MEMORY_SHORT_PATH : HD_MEMORY_PATH_ROW;
  struct hd_edge *edges = mask < MOST_EDGES && hd_memory_has_room(use, bytes) ? hd_heap_allocate(1, bytes) : NULL;
  if (!edges)
    return false;
  memset(edges, 0, ((size_t)mask + 1) * sizeof *edges); /* page faults come now, not in the program's time */
  for (uint32_t i = 0; i <= thread->edge_mask; i++)
    if (thread->edges[i].from)
      *probe(edges, mask, thread->edges[i].from, thread->edges[i].site) = thread->edges[i];
  hd_heap_free(thread->edges);
  thread->edges = edges;
  thread->edge_mask = mask;
  return true;
}

/* The one place where the first look finds it: what stands there has to go. */
static struct hd_edge *only_slot(struct hd_thread *thread, const void *from, uint64_t site) {
  return &thread->edges[hd_thread_edge_hash(from, site) & thread->edge_mask];
}

/* Where a new edge goes. */
static struct hd_edge *slot_for(struct hd_thread *thread, const void *from, uint64_t site) {
  if (thread->edges_bounded)
    return only_slot(thread, from, site);
  struct hd_edge *edge = probe(thread->edges, thread->edge_mask, from, site);
  if (edge->from || thread->edge_count < thread->edge_mask / 2)
    return edge;
  hd_thread_leave_program(thread);
  HD_KEEP_ERRNO;
  thread->edges_bounded = !grow_edges(thread);
  return thread->edges_bounded ? only_slot(thread, from, site) : probe(thread->edges, thread->edge_mask, from, site);
}

void hd_thread_forget_edges(struct hd_thread *thread, uint32_t unloads) {
  memset(thread->edges, 0, ((size_t)thread->edge_mask + 1) * sizeof *thread->edges);
  thread->edge_count = 0;
  thread->unloads = unloads;
}

void hd_thread_remember(struct hd_thread *thread, const struct hd_edge *edge) {
  const uint32_t unloads = __atomic_load_n(&hd_modules_unloads, __ATOMIC_RELAXED);
  if (thread->unloads != unloads) /* noticed just now */
    hd_thread_forget_edges(thread, unloads);
  *slot_for(thread, edge->from, edge->site) = *edge;
  thread->edge_count++;
}

/* ---- steps ---- */

static struct hd_edge new_edge(struct hd_thread *thread, struct hd_row_record *from, enum hd_kind kind,
                               const struct hd_call_site *site) {
  struct hd_step step = hd_callpath_step(from->profile, kind, site->address);
  struct hd_row_record *row = hd_thread_row(thread, step.profile);
  struct hd_row_record *counter = step.counter == HD_NONE ? NULL : row;
  if (site->is_tail_call && counter)
    hd_callpath_mark_tail_call(step.profile);
  if (!row) /* full: the time is charged to the profile we are in */
    row = from;
  const bool in_runtime = hd_callpath_flags(hd_callpath_record(step.profile)) & HD_PROFILE_IN_RUNTIME;
  return (struct hd_edge){
      .from = from, .to = row, .counter = counter, .in_runtime = in_runtime && step.counter != HD_NONE};
}

static bool is_region(uint32_t kind) {
  return kind == HD_KIND_PARALLEL || kind == HD_KIND_TEAMS;
}

/* For a GCC-built program the runtime itself begins a loop that is all of its region: for the primary at the region's
 * address, for the workers at none, or at one inside itself. So it does each team's region in a league, at none. */
static bool is_whole_region(const struct hd_thread *thread, const struct hd_profile_record *around, enum hd_kind kind,
                            const void *address) {
  const struct hd_region *region = thread->base->base.region;
  if (!region || around->id != region->row->profile)
    return false;
  if (kind == HD_KIND_PARALLEL)
    return hd_callpath_kind(around) == HD_KIND_TEAMS && !address;
  return region->from_gcc && kind >= HD_KIND_LOOP && kind <= HD_KIND_LOOP_GUIDED &&
         (!address || address == region->address || hd_code_in_runtime(address));
}

/* The function that the runtime has called, if it is sure that nothing else has begun since. */
static const void *body_of(const struct hd_profile_record *around) {
  if (hd_budget_has_switched() || (hd_callpath_flags(around) & HD_PROFILE_TAIL_CALL))
    return NULL;
  return is_region(hd_callpath_kind(around)) || hd_callpath_kind(around) == HD_KIND_TASK
             ? hd_call_site_body((const void *)(uintptr_t)around->address)
             : NULL;
}

static struct hd_call_site find_site(const struct hd_thread *thread, const struct hd_row_record *from,
                                     enum hd_kind kind, const void *address) {
  if (kind == HD_KIND_ROUTINE || kind == HD_KIND_PHASE)
    return (struct hd_call_site){.address = address};
  const struct hd_profile_record *around = hd_callpath_record(from->profile);
  if (is_region(hd_callpath_kind(around)) && is_whole_region(thread, around, kind, address))
    return (struct hd_call_site){(const void *)(uintptr_t)around->address, true,
                                 hd_callpath_flags(around) & HD_PROFILE_TAIL_CALL};
  const struct hd_region *region = thread->base->base.region;
  const bool makes_tasks = kind == HD_KIND_TASK || kind == HD_KIND_TASKLOOP;
  const struct hd_construct asked = {.makes_tasks = makes_tasks,
                                     .has_body = makes_tasks || is_region(kind),
                                     .region = region && region->from_gcc && !is_region(kind) ? region->address : NULL,
                                     .body = body_of(around),
                                     .unloads = __atomic_load_n(&hd_modules_unloads, __ATOMIC_RELAXED)};
  return hd_call_site_find(address, &asked);
}

/* The edge to the place that an address was found to stand for. */
static const struct hd_edge *step_to_site(struct hd_thread *thread, struct hd_row_record *from, enum hd_kind kind,
                                          const struct hd_call_site *site) {
  const uint64_t key = hd_thread_site(kind, (uint64_t)(uintptr_t)site->address);
  const struct hd_edge *known = hd_thread_edge_known(thread, from, key);
  if (known)
    return known;
  HD_KEEP_ERRNO;
  thread->passing = new_edge(thread, from, kind, site);
  thread->passing.site = key;
  hd_thread_remember(thread, &thread->passing);
  return &thread->passing;
}

const struct hd_edge *hd_thread_step_slow(struct hd_thread *thread, struct hd_row_record *from, enum hd_kind kind,
                                          const void *address) {
  const uint64_t key = hd_thread_site(kind, (uint64_t)(uintptr_t)address);
  const struct hd_edge *known = hd_thread_edge_known(thread, from, key);
  if (known)
    return known;
  hd_thread_leave_program(thread);
  const struct hd_call_site site = find_site(thread, from, kind, address);
  const struct hd_edge *edge = step_to_site(thread, from, kind, &site);
  if (site.address == address || !site.lasting) /* else the next such address may stand for another place */
    return edge;
  thread->passing = *edge;
  thread->passing.site = key;
  hd_thread_remember(thread, &thread->passing);
  return &thread->passing;
}
