/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdlib.h>

#include "cli/ctl/ctl_internal.h"
#include "output/analysis/callpaths/site_regex.h"
#include "output/model/format_names.h"
#include "support/command/complain.h"
#include "support/command/memory.h"

static bool has_region(const struct hd_ctl_places *places, const struct hd_model *model) {
  for (uint32_t i = 0; i < model->node_count; i++)
    if (places->callpaths[i] && hd_kind_is_region(model->nodes[i].kind))
      return true;
  return false;
}

bool hd_ctl_places_find(const struct hd_model *model, const char *expression, struct hd_ctl_places *places) {
  uint32_t matches;
  *places = (struct hd_ctl_places){.callpaths = hd_site_regex_callpaths(model, expression, &matches),
                                   .ids = hd_new(model->node_count, sizeof *places->ids)};
  for (uint32_t i = 0; i < model->node_count && i <= HD_CONTROL_PROFILE_MOST; i++)
    if (places->callpaths[i] && !places->callpaths[model->nodes[i].parent])
      places->ids[places->count++] = i;
  if (places->count == 0)
    hd_site_regex_complain(model, expression, stderr);
  else if (!has_region(places, model))
    return HD_COMPLAIN("what matches '%s' is in no parallel region's callpath: nothing can be switched there; name a "
                       "region, or what calls it",
                       expression);
  return places->count > 0;
}

void hd_ctl_places_free(struct hd_ctl_places *places) {
  free(places->callpaths);
  free(places->ids);
}

static bool is_off_in(const struct hd_node *region, const struct hd_live_off *off, enum hd_event_class c) {
  return off->asked && !(off->in_part && region->spared >> c & 1);
}

bool hd_ctl_places_are_off(const struct hd_ctl_places *places, const struct hd_model *model, enum hd_event_class c) {
  const struct hd_live_off off = hd_live_off_now(model, c);
  for (uint32_t i = 0; i < model->node_count; i++)
    if (places->callpaths[i] && hd_kind_is_region(model->nodes[i].kind) && !is_off_in(&model->nodes[i], &off, c))
      return false;
  return true;
}

bool hd_ctl_places_are_on(const struct hd_ctl_places *places, const struct hd_model *model, enum hd_event_class c) {
  const struct hd_live_off off = hd_live_off_now(model, c);
  for (uint32_t i = 0; i < model->node_count; i++)
    if (places->callpaths[i] && hd_kind_is_region(model->nodes[i].kind) && is_off_in(&model->nodes[i], &off, c))
      return false;
  for (uint32_t i = 0; i < model->switch_count; i++) {
    const struct hd_switch *from = &model->switches[i];
    if (from->event_class == c && from->on_ticks == 0 && !from->asked && places->callpaths[from->node])
      return false;
  }
  return true;
}
