/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/thread/step.h"

#include "callpath/callpath.h"
#include "callpath/code/code_kind.h"
#include "callpath/code/modules.h"
#include "callpath/site/call_site.h"
#include "ompt/shared/measuring.h"
#include "ompt/thread/team.h"
#include "support/inprocess/keep_errno.h"

/* ---- the edges that are remembered ---- */

void hd_thread_remember(struct hd_thread *thread, const struct hd_row_record *from, uint64_t site,
                        const struct hd_way *way, const struct hd_call_edge *call) {
  const uint32_t unloads = __atomic_load_n(&hd_modules_unloads, __ATOMIC_RELAXED);
  if (thread->edges.unloads != unloads) /* noticed just now */
    hd_edges_forget(&thread->edges, unloads);
  if (!hd_edges_have_room(&thread->edges, call != NULL)) {
    hd_thread_leave_program(thread);
    HD_KEEP_ERRNO;
    hd_edges_make_room(&thread->edges, call != NULL);
  }
  hd_edges_add(&thread->edges, from, site, way, call);
}

/* ---- steps ---- */

static struct hd_way new_way(struct hd_thread *thread, struct hd_row_record *from, enum hd_kind kind,
                             const struct hd_call_site *site) {
  struct hd_step step = hd_callpath_step(from->profile, kind, site->address);
  struct hd_row_record *row = hd_thread_row(thread, step.profile);
  struct hd_row_record *counter = step.counter == HD_NONE ? NULL : row;
  if (site->is_tail_call && counter)
    hd_callpath_mark_tail_call(step.profile);
  if (!row) /* full: the time is charged to the profile we are in */
    row = from;
  const bool in_runtime = hd_callpath_flags(hd_callpath_record(step.profile)) & HD_PROFILE_IN_RUNTIME;
  /* Full: what is charged to the profile we are in is not counted there. */
  return (struct hd_way){.to = row, .counter = counter, .in_runtime = in_runtime && step.counter != HD_NONE};
}

static bool is_region(uint32_t kind) {
  return kind == HD_KIND_PARALLEL || kind == HD_KIND_TEAMS;
}

/* For a GCC-built program the runtime itself begins a loop that is all of its region: for the primary at the region's
 * address, for the workers at none, or at one inside itself. So it does each team's region in a league, at none. */
static bool is_whole_region(const struct hd_thread *thread, const struct hd_profile_record *around, enum hd_kind kind,
                            const void *address) {
  const struct hd_known_region *region = thread->base->base.region;
  if (!region || around->id != region->profile)
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
  if (kind == HD_KIND_ROUTINE || kind == HD_KIND_PHASE || kind == HD_KIND_MPI)
    return (struct hd_call_site){.address = address};
  const struct hd_profile_record *around = hd_callpath_record(from->profile);
  if (is_region(hd_callpath_kind(around)) && is_whole_region(thread, around, kind, address))
    return (struct hd_call_site){(const void *)(uintptr_t)around->address, true,
                                 hd_callpath_flags(around) & HD_PROFILE_TAIL_CALL};
  const struct hd_known_region *region = thread->base->base.region;
  const struct hd_construct asked = {.makes_tasks = kind == HD_KIND_TASK,
                                     .is_taskloop = kind == HD_KIND_TASKLOOP,
                                     .has_body = kind == HD_KIND_TASK || kind == HD_KIND_TASKLOOP || is_region(kind),
                                     .region = region && region->from_gcc && !is_region(kind) ? region->address : NULL,
                                     .body = body_of(around),
                                     .unloads = __atomic_load_n(&hd_modules_unloads, __ATOMIC_RELAXED)};
  return hd_call_site_find(address, &asked);
}

/* The way to the place that an address was found to stand for. */
static struct hd_way step_to_site(struct hd_thread *thread, struct hd_row_record *from, enum hd_kind kind,
                                  const struct hd_call_site *site) {
  const uint64_t key = hd_edge_site(kind, (uint64_t)(uintptr_t)site->address);
  const struct hd_edge *known = hd_edges_find(&thread->edges, from, key);
  if (known)
    return hd_edge_way(known);
  HD_KEEP_ERRNO;
  const struct hd_way way = new_way(thread, from, kind, site);
  hd_thread_remember(thread, from, key, &way, NULL);
  return way;
}

struct hd_way hd_thread_step_slow(struct hd_thread *thread, struct hd_row_record *from, enum hd_kind kind,
                                  const void *address) {
  const uint64_t key = hd_edge_site(kind, (uint64_t)(uintptr_t)address);
  const struct hd_edge *known = hd_edges_find(&thread->edges, from, key);
  if (known)
    return hd_edge_way(known);
  hd_thread_leave_program(thread);
  const struct hd_call_site site = find_site(thread, from, kind, address);
  const struct hd_way way = step_to_site(thread, from, kind, &site);
  if (site.address != address && site.lasting) /* else the next such address may stand for another place */
    hd_thread_remember(thread, from, key, &way, NULL);
  return way;
}
