/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Regions of which instances were counted and not observed: what those have taken, as far as windows tell. */
#include "output/analysis/resolve/resolve_internal.h"
#include "output/model/format_names.h"
#include "output/model/lazy_rows.h"

/* Windows saw the thread begin instances of the region: workers enter theirs, and begin none. */
static bool has_begun(const struct hd_model *model, uint32_t region, uint32_t thread) {
  const struct hd_watched *found = hd_watched_find(model->watched, model->watched_count, region, thread, true);
  return found && found->visits > 0;
}

/* The outermost region around a node; 0: none. Parents have smaller ids. */
static uint32_t outermost(const struct hd_resolution *of, uint32_t node) {
  uint32_t found = 0;
  for (uint32_t region = of->place[node]; region != 0; region = of->place[of->model->nodes[region].parent])
    found = region;
  return found;
}

/* None of what windows did not see begin. */
static double times_of(const struct hd_node *region, const struct hd_given *given) {
  return given->seen > 0 ? (double)region->shares.refused / given->seen : 0;
}

void hd_resolve_count_regions(struct hd_resolution *of) {
  const struct hd_model *model = of->model;
  double refused = 0, seen = 0;
  for (uint32_t i = 0; i < model->watched_count; i++)
    if (model->watched[i].of_regions && of->place[model->watched[i].node] == model->watched[i].node)
      of->given[model->watched[i].node].seen += (double)model->watched[i].visits;
  for (uint32_t i = 1; i < model->node_count; i++)
    if (model->nodes[i].shares.refused > 0 && of->given[i].seen > 0) {
      refused += (double)model->nodes[i].shares.refused;
      seen += of->given[i].seen;
    }
  const double outside = seen > 0 ? refused / seen : 1;
  for (uint32_t i = 0; i < model->node_count; i++) {
    const uint32_t region = outermost(of, i);
    of->times[i] = region != 0 ? times_of(&model->nodes[region], &of->given[region]) : outside;
  }
}

static bool takes_part(const struct hd_model *model, uint32_t region, uint32_t thread) {
  const struct hd_row *row = hd_model_row(model, region, thread);
  return row && row->visits > 0;
}

/* Whoever works in a region nested in it is no member of its team, unless that began the nested one. */
void hd_resolve_give_region(struct hd_resolution *of, const struct hd_watched *watched, uint32_t state,
                            uint64_t ticks) {
  const struct hd_model *model = of->model;
  of->of_refused[watched->node] += state == HD_BUSY ? (int64_t)ticks : 0;
  for (uint32_t region = of->place[watched->node]; region != 0; region = of->place[model->nodes[region].parent]) {
    struct hd_given *given = &of->given[region];
    given->all += ticks;
    given->elapsed += has_begun(model, region, watched->thread) ? ticks : 0;
    given->busy += state == HD_BUSY && takes_part(model, region, watched->thread) ? ticks : 0;
  }
}

/* Instances are known; or, of regions nested in others, as windows saw them. */
void hd_resolve_add_instances(struct hd_resolution *of, struct hd_node *node) {
  struct hd_model *model = of->model;
  const uint64_t more = node->shares.refused > 0 ? node->shares.refused : of->visits[node->id];
  const uint64_t elapsed = of->given[node->id].elapsed;
  const double factor = node->team.elapsed_ticks > 0 ? 1 + (double)elapsed / (double)node->team.elapsed_ticks : 1;
  hd_resolve_scale(&node->team, factor);
  node->team.instances += more;
  if (of->place[node->parent] == 0)
    model->inside_ticks += has_begun(model, node->id, 0) ? elapsed : 0;
}

bool hd_resolve_has_refused(const struct hd_resolution *of, const struct hd_node *node) {
  return hd_kind_is_region(node->kind) && (of->given[node->id].all > 0 || node->shares.refused > 0);
}
