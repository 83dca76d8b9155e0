/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output/unify/unified_tree.h"

#include <stdlib.h>
#include <string.h>

#include "output/unify/unified_tree_internal.h"
#include "support/command/memory.h"

/* ---- modules ---- */

static uint32_t take_module(struct hd_united *united, const struct hd_module *module) {
  uint32_t i = 0;
  while (i < united->module_count && !hd_module_is_same(united->modules[i].module, module))
    i++;
  if (i == united->module_count)
    united->modules[united->module_count++].module = module;
  united->modules[i].flags |= module->flags;
  return i;
}

static void unite_modules(struct hd_united *united) {
  size_t most = 1;
  for (size_t i = 0; i < united->model_count; i++)
    most += united->models[i]->module_count;
  united->modules = hd_new(most, sizeof *united->modules);
  for (size_t i = 0; i < united->model_count; i++) {
    const struct hd_model *model = united->models[i];
    united->module_of[i] = hd_new((size_t)model->module_count + 1, sizeof *united->module_of[i]);
    for (uint32_t j = 0; j < model->module_count; j++)
      united->module_of[i][j] = take_module(united, &model->modules[j]);
  }
}

/* ---- callpaths ---- */

static void unite_by_address(struct hd_uniting *uniting) {
  struct hd_united *united = uniting->united;
  for (size_t run = 0; run < united->model_count; run++) {
    const struct hd_model *model = united->models[run];
    hd_united_take(uniting, run, &model->nodes[0], 0);
    for (uint32_t i = 1; i < model->node_count; i++) {
      const struct hd_united_key key = hd_united_key_of(uniting, run, &model->nodes[i]);
      hd_united_take(uniting, run, &model->nodes[i], hd_intern(&uniting->keys, &key, sizeof key) + 1);
    }
  }
}

static void find_targets(struct hd_united *united) {
  for (size_t run = 0; run < united->model_count; run++)
    for (uint32_t i = 0; i < united->models[run]->node_count; i++) {
      const struct hd_node *node = &united->models[run]->nodes[i];
      struct hd_united_node *to = &united->nodes[united->node_of[run][i]];
      if (to->node == node)
        to->target = united->node_of[run][node->target];
    }
}

/* ---- places ---- */

static struct hd_united_key place_of(struct hd_uniting *uniting, const struct hd_united_node *united) {
  const struct hd_node *node = united->named;
  const struct hd_name *name = &node->name;
  struct hd_united_key key = {.kind = hd_united_kind_of(uniting->united, node),
                              .function = hd_intern_text(&uniting->texts, name->function),
                              .called = hd_intern_text(&uniting->texts, node->called),
                              .file = HD_NONE,
                              .module = HD_NONE};
  if (node->kind == HD_KIND_PHASE || node->kind == HD_KIND_PROGRAM)
    return key;
  key.by_line = name->line != 0;
  if (!key.by_line) {
    key.module = united->module;
    key.site = united->node->module == HD_NONE ? united->node->address : united->node->offset;
    return key;
  }
  const bool by_name = uniting->united->by == HD_UNITE_BY_NAME; /* directories differ */
  key.file = hd_intern_text(&uniting->texts, name->file && by_name ? hd_base_name(name->file) : name->file);
  key.site = name->line;
  return key;
}

static void find_places(struct hd_uniting *uniting) {
  struct hd_united *united = uniting->united;
  struct hd_interner places = {0};
  for (uint32_t i = 0; i < united->node_count; i++) {
    const struct hd_united_key key = place_of(uniting, &united->nodes[i]);
    united->nodes[i].place = hd_intern(&places, &key, sizeof key);
  }
  hd_interner_free(&places);
}

bool hd_united_place_is_same(const struct hd_united *united, uint32_t a, uint32_t b) {
  return united->nodes[a].place == united->nodes[b].place;
}

/* ---- all together ---- */

static size_t count_nodes(const struct hd_united *united) {
  size_t count = 0;
  for (size_t i = 0; i < united->model_count; i++)
    count += united->models[i]->node_count;
  return count;
}

static void allocate(struct hd_united *united, size_t most) {
  hd_need(most < HD_NONE / 4);
  united->node_of = hd_new(united->model_count, sizeof *united->node_of);
  united->module_of = hd_new(united->model_count, sizeof *united->module_of);
  for (size_t i = 0; i < united->model_count; i++)
    united->node_of[i] = hd_new((size_t)united->models[i]->node_count + 1, sizeof *united->node_of[i]);
  united->nodes = hd_new(most + 1, sizeof *united->nodes);
}

struct hd_united *hd_united_new(struct hd_model *const *models, size_t count, enum hd_unite_by by) {
  struct hd_united *united = hd_new(1, sizeof *united);
  *united = (struct hd_united){.models = models, .model_count = count, .by = by};
  struct hd_uniting uniting = {.united = united};
  const size_t most = count_nodes(united);
  allocate(united, most);
  unite_modules(united);
  if (by == HD_UNITE_BY_NAME)
    hd_united_by_name(&uniting, most);
  else
    unite_by_address(&uniting);
  find_targets(united);
  find_places(&uniting);
  hd_interner_free(&uniting.texts);
  hd_interner_free(&uniting.keys);
  return united;
}

void hd_united_free(struct hd_united *united) {
  if (!united)
    return;
  for (size_t i = 0; i < united->model_count; i++) {
    free(united->node_of[i]);
    free(united->module_of[i]);
  }
  free(united->node_of);
  free(united->module_of);
  free(united->nodes);
  free(united->modules);
  free(united);
}
