/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rules are applied to callpaths that are new since the last look. In the program a new one is as that above it, so
 * there is something to ask for only where what the rules say changes from one to the next. */
#include "cli/ctl/rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ctl/ctl_internal.h"
#include "output/analysis/callpaths/site_regex.h"
#include "output/model/format_names.h"
#include "output/model/memory.h"
#include "support/command/memory.h"

/* A look takes at most a tenth of a processor's time. */
static const double seconds_between = 0.02, of_time = 10;

struct applying {
  struct hd_ctl ctl;
  const struct hd_rules *rules;
  bool *has_applied; /* by rule: to a region, or to all */
  uint32_t *off;     /* by callpath: bits of classes that are off there */
  uint32_t seen;     /* so many callpaths have what the rules say */
  uint32_t before;   /* what was off before the first rule was applied ('--only'), where no rule says otherwise */
};

/* ---- what the rules say ---- */

/* By callpath, likewise. Parents come before their children. */
static uint32_t *find_wanted(struct applying *of, const struct hd_model *model) {
  uint32_t *wanted = hd_new(model->node_count, sizeof *wanted);
  for (uint32_t i = 0; i < model->node_count; i++)
    wanted[i] = of->before;
  for (size_t r = 0; r < of->rules->count; r++) {
    const struct hd_rule *rule = &of->rules->items[r];
    uint32_t count;
    bool *is_under = rule->under ? hd_site_regex_callpaths(model, rule->under, &count) : NULL;
    for (uint32_t i = 0; i < model->node_count; i++) {
      if (is_under && !is_under[i])
        continue;
      wanted[i] = rule->is_off ? wanted[i] | rule->classes : wanted[i] & ~rule->classes;
      of->has_applied[r] |= !is_under || hd_kind_is_region(model->nodes[i].kind);
    }
    free(is_under);
  }
  return wanted;
}

/* A region, or outside all of them, where one may come to be below it. What is inside one is as the region. */
static bool is_place(const struct hd_model *model, const struct hd_node *node) {
  if (hd_kind_is_region(node->kind))
    return true;
  while (node->id != 0 && !hd_kind_is_region(node->kind))
    node = &model->nodes[node->parent];
  return node->id == 0;
}

/* ---- asking for it ---- */

static bool ask(struct applying *of, uint32_t node, enum hd_event_class event_class, bool is_off) {
  const struct hd_top_request request = {.command = node == 0 ? (is_off ? HD_CONTROL_OFF : HD_CONTROL_ON)
                                                    : is_off  ? HD_CONTROL_OFF_UNDER
                                                              : HD_CONTROL_ON_UNDER,
                                         .event_class = event_class,
                                         .ppm = node};
  struct hd_ctl_answer answer;
  return hd_ctl_ask(&of->ctl, &request, &answer);
}

/* False: another 'heddle ctl' came in between, or the program has ended. */
static bool settle(struct applying *of, uint32_t node, uint32_t wanted) {
  for (int c = 0; c < HD_CLASS_COUNT; c++) {
    const uint32_t bit = 1u << c;
    if (!((of->off[node] ^ wanted) & bit))
      continue;
    if (!ask(of, node, (enum hd_event_class)c, wanted & bit))
      return false;
    of->off[node] ^= bit;
  }
  return true;
}

static void settle_new(struct applying *of, const struct hd_model *model, const uint32_t *wanted) {
  for (uint32_t i = of->seen; i < model->node_count && i <= HD_CONTROL_PROFILE_MOST; i++) {
    if (i > 0)
      of->off[i] = of->off[model->nodes[i].parent];
    if (is_place(model, &model->nodes[i]) && !settle(of, i, wanted[i]))
      return;
    of->seen = i + 1;
  }
}

/* Where there is no callpath yet nothing is measured; and '--only' is not done before the first event. */
static bool has_new(const struct applying *of, const struct hd_model *model) {
  return model->node_count > 1 && model->node_count > of->seen;
}

/* Returns how long it took, without what was asked for. */
static double look(struct applying *of) {
  const double began = hd_ctl_seconds_now();
  if (!hd_live_read_callpaths(&of->ctl.watch.live, of->ctl.error, sizeof of->ctl.error))
    return 0; /* it was just being made larger */
  const struct hd_model *model = of->ctl.watch.live.model;
  if (!has_new(of, model))
    return hd_ctl_seconds_now() - began;
  of->off = hd_grow(of->off, model->node_count, sizeof *of->off);
  if (of->seen == 0)
    of->off[0] = of->before = model->header.control.off;
  uint32_t *wanted = find_wanted(of, model);
  const double took = hd_ctl_seconds_now() - began;
  settle_new(of, model, wanted);
  free(wanted);
  return took;
}

static void look_again_and_again(struct applying *of) {
  while (hd_top_watch_runs(&of->ctl.watch))
    hd_top_watch_wait(&of->ctl.watch, fmax(seconds_between, of_time * look(of)));
}

static void print_idle_rules(const struct applying *of, FILE *errors) {
  for (size_t r = 0; r < of->rules->count; r++)
    if (!of->has_applied[r])
      fprintf(errors, "heddle: %s:%u: no parallel region is in a callpath that matches '%s'\n", of->rules->path,
              of->rules->items[r].line, of->rules->items[r].under);
}

bool hd_rules_apply(const struct hd_rules *rules, const char *live, FILE *errors, char *error, size_t error_bytes) {
  struct applying of = {
      .ctl.wait_seconds = INFINITY, .rules = rules, .has_applied = hd_new(rules->count, sizeof *of.has_applied)};
  snprintf(of.ctl.path, sizeof of.ctl.path, "%s", live);
  const bool opened = hd_top_watch_open(&of.ctl.watch, of.ctl.path, error, error_bytes);
  if (opened) {
    look_again_and_again(&of);
    print_idle_rules(&of, errors);
    hd_top_watch_close(&of.ctl.watch);
  }
  free(of.off);
  free(of.has_applied);
  return opened;
}
