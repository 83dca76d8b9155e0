/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <string.h>

#include "output/model/format_names.h"
#include "output/unify/unified_tree_internal.h"

/* A routine that tells of its entries, one known from the stack and one that leads back are different things. */
enum { KEY_FLAGS = HD_PROFILE_CALLED | HD_PROFILE_BACK | HD_PROFILE_SHORTENED };

/* The executable may have another name in each build. */
static const char *module_text(const struct hd_model *model, const struct hd_node *node) {
  const char *name = hd_base_name(model->modules[node->module].path);
  return strcmp(name, model->header.program) == 0 ? "" : name;
}

static void set_address(struct hd_uniting *uniting, size_t run, const struct hd_node *node, struct hd_united_key *key) {
  const struct hd_united *united = uniting->united;
  key->site = node->module == HD_NONE ? node->address : node->offset;
  if (node->module == HD_NONE)
    key->module = HD_NONE;
  else if (united->by != HD_UNITE_BY_NAME)
    key->module = united->module_of[run][node->module];
  else
    key->module = hd_intern_text(&uniting->texts, module_text(united->models[run], node));
}

uint32_t hd_united_kind_of(const struct hd_united *united, const struct hd_node *node) {
  return united->by != HD_UNITE_STRICTLY ? hd_kind_of_site(node->kind) : node->kind;
}

/* Functions made of regions and tasks are numbered through: main.omp_outlined.3, main._omp_fn.3. The number changes
 * when there is one more before; the region around tells which it is. */
static uint32_t function_text(struct hd_uniting *uniting, const struct hd_node *node) {
  static const char *const marks[] = {".omp_outlined", ".omp_task_entry", "._omp_fn"};
  const char *function = node->name.function;
  for (size_t i = 0; function && node->kind == HD_KIND_ROUTINE && i < sizeof marks / sizeof *marks; i++) {
    const char *mark = strstr(function, marks[i]);
    if (mark)
      return hd_intern(&uniting->texts, function, (size_t)(mark - function) + strlen(marks[i]));
  }
  return hd_intern_text(&uniting->texts, function);
}

struct hd_united_key hd_united_key_of(struct hd_uniting *uniting, size_t run, const struct hd_node *node) {
  const struct hd_united *united = uniting->united;
  const struct hd_name *name = &node->name;
  struct hd_united_key key = {.parent = united->node_of[run][node->parent],
                              .kind = hd_united_kind_of(united, node),
                              .flags = node->flags & KEY_FLAGS,
                              .function = HD_NONE,
                              .called = hd_intern_text(&uniting->texts, node->called),
                              .file = HD_NONE,
                              .module = HD_NONE};
  if (node->kind == HD_KIND_PHASE) {
    key.function = hd_intern_text(&uniting->texts, name->function ? name->function : "");
    return key;
  }
  if (united->by != HD_UNITE_BY_NAME) {
    set_address(uniting, run, node, &key);
    return key;
  }
  key.function = function_text(uniting, node);
  key.file = hd_intern_text(&uniting->texts, name->file ? hd_base_name(name->file) : NULL);
  key.by_line = node->kind == HD_KIND_ROUTINE ? name->function != NULL : name->line != 0;
  if (!key.by_line)
    set_address(uniting, run, node, &key);
  else if (node->kind != HD_KIND_ROUTINE) /* a routine is its function, wherever that is */
    key.site = name->line;
  return key;
}

/* ---- into the united tree ---- */

static bool has_name(const struct hd_node *node) {
  return node->name.function || node->name.file;
}

void hd_united_take(struct hd_uniting *uniting, size_t run, const struct hd_node *node, uint32_t id) {
  struct hd_united *united = uniting->united;
  struct hd_united_node *to = &united->nodes[id];
  united->node_of[run][node->id] = id;
  if (id == united->node_count) {
    united->node_count++;
    *to = (struct hd_united_node){.parent = united->node_of[run][node->parent],
                                  .module = node->module == HD_NONE ? HD_NONE : united->module_of[run][node->module],
                                  .model = united->models[run],
                                  .node = node,
                                  .named = node};
  }
  to->flags |= node->flags;
  if (!has_name(to->named) && has_name(node))
    to->named = node;
}
