/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/replay/quiet.h"

#include "output/model/format_names.h"
#include "output/trace/walk.h"

struct search {
  const struct hd_model *model;
  uint32_t inside;   /* threads in regions */
  uint64_t at_ticks; /* the last entry; 0: none yet */
  uint64_t found;    /* 0: not yet */
};

static bool is_inside(const struct hd_model *model, const struct hd_trace_place *place) {
  uint32_t node = place->state == HD_IDLE || place->state == HD_STATE_COUNT ? 0 : place->node;
  while (node != 0 && !hd_kind_is_region(model->nodes[node].kind))
    node = model->nodes[node].parent;
  return node != 0;
}

bool hd_quiet_has_stack(const struct hd_model *model, const struct hd_trace_place *place) {
  for (uint32_t node = place->node; node != 0; node = model->nodes[node].parent) {
    const uint32_t kind = model->nodes[node].kind;
    if (kind == HD_KIND_TASK || (kind == HD_KIND_ROUTINE && hd_node_is_measured(&model->nodes[node])))
      return true;
  }
  return false;
}

/* What happens at one moment belongs together. */
static bool look(void *context, const struct hd_trace_entry *entry) {
  struct search *search = context;
  if (search->at_ticks > 0 && entry->ticks > search->at_ticks && search->inside == 0) {
    search->found = search->at_ticks;
    return false;
  }
  search->inside += (uint32_t)is_inside(search->model, &entry->now);
  search->inside -= (uint32_t)is_inside(search->model, &entry->before);
  search->at_ticks = entry->ticks;
  return true;
}

bool hd_quiet_find(const struct hd_model *model, uint64_t *ticks, char *error, size_t error_bytes) {
  struct search search = {.model = model};
  const bool read = hd_trace_walk_changes(model, look, &search, error, error_bytes);
  *ticks = search.found;
  return read;
}
