/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file json_locks.c
 * Who held what others waited for, in the JSON of callpaths.
 */
#include <math.h>

#include "output/model/locks.h"
#include "output/views/export/json_internal.h"

json_t *hd_json_program_locks(const struct hd_model *model) {
  const char *missing = hd_locks_missing(model);
  return HD_JSON({"locks_missing", missing ? json_string(missing) : json_null()},
                 {"lost_locks", missing ? json_null() : hd_json_count(model->header.lost_locks)});
}

struct waits {
  const struct hd_model *model;
  const struct hd_model_lock_pair *pairs;
};

static json_t *holder(const void *of, size_t index) {
  const struct waits *waits = of;
  const struct hd_model_lock_pair *pair = &waits->pairs[index];
  return HD_JSON({"id", hd_json_count(pair->holder)}, {"seconds", hd_json_seconds(waits->model, pair->ticks)},
                 {"times", hd_json_count(pair->count)});
}

static json_t *members(const struct hd_model *model, const struct hd_node *node, const struct hd_model_lock *lock) {
  uint32_t count;
  const struct waits waits = {model, hd_lock_pairs_of(model, node->id, &count)};
  const uint64_t waited = hd_locks_waited(node);
  uint64_t held = 0;
  for (uint32_t i = 0; i < count; i++)
    held += waits.pairs[i].ticks;
  const uint64_t divided = held + lock->handover_ticks + lock->free_ticks;
  return HD_JSON({"waits", hd_json_count(lock->waits)}, {"waited_s", hd_json_seconds(model, waited)},
                 {"held_s", hd_json_seconds(model, held)}, {"held_by", hd_json_array(&waits, count, holder)},
                 {"handover_s", hd_json_seconds(model, lock->handover_ticks)},
                 {"free_s", hd_json_seconds(model, lock->free_ticks)},
                 {"unknown_s", hd_json_seconds(model, waited > divided ? waited - divided : 0)},
                 {"handovers", hd_json_count(lock->handovers)},
                 {"handover_delay_s", hd_json_seconds(model, lock->delay_ticks)}, {"holds", hd_json_count(lock->holds)},
                 {"hold_s", hd_json_seconds(model, lock->hold_ticks)},
                 {"released_elsewhere", hd_json_count(lock->elsewhere)});
}

/* What is held from a callpath on, or spent in it. */
static json_t *held(const struct hd_model *model, const struct hd_node *node, const struct hd_model_lock *lock) {
  const double inside = hd_node_held_ticks(node);
  return isnan(inside) && lock ? hd_json_seconds(model, lock->hold_ticks) : hd_json_ticks(model, inside);
}

json_t *hd_json_node_locks(const struct hd_model *model, const struct hd_node *node) {
  const struct hd_model_lock *lock = hd_locks_missing(model) ? NULL : hd_locks_find(model, node->id);
  return HD_JSON({"held_s", held(model, node, lock)},
                 {"handover_s", lock ? hd_json_seconds(model, lock->handover_ticks) : json_null()},
                 {"lock", lock ? members(model, node, lock) : json_null()});
}
