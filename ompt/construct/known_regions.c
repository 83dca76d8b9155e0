/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ompt/construct/known_regions.h"

#include "ompt/thread/trace_when.h"
#include "support/inprocess/heap.h"
#include "support/inprocess/keep_errno.h"
#include "support/inprocess/list.h"
#include "support/inprocess/memory_budget.h"

enum { SAME_KEY_MOST = 64, INDEX_END = 1 << HD_TOLD_INDEX_BITS };

static struct hd_list all; /* by number; there is no number 0 */
static uint32_t next_index = 1;

const struct hd_known_region *hd_known_region_at(uint32_t index) {
  return index > 0 && index < __atomic_load_n(&next_index, __ATOMIC_ACQUIRE) ? hd_list_at(&all, index) : NULL;
}

/* Several that differ in what is not in here lie behind one another. */
static uint64_t key_of(const struct hd_known_region *wanted, uint32_t turn) {
  const uint64_t outer = wanted->outer_profile ? wanted->outer_profile->index : 0;
  const uint64_t key = wanted->profile | outer << 26 | (uint64_t)wanted->ring << 44;
  return key + turn * 0x9E3779B97F4A7C15u;
}

static bool equals(const struct hd_known_region *one, const struct hd_known_region *other) {
  return one->profile == other->profile && one->outer_profile == other->outer_profile && one->ring == other->ring &&
         one->address == other->address && one->begins_before == other->begins_before &&
         one->from_gcc == other->from_gcc && one->is_folded == other->is_folded &&
         one->of_helpers == other->of_helpers && one->encloses_itself == other->encloses_itself;
}

static bool take_index(uint32_t *index) {
  *index = __atomic_load_n(&next_index, __ATOMIC_RELAXED);
  do
    if (*index == INDEX_END)
      return false;
  while (!__atomic_compare_exchange_n(&next_index, index, *index + 1, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
  return true;
}

/* What is at a number that was taken in vain stays NULL. */
static const struct hd_known_region *make(struct hd_thread *primary, const struct hd_known_region *wanted,
                                          uint64_t key) {
  const size_t bytes = sizeof(struct hd_known_region) + hd_index_growth_bytes(&primary->known_regions);
  const enum hd_memory_use use = wanted->outer_profile ? HD_MEMORY_PATH : HD_MEMORY_SITE;
  if (primary->has_forked && !hd_memory_has_room(use, bytes))
    return NULL;
  hd_thread_leave_program(primary);
  HD_KEEP_ERRNO;
  const bool has_index = primary->known_regions.slots || hd_index_init(&primary->known_regions);
  uint32_t index;
  if (!has_index || !hd_index_make_room(&primary->known_regions) || !take_index(&index) ||
      !hd_list_make_place(&all, index))
    return NULL;
  struct hd_known_region *made = hd_heap_allocate(1, sizeof *made);
  if (!made)
    return NULL;
  *made = *wanted;
  made->index = index;
  made->primary = primary->record->id;
  made->is_traced = !wanted->is_folded && !wanted->of_helpers && hd_trace_when_is_region(wanted->profile);
  hd_list_put(&all, index, made);
  hd_index_add(&primary->known_regions, key, made);
  primary->has_forked = true;
  return made;
}

const struct hd_known_region *hd_known_region_find(struct hd_thread *primary, const struct hd_known_region *wanted) {
  for (uint32_t turn = 0; turn < SAME_KEY_MOST; turn++) {
    const uint64_t key = key_of(wanted, turn);
    const struct hd_known_region *found =
        primary->known_regions.slots ? hd_index_find(&primary->known_regions, key) : NULL;
    if (!found)
      return make(primary, wanted, key);
    if (equals(found, wanted))
      return found;
  }
  return NULL;
}
