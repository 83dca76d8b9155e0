/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/construct/region_pool.h"

#include "ompt/shared/measuring.h"
#include "ompt/thread/team.h"
#include "support/inprocess/heap.h"
#include "support/inprocess/keep_errno.h"
#include "support/inprocess/memory_budget.h"

static struct hd_region *make_region(struct hd_thread *primary) {
  const size_t bytes = sizeof(struct hd_region) + sizeof(struct hd_membership_record);
  hd_thread_leave_program(primary);
  HD_KEEP_ERRNO;
  const bool has_room = !primary->has_forked || hd_memory_has_room(HD_MEMORY_SITE, bytes);
  struct hd_region *region = has_room ? hd_heap_allocate(1, sizeof *region) : NULL;
  if (!region)
    return NULL;
  region->membership = hd_store_add(&hd_store, &primary->membership_cursor, HD_BLOCK_MEMBERSHIPS, primary->record->id,
                                    sizeof *region->membership);
  if (!region->membership) {
    hd_heap_free(region);
    return NULL;
  }
  region->membership->thread = primary->record->id;
  hd_store_publish(&primary->membership_cursor);
  return region;
}

struct hd_region *hd_region_pool_take(struct hd_thread *primary) {
  struct hd_region *region = primary->ended_regions;
  if (!region)
    return make_region(primary);
  primary->ended_regions = region->next_ended;
  return region;
}

void hd_region_pool_give(struct hd_thread *primary, struct hd_region *region) {
  region->next_ended = primary->ended_regions;
  primary->ended_regions = region;
}
