/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/construct/region_pool.h"

#include "ompt/shared/measuring.h"
#include "ompt/thread/team.h"
#include "support/inprocess/heap.h"
#include "support/inprocess/keep_errno.h"
#include "support/inprocess/memory_budget.h"

static struct hd_region *make_region(struct hd_thread *primary, unsigned requested) {
  const uint32_t per_block =
      (HD_BLOCK_BYTES - HD_BLOCK_HEADER_BYTES - sizeof(struct hd_instance_record)) / sizeof(struct hd_member_record);
  uint32_t members = requested > per_block ? requested : per_block;
  size_t bytes = sizeof(struct hd_instance_record) + members * sizeof(struct hd_member_record);
  const bool has_room = !primary->has_forked || hd_memory_has_room(HD_MEMORY_SITE, bytes);
  struct hd_region *region = has_room ? hd_heap_allocate(1, sizeof *region) : NULL;
  if (!region)
    return NULL;
  region->instance = hd_store_add_block(&hd_store, HD_BLOCK_INSTANCES, primary->record->id, bytes);
  if (!region->instance) {
    hd_heap_free(region);
    return NULL;
  }
  region->members = (struct hd_member_record *)(region->instance + 1);
  for (uint32_t i = 0; i < members; i++)
    region->members[i].thread = HD_NONE;
  region->instance->primary = primary->record->id;
  region->instance->member_limit = members;
  primary->has_forked = true;
  return region;
}

/* Takes it out of the list, if it can be used again. */
static struct hd_region *take(struct hd_region **link, unsigned requested) {
  struct hd_region *region = *link;
  if (!region || requested > region->instance->member_limit ||
      __atomic_load_n(&region->instance->pending, __ATOMIC_ACQUIRE) != 0)
    return NULL;
  *link = region->next_ended;
  return region;
}

/* The one that ended last but one: not all of the last one's workers may have been heard of. A worker that is not makes
 * one useless, so not many are looked at, however deep regions have been nested. */
static struct hd_region *take_ended(struct hd_thread *primary, unsigned requested) {
  struct hd_region **newest = &primary->ended_regions;
  struct hd_region *region = *newest ? take(&(*newest)->next_ended, requested) : NULL;
  struct hd_region **link = newest;
  while (!region && *link) {
    region = take(link, requested);
    if (!region)
      link = &(*link)->next_ended;
  }
  return region;
}

struct hd_region *hd_region_pool_take(struct hd_thread *primary, unsigned requested) {
  struct hd_region *ended = take_ended(primary, requested);
  if (ended)
    return ended;
  hd_thread_leave_program(primary);
  HD_KEEP_ERRNO;
  return make_region(primary, requested);
}

void hd_region_pool_give(struct hd_thread *primary, struct hd_region *region) {
  region->next_ended = primary->ended_regions;
  primary->ended_regions = region;
}
